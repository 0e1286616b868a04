-- See test/bench/judgments.
ALTER TABLE docs ADD sig minhash;
UPDATE docs SET sig = to_minhash(body, :'shingling');
VACUUM ANALYZE docs;
SELECT set_config('bench.threshold', :'threshold', false) \g /dev/null
SELECT minhash_groups_create('docs', 'sig', :threshold) \g /dev/null

CREATE FUNCTION f1() RETURNS numeric LANGUAGE sql AS $$
	WITH found AS (SELECT a.id AS id1, b.id AS id2 FROM docs_groups a JOIN docs_groups b ON a.grp = b.grp AND a.id < b.id),
	truth AS (SELECT DISTINCT least(id1, id2) AS id1, greatest(id1, id2) AS id2 FROM labels)
	SELECT round(2.0 * (SELECT count(*) FROM found JOIN truth USING (id1, id2))
		/ ((SELECT count(*) FROM found) + (SELECT count(*) FROM truth)), 3) $$;

CREATE PROCEDURE judge(threshold float8) LANGUAGE sql AS $$
	INSERT INTO docs_groups_judged (id_a, id_b, same)
	SELECT a.id, b.id, EXISTS (SELECT FROM labels l WHERE (l.id1, l.id2) IN ((a.id, b.id), (b.id, a.id)))
	FROM (SELECT *, minhash_link(sig, threshold, id) OVER (ORDER BY id) AS link FROM docs) AS a
	JOIN docs AS b ON b.id = a.link
	JOIN docs_groups AS g ON g.id = a.id
	JOIN docs_groups AS h ON h.id = b.id AND h.grp = g.grp
	JOIN (SELECT grp, count(*) AS size FROM docs_groups GROUP BY grp) AS s ON s.grp = g.grp
	WHERE NOT EXISTS (SELECT FROM docs_groups_judged AS j
		WHERE (j.id_a, j.id_b) IN ((a.id, b.id), (b.id, a.id)))
	ORDER BY jaccard(a.sig, b.sig) - 0.005 * least(s.size, 100), a.id LIMIT 1;
	SELECT minhash_groups_refresh('docs_groups') $$;

DO $$
BEGIN
	RAISE NOTICE '0 judgments: F1 %', f1();
	FOR i IN 1 .. 200 LOOP
		CALL judge(current_setting('bench.threshold')::float8);
		IF i IN (25, 50, 100, 200) THEN
			RAISE NOTICE '% judgments: F1 %', i, f1();
		END IF;
	END LOOP;
END $$;

-- Best of three, in milliseconds.
CREATE FUNCTION ms(statement text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	started timestamptz;
	best float8 := 'infinity';
BEGIN
	FOR i IN 1 .. 3 LOOP
		started := clock_timestamp();
		EXECUTE statement;
		best := least(best, extract(epoch FROM clock_timestamp() - started) * 1000);
	END LOOP;
	RETURN round(best::numeric, 1);
END $$;
SELECT 'minhash_cluster ' || ms(format('SELECT count(c) FROM (SELECT minhash_cluster(sig, %s) OVER (ORDER BY id) AS c FROM docs) s', :'threshold')) || ' ms';
SELECT 'minhash_link ' || ms(format('SELECT count(l) FROM (SELECT minhash_link(sig, %s, id) OVER (ORDER BY id) AS l FROM docs) s', :'threshold')) || ' ms';
SELECT 'refresh with judgments ' || ms($$SELECT minhash_groups_refresh('docs_groups')$$) || ' ms';
DELETE FROM docs_groups_judged;
SELECT minhash_groups_refresh('docs_groups') \g /dev/null
SELECT 'refresh without judgments ' || ms($$SELECT minhash_groups_refresh('docs_groups')$$) || ' ms';

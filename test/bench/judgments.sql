-- See test/bench/judgments.  Variables: corpus, shingling, thresholds, asked.
CREATE FUNCTION rotated(body text, letters int) RETURNS text LANGUAGE sql AS $$
	SELECT translate(lower(body), abc, substr(abc, letters + 1) || left(abc, letters))
	FROM (SELECT 'abcdefghijklmnopqrstuvwxyz' AS abc) AS a $$;
CREATE TABLE truth AS SELECT DISTINCT least(id1, id2) AS id_a, greatest(id1, id2) AS id_b FROM labels;
CREATE INDEX ON truth (id_a, id_b);
CREATE TABLE drawn AS SELECT draw, id, to_minhash(CASE WHEN draw = 0 THEN body ELSE rotated(body, 3 * draw) END, :'shingling') AS sig
	FROM docs, generate_series(0, 7) AS draw;
CREATE TABLE grouped (draw int, id text, grp bigint);

-- The F1 of groups: rows with their group, by draw.
CREATE FUNCTION f1(draw int) RETURNS numeric LANGUAGE sql AS $$
	WITH g AS MATERIALIZED (SELECT id, grp FROM grouped WHERE grouped.draw = f1.draw),
	right_pairs AS (SELECT count(*) AS n FROM truth JOIN g AS a ON a.id = id_a JOIN g AS b ON b.id = id_b WHERE a.grp = b.grp)
	SELECT round(2 * n / ((SELECT sum(size * (size - 1) / 2) FROM (SELECT count(*) AS size FROM g GROUP BY grp) AS s) + (SELECT count(*) FROM truth)), 3)
	FROM right_pairs $$;

-- A line of the first table: the F1 of some draws at each threshold, as one text for each.
CREATE FUNCTION f1_line(thresholds float8[], agreement float8, draws int, shown text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text := '';
	cell text;
	t float8;
BEGIN
	FOREACH t IN ARRAY thresholds LOOP
		TRUNCATE grouped;
		INSERT INTO grouped SELECT draw, id, minhash_cluster(sig, t, agreement => f1_line.agreement) OVER (PARTITION BY draw ORDER BY id)
			FROM drawn WHERE draw < draws;
		EXECUTE format('SELECT %s FROM (SELECT f1(draw) AS f1 FROM generate_series(0, %s) AS draw) AS f', shown, draws - 1) INTO cell;
		line := line || ' | ' || cell;
	END LOOP;
	RETURN line;
END $$;

\echo
\echo ## :corpus, :shingling
\echo
\echo F1 of groups by agreement (rows) and threshold (columns), signatures of 128 hashes.
\echo
SELECT 'agreement | ' || array_to_string(:'thresholds'::float8[], ' | ') || E'\n---' || repeat(' | ---', cardinality(:'thresholds'::float8[]));
SELECT agreement || f1_line(:'thresholds', agreement, 1, 'max(f1)') FROM unnest('{0,0.5,1}'::float8[]) AS agreement;
SELECT '0.5, mean of 8 draws' || f1_line(:'thresholds', 0.5, 8, 'round(avg(f1), 3)');
SELECT '0.5, least and greatest' || f1_line(:'thresholds', 0.5, 8, 'concat_ws(''; '', min(f1), max(f1))');

-- The statements of "The next pair to judge" in the cookbook, with its table and threshold replaced.
ALTER TABLE docs ADD sig minhash;
UPDATE docs SET sig = to_minhash(body, :'shingling');
VACUUM ANALYZE docs;
CREATE FUNCTION judged_f1(recipe text, threshold float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text := threshold;
BEGIN
	PERFORM minhash_groups_create('docs', 'sig', threshold);
	EXECUTE replace(replace(recipe, 'articles', 'docs'), ', 0.3', ', ' || threshold);
	FOR i IN 0 .. 200 LOOP
		IF i > 0 THEN
			INSERT INTO docs_groups_judged (id_a, id_b, same)
			SELECT id_a, id_b, EXISTS (SELECT FROM truth AS t WHERE t.id_a = least(q.id_a, q.id_b) AND t.id_b = greatest(q.id_a, q.id_b))
			FROM docs_question AS q;
			PERFORM minhash_groups_refresh('docs_groups');
		END IF;
		IF i IN (0, 25, 50, 100, 200) THEN
			TRUNCATE grouped;
			INSERT INTO grouped SELECT 0, id, grp FROM docs_groups;
			line := line || ' | ' || f1(0);
		END IF;
	END LOOP;
	DROP VIEW docs_question;
	DROP TABLE docs_pairs;
	PERFORM minhash_groups_drop('docs_groups');
	RETURN line;
END $$;
\echo
\echo F1 of groups at agreement 0.5 after a number of answers, by threshold (rows).
\echo
\echo threshold | 0 | 25 | 50 | 100 | 200
\echo --- | --- | --- | --- | --- | ---
SELECT judged_f1(:'recipe', t) FROM unnest(:'asked'::float8[]) AS t;

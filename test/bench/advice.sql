-- The walk of minhash_advise_next, judged by labels: five times, with the rows in five orders, so that samples differ.
-- Tables docs, labels (a, b), f1 (shingling, threshold, pairs, labelled, f1), perhaps others, are there.
CREATE TABLE walks (walk int, threshold float8, judgements int);

CREATE FUNCTION walk_once(walk int, other regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	step record;
	found_right int;
	found int;
	judged int := 0;
BEGIN
	EXECUTE format('CREATE TABLE shuffled AS SELECT * FROM docs ORDER BY md5(id || %L)', walk);
	ALTER TABLE shuffled ADD PRIMARY KEY (id);
	CREATE TABLE examples AS SELECT * FROM minhash_advise_pairs('shuffled', 'body', NULL, other,
		CASE WHEN other IS NOT NULL THEN 'body' END) WHERE example = 'at the line';
	step := minhash_advise_next(NULL, NULL);
	WHILE NOT step.done LOOP
		SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM labels
			WHERE (a, b) IN ((key_a, key_b), (key_b, key_a))))
		INTO found, found_right FROM examples WHERE round(threshold::numeric, 2) = round(step.next_threshold::numeric, 2);
		judged := judged + found;
		step := minhash_advise_next(step.next_threshold, found_right, found);
	END LOOP;
	INSERT INTO walks VALUES (walk, step.next_threshold, judged);
	DROP TABLE shuffled, examples;
END $$;

SELECT count(walk_once(walk, to_regclass('others'))) FROM generate_series(1, 5) walk;

\pset format unaligned
\pset tuples_only
WITH chosen AS (
	SELECT shingling::text, max(f1) AS best FROM f1
	WHERE shingling = (SELECT shingling::text FROM minhash_advise_shingling('docs', 'body', to_regclass('others'),
		CASE WHEN to_regclass('others') IS NOT NULL THEN 'body' END) WHERE recommended)
	GROUP BY 1
), walked AS (
	SELECT avg(f1) AS mean, min(f1) AS least, max(judgements) AS judgements,
		string_agg(walks.threshold::text, ' ' ORDER BY walk) AS thresholds
	FROM walks JOIN f1 ON round(f1.threshold::numeric, 2) = round(walks.threshold::numeric, 2) JOIN chosen USING (shingling)
), best AS (
	SELECT shingling, f1 FROM f1 ORDER BY f1 DESC LIMIT 1
)
SELECT format('| %s | %s | %s | %s | %s (%s) | %s | %s | %s | %s |', :'corpus', (SELECT count(*) FROM docs), chosen.shingling,
	round(chosen.best::numeric, 3), round(best.f1::numeric, 3), best.shingling, round((chosen.best / best.f1)::numeric, 3),
	round((least / chosen.best)::numeric, 3) || ' to ' || round((mean / chosen.best)::numeric, 3), thresholds, judgements)
FROM chosen, walked, best;

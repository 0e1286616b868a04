-- Compare the planner's row estimates with the rows that come.
DROP TABLE IF EXISTS sigs, searches;
CREATE TABLE sigs AS SELECT id, to_minhash(body, 'char:5', :hashes) AS sig FROM docs;
CREATE INDEX ON sigs USING gin (sig);
VACUUM ANALYZE sigs;
SET plan_cache_mode = force_custom_plan;

-- The estimate for a search: rows, and milliseconds of planning.
CREATE OR REPLACE FUNCTION expected(query text, OUT rows float8, OUT ms float8) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (SUMMARY, FORMAT json) ' || query INTO plan;
	rows := (plan->0->'Plan'->>'Plan Rows')::float8;
	ms := (plan->0->>'Planning Time')::float8;
END $$;

CREATE TABLE searches (sig minhash, rows float8, estimate float8, ms float8, ms_largest float8);

-- Search for rows, in an order of their own, until there are enough of both.
CREATE OR REPLACE PROCEDURE find_searches(t float8, enough int) LANGUAGE plpgsql AS $$
DECLARE
	probe minhash;
	n float8;
	few int := 0;
	many int := 0;
BEGIN
	FOR probe IN SELECT sig FROM sigs ORDER BY md5(id) LOOP
		EXIT WHEN few >= enough AND many >= enough;
		n := (SELECT count(*) FROM sigs WHERE minhash_similar(sig, probe, t, 0.99));
		CONTINUE WHEN CASE WHEN n >= 500 THEN many ELSE few END >= enough;
		INSERT INTO searches (sig, rows) VALUES (probe, n);
		many := many + (n >= 500)::int;
		few := few + (n < 500)::int;
	END LOOP;
END $$;

CALL find_searches(:t, 100);
UPDATE searches SET (estimate, ms) = (SELECT e.rows, e.ms FROM expected(format('SELECT * FROM sigs WHERE minhash_similar(sig, %L, %s, 0.99)', sig, :t)) AS e);
ALTER TABLE sigs ALTER sig SET STATISTICS 10000;
ANALYZE sigs;
UPDATE searches SET ms_largest = (SELECT e.ms FROM expected(format('SELECT * FROM sigs WHERE minhash_similar(sig, %L, %s, 0.99)', sig, :t)) AS e);

SELECT format('%s | %s | %s | %s %% | %s | %s | %s, %s', :hashes, CASE WHEN rows >= 500 THEN '500 and more' ELSE 'fewer' END, count(*),
	round(100 * avg((greatest(rows, 1) / estimate BETWEEN 0.1 AND 10)::int), 1),
	array_to_string(percentile_disc(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY rows), ', '),
	array_to_string(percentile_disc(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY estimate), ', '),
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 2),
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms_largest)::numeric, 2))
FROM searches GROUP BY rows >= 500 ORDER BY rows >= 500;

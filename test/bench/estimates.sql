-- Compare the planner's row estimates with the rows that come.
CREATE TABLE sigs AS SELECT id, to_minhash(body) AS sig FROM docs;
CREATE INDEX ON sigs USING gin (sig);
VACUUM ANALYZE sigs;

CREATE FUNCTION estimated(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN (plan->0->'Plan'->>'Plan Rows')::float8;
END $$;

CREATE TABLE searches AS
SELECT t, estimated(format('SELECT * FROM sigs WHERE minhash_similar(sig, %L, %s, 0.99)', sig, t)) AS estimate,
	(SELECT count(*) FROM sigs AS s WHERE minhash_similar(s.sig, p.sig, t, 0.99)) AS rows
FROM (SELECT sig FROM sigs ORDER BY md5(id) LIMIT 200) AS p, unnest(ARRAY[0.5, 0.8, 0.95]) AS t;

SELECT format('%s | %s %% | %s | %s', t,
	round(100 * avg((greatest(rows, 1) / estimate BETWEEN 0.1 AND 10)::int), 1),
	array_to_string(percentile_disc(ARRAY[0.5, 0.9, 0.95]) WITHIN GROUP (ORDER BY rows), ', '),
	array_to_string(percentile_disc(ARRAY[0.5, 0.9, 0.95]) WITHIN GROUP (ORDER BY estimate), ', '))
FROM searches GROUP BY t ORDER BY t;

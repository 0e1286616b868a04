-- Print the milliseconds of processor time to plan a search for a known value,
-- the median of some runs: for one table and for 64 partitions, with statistics
-- and without them.  Each passage is another one, as the last estimate is kept.
-- Linux only.
--
-- In: table generated (id, source, body).  psql variables: kind, the access
-- method; runs.
DROP TABLE IF EXISTS parts, whole;
CREATE TABLE parts (n int, body text, sig minhash) PARTITION BY HASH (n);
SELECT format('CREATE TABLE parts_%s PARTITION OF parts FOR VALUES WITH (MODULUS 64, REMAINDER %1$s)', i) FROM generate_series(0, 63) AS i \gexec
INSERT INTO parts SELECT id, body, to_minhash(body) FROM (SELECT id, left(body, 300) AS body FROM generated) AS g;
CREATE TABLE whole AS TABLE parts;
CREATE INDEX ON parts USING :kind (sig);
CREATE INDEX ON parts USING :kind (body passage_ops);
CREATE INDEX ON whole USING :kind (sig);
CREATE INDEX ON whole USING :kind (body passage_ops);

CREATE FUNCTION pg_temp.processor_ms() RETURNS float8 LANGUAGE sql AS $$
	SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e6
$$;

-- Plan a query many times, each with another number in place of {n}, and once
-- before, which fills the caches.
CREATE FUNCTION pg_temp.plan_ms(query text, times int, runs int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	began float8;
	plan text;
	ms float8[];
BEGIN
	FOR run IN 0 .. runs LOOP
		began := pg_temp.processor_ms();
		FOR i IN 1 .. times LOOP
			EXECUTE 'EXPLAIN (COSTS off) ' || replace(query, '{n}', (run * times + i)::text) INTO plan;
		END LOOP;
		ms := ms || (pg_temp.processor_ms() - began) / times;
	END LOOP;
	RETURN (SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m)::numeric, 3) FROM unnest(ms[2:]) AS m);
END $$;

CREATE TEMP TABLE queries AS
SELECT searched, of, CASE of WHEN 'whole' THEN 4000 ELSE 200 END AS times, format('SELECT * FROM %I WHERE %s', of, condition) AS query
FROM (SELECT body, sig FROM whole ORDER BY n LIMIT 1) AS w, unnest(ARRAY['whole', 'parts']) AS of,
	LATERAL (VALUES ('signature', format('minhash_similar(sig, %L, 0.8)', sig)), ('passage', format('shares_passage(body, %L)', body || ' {n}'))) AS v (searched, condition);
CREATE TEMP TABLE without AS SELECT *, pg_temp.plan_ms(query, times, :runs) AS ms FROM queries;
VACUUM ANALYZE parts;
VACUUM ANALYZE whole;
SELECT format('Planning, %s, a search for a %s in %s: %s ms of processor time, without statistics %s',
	:'kind', searched, CASE of WHEN 'whole' THEN '1 table' ELSE '64 partitions' END, pg_temp.plan_ms(query, times, :runs), ms)
FROM without;
DROP TABLE parts, whole;

-- Loading the descriptions end to end, by the clock: rows from a file into a
-- table with an index, and an index on a table that is there.  The signatures
-- are a generated column of the first and an expression of the second.
CREATE TABLE loaded AS SELECT id, body FROM docs ORDER BY id;
CREATE TABLE bench.engines (n int GENERATED ALWAYS AS IDENTITY, who text, generated text, index text,
	on_texts text, parallel boolean);
INSERT INTO bench.engines (who, generated, index, on_texts, parallel) VALUES
	('lshsim, lsh', 'sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED', 'lsh (sig)', 'lsh (to_minhash(body))', true),
	('lshsim, GIN', 'sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED', 'gin (sig)', 'gin (to_minhash(body))',
		:'SERVER_VERSION_NUM' >= 180000),
	('pg_trgm, GIN', NULL, 'gin (body gin_trgm_ops)', 'gin (body gin_trgm_ops)', :'SERVER_VERSION_NUM' >= 180000),
	('texts only', NULL, NULL, NULL, false);
SELECT format('%L', :'world' || '/loaded.tsv') AS file \gset
COPY (SELECT id, body FROM loaded ORDER BY id) TO :file;
VACUUM FULL ANALYZE loaded;

-- Statements that make the table of an engine: its rows at first, which may be
-- none.
CREATE FUNCTION bench.make_target(e bench.engines, condition text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws('; ', format('CREATE TABLE target (id int, body text%s)', ', ' || e.generated),
		format('INSERT INTO target (id, body) SELECT id, body FROM loaded WHERE %s', condition),
		'CREATE INDEX ON target USING ' || e.index)
$$;

SELECT count(*) AS rows, sum(octet_length(body)) / 1e6 AS megabytes FROM loaded \gset
SELECT bench.race('load', 'COPY, a table with an index', :rows, 'rows/s', :rows, :runs, VARIADIC array_agg(part ORDER BY n, place))
FROM bench.engines AS e, unnest(ARRAY[who, format('DROP TABLE IF EXISTS target; %s --timed COPY target (id, body) FROM %s',
	bench.make_target(e, 'false'), :'file')]) WITH ORDINALITY AS p (part, place);
SELECT bench.race('load', 'CREATE INDEX on a table', :rows, 'rows/s', :rows, :runs, VARIADIC array_agg(part ORDER BY n, place))
FROM bench.engines, unnest(ARRAY[who, format('DROP INDEX IF EXISTS loaded_index
	--timed CREATE INDEX loaded_index ON loaded USING %s', on_texts)]) WITH ORDINALITY AS p (part, place)
WHERE on_texts IS NOT NULL;
DROP INDEX loaded_index;

-- More than 100 MB of texts, where starting a worker takes a small share.
CREATE TABLE fivefold AS SELECT id, format('%s %s', body, n) AS body FROM loaded, generate_series(1, 5) AS n;
ALTER TABLE fivefold SET (parallel_workers = 1);
VACUUM ANALYZE fivefold;
SELECT bench.race('load', 'CREATE INDEX on five times the rows', 5 * :rows, 'rows/s', 5 * :rows, :runs, VARIADIC array_agg(part ORDER BY n, workers, place))
FROM bench.engines, generate_series(0, 1) AS workers,
	unnest(ARRAY[who || CASE workers WHEN 0 THEN '' ELSE ', 2 processes' END,
		format('SET max_parallel_maintenance_workers = %s; DROP INDEX IF EXISTS fivefold_index
		--timed CREATE INDEX fivefold_index ON fivefold USING %s', workers, on_texts)]) WITH ORDINALITY AS p (part, place)
WHERE parallel;
RESET max_parallel_maintenance_workers;
DROP TABLE fivefold;

-- Rows for clients to insert, 20 in each batch.
CREATE TABLE batches AS SELECT (row_number() OVER (ORDER BY id) - 1) / 20 AS batch, * FROM loaded WHERE id % 4 = 1;
CREATE INDEX ON batches (batch);
VACUUM ANALYZE batches;
TRUNCATE bench.inserts;
INSERT INTO bench.inserts SELECT n, who, 'id, body', bench.make_target(e, 'id % 2 = 0') FROM bench.engines AS e;

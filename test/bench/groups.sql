-- Refreshes of groups in turns with minhash_cluster over the same table: processor time of
-- the session.  test/bench/groups runs this, with ROWS.
SET client_min_messages = warning;
SET jit = off;
\set ON_ERROR_STOP on
\pset format unaligned
\pset fieldsep ' | '
\pset tuples_only on

-- Milliseconds of processor time of this session.
-- The system updates it when the process waits.
CREATE FUNCTION used() RETURNS float8 VOLATILE LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_sleep(0.0002);
	RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e6;
END $$;
-- A document of 300 elements, of which 19 of 20 are the same in each family of three.
CREATE FUNCTION doc(i bigint) RETURNS minhash IMMUTABLE LANGUAGE sql AS
	'SELECT array_to_minhash(ARRAY(SELECT CASE WHEN j % 20 > 0 THEN -i / 3 ELSE i END * 1000 + j FROM generate_series(1, 300) j))';
CREATE TABLE docs AS
	SELECT row_number() OVER () AS n, id, to_minhash(body) AS sig FROM texts
	UNION ALL SELECT i, i::text, doc(i) FROM generate_series(1::bigint, :rows) i WHERE NOT EXISTS (SELECT FROM texts);
ALTER TABLE docs ADD PRIMARY KEY (id), ADD tenant bigint;
UPDATE docs SET tenant = n % 100;
VACUUM FULL ANALYZE docs;
CREATE INDEX ON docs (n);
CREATE TABLE timed (what text, round int, ms float8);

-- Run a statement in a transaction of its own.
CREATE PROCEDURE measure(what text, round int, statement text) LANGUAGE plpgsql AS $$
DECLARE
	before float8;
BEGIN
	COMMIT;
	before := used();
	EXECUTE statement;
	COMMIT;
	INSERT INTO timed VALUES (what, round, used() - before);
END $$;

SELECT minhash_groups_create('docs', 'sig', 0.8), minhash_groups_create('docs', 'sig', 0.8, groups => 'scoped', scope => '{tenant}') \g /dev/null
VACUUM ANALYZE;
SELECT unnest(string_to_array(format('CALL measure(''minhash_cluster'', %1$s, ''SELECT count(c) FROM (SELECT minhash_cluster(sig, 0.8, 0.99) OVER () AS c FROM docs) d'')~
	CALL measure(''refresh, nothing changed'', %1$s, ''SELECT minhash_groups_refresh(''''docs_groups'''')'')~
	UPDATE docs SET sig = (SELECT d.sig FROM docs d WHERE d.n = docs.n + 1) WHERE n %% 100 = %1$s~
	CALL measure(''refresh, 1 %% of the rows changed'', %1$s, ''SELECT minhash_groups_refresh(''''docs_groups'''')'')~
	CALL measure(''minhash_cluster, PARTITION BY tenant'', %1$s, ''SELECT count(c) FROM (SELECT minhash_cluster(sig, 0.8, 0.99) OVER (PARTITION BY tenant) AS c FROM docs) d'')~
	CALL measure(''refresh, scope tenant'', %1$s, ''SELECT minhash_groups_refresh(''''scoped'''')'')~
	CALL measure(''create'', %1$s, ''SELECT minhash_groups_create(''''docs'''', ''''sig'''', 0.8, groups => ''''new'''')'')~
	DO $$BEGIN PERFORM minhash_groups_drop(''new''); END$$', r), '~'))
FROM generate_series(1, 7) r \gexec

-- Tracked groups: refreshes after changes of a number of rows, each by a full one.
SELECT minhash_groups_drop('scoped'), minhash_groups_drop('docs_groups') \g /dev/null
CREATE INDEX ON docs USING lsh (sig);
SELECT minhash_groups_create('docs', 'sig', 0.8, groups => 'tracked', track => true), minhash_groups_create('docs', 'sig', 0.8) \g /dev/null
VACUUM ANALYZE;
SELECT unnest(string_to_array(string_agg(format('UPDATE docs SET sig = (SELECT d.sig FROM docs d WHERE d.n = docs.n + 1)
	WHERE n IN (SELECT (%2$s + i * (SELECT count(*) / %1$s FROM docs d)) FROM generate_series(1, %1$s - 1) i)~
	CALL measure(''tracked, %1$s rows changed'', %2$s, ''SELECT minhash_groups_refresh(''''tracked'''')'')', changes, r), '~')
	|| format('~CALL measure(''tracked, full'', %s, ''SELECT minhash_groups_refresh(''''docs_groups'''')'')', r), '~'))
FROM generate_series(1, 7) r, unnest('{10,100,1000,10000}'::int[]) AS changes GROUP BY r \gexec
SELECT method, count(*) FROM minhash_groups_refresh('tracked') GROUP BY method;

\echo 'statement | ms (median) | by minhash_cluster (median)'
SELECT what, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t.ms)),
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t.ms / c.ms)::numeric, 2)
FROM timed t JOIN (SELECT round, ms FROM timed WHERE what = 'minhash_cluster') c USING (round) GROUP BY what ORDER BY min(t.ms);

-- The cost of groups that are kept current: processor time of the session, in turns with
-- the same work without groups.  test/bench/groups runs this, with ROWS.
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
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
-- A document of 300 elements, of which 3 of 4 are the same in each family of three.
CREATE FUNCTION doc(i bigint) RETURNS minhash IMMUTABLE LANGUAGE sql AS
	'SELECT array_to_minhash(ARRAY(SELECT CASE WHEN j % 20 > 0 THEN -i / 3 ELSE i END * 1000 + j FROM generate_series(1, 300) j))';
SELECT format('CREATE FUNCTION num_rows() RETURNS int IMMUTABLE LANGUAGE sql AS ''SELECT %s''', :rows) \gexec
CREATE TABLE spare AS SELECT i AS id, doc(i) AS sig FROM generate_series(1, 60000 + :rows) i;
CREATE UNIQUE INDEX ON spare (id);
CREATE TABLE timed (what text, mode text, round int, ms float8, n int);

-- Make the tables plain, queued and committed.
SELECT format('CREATE TABLE %1$s (id bigint PRIMARY KEY, sig minhash);
	INSERT INTO %1$s SELECT id, sig FROM spare WHERE id <= num_rows();
	CREATE INDEX ON %1$s USING lsh (sig); ANALYZE %1$s;', t) FROM unnest('{plain,queued,committed}'::text[]) t \gexec
SELECT minhash_groups_create('queued', 'sig', 0.8, maintain => 'queue') \g /dev/null
SELECT minhash_groups_create('committed', 'sig', 0.8, maintain => 'commit') \g /dev/null
VACUUM ANALYZE;

-- Run a statement a number of times, each in a transaction of its own.
CREATE PROCEDURE measure(what text, mode text, round int, n int, statement text) LANGUAGE plpgsql AS $$
DECLARE
	before float8;
BEGIN
	COMMIT;
	before := used();
	FOR i IN 1 .. n LOOP
		EXECUTE statement USING i;
		COMMIT;
	END LOOP;
	INSERT INTO timed VALUES (what, mode, round, used() - before, n);
	COMMIT;
END $$;

-- refreshes that read the whole table, in turns with minhash_cluster
SELECT minhash_groups_create('plain', 'sig', 0.8) \g /dev/null
SELECT unnest(string_to_array(format('CALL measure(''whole table'', ''cluster'', %1$s, 1, ''SELECT count(c) FROM (SELECT minhash_cluster(sig, 0.8, 0.99) OVER () AS c FROM plain) clustered'')~
	CALL measure(''whole table'', ''refresh'', %1$s, 1, ''SELECT minhash_groups_refresh(''''plain_groups'''')'')', r), '~'))
FROM generate_series(1, 7) r \gexec
SELECT minhash_groups_drop('plain_groups') \g /dev/null

CREATE SEQUENCE next_row;
SELECT setval('next_row', :rows) \g /dev/null

-- single inserts, and loads of 20,000 rows
SELECT format('CALL measure(''insert'', %1$L, %2$s, 1000, ''INSERT INTO %1$s SELECT id, sig FROM spare WHERE id = (SELECT nextval(''''next_row''''))'');', t, r)
FROM generate_series(1, 7) r, unnest('{plain,queued}'::text[]) t \gexec
SELECT minhash_groups_refresh('queued_groups') \g /dev/null
SELECT format('CALL measure(''load'', %1$L, %2$s, 1, ''INSERT INTO %1$s SELECT id + 1000000 * %2$s, sig FROM spare WHERE id > num_rows() AND id <= num_rows() + 20000'');', t, r)
FROM generate_series(1, 3) r, unnest('{plain,queued,committed}'::text[]) t \gexec
DELETE FROM queued WHERE id > 500000;
SELECT minhash_groups_refresh('queued_groups') \g /dev/null
DELETE FROM committed WHERE id > 500000;
VACUUM ANALYZE;

-- drains of 1,000 rows, and of one
SELECT unnest(string_to_array(format('%2$s~CALL measure(''drain %1$s'', ''queued'', %3$s, 1, ''SELECT minhash_groups_refresh(''''queued_groups'''')'');', what, statement, r), '~'))
FROM generate_series(1, 3) r, LATERAL (VALUES
	('1,000 inserts', format('INSERT INTO queued SELECT id + 700000 + %s, sig FROM spare WHERE id %% 50 = %s AND id <= 50000', r, r)),
	('1,000 updates', format('UPDATE queued SET sig = doc(id + 2000000) WHERE id %% 49 = %s AND id <= 49000', r)),
	('1,000 deletes', format('DELETE FROM queued WHERE id %% 47 = %s AND id <= 47000', r))) AS s(what, statement) \gexec
SELECT format('CALL measure(''insert and drain'', %1$L, %2$s, 500, ''INSERT INTO %1$s SELECT id, sig FROM spare WHERE id = (SELECT nextval(''''next_row''''))'');', t, r)
FROM generate_series(1, 3) r, unnest('{plain,committed}'::text[]) t \gexec

-- components of 25,000 rows among 100,000: a line, and a dense cloud
CREATE FUNCTION on_line(i bigint) RETURNS minhash IMMUTABLE LANGUAGE sql AS
	'SELECT array_to_minhash(ARRAY(SELECT generate_series(i * 10, i * 10 + 299)))';
CREATE FUNCTION in_cloud(i bigint) RETURNS minhash IMMUTABLE LANGUAGE sql AS
	'SELECT array_to_minhash(ARRAY(SELECT CASE WHEN j <= 290 THEN 0 ELSE i END * 1000 + j FROM generate_series(1, 300) j))';
SELECT format('CREATE TABLE %1$s (id bigint PRIMARY KEY, sig minhash);
	INSERT INTO %1$s SELECT i, %2$s(i) FROM generate_series(1, 25000) i;
	INSERT INTO %1$s SELECT i, doc(i) FROM generate_series(1000001, 1000000 + 3 * 25000) i;
	CREATE INDEX ON %1$s USING lsh (sig); ANALYZE %1$s;
	SELECT minhash_groups_create(''%1$s'', ''sig'', 0.8, maintain => ''queue'')', t, f)
FROM (VALUES ('line', 'on_line'), ('cloud', 'in_cloud')) AS v(t, f) \gexec
VACUUM ANALYZE;
SELECT format($$SELECT '%1$s: the largest group has ' || max(n) || ' rows' FROM (SELECT count(*) AS n FROM %1$s_groups GROUP BY grp) g;$$, t) FROM unnest('{line,cloud}'::text[]) t \gexec
SELECT unnest(string_to_array(format('CALL measure(''%1$s'', ''search'', %3$s, 1, ''SELECT count(id) FROM %1$s WHERE minhash_similar(sig, (SELECT %2$s(%3$s * 1000 + 17)), 0.8)'')~
	INSERT INTO %1$s VALUES (100000 + %3$s, %2$s(%3$s * 1000 + 5))~
	CALL measure(''%1$s'', ''insert'', %3$s, 1, ''SELECT minhash_groups_refresh(''''%1$s_groups'''')'')~
	DELETE FROM %1$s WHERE id = %3$s * 1000 + 7~
	CALL measure(''%1$s'', ''delete'', %3$s, 1, ''SELECT minhash_groups_refresh(''''%1$s_groups'''')'')~
	INSERT INTO %1$s SELECT 200000 + %3$s * 100 + i, %2$s(%3$s * 1000 + 100 + i * 7) FROM generate_series(1, 20) i~
	CALL measure(''%1$s'', ''20 inserts'', %3$s, 1, ''SELECT minhash_groups_refresh(''''%1$s_groups'''')'')~
	DELETE FROM %1$s WHERE id BETWEEN %3$s * 1000 + 200 AND %3$s * 1000 + 590 AND id %% 20 = 0~
	CALL measure(''%1$s'', ''20 deletes'', %3$s, 1, ''SELECT minhash_groups_refresh(''''%1$s_groups'''')'')', t, f, r), '~'))
FROM generate_series(1, 9) r, (VALUES ('line', 'on_line'), ('cloud', 'in_cloud')) AS v(t, f) \gexec

\echo
\echo 'inserts queued, by plain inserts; loads, by plain loads:'
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY p.ms / q.ms)::numeric, 3)
FROM timed p JOIN timed q USING (what, round) WHERE what = 'insert' AND p.mode = 'plain' AND q.mode = 'queued';
SELECT q.mode, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY q.ms / p.ms)::numeric, 3)
FROM timed p JOIN timed q USING (what, round) WHERE what = 'load' AND p.mode = 'plain' AND q.mode <> 'plain' GROUP BY q.mode;
\echo
\echo 'refreshes of the whole table, by minhash_cluster:'
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY p.ms / q.ms)::numeric, 3)
FROM timed p JOIN timed q USING (what, round) WHERE what = 'whole table' AND p.mode = 'refresh' AND q.mode = 'cluster';
\echo
\echo 'statement | mode | ms each (median) | number'
SELECT what, mode, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms / n)::numeric, 4), min(n) FROM timed GROUP BY what, mode ORDER BY what, mode;

-- The index access method lsh.
\set ECHO none \i test/data/setup.sql
-- The rows that a query returns by the index and without; sums tell sets apart.
CREATE FUNCTION compare(query text, OUT used text, OUT rows bigint, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
	by_index text;
	without text;
BEGIN
	PERFORM set_config('enable_seqscan', 'off', true);
	used := substring(pg_temp.explain(query)::text FROM '"Index Name": "(\w+)"');
	EXECUTE 'SELECT count(*), string_agg(q::text, '','' ORDER BY q::text) FROM (' || query || ') AS q' INTO rows, by_index;
	PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true),
		set_config('enable_bitmapscan', 'off', true);
	EXECUTE 'SELECT string_agg(q::text, '','' ORDER BY q::text) FROM (' || query || ') AS q' INTO without;
	PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'on', true);
	same := by_index IS NOT DISTINCT FROM without;
END $$;
-- The length of the longest line of a plan, and what it does with the condition and the order.
CREATE FUNCTION plan_of(query text, OUT widest int, OUT conditions text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		widest := greatest(widest, length(line));
		conditions := concat_ws(', ', nullif(conditions, ''), substring(line FROM '(Index Cond|Order By|Sort Key|Seq Scan)'));
	END LOOP;
END $$;
-- Read rows of the table series through a cursor, all but the first under another threshold: the later rows, and those that
-- are not similar by the new threshold.
CREATE FUNCTION change_threshold(plan text, old float8, new float8, OUT scan text, OUT later bigint, OUT wrong bigint)
LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT sig %% %1$L AS holds FROM series WHERE sig %% %1$L', (SELECT sig FROM series WHERE id = 1));
	c refcursor;
	holds boolean;
BEGIN
	PERFORM set_config('enable_seqscan', (plan = 'seq')::text, true), set_config('enable_bitmapscan', (plan = 'bitmap')::text, true),
		set_config('enable_indexscan', (plan = 'index')::text, true), set_config('lshsim.similarity_threshold', old::text, true);
	scan := pg_temp.explain(query)->'Plan'->>'Node Type';
	OPEN c FOR EXECUTE query;
	FETCH c INTO holds;
	PERFORM set_config('lshsim.similarity_threshold', new::text, true);
	later := 0;
	wrong := 0;
	LOOP
		FETCH c INTO holds;
		EXIT WHEN NOT FOUND;
		later := later + 1;
		wrong := wrong + (NOT holds)::int;
	END LOOP;
	CLOSE c;
END $$;
-- Compare searches and orders for signatures that are made by an expression of a set.
CREATE FUNCTION compare_method(signature text, OUT rows bigint, OUT same boolean) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE methods;
	EXECUTE format('INSERT INTO methods SELECT i, %s FROM generate_series(1, 1200) AS i,
		LATERAL (SELECT ARRAY(SELECT generate_series(i / 4, i / 4 + i %% 7 + i %% 40)) AS set) AS s', signature);
	EXECUTE format('INSERT INTO methods SELECT 0, %s FROM generate_series(1, 2), (SELECT ARRAY[]::int[] AS set) AS s', signature);
	INSERT INTO methods VALUES (-1, NULL);
	SELECT sum(c.rows), bool_and(c.used = 'methods_lsh' AND c.same) INTO rows, same
	FROM (SELECT sig FROM methods WHERE id IN (0, 100, 1111)) AS probe, LATERAL (
		SELECT format('SELECT id FROM methods WHERE minhash_similar(sig, %L, %s, 1)', sig, t)
		FROM unnest('{0.001,0.01,0.2,0.5,0.9,1}'::float8[]) AS t
		UNION ALL SELECT format('SELECT sig <-> %L AS d FROM methods ORDER BY d LIMIT %s', sig, n)
		FROM unnest('{1,64,65,300,1203}'::int[]) AS n) AS q (query),
		compare(query) AS c;
END $$;
-- Order the table sorted by a distance: whether the index does it in few passes, the rows, and if they are in order.  The
-- pages are counted in this process, because a query with pg_current_xact_id() has no workers.
CREATE FUNCTION count_in_order(memory text, most int, probe minhash, OUT by_index boolean, OUT few_passes boolean,
	OUT one_search boolean, OUT rows bigint, OUT distinct_rows bigint, OUT nulls bigint, OUT in_order boolean)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off AS $$
DECLARE
	plan json;
	reads bigint;				-- pages of the index, once for each pass
BEGIN
	PERFORM set_config('work_mem', memory, true);
	reads := pg_stat_get_xact_blocks_fetched('sorted'::regclass);
	plan := pg_temp.explain(format('SELECT pg_current_xact_id() FROM sorted ORDER BY sig <-> %L', probe), 'ANALYZE, BUFFERS')->'Plan';
	by_index := plan->>'Index Name' = 'sorted_lsh';
	reads := reads - pg_stat_get_xact_blocks_fetched('sorted'::regclass) +
		(plan->>'Shared Hit Blocks')::bigint + (plan->>'Shared Read Blocks')::bigint;
	one_search := coalesce(plan->>'Index Searches', '1') = '1';	-- from PostgreSQL 18 on
	few_passes := reads < most * pg_relation_size('sorted_lsh') / current_setting('block_size')::int;
	CREATE TEMP TABLE got AS SELECT row_number() OVER () AS place, * FROM (
		SELECT i, sig <-> probe AS distance FROM sorted ORDER BY sig <-> probe) AS s;
	SELECT count(*), count(DISTINCT i), count(*) FILTER (WHERE distance IS NULL),
		array_agg(distance ORDER BY place) = array_agg(distance ORDER BY distance)
	INTO rows, distinct_rows, nulls, in_order FROM got;
	DROP TABLE got;
END $$;
-- The memory of a scan of the table sorted in the order of a distance.
CREATE FUNCTION memory_of_scan(memory text) RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off SET enable_sort = off AS $$
DECLARE
	near refcursor;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	OPEN near FOR EXECUTE (SELECT format('SELECT FROM sorted ORDER BY sig <-> %L', sig) FROM sorted WHERE i = 2);
	MOVE FORWARD 1100 FROM near;
	RETURN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name = 'lsh scan');
END $$;
-- The pages that a statement reads.
CREATE FUNCTION pages_read(statement text) RETURNS int LANGUAGE sql AS $$
	SELECT (plan->>'Shared Hit Blocks')::int + (plan->>'Shared Read Blocks')::int
	FROM (SELECT pg_temp.explain(statement, 'ANALYZE, BUFFERS, TIMING OFF')->'Plan' AS plan) p
$$;
\set ECHO all

SELECT amvalidate(oc.oid) FROM pg_opclass AS oc JOIN pg_am AS am ON am.oid = oc.opcmethod WHERE amname = 'lsh';
CREATE OPERATOR CLASS wrong_ops FOR TYPE int4 USING lsh AS OPERATOR 1 <, OPERATOR 3 >;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'wrong_ops';
SELECT property, pg_indexam_has_property(am.oid, property)
FROM pg_am AS am, unnest('{can_order,can_unique,can_multi_col,can_exclude,can_include}'::text[]) AS property
WHERE amname = 'lsh';

-- families of similar documents, and rows that are NULL or empty
\set ECHO none
CREATE TABLE near (id int, sig minhash);
INSERT INTO near SELECT id, CASE
	WHEN id % 50 = 0 THEN NULL
	WHEN id % 50 = 1 THEN array_to_minhash('{}'::int[])
	ELSE array_to_minhash(ARRAY(SELECT (id / 10) * 1000 + j FROM generate_series(id % 10, id % 10 + 60) AS j))
END FROM generate_series(1, 2000) AS id;
CREATE INDEX near_lsh ON near USING lsh (sig);
ANALYZE near;
\set ECHO all
SELECT lsh_index_check('near_lsh', true) \g /dev/null

-- every form of the condition, at high and low thresholds, at every recall
SELECT sig AS probe FROM near WHERE id = 123 \gset
SELECT sig AS other FROM near WHERE id = 127 \gset
SELECT q, c.* FROM unnest(ARRAY['sig %% %L', '%L %% sig', 'sig @@ minhash_query(%L, 0.7)', 'sig %% %L AND sig %% %L', 'sig %% ANY (ARRAY[%L, %L]::minhash[])',
	'sig %% NULL::minhash', 'sig %% array_to_minhash(''{}''::int[])', 'minhash_similar(sig, array_to_minhash(''{}''::int[]), 0.01)']) AS q,
	compare('SELECT id FROM near WHERE ' || format(q, :'probe', :'other')) AS c;
SELECT c.used, c.rows > 0 AS found, c.same, count(*) FROM unnest('{0.001,0.3,0.5,0.8,0.95,1}'::float8[]) AS t, unnest('{0,0.99,1}'::float8[]) AS r,
	compare(format('SELECT id FROM near WHERE minhash_similar(sig, %L, %s, %s)', :'probe', t, r)) AS c GROUP BY 1, 2, 3;
SET lshsim.similarity_threshold = 0.1;
SELECT * FROM compare(format('SELECT id FROM near WHERE sig %% %L', :'probe'));
RESET lshsim.similarity_threshold;

-- plain scans, as in a nested loop
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT b.id FROM near AS a JOIN near AS b ON a.sig % b.sig WHERE a.id = 123;
SET enable_seqscan = off;
SELECT count(*) FROM near AS a JOIN near AS b ON a.sig % b.sig WHERE a.id BETWEEN 100 AND 400;
RESET enable_bitmapscan;
RESET enable_seqscan;
SELECT count(*) FROM near AS a JOIN near AS b ON minhash_similar(a.sig, b.sig, 0.8, 0.99) WHERE a.id BETWEEN 100 AND 400;
-- together with another index
CREATE INDEX near_id ON near (id);
SET enable_seqscan = off;
SET enable_indexscan = off;
SELECT count(*) FROM near WHERE sig % :'probe' AND id BETWEEN 120 AND 125;
RESET enable_indexscan;
RESET enable_seqscan;
DROP INDEX near_id;

-- a search value in a subquery: EXPLAIN does not print it, and the index serves condition and order
SET enable_bitmapscan = off;
SELECT value, p.widest < 150 AS is_short, p.conditions
FROM unnest(ARRAY['(SELECT array_to_minhash(''{1,2,3}''::int[]))', 'array_to_minhash(''{1,2,3}''::int[])']) AS value,
	plan_of(format('SELECT id FROM near WHERE minhash_similar(sig, %s, 0.5) ORDER BY sig <-> %1$s LIMIT 10', value)) AS p;
RESET enable_bitmapscan;

-- in order: exact, with a condition or filters or without, NULL last
SET plan_cache_mode = force_generic_plan;
PREPARE nearest AS SELECT id FROM near ORDER BY sig <-> $1 LIMIT 5;
EXPLAIN (COSTS OFF) EXECUTE nearest(NULL);
RESET plan_cache_mode;
DEALLOCATE nearest;
SELECT id, round((sig <-> :'probe')::numeric, 4) AS distance FROM near ORDER BY sig <-> :'probe' LIMIT 5;
SET enable_seqscan = off;
SELECT id, round((sig <-> :'probe')::numeric, 4) AS distance FROM near WHERE id % 2 = 0 ORDER BY sig <-> :'probe' LIMIT 3;
SELECT id FROM near WHERE sig % :'probe' ORDER BY sig <-> :'probe' LIMIT 3;
SET enable_sort = off;
CREATE TEMP TABLE ordered AS SELECT row_number() OVER () AS place, id, sig <-> :'probe' AS distance, sig IS NULL AS is_null
FROM (SELECT * FROM near ORDER BY sig <-> :'probe') AS near;
RESET enable_sort;
RESET enable_seqscan;
SELECT count(*), count(DISTINCT id), min(place) FILTER (WHERE is_null) FROM ordered;
SELECT count(*) AS wrong FROM ordered AS a JOIN ordered AS b ON b.place = a.place + 1
WHERE a.distance > b.distance OR a.distance IS NULL AND b.distance IS NOT NULL;
-- to the empty set: 1, NULL for the empty ones and for those that are NULL
SET enable_seqscan = off;
SELECT sig <-> array_to_minhash('{}'::int[]) AS distance, sig IS NULL AS is_null, count(*)
FROM (SELECT sig FROM near ORDER BY sig <-> array_to_minhash('{}'::int[])) AS near GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FROM (SELECT id FROM near ORDER BY sig <-> NULL) AS near;
-- by two distances, which the index does not serve
SELECT id FROM near ORDER BY sig <-> :'probe', sig <-> :'other' LIMIT 3;
RESET enable_seqscan;

-- a cursor goes on where it was, also backward
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM near ORDER BY sig <-> :'probe';
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH 2 FROM c;
COMMIT;

-- A setting changes while a cursor is open: each row that is read later is
-- similar by the new one, in every plan.  Only a sequential scan finds rows
-- that were not similar by the old one.
CREATE TABLE series AS SELECT i AS id, array_to_minhash(ARRAY(SELECT generate_series(i, 100))) AS sig FROM generate_series(1, 60) AS i;
SELECT threshold, count(*) FROM unnest('{0.5,0.9}'::float8[]) AS threshold, series AS s, series AS probe
WHERE probe.id = 1 AND minhash_similar(s.sig, probe.sig, threshold) GROUP BY 1 ORDER BY 1;
CREATE INDEX series_index ON series USING gin (sig);
SELECT t.*, c.* FROM (VALUES (0.5::float8, 0.9::float8), (0.9, 0.5)) AS t (old, new), unnest('{seq,bitmap}'::text[]) AS plan, change_threshold(plan, old, new) AS c ORDER BY 1, scan DESC;
DROP INDEX series_index;
CREATE INDEX series_index ON series USING lsh (sig);
SELECT t.*, c.* FROM (VALUES (0.5::float8, 0.9::float8), (0.9, 0.5)) AS t (old, new), unnest('{bitmap,index}'::text[]) AS plan, change_threshold(plan, old, new) AS c ORDER BY 1, scan;

-- rows come, change and go; many of them, so that pages split
INSERT INTO near SELECT 5000 + id, array_to_minhash(ARRAY(SELECT id * 100 + j FROM generate_series(1, 40) AS j))
FROM generate_series(1, 1500) AS id;
UPDATE near SET sig = :'probe' WHERE id BETWEEN 5000 AND 5010;
DELETE FROM near WHERE id % 7 = 3;
SELECT lsh_index_check('near_lsh', true) \g /dev/null
VACUUM near;
SELECT lsh_index_check('near_lsh', true) \g /dev/null
SELECT pg_relation_size('near_lsh') AS size \gset
INSERT INTO near SELECT 9000 + id, CASE WHEN id % 10 > 0 THEN array_to_minhash(ARRAY[id, id + 1, id + 2]) END FROM generate_series(1, 300) AS id;
SELECT pg_relation_size('near_lsh') = :size AS room_is_used_again;
SELECT lsh_index_check('near_lsh', true) \g /dev/null
SELECT c.used, array_agg(c.rows ORDER BY t) AS rows, bool_and(c.same) AS same FROM unnest('{0.001,0.3,0.5,0.8,0.95,1}'::float8[]) AS t,
	compare(format('SELECT id FROM near WHERE minhash_similar(sig, %L, %s, 0.99)', :'probe', t)) AS c GROUP BY 1;

-- one key for more rows than a page holds
CREATE TABLE copies (id int, sig minhash);
CREATE INDEX copies_lsh ON copies USING lsh (sig);
INSERT INTO copies SELECT i, array_to_minhash(ARRAY[7, 8, 9]) FROM generate_series(1, 3000) AS i;
SELECT lsh_index_check('copies_lsh', true) \g /dev/null
SELECT * FROM compare('SELECT id FROM copies WHERE sig % array_to_minhash(ARRAY[7, 8, 9])');
REINDEX INDEX copies_lsh;
SELECT lsh_index_check('copies_lsh', true) \g /dev/null
SELECT * FROM compare('SELECT id FROM copies WHERE sig % array_to_minhash(ARRAY[7, 8, 9])');
DROP TABLE copies;

-- one kind of signatures
SELECT * FROM pg_temp.errors_of(
	$$INSERT INTO near VALUES (1, array_to_minhash(ARRAY[1], num_hashes => 64))$$,
	$$SELECT id FROM near WHERE sig % to_minhash('text')$$,
	$$SELECT id FROM near ORDER BY sig <-> array_to_minhash(ARRAY[1], seed => 5) LIMIT 1$$);
-- a row that a filter removes has no distance, as in a sequential scan
SET enable_seqscan = off;
SELECT id FROM near WHERE id < 0 ORDER BY sig <-> array_to_minhash(ARRAY[1], seed => 5) LIMIT 1;
RESET enable_seqscan;
-- the kind of an index that is built of rows; 043_lsh_kind has the others
CREATE TABLE kinds (sig minhash);
-- the first live row that is not NULL decides, wherever it is, and dead rows of another kind do not matter
BEGIN;
INSERT INTO kinds SELECT to_minhash('dead ' || i) FROM generate_series(1, 500) AS i;
INSERT INTO kinds SELECT NULL FROM generate_series(1, 500);
DELETE FROM kinds WHERE sig IS NOT NULL;
INSERT INTO kinds SELECT array_to_minhash(ARRAY[i]) FROM generate_series(1, 100) AS i;
CREATE INDEX kinds_lsh ON kinds USING lsh (sig);
COMMIT;
SELECT lsh_index_check('kinds_lsh', true) \g /dev/null
INSERT INTO kinds VALUES (to_minhash('another'));
DROP INDEX kinds_lsh;
INSERT INTO kinds VALUES (to_minhash('another'));
CREATE INDEX kinds_lsh ON kinds USING lsh (sig);
-- without a live row, the first dead one
TRUNCATE kinds;
BEGIN;
INSERT INTO kinds VALUES (NULL), (array_to_minhash(ARRAY[1])), (to_minhash('dead'));
DELETE FROM kinds;
CREATE INDEX kinds_lsh ON kinds USING lsh (sig);
COMMIT;
INSERT INTO kinds VALUES (array_to_minhash(ARRAY[2]));
INSERT INTO kinds VALUES (to_minhash('another'));
SELECT lsh_index_check('kinds_lsh', true) \g /dev/null

-- keys that lie next to each other, the last of one band and the first of the next, stay two when their leaf splits
CREATE TABLE neighbours (sig minhash);
CREATE FUNCTION add_rows(first int, last int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO neighbours SELECT array_to_minhash(ARRAY(SELECT 1000 * i + j FROM generate_series(1, 150) AS j)) FROM generate_series(first, last) AS i $$;
SELECT add_rows(1, 50);
CREATE INDEX neighbours_lsh ON neighbours USING lsh (sig);
INSERT INTO neighbours
SELECT ('integer/one-permutation/128/0/' || translate(encode(string_agg(set_byte(set_byte('\x0000', 0, slot / 256), 1, slot % 256), '' ORDER BY i), 'base64'), E'\n', ''))::minhash
FROM generate_series(0, 127) AS i, coalesce((ARRAY[32020, 1709, 2421, 3063, 197, 21, 596, 218, 57])[i - 2], 20000) AS slot;
SELECT add_rows(51, 1250);
SELECT lsh_index_check('neighbours_lsh', true) \g /dev/null

-- every method, and numbers of hashes that are no multiple of 8: the rows of searches, and the distances of the nearest, in one batch and in more
CREATE TABLE methods (id int, sig minhash);
CREATE INDEX methods_lsh ON methods USING lsh (sig);
SELECT m, c.* FROM unnest(ARRAY['array_to_minhash(set, 33)', 'array_to_minhash(set, 100)', 'array_to_minhash(set, 77, 0, ''k-permutation'')',
	'weighted_to_minhash(set, (SELECT coalesce(array_agg(1 + v % 5), ''{}'')::float8[] FROM unnest(set) AS v), 70)']) AS m, compare_method(m) AS c;

-- the nearest 64, all that are kept at first, fill four pages; those on other pages, which have nothing in common with the query, come after them
CREATE TABLE batches AS SELECT i, array_to_minhash(CASE WHEN i <= 64 THEN ARRAY[1, 2, 3, i + 10] ELSE ARRAY[i * 100] END, 248) AS sig FROM generate_series(1, 200) AS i;
CREATE INDEX batches_lsh ON batches USING lsh (sig);
SELECT * FROM compare('SELECT sig <-> array_to_minhash(ARRAY[1, 2, 3], 248) AS d FROM batches ORDER BY d LIMIT 100');
SELECT * FROM compare('SELECT sig <-> array_to_minhash(ARRAY[1, 2, 3], 248) AS d FROM batches ORDER BY d');

-- every row once, in order: four passes over the records, which are on less than half of the pages, or 12 if a batch of
-- 2,048 rows fills work_mem
CREATE TABLE sorted AS SELECT i, CASE
	WHEN i % 100 = 0 THEN NULL
	WHEN i % 100 = 1 THEN array_to_minhash('{}'::int[], 16)
	ELSE array_to_minhash(ARRAY(SELECT generate_series(i % 300, i % 300 + 40)), 16)
END AS sig FROM generate_series(1, 20000) AS i;
CREATE INDEX sorted_lsh ON sorted USING lsh (sig);
SELECT memory, probe, c.*
FROM (VALUES ('64kB', 6), ('64MB', 2)) AS m (memory, most), unnest('{1,2,3}'::int[]) AS probe,
	(SELECT array_agg(sig ORDER BY i) FROM sorted WHERE i IN (301, 702, 850)) AS probes (sigs),
	LATERAL count_in_order(memory, most, sigs[probe]) AS c ORDER BY 1, 2;
-- work_mem bounds the third batch, which would otherwise take 512 kB
SELECT memory_of_scan('64kB') < 256 * 1024 AS small, memory_of_scan('4MB') > 512 * 1024 AS all_rows;

-- weighted sets, odd and large numbers of hashes
CREATE TABLE sizes (id int, sig minhash);
CREATE INDEX sizes_lsh ON sizes USING lsh (sig);
INSERT INTO sizes SELECT i, array_to_minhash(ARRAY[i / 3, 1, 2, 3], num_hashes => 4058) FROM generate_series(1, 9) AS i;
SELECT lsh_index_check('sizes_lsh', true) \g /dev/null
SELECT * FROM compare('SELECT id FROM sizes WHERE sig % array_to_minhash(ARRAY[1, 1, 2, 3], num_hashes => 4058)');
TRUNCATE sizes;
INSERT INTO sizes VALUES (1, array_to_minhash(ARRAY[1], num_hashes => 4096));
CREATE TABLE too_large AS SELECT array_to_minhash(ARRAY[1], num_hashes => 4096) AS sig;
CREATE INDEX ON too_large USING lsh (sig);

-- signatures in the index only
CREATE TABLE texts (id int, body text);
INSERT INTO texts SELECT i, 'This is text number ' || i || ', one of several that are much alike' FROM generate_series(1, 200) AS i;
INSERT INTO texts VALUES (1000, NULL), (1001, '');
CREATE INDEX texts_lsh ON texts USING lsh (to_minhash(body));
ANALYZE texts;
SELECT lsh_index_check('texts_lsh', true) \g /dev/null
SELECT * FROM compare($$SELECT id FROM texts WHERE to_minhash(body) % to_minhash('This is text number 17, one of several that are much alike')$$);
SELECT id FROM texts ORDER BY to_minhash(body) <-> to_minhash('This is text number 17, one of several that are much alike') LIMIT 2;

-- every kind of index and of table; partitions are in 050_partitions
CREATE INDEX CONCURRENTLY near_concurrently ON near USING lsh (sig) WITH (fillfactor = 50);
SELECT lsh_index_check('near_concurrently', true) \g /dev/null
SELECT pg_relation_size('near_concurrently') > pg_relation_size('near_lsh') AS less_full;
REINDEX INDEX CONCURRENTLY near_concurrently;
SELECT lsh_index_check('near_concurrently', true) \g /dev/null
DROP INDEX near_concurrently;
CREATE INDEX near_part ON near USING lsh (sig) WHERE id < 1000;
SELECT lsh_index_check('near_part', true) \g /dev/null
EXPLAIN (COSTS OFF) SELECT count(*) FROM near WHERE id < 1000;
-- a scan of a whole index is for nothing, even where others are off
SET enable_seqscan = off;
SELECT count(*) FROM near WHERE id < 1000;
SELECT count(*) FROM near;
SET enable_bitmapscan = off;
SELECT count(*) FROM near WHERE id < 1000;
RESET enable_bitmapscan;
RESET enable_seqscan;
DROP INDEX near_part;
CREATE UNLOGGED TABLE unlogged (sig minhash);
CREATE INDEX unlogged_lsh ON unlogged USING lsh (sig);
INSERT INTO unlogged SELECT sig FROM near;
SELECT lsh_index_check('unlogged_lsh', true) \g /dev/null
ALTER TABLE unlogged SET LOGGED;
SELECT lsh_index_check('unlogged_lsh', true) \g /dev/null
CREATE TEMP TABLE temporary (sig minhash);
CREATE INDEX temporary_lsh ON temporary USING lsh (sig);
INSERT INTO temporary SELECT sig FROM near;
SELECT lsh_index_check('temporary_lsh', true) \g /dev/null
CREATE MATERIALIZED VIEW seen AS SELECT * FROM near;
CREATE INDEX seen_lsh ON seen USING lsh (sig);
REFRESH MATERIALIZED VIEW seen;
SELECT lsh_index_check('seen_lsh', true) \g /dev/null
VACUUM FULL near;
SELECT lsh_index_check('near_lsh', true) \g /dev/null
CREATE INDEX near_id ON near (id);
CLUSTER near USING near_lsh;
TRUNCATE near;
SELECT lsh_index_check('near_lsh', true) \g /dev/null

-- errors
SELECT * FROM pg_temp.errors_of(
	$$CREATE UNIQUE INDEX ON near USING lsh (sig)$$, $$CREATE INDEX ON near USING lsh (sig, sig)$$,
	$$CREATE INDEX ON near USING lsh (sig) INCLUDE (id)$$, $$CREATE INDEX ON near USING lsh (id)$$,
	$$CREATE INDEX ON near USING lsh (sig) WITH (fillfactor = 101)$$,
	$$CREATE TABLE excluded (sig minhash, EXCLUDE USING lsh (sig WITH %))$$, $$lsh_index_check('near')$$,
	$$lsh_index_check('near_id')$$);
CREATE INDEX near_gin ON near USING gin (sig);
SELECT lsh_index_check('near_gin');

-- keys that do not fit into maintenance_work_mem are sorted in runs and then in
-- parts, one of which is large: 34,000 rows are copies.  The pages are those of
-- an index that was built at once, but for LSN and checksum.
CREATE TABLE large AS
SELECT array_to_minhash(ARRAY[n, n + 1, n + 2], 16) AS sig
FROM generate_series(1, 69000) AS i, LATERAL (SELECT CASE WHEN i % 2 = 0 OR i > 68000 THEN i ELSE 0 END) AS row_of (n);
SET max_parallel_maintenance_workers = 0;
SET maintenance_work_mem = '64MB';
CREATE INDEX large_at_once ON large USING lsh (sig);
SET maintenance_work_mem = '4MB';
CREATE INDEX large_by_bands ON large USING lsh (sig);
SET maintenance_work_mem = '1MB';
CREATE INDEX large_in_parts ON large USING lsh (sig);
RESET maintenance_work_mem;
RESET max_parallel_maintenance_workers;
SELECT lsh_index_check('large_in_parts', true) \g /dev/null
CHECKPOINT;
CREATE FUNCTION pages_of(index regclass) RETURNS SETOF bytea LANGUAGE sql AS $$
	SELECT substr(file, n * 8192 + 11, 8182)
	FROM pg_read_binary_file(pg_relation_filepath(index)) AS file, generate_series(0, length(file) / 8192 - 1) AS n
$$;
SELECT count(*) > 100 AS many, count(*) = count(DISTINCT page) AS differ FROM pages_of('large_in_parts') AS page;
SELECT name, md5(string_agg(a, '')) = (SELECT md5(string_agg(b, '')) FROM pages_of('large_at_once') AS b) AS same
FROM unnest('{large_by_bands,large_in_parts}'::regclass[]) AS name, pages_of(name) AS a GROUP BY name ORDER BY name::text;

-- copies of a row fill leaf after leaf; a session does not keep inserting by the
-- full ones that it has cached: an insertion reads about as many pages as at first
CREATE TABLE copies (sig minhash);
CREATE INDEX ON copies USING lsh (sig);
INSERT INTO copies SELECT to_minhash('some text') FROM generate_series(1, 500);
\set one_row 'INSERT INTO copies VALUES (to_minhash(''some text''))'
SELECT pages_read(:'one_row') AS first \gset
INSERT INTO copies SELECT to_minhash('some text') FROM generate_series(1, 3000);
SELECT pages_read(:'one_row') BETWEEN :first AND 2 * :first AS same;
-- rows that are NULL fill 200 pages; VACUUM finds room for one on the first, and the next but one does not read them all
CREATE TABLE nulls AS SELECT i, NULL::minhash AS sig FROM generate_series(1, 272000) AS i;
CREATE INDEX nulls_sig ON nulls USING lsh (sig);
DELETE FROM nulls WHERE i = 1;
VACUUM (INDEX_CLEANUP ON) nulls;
INSERT INTO nulls VALUES (1);
SELECT pages_read('INSERT INTO nulls VALUES (2)') < 100 AS few;
INSERT INTO nulls SELECT i FROM generate_series(3, 10000) AS i;
SELECT lsh_index_check('nulls_sig', true) \g /dev/null
-- each VACUUM finds room on a page with 15 full ones behind it, for fewer rows than come and go until the next
\set churn 'DELETE FROM nulls WHERE i < 11; INSERT INTO nulls SELECT i FROM generate_series(1, 10) AS i;'
:churn :churn VACUUM (INDEX_CLEANUP ON) nulls;
:churn :churn VACUUM (INDEX_CLEANUP ON) nulls;
SELECT pg_relation_size('nulls_sig') AS size \gset
-- a page may be added once, or twice, but not for each VACUUM
:churn :churn VACUUM (INDEX_CLEANUP ON) nulls;
:churn :churn VACUUM (INDEX_CLEANUP ON) nulls;
:churn :churn VACUUM (INDEX_CLEANUP ON) nulls;
:churn :churn VACUUM (INDEX_CLEANUP ON) nulls;
:churn :churn VACUUM (INDEX_CLEANUP ON) nulls;
:churn :churn VACUUM (INDEX_CLEANUP ON) nulls;
SELECT pg_relation_size('nulls_sig') / 8192 <= :size / 8192 + 2 AS same;

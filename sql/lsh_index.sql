-- Contents of an index.
\set ECHO none \i test/data/setup.sql 
-- 1,000 rows, 300 of them equal, 10 empty, 5 NULL
CREATE TABLE held AS
SELECT id, CASE
	WHEN id <= 300 THEN array_to_minhash(ARRAY[1, 2, 3, 4, 5])
	WHEN id <= 310 THEN array_to_minhash('{}'::int[])
	WHEN id > 315 THEN array_to_minhash(ARRAY(SELECT id * 1000 + j FROM generate_series(1, 50) AS j))
END AS sig FROM generate_series(1, 1000) AS id;
CREATE INDEX held_sig ON held USING lsh (sig);
\set ECHO all

-- every row that is neither empty nor NULL has 42 entries
SELECT entries = 42 * 985 AS entries, distinct_keys = 42 * 686 AS keys, largest_bucket, relation, common_grams
FROM lsh_index_stats('held_sig');
-- rows that are inserted, and those that are deleted until VACUUM
INSERT INTO held SELECT id, array_to_minhash(ARRAY(SELECT id * 1000 + j FROM generate_series(1, 50) AS j)) FROM generate_series(2001, 2020) AS id;
DELETE FROM held WHERE id <= 100;
SELECT entries = 42 * 1005 AS entries, distinct_keys = 42 * 706 AS keys, largest_bucket FROM lsh_index_stats('held_sig');
VACUUM held;
SELECT entries = 42 * 905 AS entries, distinct_keys = 42 * 706 AS keys, largest_bucket FROM lsh_index_stats('held_sig');
-- the most frequent keys, as the reference finds them
SELECT rows, count(*) FROM (
	SELECT key, count(*) AS rows FROM held, unnest(lsh_plan_keys(sig, 0.8)) AS key GROUP BY key) AS k GROUP BY rows ORDER BY rows DESC LIMIT 1;

-- a key with more rows than fit on a page, built at once and row by row
CREATE TABLE many (sig minhash);
CREATE INDEX many_sig ON many USING lsh (sig);
SELECT distinct_keys, entries, largest_bucket FROM lsh_index_stats('many_sig');
INSERT INTO many SELECT array_to_minhash(ARRAY[7, 8, 9]) FROM generate_series(1, 5000);
SELECT distinct_keys, entries, largest_bucket FROM lsh_index_stats('many_sig');
REINDEX INDEX many_sig;
SELECT distinct_keys, entries, largest_bucket FROM lsh_index_stats('many_sig');
DELETE FROM many;
VACUUM many;
SELECT distinct_keys, entries, largest_bucket FROM lsh_index_stats('many_sig');

-- of a partitioned index: what those of the partitions hold, partitions of partitions too
CREATE TABLE in_parts (id int, sig minhash) PARTITION BY RANGE (id);
CREATE INDEX in_parts_sig ON in_parts USING lsh (sig);
SELECT * FROM lsh_index_stats('in_parts_sig');
CREATE TABLE part_1 PARTITION OF in_parts FOR VALUES FROM (0) TO (500);
CREATE TABLE part_2 PARTITION OF in_parts FOR VALUES FROM (500) TO (2000) PARTITION BY RANGE (id);
CREATE TABLE part_2_1 PARTITION OF part_2 FOR VALUES FROM (500) TO (900);
CREATE TABLE part_2_2 PARTITION OF part_2 DEFAULT;
CREATE TABLE part_3 PARTITION OF in_parts DEFAULT;
INSERT INTO in_parts SELECT * FROM held;
SELECT s.relation, s.entries / 42 AS rows, s.largest_bucket FROM lsh_index_stats('in_parts_sig') s ORDER BY relation::text;
DROP TABLE in_parts;

-- errors
SELECT * FROM lsh_index_stats('held');
CREATE TABLE in_parts (id int PRIMARY KEY, sig minhash) PARTITION BY RANGE (id);
SELECT * FROM lsh_index_stats('in_parts_pkey');
CREATE INDEX held_gin ON held USING gin (sig);
SELECT * FROM lsh_index_stats('held_gin');
SELECT * FROM lsh_index_stats(NULL);
SELECT * FROM lsh_index_stats(0);

-- a table that Citus distributes, by the list of such tables; a list elsewhere does not count
CREATE TABLE pg_dist_partition AS SELECT 'held'::regclass AS logicalrelid;
SELECT entries = 42 * 905 AS entries FROM lsh_index_stats('held_sig');
BEGIN;
SET LOCAL allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition AS SELECT 'many'::regclass AS logicalrelid;
SELECT entries = 42 * 905 AS entries FROM lsh_index_stats('held_sig');
SELECT lsh_index_check('held_sig');
SELECT count(*) > 0 AS pairs FROM lsh_index_pairs('held_sig', 0.8);
INSERT INTO pg_catalog.pg_dist_partition VALUES ('held');
SAVEPOINT listed;
SELECT * FROM lsh_index_stats('held_sig');
ROLLBACK TO listed;
SELECT lsh_index_check('held_sig');
ROLLBACK TO listed;
SELECT * FROM lsh_index_pairs('held_sig', 0.8);
ROLLBACK;

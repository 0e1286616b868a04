-- All similar pairs, from an lsh index.
\set ECHO none \i test/data/setup.sql
-- Whether an index lists the pairs that a join finds: by default of the table
-- near, whose rows are compared without an index.
CREATE FUNCTION is_join(index regclass, threshold float8, recall float8, rows text DEFAULT 'SELECT ctid, sig FROM near',
	OUT pairs bigint, OUT same boolean) LANGUAGE plpgsql
	SET enable_indexscan = off SET enable_bitmapscan = off AS $$
BEGIN
	EXECUTE format('SELECT count(ctid_a), coalesce(bool_and(p.similarity IS NOT DISTINCT FROM t.similarity AND p.ctid_a = t.ctid_a), true)
		FROM lsh_index_pairs($1, $2, $3) AS p FULL JOIN (
			SELECT a.ctid AS ctid_a, b.ctid AS ctid_b, coalesce(jaccard(a.sig, b.sig), -1) AS similarity
			FROM (%1$s) AS a JOIN (%1$s) AS b ON a.ctid < b.ctid AND minhash_similar(a.sig, b.sig, $2, $3)
		) AS t USING (ctid_a, ctid_b)', rows) INTO pairs, same USING index, threshold, recall;
END $$;

-- families of similar documents and of copies, and rows that are NULL or empty
CREATE TABLE near (id int, note text, sig minhash) WITH (fillfactor = 70);
INSERT INTO near SELECT id, '', CASE
	WHEN id % 50 = 0 THEN NULL
	WHEN id % 50 = 1 THEN array_to_minhash('{}'::int[])
	WHEN id % 10 = 2 THEN array_to_minhash(ARRAY(SELECT id / 40 * 1000 + j FROM generate_series(1, 30) AS j))
	ELSE array_to_minhash(ARRAY(SELECT id / 10 * 1000 + j FROM generate_series(id % 10 * 3, id % 10 * 3 + 60) AS j))
END FROM generate_series(1, 220) AS id;
CREATE INDEX near_lsh ON near USING lsh (sig);
-- one with leaves that have split and entries that came later
CREATE TABLE grown (LIKE near);
CREATE INDEX grown_lsh ON grown USING lsh (sig);
INSERT INTO grown SELECT * FROM near;
\set ECHO all

-- one band must agree, or two, at each number of rows; or all are compared
SELECT count(*) AS plans, count(DISTINCT (p.band_rows, p.agreeing_bands)) AS kinds, count(*) FILTER (WHERE p.compare_all) AS compare_all,
	min(n.pairs), max(n.pairs), bool_and(n.same) AS same, bool_and(g.same AND g.pairs = n.pairs) AS grown
FROM (VALUES (1, 0.99), (0.95, 0.99), (0.8, 0.99), (0.8, 0.1), (0.7, 0.99), (0.65, 0.99), (0.6, 0.9), (0.5, 0.99), (0.5, 0.5), (0.4, 0.99),
	(0.35, 0.99), (0.25, 0.99), (0.25, 0.9), (0.15, 0.99), (0.05, 0.1), (0.05, 0.99), (0.001, 0.99), (0.001, 0), (0.8, 0), (0.3, 1), (1, 1)) AS v (threshold, recall),
	lsh_plan(threshold, recall) AS p, is_join('near_lsh', threshold, recall) AS n,
	is_join('grown_lsh', threshold, recall, 'SELECT ctid, sig FROM grown') AS g;

-- without a recall
SELECT count(*) = (SELECT pairs FROM is_join('near_lsh', 0.5, 0.99)) AS default_recall FROM lsh_index_pairs('near_lsh', 0.5);
SELECT count(*) FROM lsh_index_pairs(NULL, 0.8);
SELECT count(*) FROM lsh_index_pairs('near_lsh', NULL);
SELECT count(*) FROM lsh_index_pairs('near_lsh', 0.8, NULL);

-- rows change: versions that are found from the root of their chain, others
-- that are not; new signatures; deleted rows
UPDATE near SET note = 'changed' WHERE id % 3 = 0;
UPDATE near SET note = 'changed again' WHERE id % 6 = 0;
UPDATE near SET note = repeat('x', 1500) WHERE id % 7 = 0;
UPDATE near SET sig = (SELECT sig FROM near WHERE id = 8) WHERE id BETWEEN 100 AND 110;
DELETE FROM near WHERE id % 11 = 0;
SELECT array_agg(pairs ORDER BY threshold) AS pairs, bool_and(same) AS same FROM unnest('{0.95,0.8,0.4,0.001}'::float8[]) AS threshold, is_join('near_lsh', threshold, 0.99) AS n;
SELECT bool_or(a.note = 'changed') AS changed, bool_or(a.note = 'changed again') AS again, count(*)
FROM lsh_index_pairs('near_lsh', 0.8) AS p JOIN near AS a ON a.ctid = ctid_a JOIN near AS b ON b.ctid = ctid_b;
-- Rolled-back rows are not found; rows of the current transaction are.
BEGIN;
INSERT INTO near SELECT 1000 + id, '', sig FROM near WHERE id < 50;
DELETE FROM near WHERE id BETWEEN 60 AND 80;
SELECT array_agg(pairs ORDER BY threshold) AS pairs, bool_and(same) AS same FROM unnest('{0.95,0.8,0.4}'::float8[]) AS threshold, is_join('near_lsh', threshold, 0.99) AS n;
ROLLBACK;
SELECT * FROM is_join('near_lsh', 0.8, 0.99);
-- room that VACUUM gives back, and that is used again
VACUUM near;
SELECT * FROM is_join('near_lsh', 0.8, 0.99);
INSERT INTO near SELECT 2000 + id, '', sig FROM near WHERE id % 5 = 0;
SELECT array_agg(pairs ORDER BY threshold) AS pairs, bool_and(same) AS same FROM unnest('{0.95,0.8,0.4}'::float8[]) AS threshold, is_join('near_lsh', threshold, 0.99) AS n;

-- copies that fill more than a leaf, some of them deleted, and near-copies of them
CREATE TABLE copies (id int, sig minhash);
CREATE INDEX copies_lsh ON copies USING lsh (sig);
INSERT INTO copies SELECT i, array_to_minhash(ARRAY(SELECT j FROM generate_series(1, 60 + i / 1050 * 2) AS j)) FROM generate_series(1, 1100) AS i;
DELETE FROM copies WHERE id % 2 = 0;
SELECT similarity = 1 AS copies, count(*), count(DISTINCT (ctid_a, ctid_b)) FROM lsh_index_pairs('copies_lsh', 0.8) GROUP BY 1 ORDER BY 1;
SELECT 525 * 524 / 2 + 25 * 24 / 2 AS copies, 525 * 25 AS others;
SELECT count(*), count(DISTINCT (ctid_a, ctid_b)) FROM lsh_index_pairs('copies_lsh', 0.8, 1);

-- dead rows are in no pair
CREATE TABLE dead (id int, version int, sig minhash) WITH (autovacuum_enabled = off);
CREATE FUNCTION version_of(id int, version int) RETURNS minhash LANGUAGE sql IMMUTABLE AS $$
	SELECT array_to_minhash(ARRAY(SELECT j FROM generate_series(1, 40) AS j) ||
		ARRAY(SELECT 1000 * id + 20 * version + j FROM generate_series(1, 20) AS j))
$$;
INSERT INTO dead SELECT id, 0, version_of(id, 0) FROM generate_series(1, 100) AS id;
CREATE INDEX dead_lsh ON dead USING lsh (sig);
DO $$ BEGIN
	FOR i IN 1 .. 20 LOOP
		UPDATE dead SET version = version + 1, sig = version_of(id, version + 1);
	END LOOP;
END $$;
SELECT count(*) FROM lsh_index_pairs('dead_lsh', 0.5, 0.1);
SELECT count(*) FROM lsh_index_pairs('dead_lsh', 0.5, 1);
VACUUM (INDEX_CLEANUP ON) dead;
SELECT count(*) FROM lsh_index_pairs('dead_lsh', 0.5, 0.1);
SELECT count(*) FROM lsh_index_pairs('dead_lsh', 0.5, 1);

-- every kind of signature
CREATE TABLE kinds (sig minhash);
CREATE INDEX kinds_lsh ON kinds USING lsh (sig);
SELECT count(*) FROM lsh_index_pairs('kinds_lsh', 0.001);
INSERT INTO kinds VALUES (NULL), (NULL);
SELECT count(*) FROM lsh_index_pairs('kinds_lsh', 0.001);
INSERT INTO kinds SELECT weighted_to_minhash(ARRAY(SELECT i / 5 * 100 + j FROM generate_series(1, 20) AS j), array_fill(1 + i % 5 * 0.1::float8, ARRAY[20]), 64)
FROM generate_series(1, 60) AS i;
INSERT INTO kinds VALUES (weighted_to_minhash('{}'::int[], '{}', 64)), (weighted_to_minhash('{}'::int[], '{}', 64));
SELECT array_agg(pairs ORDER BY threshold) AS pairs, bool_and(same) AS same FROM unnest('{0.8,0.3,0.05,0.001}'::float8[]) AS threshold, is_join('kinds_lsh', threshold, 0.99, 'SELECT ctid, sig FROM kinds') AS k;
DELETE FROM kinds;
VACUUM kinds;
SELECT count(*) FROM lsh_index_pairs('kinds_lsh', 0.001);
REINDEX INDEX kinds_lsh;
INSERT INTO kinds SELECT array_to_minhash(ARRAY(SELECT i / 5 * 100 + j FROM generate_series(1, 20 + i % 5) AS j), 33, 7, 'k-permutation')
FROM generate_series(1, 60) AS i;
SELECT array_agg(pairs ORDER BY threshold) AS pairs, bool_and(same) AS same FROM unnest('{0.8,0.3,0.05,0.001}'::float8[]) AS threshold, is_join('kinds_lsh', threshold, 0.99, 'SELECT ctid, sig FROM kinds') AS k;
TRUNCATE kinds;
INSERT INTO kinds SELECT array_to_minhash(ARRAY(SELECT i / 5 * 100 + j FROM generate_series(1, 20 + i % 5) AS j), 4058) FROM generate_series(1, 30) AS i;
INSERT INTO kinds VALUES (array_to_minhash('{}'::int[], 4058)), (array_to_minhash('{}'::int[], 4058));
SELECT array_agg(pairs ORDER BY threshold) AS pairs, bool_and(same) AS same FROM unnest('{0.8,0.3,0.05,0.001}'::float8[]) AS threshold, is_join('kinds_lsh', threshold, 0.99, 'SELECT ctid, sig FROM kinds') AS k;

-- every kind of index and of table: the rows are those in the index
CREATE INDEX near_part ON near USING lsh (sig) WHERE id < 200;
CREATE TABLE texts AS SELECT i AS id, 'This is text number ' || i / 2 || ', one of several that are much alike' AS body FROM generate_series(1, 100) AS i;
CREATE INDEX texts_lsh ON texts USING lsh (to_minhash(body));
CREATE TEMP TABLE temporary AS SELECT * FROM near;
CREATE INDEX temporary_lsh ON temporary USING lsh (sig);
CREATE MATERIALIZED VIEW seen AS SELECT * FROM near;
CREATE INDEX seen_lsh ON seen USING lsh (sig);
CREATE TABLE parts (id int, note text, sig minhash) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (1000) TO (100000);
CREATE INDEX parts_lsh ON parts USING lsh (sig);
INSERT INTO parts SELECT * FROM near;
SELECT v.index, p.* FROM (VALUES ('near_part', 'SELECT ctid, sig FROM near WHERE id < 200'),
	('texts_lsh', 'SELECT ctid, to_minhash(body) AS sig FROM texts'), ('temporary_lsh', 'SELECT ctid, sig FROM temporary'),
	('seen_lsh', 'SELECT ctid, sig FROM seen'), ('parts_1_sig_idx', 'SELECT ctid, sig FROM parts_1')) v (index, rows),
	is_join(v.index::regclass, 0.8, 0.99, v.rows) p;

-- for several indexes, and in a list of columns
SELECT relation, count(*) FROM unnest('{near_lsh,near_part}'::regclass[]) AS relation, lsh_index_pairs(relation, 0.8) GROUP BY 1 ORDER BY 1;
SELECT count(*), min((p).similarity) >= 0.8 AS similar FROM (SELECT lsh_index_pairs('near_lsh', 0.8) AS p) AS s;

-- errors
SELECT * FROM lsh_index_pairs('parts_lsh', 0.8);
CREATE INDEX near_gin ON near USING gin (sig);
SELECT * FROM pg_temp.errors_of(
	$$SELECT * FROM lsh_index_pairs('near_gin', 0.8)$$, $$SELECT * FROM lsh_index_pairs('near', 0.8)$$,
	$$SELECT * FROM lsh_index_pairs(1::oid::regclass, 0.8)$$, $$SELECT * FROM lsh_index_pairs('near_lsh', 1.5)$$,
	$$SELECT * FROM lsh_index_pairs('near_lsh', 'NaN')$$, $$SELECT * FROM lsh_index_pairs('near_lsh', 0.8, -1)$$);
-- an index that lacks versions of rows that this transaction can see
CREATE TABLE recent WITH (fillfactor = 50) AS SELECT * FROM near;
BEGIN;
UPDATE recent SET note = 'changed' WHERE id = 5;
CREATE INDEX recent_lsh ON recent USING lsh (sig);
SELECT count(*) FROM lsh_index_pairs('recent_lsh', 0.8);
ROLLBACK;
-- who may read the table
CREATE INDEX recent_lsh ON recent USING lsh (sig);
CREATE ROLE lshsim_test_reader;
SET ROLE lshsim_test_reader;
SELECT count(*) FROM lsh_index_pairs('recent_lsh', 0.8);
RESET ROLE;
GRANT SELECT ON recent TO lshsim_test_reader;
ALTER TABLE recent ENABLE ROW LEVEL SECURITY;
SET ROLE lshsim_test_reader;
SELECT count(*) FROM lsh_index_pairs('recent_lsh', 0.8);
RESET ROLE;
ALTER TABLE recent DISABLE ROW LEVEL SECURITY;
SET ROLE lshsim_test_reader;
SELECT count(*) > 0 AS may FROM lsh_index_pairs('recent_lsh', 0.8);
RESET ROLE;
DROP TABLE recent;
DROP ROLE lshsim_test_reader;

-- Contents of an index.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
RESET client_min_messages;

-- 1,000 rows, 300 of them equal, 10 empty, 5 NULL
CREATE TABLE held AS
SELECT id, CASE
	WHEN id <= 300 THEN array_to_minhash(ARRAY[1, 2, 3, 4, 5])
	WHEN id <= 310 THEN array_to_minhash('{}'::int[])
	WHEN id > 315 THEN array_to_minhash(ARRAY(SELECT id * 1000 + j FROM generate_series(1, 50) AS j))
END AS sig FROM generate_series(1, 1000) AS id;
CREATE INDEX held_sig ON held USING gin (sig) WITH (fastupdate = on);

-- every row that is neither empty nor NULL has 42 entries
SELECT entries = 42 * 985 AS entries, distinct_keys = 42 * 686 AS keys, largest_bucket, pending_rows
FROM lsh_index_stats('held_sig');
-- the 42 keys of the equal rows are the largest buckets
SELECT count(*), min(band), max(band), min(entries), max(entries) FROM lsh_index_buckets('held_sig', 42);
SELECT bool_and(id <= 300) AS sample_is_one_of_them
FROM lsh_index_buckets('held_sig', 42) AS b JOIN held ON held.ctid = b.sample;
-- also where its first rows were deleted, or have newer versions that the index does not know
CREATE TABLE changed (id int, note text, sig minhash) WITH (fillfactor = 50);
INSERT INTO changed SELECT id, 'old', array_to_minhash(ARRAY[1, 2, 3]) FROM generate_series(1, 60) id;
CREATE INDEX changed_gin ON changed USING gin (sig);
CREATE INDEX changed_lsh ON changed USING lsh (sig);
DELETE FROM changed WHERE id <= 3;
UPDATE changed SET note = 'new';
SELECT index, count(*), count(id) AS joined
FROM unnest('{changed_gin,changed_lsh}'::regclass[]) index, lsh_index_buckets(index) b LEFT JOIN changed c ON c.ctid = b.sample
GROUP BY index ORDER BY index::text;
DELETE FROM changed;
SELECT index, count(*), count(b.sample) AS visible FROM unnest('{changed_gin,changed_lsh}'::regclass[]) index, lsh_index_buckets(index) b GROUP BY index ORDER BY index::text;
SELECT count(*), min(entries), max(entries) FROM lsh_index_buckets('held_sig', 50);

-- rows on the pending list are counted, not shown
INSERT INTO held SELECT 2000 + i, array_to_minhash(ARRAY[i, i + 1]) FROM generate_series(1, 20) AS i;
SELECT entries = 42 * 985 AS entries, pending_rows FROM lsh_index_stats('held_sig');
VACUUM held;
SELECT entries = 42 * 1005 AS entries, pending_rows FROM lsh_index_stats('held_sig');

-- a posting tree: one key with more rows than fit on a page
CREATE TABLE many AS SELECT array_to_minhash(ARRAY[7, 8, 9]) AS sig FROM generate_series(1, 20000);
CREATE INDEX many_sig ON many USING gin (sig);
SELECT * FROM lsh_index_stats('many_sig');

-- plans, with the candidates that are really found
SELECT threshold, bands, band_rows, agreeing_bands, compare_all, candidates FROM lsh_index_plans('many_sig', '{0.1, 0.5, 0.8, 0.95, 1}', 0.99, 3);
-- the mean over all rows of the table is that of a count by hand
CREATE TABLE bands AS
SELECT id, threshold, key FROM held, unnest('{0.2, 0.4, 0.5, 0.6, 0.8, 0.95}'::float8[]) threshold, unnest(lsh_plan_keys(sig, threshold, 0.99)) AS key;
SELECT p.threshold, p.band_rows, p.agreeing_bands, round(p.candidates::numeric, 6) = round(byhand.mean, 6) AS equal
FROM lsh_index_plans('held_sig', '{0.2, 0.4, 0.5, 0.6, 0.8, 0.95}', 0.99, 10000) AS p,
	LATERAL (
		SELECT count(*)::numeric / (SELECT count(sig) FROM held) AS mean
		FROM (SELECT a.id, b.id FROM bands AS a JOIN bands AS b USING (threshold, key)
			WHERE threshold = p.threshold GROUP BY a.id, b.id HAVING count(*) >= p.agreeing_bands) AS pairs) AS byhand;
DROP TABLE bands;

-- an index on an expression, in several columns, on part of a table
CREATE TABLE texts AS SELECT id, 'text number ' || id AS body FROM generate_series(1, 100) AS id;
CREATE INDEX texts_sig ON texts USING gin (to_minhash(body)) WHERE id > 50;
SELECT entries, pending_rows FROM lsh_index_stats('texts_sig');
SELECT count(*) FROM lsh_index_plans('texts_sig');

-- of a partitioned index: what those of the partitions hold, partitions of partitions too
CREATE TABLE in_parts (id int, sig minhash) PARTITION BY RANGE (id);
CREATE INDEX in_parts_sig ON in_parts USING gin (sig);
SELECT * FROM lsh_index_stats('in_parts_sig');
SELECT * FROM lsh_index_buckets('in_parts_sig');
SELECT * FROM lsh_index_plans('in_parts_sig');
CREATE TABLE part_1 PARTITION OF in_parts FOR VALUES FROM (0) TO (500);
CREATE TABLE part_2 PARTITION OF in_parts FOR VALUES FROM (500) TO (2000) PARTITION BY RANGE (id);
CREATE TABLE part_2_1 PARTITION OF part_2 FOR VALUES FROM (500) TO (900);
CREATE TABLE part_2_2 PARTITION OF part_2 DEFAULT;
CREATE TABLE part_3 PARTITION OF in_parts DEFAULT;
INSERT INTO in_parts SELECT * FROM held;
SELECT s.relation, s.pending_rows FROM lsh_index_stats('in_parts_sig') s ORDER BY relation::text;
VACUUM in_parts;
SELECT sum(s.entries) = (SELECT entries FROM lsh_index_stats('held_sig')) AS entries, max(s.largest_bucket), sum(s.pending_rows) AS pending
FROM lsh_index_stats('in_parts_sig') s;
SELECT relation, max(entries), bool_and(sig = array_to_minhash(ARRAY[1, 2, 3, 4, 5]))
FROM lsh_index_buckets('in_parts_sig', 21) b JOIN in_parts p ON p.tableoid = b.relation AND p.ctid = b.sample GROUP BY 1;
SELECT relation, count(*) FROM lsh_index_plans('in_parts_sig') GROUP BY 1 ORDER BY relation::text;
SELECT p.threshold, round(p.candidates::numeric, 6) = round(byhand.mean, 6) AS equal
FROM lsh_index_plans('in_parts_sig', '{0.8}', 0.99, 10000) AS p, LATERAL (
	SELECT candidates::numeric AS mean FROM lsh_index_plans('part_1_sig_idx', '{0.8}', 0.99, 10000)) AS byhand
WHERE p.relation = 'part_1'::regclass;
DROP TABLE in_parts;

-- errors
SELECT * FROM lsh_index_stats('held');
CREATE TABLE in_parts (id int PRIMARY KEY, sig minhash) PARTITION BY RANGE (id);
SELECT * FROM lsh_index_stats('in_parts_pkey');
DROP TABLE in_parts;
CREATE INDEX held_id ON held (id);
SELECT * FROM lsh_index_buckets('held_id');
SELECT * FROM lsh_index_buckets('held_sig', 0);
SELECT * FROM lsh_index_plans('held_sig', '{0.5, 2}');
SELECT * FROM lsh_index_plans('held_sig', '{0.5, NULL}');
SELECT * FROM lsh_index_plans('held_sig', '{0.5}', 2);
SELECT * FROM lsh_index_plans(NULL);
SELECT * FROM lsh_index_plans('held_sig', NULL);
SELECT * FROM lsh_index_plans('held_sig', probes => NULL);
SELECT * FROM lsh_index_plans('held_sig', recall => NULL);
-- Without a recall it follows the setting.
SET lshsim.recall = 0.5;
SELECT threshold, p.bands, p.bands = q.bands AND p.band_rows = q.band_rows AS follows FROM lsh_index_plans('held_sig', '{0.8, 0.95}') p, lsh_plan(threshold, 0.5) q;
RESET lshsim.recall;
SELECT * FROM lsh_index_plans('held_sig', '{0.5}', 0.9, 0);
CREATE ROLE lshsim_test_reader;
SET ROLE lshsim_test_reader;
SELECT * FROM lsh_index_stats('held_sig');
RESET ROLE;
GRANT SELECT ON held TO lshsim_test_reader;
ALTER TABLE held ENABLE ROW LEVEL SECURITY;
SET ROLE lshsim_test_reader;
SELECT * FROM lsh_index_buckets('held_sig');
RESET ROLE;
ALTER TABLE held DISABLE ROW LEVEL SECURITY;
SET ROLE lshsim_test_reader;
SELECT entries = 42 * 1005 AS entries FROM lsh_index_stats('held_sig');
RESET ROLE;
DROP TABLE held, many, texts;
DROP ROLE lshsim_test_reader;

-- pages that VACUUM has emptied
CREATE TABLE emptied AS SELECT array_to_minhash(ARRAY[7, 8, 9]) AS sig FROM generate_series(1, 20000);
CREATE INDEX emptied_sig ON emptied USING gin (sig) WITH (fastupdate = off);
DELETE FROM emptied;
VACUUM emptied;
SELECT entries, largest_bucket FROM lsh_index_stats('emptied_sig');
SELECT count(*) FROM lsh_index_buckets('emptied_sig');
DROP TABLE emptied;

-- the predicate of a partial index holds for the probes too
CREATE TABLE lists (v text);
INSERT INTO lists VALUES ('bad'), ('{1,2}'), ('{3,4}');
CREATE FUNCTION as_ints(text) RETURNS int[] LANGUAGE sql IMMUTABLE AS 'SELECT $1::int[]';
CREATE INDEX lists_sig ON lists USING gin (array_to_minhash(as_ints(v))) WHERE v LIKE '{%';
SELECT threshold, candidates FROM lsh_index_plans('lists_sig', '{0.8}');
DROP TABLE lists;
DROP FUNCTION as_ints;

-- an index expression runs with the rights of the table's owner only
CREATE ROLE lshsim_test_owner;
CREATE SCHEMA hers AUTHORIZATION lshsim_test_owner;
SET ROLE lshsim_test_owner;
CREATE TABLE hers.docs AS SELECT 'x' AS body;
CREATE FUNCTION hers.who() RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN current_user; END $$;
CREATE FUNCTION hers.sign(text) RETURNS minhash LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'running as %', hers.who();
	RETURN public.to_minhash($1);
END $$;
CREATE INDEX docs_sig ON hers.docs USING gin (hers.sign(body));
RESET ROLE;
SELECT current_user <> 'lshsim_test_owner' AS another, candidates FROM lsh_index_plans('hers.docs_sig', '{0.8}');
SELECT current_user <> 'lshsim_test_owner' AS another;

-- and not with names of the caller's: neither from the search path, nor from pg_temp by those with fewer rights
CREATE ROLE lshsim_test_reader;
CREATE SCHEMA his AUTHORIZATION lshsim_test_reader;
GRANT USAGE ON SCHEMA hers, his TO public;
GRANT SELECT ON hers.docs TO lshsim_test_reader;
SET ROLE lshsim_test_reader;
CREATE FUNCTION his.upper(text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'his code runs as %', current_user;
END $$;
CREATE TEMP VIEW abbreviations AS SELECT his.upper('x');
GRANT SELECT ON abbreviations TO public;
SET ROLE lshsim_test_owner;
CREATE OR REPLACE FUNCTION hers.sign(text) RETURNS minhash LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF to_regclass('abbreviations') IS NOT NULL THEN
		PERFORM * FROM abbreviations;
	END IF;
	RETURN public.to_minhash(upper($1));
END $$;
ALTER TABLE hers.docs ADD sig minhash;
UPDATE hers.docs SET sig = public.to_minhash(body);
CREATE INDEX docs_column ON hers.docs USING gin (sig);
CREATE INDEX docs_part ON hers.docs USING gin (sig) WHERE body <> '';
SET ROLE lshsim_test_reader;
SET search_path = his, pg_catalog, public;
SELECT candidates FROM lsh_index_plans('hers.docs_column', '{0.8}');
SELECT candidates FROM lsh_index_plans('hers.docs_sig', '{0.8}');
SELECT candidates FROM lsh_index_plans('hers.docs_part', '{0.8}');
DROP VIEW abbreviations;
RESET ROLE;
SELECT candidates FROM lsh_index_plans('hers.docs_sig', '{0.8}');
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA hers, his CASCADE;
RESET client_min_messages;
DROP ROLE lshsim_test_owner, lshsim_test_reader;

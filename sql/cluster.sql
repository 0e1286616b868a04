--
-- minhash_cluster: the components of the similarity relation.
--
\set ECHO none \i test/data/setup.sql
-- the same components, by the similar pairs and label propagation
CREATE FUNCTION components(threshold float8, recall float8, OUT rows bigint, OUT clusters bigint, OUT pairs bigint, OUT wrong bigint)
LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE labels AS
		SELECT id, part, sig, row_number() OVER w AS label,
			minhash_cluster(sig, threshold, recall) OVER w AS cluster
		FROM sets WINDOW w AS (PARTITION BY part ORDER BY id);
	CREATE TEMP TABLE similar_pairs AS
		SELECT a.id AS id1, b.id AS id2
		FROM labels a JOIN labels b ON a.part = b.part AND a.id <> b.id AND minhash_similar(a.sig, b.sig, threshold, recall);
	LOOP
		UPDATE labels SET label = m.label
		FROM (SELECT id2, min(label) AS label FROM similar_pairs JOIN labels ON id = id1 GROUP BY id2) m
		WHERE labels.id = m.id2 AND m.label < labels.label;
		EXIT WHEN NOT FOUND;
	END LOOP;
	SELECT count(*), count(DISTINCT (l.part, l.label)), count(*) FILTER (WHERE l.label <> l.cluster)
		INTO rows, clusters, wrong FROM labels l;
	SELECT count(*) / 2 INTO pairs FROM similar_pairs;
	DROP TABLE labels, similar_pairs;
END $$;

-- a small example: two near-copies, an exact copy, NULL, empty sets
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs VALUES
	(1, 'The quick brown fox jumps over the lazy dog.'),
	(2, NULL),
	(3, ''),
	(4, 'The quick brown fox jumps over a lazy dog.'),
	(5, 'Pack my box with five dozen liquor jugs.'),
	(6, ''),
	(7, 'Pack my box with five dozen liquor jugs.'),
	(8, NULL);
\set ECHO all
SELECT array_agg(c ORDER BY id) FROM (SELECT id, minhash_cluster(to_minhash(body), 0.6) OVER (ORDER BY id) AS c FROM docs) d;
-- the ordinals are those of the window's order
SELECT array_agg(n ORDER BY id) AS numbers, array_agg(c ORDER BY id) FROM (SELECT id, row_number() OVER w AS n, minhash_cluster(to_minhash(body), 0.6) OVER w AS c
	FROM docs WINDOW w AS (ORDER BY id DESC)) d;
-- and start again in every partition
SELECT array_agg(n ORDER BY id) AS numbers, array_agg(c ORDER BY id) FROM (SELECT id, row_number() OVER w AS n, minhash_cluster(to_minhash(body), 0.6) OVER w AS c
	FROM docs WINDOW w AS (PARTITION BY id > 6 ORDER BY id)) d;
-- the frame does not matter
SELECT array_agg(c ORDER BY id) FROM (SELECT id, minhash_cluster(to_minhash(body), 0.6) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND CURRENT ROW) AS c FROM docs) d;
-- one row, no row, only NULLs
SELECT (SELECT minhash_cluster(to_minhash(body), 0.6) OVER () FROM docs WHERE id = 5) AS one,
	(SELECT minhash_cluster(to_minhash(body), 0.6) OVER () FROM docs WHERE false) AS none,
	ARRAY(SELECT minhash_cluster(NULL, 0.6) OVER () FROM docs WHERE id < 4) AS nulls;

-- threshold and recall: NULL gives NULL, the first row of a partition decides
SELECT count(*), count(a) AS threshold, count(b) AS recall FROM (SELECT minhash_cluster(to_minhash(body), NULL) OVER () AS a,
	minhash_cluster(to_minhash(body), 0.8, NULL) OVER () AS b FROM docs WHERE id < 3) d;
SELECT array_agg(c ORDER BY id) FROM (SELECT id, minhash_cluster(to_minhash(body), CASE WHEN id < 5 THEN 0.6 ELSE 1 END)
	OVER (PARTITION BY id BETWEEN 5 AND 7 ORDER BY id) AS c FROM docs) d;
SELECT * FROM pg_temp.errors_of(
	$$SELECT minhash_cluster(to_minhash(body), 0) OVER () FROM docs$$, $$SELECT minhash_representative(to_minhash(body), 0, id) OVER () FROM docs$$,
	$$SELECT minhash_cluster(to_minhash(body), -0.1) OVER () FROM docs$$,
	$$SELECT minhash_cluster(to_minhash(body), 1.1) OVER () FROM docs$$,
	$$SELECT minhash_cluster(to_minhash(body), 'NaN') OVER () FROM docs$$,
	$$SELECT minhash_cluster(to_minhash(body), 0.8, 2) OVER () FROM docs$$,
	-- signatures that cannot be compared
	$$SELECT minhash_cluster(to_minhash(body, num_hashes => CASE id WHEN 7 THEN 64 ELSE 128 END), 0.8) OVER () FROM docs$$,
	$$SELECT minhash_cluster(to_minhash(body, CASE id WHEN 7 THEN 'word:1'::shingling ELSE 'char:5' END), 0.8) OVER () FROM docs$$,
	$$SELECT minhash_cluster(to_minhash(body, seed => id), 0.8) OVER (ORDER BY id) FROM docs$$);
-- but they can be in different partitions
SELECT array_agg(c ORDER BY id) FROM (SELECT id, minhash_cluster(to_minhash(body, seed => id % 2), 0.8) OVER (PARTITION BY id % 2 ORDER BY id) AS c FROM docs) d;
-- not outside of a window
SELECT minhash_cluster(to_minhash(body), 0.8) FROM docs;

-- random sets in families, with copies, NULLs and empty sets
\set ECHO none
CREATE FUNCTION random_below(seed bigint, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
	'SELECT (((seed * 1103515245 + 12345) % 2147483648 * 1103515245 + 12345) % 2147483648 / 65536 % n)::int';
CREATE TABLE sets AS
SELECT id, id % 3 AS part, CASE
	WHEN id % 29 = 0 THEN NULL
	WHEN id % 31 = 0 THEN array_to_minhash('{}'::int[])
	ELSE (SELECT array_to_minhash(array_agg(CASE WHEN e <= changed THEN id * 1000 + e ELSE family * 1000 + e END))
		FROM generate_series(1, 20 + family * 5) e)
	END AS sig
FROM generate_series(1, 450) id,
	LATERAL (SELECT random_below(id, 25) AS family, random_below(id * 7919, 4) * random_below(id * 104729, 9) AS changed) r;
\set ECHO all
SELECT count(*), count(sig), count(DISTINCT sig) FROM sets;

CREATE VIEW components_by AS SELECT count(*) AS settings, sum(rows) AS rows, sum(clusters) AS clusters, sum(pairs) AS pairs, sum(wrong) AS wrong
FROM unnest('{1, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.1, 0.01}'::float8[]) AS threshold, unnest('{1, 0.99, 0.5, 0}'::float8[]) AS recall, components(threshold, recall);
TABLE components_by;
-- all in one partition
UPDATE sets SET part = 0;
TABLE components_by;
-- small sets, whose empty slots borrow
UPDATE sets SET sig = (SELECT array_to_minhash(array_agg(CASE WHEN e <= random_below(id, 3) THEN id * 1000 + e ELSE id % 20 * 1000 + e END))
	FROM generate_series(1, 3 + id % 7) e) WHERE id % 5 > 0;
TABLE components_by;
-- and with k permutations
UPDATE sets SET sig = (SELECT array_to_minhash(array_agg(CASE WHEN e <= random_below(id, 3) THEN id * 1000 + e ELSE id % 20 * 1000 + e END),
	50, 1, 'k-permutation') FROM generate_series(1, 3 + id % 7) e);
TABLE components_by;

-- representatives, in a chain: every row is similar to the next ones only
CREATE TABLE chain AS SELECT id, array_to_minhash(ARRAY(SELECT id * 10 + j FROM generate_series(1, 100) AS j)) AS sig FROM generate_series(1, 40) AS id;
SELECT count(DISTINCT cluster) AS clusters FROM (SELECT minhash_cluster(sig, 0.6) OVER (ORDER BY id) AS cluster FROM chain) AS c;
SELECT array_agg(r ORDER BY id) FROM (SELECT id, minhash_representative(sig, 0.6, id) OVER (ORDER BY id) AS r FROM chain) AS c;
SELECT array_agg(r ORDER BY id) FROM (SELECT id, minhash_representative(sig, 0.6, id) OVER (ORDER BY id DESC) AS r FROM chain) AS c;
-- rows added at the end change no earlier group
SELECT count(*) AS different FROM (SELECT id, minhash_representative(sig, 0.6, id) OVER (ORDER BY id) AS before FROM chain WHERE id < 25) AS a
JOIN (SELECT id, minhash_representative(sig, 0.6, id) OVER (ORDER BY id) AS after FROM chain) AS b USING (id) WHERE before <> after;
-- arguments as those of minhash_cluster
SELECT array_agg(a ORDER BY id), array_agg(b ORDER BY id) FROM (SELECT id, minhash_representative(to_minhash(body), 0.6, id) OVER (ORDER BY id) AS a,
	minhash_representative(to_minhash(body), 0.6, id, 0.5) OVER (PARTITION BY id > 6 ORDER BY id) AS b FROM docs) d;
SELECT array_agg(c ORDER BY id), count(a) AS threshold, count(b) AS recall FROM (SELECT id, minhash_representative(NULL, 0.6, id) OVER () AS c,
	minhash_representative(to_minhash(body), NULL, id) OVER () AS a, minhash_representative(to_minhash(body), 0.8, id, NULL) OVER () AS b
	FROM docs WHERE id < 4) d;
SELECT * FROM pg_temp.errors_of(
	$$SELECT minhash_representative(to_minhash(body), 1.1, id) OVER () FROM docs$$,
	$$SELECT minhash_representative(to_minhash(body), 0.8, id, 2) OVER () FROM docs$$,
	$$SELECT minhash_representative(to_minhash(body, seed => id), 0.8, id) OVER (ORDER BY id) FROM docs$$,
	$$SELECT minhash_representative(to_minhash(body), 0.8, id) FROM docs$$);
SELECT count(*) FILTER (WHERE a <> b) AS different, count(*) FILTER (WHERE a <> c) > 0 AS recall_matters
FROM (SELECT minhash_representative(sig, 0.2, id) OVER w AS a, minhash_representative(sig, 0.2, id, 0.99) OVER w AS b, minhash_representative(sig, 0.2, id, 0.5) OVER w AS c
	FROM sets WINDOW w AS (ORDER BY id)) AS s;

-- links: as many as rows less clusters, similar, to the first row of each cluster; of copies, too
CREATE TABLE linked AS SELECT id, sig, minhash_link(sig, 0.3, id) OVER w AS link, minhash_cluster(sig, 0.3) OVER w AS cluster
FROM (SELECT id, sig FROM sets UNION ALL SELECT 100000 + id, sig FROM sets) AS s WINDOW w AS (ORDER BY id);
SELECT count(DISTINCT cluster) = count(*) FILTER (WHERE link IS NULL) AS trees,
	count(*) FILTER (WHERE link IS NULL AND cluster <> first) AS not_first,
	count(*) FILTER (WHERE link IS NOT NULL AND NOT EXISTS (SELECT FROM linked AS l WHERE l.id = k.link AND l.cluster = k.cluster AND minhash_similar(l.sig, k.sig, 0.3))) AS not_similar
FROM (SELECT *, row_number() OVER (ORDER BY id) AS first FROM linked) AS k;
SELECT array_agg(a ORDER BY id), array_agg(b ORDER BY id) FROM (SELECT id, minhash_link(to_minhash(body), 0.6, id) OVER (ORDER BY id) AS a,
	minhash_link(to_minhash(body), 0.6, ROW(id, id + 1)) OVER (ORDER BY id DESC) AS b FROM docs) d;
SELECT count(a), count(b), array_agg(c) FROM (SELECT minhash_link(NULL, 0.6, id) OVER () AS a, minhash_link(to_minhash(body), NULL, id) OVER () AS b,
	minhash_link(to_minhash(body), 1, id, 1) OVER (ORDER BY id) AS c FROM docs WHERE id < 5) d;
SELECT * FROM pg_temp.errors_of($$SELECT minhash_link(to_minhash(body), 0, id) OVER () FROM docs$$,
	$$SELECT minhash_link(to_minhash(body), 1.1, id) OVER () FROM docs$$);

-- the value can be of any type, and NULL
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN label AS text CHECK (value <> '');
SELECT pg_typeof(a), b, c, d, e, pg_typeof(f), f, g
FROM (SELECT minhash_representative(sig, 0.6, id::numeric) OVER w AS a, minhash_representative(sig, 0.6, ROW(id % 2, 'row ' || id)) OVER w AS b,
	minhash_representative(sig, 0.6, lpad(id::text, 32, '0')::uuid) OVER w AS c, minhash_representative(sig, 0.6, ROW(id, NULL)::pair) OVER w AS d,
	minhash_representative(sig, 0.6, ARRAY[body, NULL]) OVER w AS e, minhash_representative(sig, 0.6, ('no ' || id)::label) OVER w AS f,
	minhash_representative(sig, 0.6, nullif(id, 1)) OVER w AS g
	FROM docs, to_minhash(body) AS sig WINDOW w AS (ORDER BY id)) AS v;
SELECT minhash_representative(to_minhash(body), 0.6, '1') OVER () FROM docs;
SELECT DISTINCT minhash_representative(to_minhash(body), 0.6, NULL::text) OVER () IS NULL AS null FROM docs;
SELECT DISTINCT minhash_representative(NULL::minhash, 0.6, body) OVER (ORDER BY id) IS NOT DISTINCT FROM body AS own FROM docs;
-- with partitions on disk, and with values out of line
CREATE TABLE valued AS
SELECT n, n % 3 AS part, array_to_minhash(ARRAY[n / 7, n / 7 + 1000000, n % 7], 16) AS sig, repeat(md5(n::text), 1 + n % 5) AS short,
	CASE WHEN n % 100 < 7 THEN (SELECT string_agg(md5((n * 100 + i)::text), '') FROM generate_series(1, 100) i) END AS long
FROM generate_series(1, 10000) n;
ALTER TABLE valued ALTER long SET STORAGE EXTERNAL;
SELECT count(*) FROM valued WHERE pg_column_size(long) > 2000;
SET work_mem = '64kB';
CREATE TABLE chosen AS
SELECT n, minhash_representative(sig, 0.5, n) OVER w AS stays, minhash_representative(sig, 0.5, short) OVER w AS short,
	minhash_representative(sig, 0.5, long) OVER w AS long, minhash_representative(sig, 0.5, short || n) OVER w AS both,
	minhash_representative(sig, 0.5, to_minhash(short)) OVER w AS signature
FROM valued WINDOW w AS (PARTITION BY part ORDER BY n);
RESET work_mem;
SELECT count(*), count(*) FILTER (WHERE c.stays < c.n) > 1000 AS many_join, count(c.long),
	count(*) FILTER (WHERE (c.short, c.long, c.both, c.signature) IS DISTINCT FROM (v.short, v.long, v.short || v.n, to_minhash(v.short))) AS wrong
FROM chosen c JOIN valued v ON v.n = c.stays;

-- signatures stored out of line
CREATE TABLE large AS SELECT id, array_to_minhash(ARRAY[id / 2, id / 2 + 1000, id / 2 + 2000], 4096) AS sig FROM generate_series(1, 20) id;
SELECT count(DISTINCT cluster) FROM (SELECT minhash_cluster(sig, 0.9) OVER (ORDER BY id) AS cluster FROM large) c;

-- progress; what differs between runs is the detail, which terse leaves out
SET lshsim.progress = on;
\set VERBOSITY terse
SELECT count(DISTINCT cluster) FROM (SELECT minhash_cluster(sig, 0.99) OVER (ORDER BY id) AS cluster FROM sets) c;
SELECT count(DISTINCT cluster) FROM (SELECT minhash_cluster(sig, 0.9, 1) OVER (ORDER BY id) AS cluster FROM sets) c;
SELECT count(DISTINCT cluster) FROM (SELECT minhash_representative(sig, 0.9, id, 1) OVER (ORDER BY id) AS cluster FROM sets) c;

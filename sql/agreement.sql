--
-- The agreement of minhash_cluster, minhash_link and groups: a chain, and rows that judgments hold apart.
-- Random rows are in test/unit/division.c and test/t/075_judgments.pl.
--
\set ECHO none \i test/data/setup.sql \i test/data/groups.sql

-- twelve rows, each of which shares 36 of 44 tokens with the next one, and 32 of 48 with the one after;
-- five rows that share 38 of 40; one alone
CREATE TABLE chain (id int PRIMARY KEY, note text, tokens int[],
	sig minhash(512) GENERATED ALWAYS AS (array_to_minhash(tokens, 512)) STORED);
INSERT INTO chain (id, tokens) SELECT i, ARRAY(SELECT 4 * i + j FROM generate_series(1, 40) j) FROM generate_series(1, 12) i;
INSERT INTO chain (id, tokens) SELECT i, ARRAY(SELECT 1000 + j FROM generate_series(1, 38) j) || i FROM generate_series(21, 25) i;
INSERT INTO chain (id, tokens) VALUES (31, ARRAY(SELECT generate_series(2000, 2040)));
-- the share of similar pairs in each cluster, by the exact similarity
CREATE FUNCTION clusters(agreement float8, OUT ids int[], OUT share numeric) RETURNS SETOF record LANGUAGE sql AS $$
	WITH c AS (SELECT id, tokens, minhash_cluster(sig, 0.75, 0.99, agreement) OVER (ORDER BY id) AS cluster FROM chain)
	SELECT array_agg(DISTINCT a.id ORDER BY a.id),
		round(avg((jaccard(a.tokens, b.tokens) >= 0.75)::int) FILTER (WHERE a.id < b.id), 2)
	FROM c AS a JOIN c AS b USING (cluster) GROUP BY cluster ORDER BY cluster $$;
\set ECHO all
SELECT * FROM clusters(0);
SELECT * FROM clusters(0.5);
SELECT * FROM clusters(1);
SELECT array_agg(ARRAY[id, link] ORDER BY id) AS links FROM (
	SELECT id, minhash_link(sig, 0.75, id, 0.99, 1) OVER (ORDER BY id) AS link FROM chain) AS l WHERE link IS NOT NULL;
SELECT minhash_groups_create('chain', 'sig', 0.75) \g /dev/null
SELECT count(*) AS differ FROM (SELECT ids FROM clusters(0.5) EXCEPT
	SELECT array_agg(id ORDER BY id) FROM chain_groups GROUP BY grp) AS d;
SELECT minhash_groups_drop('chain_groups') \g /dev/null
SELECT * FROM pg_temp.errors_of($$minhash_groups_create('chain', 'sig', 0.75, agreement => 1.1)$$,
	$$minhash_groups_create('chain', 'sig', 0.75, agreement => NULL)$$);
SELECT minhash_cluster(sig, 0.75, 0.99, 'NaN') OVER () FROM chain;
SELECT DISTINCT minhash_cluster(sig, 0.75, 0.99, NULL) OVER (), minhash_link(sig, 0.75, id, 0.99, NULL) OVER () FROM chain;

-- six equal rows: 1 is judged different from 2 and 3, then from all
CREATE TABLE equal (id int PRIMARY KEY, note text, sig minhash);
INSERT INTO equal SELECT i, '', to_minhash('the same text') FROM generate_series(1, 6) i;
SELECT minhash_groups_create('equal', 'sig', 0.8) \g /dev/null
INSERT INTO equal_groups_judged VALUES (1, 2, false), (1, 3, false);
CALL pg_temp.refresh_gives('equal_groups', 6, 2, 2);
SELECT array_agg(id ORDER BY id) AS ids FROM equal_groups GROUP BY grp ORDER BY 1;
-- the order of storage does not matter
UPDATE equal SET note = 'touched' WHERE id = 1;
VACUUM FULL equal;
CALL pg_temp.refresh_gives('equal_groups', 6, 2, 0);
INSERT INTO equal_groups_judged VALUES (1, 4, false), (1, 5, false), (1, 6, false);
CALL pg_temp.refresh_gives('equal_groups', 6, 2, 3);
SELECT array_agg(id ORDER BY id) AS ids FROM equal_groups GROUP BY grp ORDER BY 1;
-- judged the same, though one is NULL and the other is of another text
INSERT INTO equal VALUES (7, '', NULL), (8, '', to_minhash('something else'));
INSERT INTO equal_groups_judged VALUES (7, 8, true), (8, 1, true);
CALL pg_temp.refresh_gives('equal_groups', 8, 2, 2);
SELECT array_agg(id ORDER BY id) AS ids FROM equal_groups GROUP BY grp ORDER BY 1;
SELECT minhash_groups_drop('equal_groups') \g /dev/null

-- The links of at least the similarity of a level connect the clusters at that level, also in a component of 720,000 similar pairs.
\set ECHO none
CREATE TABLE orders AS
SELECT n, to_minhash(format('Order %s of customer %s has been shipped to %s street on day %s thank you for your business', n, n * 7919 % 100003, md5((n % 500)::text), n % 365), 'char:4') AS sig
FROM generate_series(1, 1200) n;
CREATE TABLE links AS
SELECT a.n, link, jaccard(a.sig, b.sig) AS similarity FROM (SELECT n, sig, minhash_link(sig, 0.3, n, 1) OVER (ORDER BY n) AS link FROM orders) a JOIN orders b ON b.n = link;
\set ECHO all
WITH counts AS (
	SELECT t, (SELECT count(*) FROM orders) - (SELECT count(*) FROM links WHERE n <> link AND similarity >= t) AS by_links, count(DISTINCT cluster) AS clusters
	FROM unnest('{0.3,0.6,0.65,0.7,0.75,0.8,0.85,0.9}'::float8[]) t, LATERAL (SELECT minhash_cluster(sig, t, 1) OVER (ORDER BY n) AS cluster FROM orders) c GROUP BY t)
SELECT array_agg(t) FILTER (WHERE by_links <> clusters) AS wrong, count(*) FILTER (WHERE clusters BETWEEN 10 AND 1190) AS of_many_clusters FROM counts;

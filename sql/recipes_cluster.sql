--
-- Recipes for minhash_cluster and minhash_representative, as in the README.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
RESET client_min_messages;
CREATE TABLE articles (
	id int PRIMARY KEY,
	site text,
	published date,
	body text,
	sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED
);
INSERT INTO articles (id, site, published, body) VALUES
	(1, 'north', '2024-03-02', 'Heavy rain closed the mountain pass on Friday night. Road crews expect to clear the mud by Sunday, the county said.'),
	(2, 'north', '2024-03-01', 'Heavy rain closed the mountain pass on Friday night. Road crews expect to clear the mud by Sunday, officials said.'),
	(3, 'south', '2024-03-03', 'HEAVY RAIN CLOSED THE MOUNTAIN PASS on Friday night.  Road crews expect to clear the mud by Sunday, officials said.'),
	(4, 'south', '2024-03-04', 'The library will stay open until midnight during the examination weeks, from Monday to Thursday.'),
	(5, 'north', '2024-03-05', 'The library will stay open until midnight during the examination weeks, Monday to Thursday.'),
	(6, 'south', '2024-03-06', 'A goat that escaped from the zoo was found asleep in the waiting room of the town hall.'),
	(7, 'north', '2024-03-07', NULL),
	(8, 'south', '2024-03-08', ''),
	(9, 'north', '2024-03-09', NULL),
	(10, 'south', '2024-03-10', 'A goat that escaped on Thursday was found asleep in the waiting room of the old town hall.');

-- clusters by size
SELECT cluster, count(*) AS copies, array_agg(id ORDER BY id) AS ids
FROM (SELECT id, minhash_cluster(sig, 0.7) OVER (ORDER BY id) AS cluster FROM articles) c
GROUP BY cluster HAVING count(*) > 1
ORDER BY copies DESC, cluster;

-- within every site only
SELECT site, cluster, array_agg(id ORDER BY id) AS ids
FROM (SELECT id, site, minhash_cluster(sig, 0.7) OVER (PARTITION BY site ORDER BY id) AS cluster FROM articles) c
GROUP BY site, cluster HAVING count(*) > 1
ORDER BY site, cluster;

-- what would go, and why: the oldest of each cluster is kept
WITH clustered AS (
	SELECT *, minhash_cluster(sig, 0.7) OVER (ORDER BY published, id) AS cluster FROM articles
), compared AS (
	SELECT *, first_value(id) OVER same AS keeper, jaccard(sig, first_value(sig) OVER same) AS similarity
	FROM clustered WINDOW same AS (PARTITION BY cluster ORDER BY published, id)
)
SELECT id, keeper, round(similarity::numeric, 2) AS similarity, left(body, 40) AS body
FROM compared WHERE id <> keeper ORDER BY keeper, id;

-- keep the oldest representatives and delete the rest
BEGIN;
DELETE FROM articles WHERE id IN (
	SELECT id FROM (
		SELECT id, row_number() OVER w AS ordinal, minhash_representative(sig, 0.7) OVER w AS representative
		FROM articles WINDOW w AS (ORDER BY published, id)
	) c WHERE representative <> ordinal
);
SELECT id FROM articles ORDER BY id;
ROLLBACK;

-- all similar pairs at once
WITH clustered AS MATERIALIZED (
	SELECT id, sig, minhash_cluster(sig, 0.7) OVER (ORDER BY id) AS cluster FROM articles
)
SELECT a.id, b.id, round(jaccard(a.sig, b.sig)::numeric, 2) AS similarity
FROM clustered a JOIN clustered b USING (cluster)
WHERE a.id < b.id AND minhash_similar(a.sig, b.sig, 0.7) ORDER BY 1, 2;
-- they are those of the join
SELECT a.id, b.id, round(jaccard(a.sig, b.sig)::numeric, 2) AS similarity
FROM articles a JOIN articles b ON a.id < b.id AND minhash_similar(a.sig, b.sig, 0.7) ORDER BY 1, 2;

-- a chain: neighbours are similar, its ends are not
CREATE TABLE versions AS
SELECT id, array_to_minhash(array_agg(e)) AS sig
FROM generate_series(1, 5) id, generate_series(id * 20, id * 20 + 199) e GROUP BY id;
SELECT id, minhash_cluster(sig, 0.75) OVER (ORDER BY id) AS cluster,
	round(jaccard(sig, lag(sig) OVER (ORDER BY id))::numeric, 2) AS to_previous,
	round(jaccard(sig, first_value(sig) OVER (ORDER BY id))::numeric, 2) AS to_first
FROM versions ORDER BY id;
-- delete what is similar to a row that stays: once is enough
BEGIN;
DELETE FROM versions WHERE id IN (
	SELECT id FROM (
		SELECT id, row_number() OVER w AS ordinal, minhash_representative(sig, 0.75) OVER w AS representative
		FROM versions WINDOW w AS (ORDER BY id)
	) c WHERE representative <> ordinal
);
SELECT id FROM versions ORDER BY id;
SELECT count(*) AS still_similar FROM versions a JOIN versions b ON a.id < b.id AND minhash_similar(a.sig, b.sig, 0.75);
ROLLBACK;

-- keep the clusters: the key of the first row of each, which does not change
ALTER TABLE articles ADD canonical bigint;
UPDATE articles SET canonical = c.canonical
FROM (
	SELECT id, first_value(id) OVER (PARTITION BY cluster ORDER BY id) AS canonical
	FROM (SELECT id, minhash_cluster(sig, 0.7) OVER (ORDER BY id) AS cluster FROM articles) c
) c WHERE articles.id = c.id;
SELECT id, canonical FROM articles ORDER BY id;

-- new rows against it: only the clusters they touch are clustered again
CREATE INDEX ON articles USING gin (sig);
CREATE INDEX ON articles (canonical);
CREATE TABLE incoming (id int PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
INSERT INTO incoming VALUES
	(11, 'The library will stay open until midnight during the examination weeks, from Monday to Thursday!'),
	(12, 'Volunteers planted two hundred trees along the canal on Saturday.'),
	(13, 'Volunteers planted two hundred trees along the old canal on Saturday.'),
	(14, 'A goat that escaped from the zoo on Thursday was found asleep in the waiting room of the town hall.');
CREATE TABLE outcome AS
WITH touched AS (
	SELECT DISTINCT a.canonical FROM incoming n JOIN articles a ON a.sig @@ minhash_query(n.sig, 0.7)
), pool AS (
	SELECT id, sig FROM articles WHERE canonical IN (SELECT canonical FROM touched)
	UNION ALL
	SELECT id, sig FROM incoming
), clustered AS (
	SELECT *, minhash_cluster(sig, 0.7) OVER (ORDER BY id) AS cluster FROM pool
)
SELECT id, first_value(id) OVER (PARTITION BY cluster ORDER BY id) AS canonical FROM clustered;
-- 14 joins two clusters
SELECT id, canonical FROM outcome ORDER BY id;
UPDATE articles SET canonical = o.canonical FROM outcome o WHERE articles.id = o.id AND articles.canonical <> o.canonical;
INSERT INTO articles (id, body, canonical) SELECT id, body, o.canonical FROM incoming JOIN outcome o USING (id);
-- this is what clustering everything gives
SELECT count(*) AS different
FROM (
	SELECT canonical, first_value(id) OVER (PARTITION BY cluster ORDER BY id) AS expected
	FROM (SELECT id, canonical, minhash_cluster(sig, 0.7) OVER (ORDER BY id) AS cluster FROM articles) c
) c WHERE canonical IS DISTINCT FROM expected;

-- load a batch, skip what is there: 21 is, and 22 and 23 are copies
CREATE TABLE batch (LIKE incoming INCLUDING GENERATED);
INSERT INTO batch VALUES
	(21, 'Volunteers planted two hundred trees along the canal on Saturday!'),
	(22, 'The ice rink in the old brewery opens on the first of December, weather permitting.'),
	(23, 'The ice rink in the old brewery opens on the first of December (weather permitting).'),
	(24, 'Nothing is known yet about the cause of the fire in the paper mill.');
INSERT INTO articles (id, body)
SELECT id, body FROM (
	SELECT *, row_number() OVER w AS ordinal, minhash_representative(sig, 0.8) OVER w AS representative
	FROM batch n WHERE NOT EXISTS (SELECT FROM articles a WHERE minhash_similar(a.sig, n.sig, 0.8))
	WINDOW w AS (ORDER BY id)
) c WHERE representative = ordinal
RETURNING id;
DELETE FROM articles WHERE id > 20;

-- across two tables: what of archive is in articles already
CREATE TABLE archive (id int PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
INSERT INTO archive VALUES
	(1, 'A goat that had escaped from the zoo was found asleep in the waiting room of the town hall.'),
	(2, 'Ferry services were suspended because of fog.'),
	(3, 'Ferry services were suspended because of fog!');
WITH both_tables AS (
	SELECT 1 AS source, id, sig FROM articles
	UNION ALL
	SELECT 2, id, sig FROM archive
), clustered AS (
	SELECT source, id, sig, row_number() OVER w AS ordinal, minhash_cluster(sig, 0.7) OVER w AS cluster
	FROM both_tables WINDOW w AS (ORDER BY source, id)
)
SELECT d.id AS archive_id, k.id AS article_id, round(jaccard(d.sig, k.sig)::numeric, 2) AS similarity
FROM clustered d JOIN clustered k ON k.ordinal = d.cluster
WHERE d.source = 2 AND k.source = 1 ORDER BY 1;

-- a view for reports
CREATE VIEW article_copies AS
SELECT id, site, published, cluster, count(*) OVER (PARTITION BY cluster) AS copies,
	first_value(id) OVER same AS original,
	jaccard(sig, first_value(sig) OVER same) AS similarity
FROM (SELECT *, minhash_cluster(sig, 0.7, 0.99) OVER (ORDER BY published, id) AS cluster FROM articles) c
WINDOW same AS (PARTITION BY cluster ORDER BY published, id);
SELECT id, site, cluster, copies, original, round(similarity::numeric, 2) AS similarity
FROM article_copies WHERE copies > 1 ORDER BY cluster, id;
SELECT copies, count(*) AS articles FROM article_copies GROUP BY copies ORDER BY copies;

DROP VIEW article_copies;
DROP TABLE articles, versions, incoming, batch, outcome, archive;

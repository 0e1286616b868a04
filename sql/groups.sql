--
-- minhash_groups_create, minhash_groups_refresh, minhash_groups_drop:
-- groups in a table, with ids that last.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
RESET client_min_messages;

-- a small example: what joins, merges, splits, leaves
CREATE TABLE posts (id int PRIMARY KEY, tags int[],
	sig minhash GENERATED ALWAYS AS (array_to_minhash(tags)) STORED);
INSERT INTO posts (id, tags) VALUES
	(1, '{1,2,3,4,5,6}'), (2, '{1,2,3,4,5,6}'), (3, '{1,2,3,4,5,7}'),
	(4, '{21,22,23,24}'), (5, '{21,22,23,24}'),
	(6, NULL), (7, '{}'), (8, '{}');
SELECT minhash_groups_create('posts', 'sig', 0.6);
TABLE posts_groups;
SELECT relation, sig, key, threshold, recall, refreshes FROM posts_groups_definition;
-- nothing has changed, so nothing is written
SELECT * FROM minhash_groups_refresh('posts_groups');
SELECT refreshes FROM posts_groups_definition;
SELECT count(*) FROM posts_groups_log;
-- a row joins, one is new, one leaves
INSERT INTO posts (id, tags) VALUES (9, '{21,22,23,24}'), (10, '{31}');
DELETE FROM posts WHERE id = 7;
SELECT * FROM minhash_groups_refresh('posts_groups');
SELECT event, id, old_grp, new_grp FROM posts_groups_log WHERE refresh = 3 ORDER BY id;
-- two groups merge: the larger one keeps its id
UPDATE posts SET tags = '{1,2,3,4,5,6,21,22,23,24}' WHERE id = 9;
UPDATE posts SET tags = '{1,2,3,4,5,6,21,22,23}' WHERE id = 4;
UPDATE posts SET tags = '{1,2,3,4,5,6,21,22}' WHERE id = 5;
SELECT * FROM minhash_groups_refresh('posts_groups');
SELECT event, id, old_grp, new_grp FROM posts_groups_log WHERE refresh = 4 ORDER BY id;
-- and part again: the larger part keeps it
UPDATE posts SET tags = '{41,42}' WHERE id IN (5, 9);
SELECT * FROM minhash_groups_refresh('posts_groups');
SELECT event, id, old_grp, new_grp FROM posts_groups_log WHERE refresh = 5 ORDER BY id;
-- a changed key leaves and joins
UPDATE posts SET id = 20 WHERE id = 1;
SELECT * FROM minhash_groups_refresh('posts_groups');
SELECT event, id, old_grp, new_grp FROM posts_groups_log WHERE refresh = 6 ORDER BY id;
-- another threshold is a change of the definition; ids follow their rows
UPDATE posts_groups_definition SET threshold = 1;
SELECT * FROM minhash_groups_refresh('posts_groups');
-- the table can be renamed, or emptied; ids are never used again
ALTER TABLE posts RENAME TO articles;
TRUNCATE articles;
SELECT * FROM minhash_groups_refresh('posts_groups');
INSERT INTO articles (id, tags) VALUES (1, '{1,2,3,4,5,6}');
SELECT * FROM minhash_groups_refresh('posts_groups');
SELECT new_grp > (SELECT max(old_grp) FROM posts_groups_log) AS is_unused
FROM posts_groups_log WHERE refresh = 9;

-- errors of minhash_groups_refresh: columns and tables that are gone
ALTER TABLE articles RENAME sig TO signature;
SELECT minhash_groups_refresh('posts_groups');
UPDATE posts_groups_definition SET sig = 'signature';
SELECT minhash_groups_refresh('posts_groups');
UPDATE posts_groups_definition SET sig = 'tags';
SELECT minhash_groups_refresh('posts_groups');
UPDATE posts_groups_definition SET threshold = 2, sig = 'signature';
SELECT minhash_groups_refresh('posts_groups');
DELETE FROM posts_groups_definition;
\set VERBOSITY terse
SELECT minhash_groups_refresh('posts_groups');
\set VERBOSITY default
SELECT minhash_groups_refresh('articles');
SELECT minhash_groups_refresh(0);
SELECT minhash_groups_refresh(NULL);
SELECT minhash_groups_drop('articles');
SELECT minhash_groups_drop('posts_groups');
SELECT relname FROM pg_class WHERE relname LIKE 'posts%' AND relkind IN ('r', 'S');
SELECT minhash_groups_create('articles', 'signature', 0.6);
DROP TABLE articles;
SELECT minhash_groups_refresh('articles_groups');
SELECT minhash_groups_drop('articles_groups');

-- errors of minhash_groups_create
CREATE TABLE plain (id int, grp int NOT NULL UNIQUE, late int NOT NULL UNIQUE DEFERRABLE,
	part int NOT NULL, body text, sig minhash);
CREATE UNIQUE INDEX ON plain (part) WHERE part > 0;
CREATE UNIQUE INDEX ON plain (abs(part));
CREATE UNIQUE INDEX ON plain (id);
SELECT minhash_groups_create('plain', 'sig', 0.8);
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{id}');
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{late}');
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{part}');
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{part,grp}');
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{}');
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{NULL}');
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{ctid}');
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{grp}');
ALTER TABLE plain ADD PRIMARY KEY (id);
SELECT minhash_groups_create('plain', 'body', 0.8);
SELECT minhash_groups_create('plain', 'none', 0.8);
SELECT minhash_groups_create('plain', 'sig', 1.1);
SELECT minhash_groups_create('plain', 'sig', 0.8, 'NaN');
SELECT minhash_groups_create('plain', 'sig', NULL);
SELECT minhash_groups_create(NULL, 'sig', 0.8);
SELECT minhash_groups_create('plain', NULL, 0.8);
SELECT minhash_groups_create('plain', 'sig', 0.8, NULL);
SELECT minhash_groups_create('plain', 'sig', 0.8, groups => 'plain');
SELECT minhash_groups_create('pg_class', 'sig', 0.8);
SELECT minhash_groups_create('pg_stats', 'sig', 0.8);
SELECT minhash_groups_create(0, 'sig', 0.8);
CREATE TEMP TABLE passing (id int PRIMARY KEY, sig minhash);
SELECT minhash_groups_create('passing', 'sig', 0.8);
SELECT relname FROM pg_class WHERE relname LIKE 'plain%groups%';
-- signatures of two kinds
INSERT INTO plain VALUES (1, 1, 1, 1, '', to_minhash('a')), (2, 2, 2, 2, '', to_minhash('a', 'char:2'));
SELECT minhash_groups_create('plain', 'sig', 0.8);
SELECT relname FROM pg_class WHERE relname LIKE 'plain%groups%';
DROP TABLE plain;

-- keys of all types, odd names, partitions; two kinds of groups of one table
CREATE DOMAIN code AS text COLLATE "C" CHECK (VALUE <> '');
CREATE TYPE color AS ENUM ('red', 'green', 'blue');
CREATE SCHEMA "Odd ""schema";
CREATE TABLE "Odd ""schema"."Odd 'table" ("The ""key" text, k2 code, component uuid, k1 color,
	price numeric(10,2), period int4range, "Sig" minhash, PRIMARY KEY ("The ""key", k2, component, k1, price, period))
	PARTITION BY LIST (k1);
CREATE TABLE red PARTITION OF "Odd ""schema"."Odd 'table" FOR VALUES IN ('red');
CREATE TABLE others PARTITION OF "Odd ""schema"."Odd 'table" DEFAULT;
INSERT INTO "Odd ""schema"."Odd 'table"
SELECT 'k''' || i, 'c' || i, md5(i::text)::uuid, (enum_range(NULL::color))[1 + i % 3], i / 4.0, int4range(i, i + 3),
	array_to_minhash(ARRAY[i / 4, i / 4 + 1000, i / 4 + 2000]) FROM generate_series(1, 23) i;
SELECT minhash_groups_create('"Odd ""schema"."Odd ''table"', 'Sig', 0.9);
SELECT count(*), count(DISTINCT grp) FROM "Odd ""schema"."Odd 'table_groups";
SELECT minhash_groups_create('"Odd ""schema"."Odd ''table"', 'Sig', 0.1, groups => 'My groups');
UPDATE "Odd ""schema"."Odd 'table" SET k1 = 'red' WHERE k1 = 'blue';
UPDATE "Odd ""schema"."Odd 'table" SET price = price + 1 WHERE price < 2;
SELECT * FROM minhash_groups_refresh('"Odd ""schema"."Odd ''table_groups"');
SELECT * FROM minhash_groups_refresh('"Odd ""schema"."My groups"');
SELECT DISTINCT event FROM "Odd ""schema"."My groups_log" ORDER BY 1;
SELECT count(*) FROM "Odd ""schema"."Odd 'table" JOIN "Odd ""schema"."My groups" USING ("The ""key", k2, component, k1, price, period);
SELECT minhash_groups_drop('"Odd ""schema"."Odd ''table_groups"'), minhash_groups_drop('"Odd ""schema"."My groups"');
DROP SCHEMA "Odd ""schema" CASCADE;

-- Random batches.  After each the groups are the components, a group whose rows
-- are the same has its old id, and the log leads from nothing to the table.
CREATE TABLE docs (id text PRIMARY KEY, sig minhash);
CREATE FUNCTION random_sig() RETURNS minhash LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN random() < .05 THEN NULL WHEN random() < .05 THEN array_to_minhash('{}'::int[])
		ELSE (SELECT array_to_minhash(array_agg(floor(base + random() * 9)::int))
			FROM generate_series(1, 6), (SELECT floor(random() * 40) * 7 AS base OFFSET 0) AS b) END
$$;
CREATE FUNCTION check_groups(batch int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	wrong bigint;
BEGIN
	SELECT count(*) INTO wrong FROM (
		SELECT id, min(id) OVER (PARTITION BY c) AS first FROM (
			SELECT id, minhash_cluster(sig, 0.4, 0.99) OVER () AS c FROM docs) AS s) AS a
	FULL JOIN (SELECT id, min(id) OVER (PARTITION BY grp) AS first FROM docs_groups) AS b USING (id, first)
	WHERE a.id IS NULL OR b.id IS NULL;
	IF wrong > 0 THEN
		RAISE WARNING 'batch %: % rows are in wrong groups', batch, wrong;
	END IF;
	SELECT count(*) INTO wrong FROM (
		SELECT array_agg(id ORDER BY id) AS ids, grp FROM docs_groups GROUP BY grp) AS a
	JOIN (SELECT array_agg(id ORDER BY id) AS ids, grp FROM before GROUP BY grp) AS b USING (ids)
	WHERE a.grp <> b.grp;
	IF wrong > 0 THEN
		RAISE WARNING 'batch %: % unchanged groups have other ids', batch, wrong;
	END IF;
	SELECT count(*) INTO wrong FROM (
		SELECT DISTINCT ON (id) id, new_grp FROM docs_groups_log ORDER BY id, refresh DESC) AS l
	FULL JOIN docs_groups g ON g.id = l.id
	WHERE l.new_grp IS DISTINCT FROM g.grp;
	IF wrong > 0 THEN
		RAISE WARNING 'batch %: the log leads elsewhere for % rows', batch, wrong;
	END IF;
	SELECT count(*) INTO wrong FROM docs_groups_log l JOIN before b USING (id)
	WHERE refresh = batch + 1 AND l.old_grp <> b.grp;
	IF wrong > 0 THEN
		RAISE WARNING 'batch %: the log gives % rows other old groups', batch, wrong;
	END IF;
END
$$;
SELECT setseed(0.5);
INSERT INTO docs SELECT i, random_sig() FROM generate_series(1, 200) i;
SELECT minhash_groups_create('docs', 'sig', 0.4, 0.99);
CREATE TABLE before AS TABLE docs_groups;
DO $$
BEGIN
	FOR batch IN 1 .. 100 LOOP
		DELETE FROM before;
		INSERT INTO before TABLE docs_groups;
		DELETE FROM docs WHERE random() < .05;
		UPDATE docs SET sig = random_sig() WHERE random() < .05;
		UPDATE docs SET id = id || 'x' WHERE random() < .02;
		INSERT INTO docs SELECT batch || '-' || i, random_sig() FROM generate_series(1, floor(random() * 20)::int) i;
		PERFORM minhash_groups_refresh('docs_groups');
		PERFORM check_groups(batch);
	END LOOP;
END
$$;
SELECT event, count(*) > 20 AS often FROM docs_groups_log GROUP BY event ORDER BY event;
-- the largest overlap keeps an id: no part of a group is larger than the one that kept it
SELECT count(*) FROM (
	SELECT refresh, old_grp, new_grp, count(*) AS moved FROM docs_groups_log
	WHERE event = 'split' AND refresh = 101 GROUP BY 1, 2, 3) AS s
WHERE moved > (SELECT count(*) FROM before b JOIN docs_groups g USING (id) WHERE b.grp = s.old_grp AND g.grp = b.grp)
	AND NOT EXISTS (SELECT FROM before b WHERE b.grp = s.new_grp);

-- the same with a queue, and with few changes in each batch, so that only these are read
SELECT minhash_groups_drop('docs_groups');
CREATE INDEX ON docs USING lsh (sig);
SELECT minhash_groups_create('docs', 'sig', 0.4, 0.99, maintain => 'queue');
CREATE TABLE refreshed (rows bigint, all_rows bigint);
DO $$
BEGIN
	FOR batch IN 1 .. 100 LOOP
		DELETE FROM before;
		INSERT INTO before TABLE docs_groups;
		DELETE FROM docs WHERE random() < .01;
		UPDATE docs SET sig = random_sig() WHERE random() < .01;
		UPDATE docs SET id = id || 'y' WHERE random() < .005;
		INSERT INTO docs SELECT 'q' || batch || '-' || i, random_sig() FROM generate_series(1, floor(random() * 6)::int) i;
		INSERT INTO refreshed SELECT rows, (SELECT count(*) FROM docs) FROM minhash_groups_refresh('docs_groups');
		PERFORM check_groups(batch);
	END LOOP;
END
$$;
SELECT event, count(*) > 20 AS often FROM docs_groups_log WHERE refresh > 1 GROUP BY event ORDER BY event;
SELECT count(*) FILTER (WHERE rows < all_rows) > 80 AS mostly_few FROM refreshed;
-- a request to read all rows
INSERT INTO docs_groups_queue DEFAULT VALUES;
SELECT rows = (SELECT count(*) FROM docs) AS all_rows, changed_rows FROM minhash_groups_refresh('docs_groups');
DROP TABLE refreshed;

-- Two bridges between two large parts go, the second in the statement that refreshes,
-- before it is queued.  Neither alone leaves neighbors on both sides.
CREATE TABLE bridge (id int PRIMARY KEY, sig minhash);
INSERT INTO bridge SELECT i, array_to_minhash(ARRAY(SELECT generate_series(x, x + 11)), 64)
FROM generate_series(1, 82) i, LATERAL (SELECT CASE WHEN i <= 40 THEN 0 WHEN i = 41 THEN 3 WHEN i = 42 THEN 6 ELSE 9 END AS x) AS v;
SELECT minhash_groups_create('bridge', 'sig', 0.5, maintain => 'queue');
SELECT count(DISTINCT grp) FROM bridge_groups;
BEGIN;
DELETE FROM bridge WHERE id = 41;
WITH gone AS (DELETE FROM bridge WHERE id = 42 RETURNING id), one AS MATERIALIZED (SELECT count(*) AS n FROM gone)
SELECT n, minhash_groups_refresh(CASE WHEN n = 1 THEN 'bridge_groups'::regclass END) FROM one;
COMMIT;
SELECT * FROM minhash_groups_refresh('bridge_groups');
SELECT count(*), min(id), max(id) FROM bridge_groups GROUP BY grp ORDER BY min(id);
-- one bridge comes back, and goes again; then a copy of it keeps the parts together
INSERT INTO bridge SELECT 41 + i, array_to_minhash(ARRAY(SELECT generate_series(x, x + 11)), 64) FROM (VALUES (0, 3), (1, 6)) AS v(i, x);
SELECT * FROM minhash_groups_refresh('bridge_groups');
DELETE FROM bridge WHERE id = 41;
SELECT * FROM minhash_groups_refresh('bridge_groups');
INSERT INTO bridge SELECT 90 + i, array_to_minhash(ARRAY(SELECT generate_series(3, 14)), 64) FROM generate_series(1, 2) i;
SELECT * FROM minhash_groups_refresh('bridge_groups');
DELETE FROM bridge WHERE id = 91;
SELECT * FROM minhash_groups_refresh('bridge_groups');
SELECT count(DISTINCT grp) FROM bridge_groups;
DROP TABLE bridge;
SELECT minhash_groups_drop('bridge_groups');

-- errors of the argument maintain, and of triggers that others make
SELECT minhash_groups_create('docs', 'sig', 0.4, groups => 'other', maintain => 'always');
SELECT minhash_groups_create('docs', 'sig', 0.4, groups => 'other', maintain => NULL);
ALTER TABLE docs_groups_queue RENAME TO other_queue;
SELECT minhash_groups_create('docs', 'sig', 0.4, groups => 'other', maintain => 'queue');
ALTER TABLE other_queue RENAME TO docs_groups_queue;
CREATE VIEW seen AS TABLE docs;
SELECT minhash_groups_create('seen', 'sig', 0.4);
DROP VIEW seen;
CREATE TRIGGER wrong AFTER INSERT ON before FOR EACH ROW EXECUTE FUNCTION minhash_groups_queue();
INSERT INTO before SELECT 1, 1;
DROP TRIGGER wrong ON before;
CREATE TRIGGER wrong BEFORE INSERT ON before FOR EACH ROW EXECUTE FUNCTION minhash_groups_commit();
INSERT INTO before SELECT 1, 1;

-- only the owner, or a role with the owner's rights
CREATE ROLE groups_owner;
CREATE ROLE groups_reader;
CREATE SCHEMA shared;
GRANT ALL ON SCHEMA shared TO groups_owner, groups_reader;
SET ROLE groups_owner;
CREATE TABLE shared.docs (id int PRIMARY KEY, sig minhash);
INSERT INTO shared.docs VALUES (1, to_minhash('some text')), (2, to_minhash('some text'));
GRANT ALL ON shared.docs TO groups_reader;
SET ROLE groups_reader;
SELECT minhash_groups_create('shared.docs', 'sig', 0.8);
RESET ROLE;
SELECT minhash_groups_create('shared.docs', 'sig', 0.8);
SELECT relname, pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 'shared'::regnamespace AND relkind = 'r' ORDER BY 1;
SET ROLE groups_reader;
SELECT minhash_groups_refresh('shared.docs_groups');
SELECT minhash_groups_drop('shared.docs_groups');
SELECT * FROM shared.docs_groups;
-- a log of another role's, in the place of the owner's
RESET ROLE;
ALTER TABLE shared.docs_groups_log OWNER TO groups_reader;
SELECT minhash_groups_refresh('shared.docs_groups');
ALTER TABLE shared.docs_groups_log OWNER TO groups_owner;
-- names in the path of the caller, and triggers with the owner's rights only
CREATE FUNCTION shared.minhash_cluster(minhash, float8, float8) RETURNS bigint LANGUAGE sql AS 'SELECT 1/0';
CREATE FUNCTION shared.who() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''as %'', current_user; RETURN NULL; END';
CREATE TRIGGER who AFTER INSERT ON shared.docs_groups EXECUTE FUNCTION shared.who();
SET search_path = shared, public;
INSERT INTO docs VALUES (3, to_minhash('other'));
SELECT minhash_groups_refresh('docs_groups');
RESET search_path;
-- rows that row-level security hides from the owner
ALTER TABLE shared.docs ENABLE ROW LEVEL SECURITY;
ALTER TABLE shared.docs FORCE ROW LEVEL SECURITY;
SELECT minhash_groups_refresh('shared.docs_groups');
ALTER TABLE shared.docs NO FORCE ROW LEVEL SECURITY;
SELECT minhash_groups_refresh('shared.docs_groups');
SHOW row_security;
DROP SCHEMA shared CASCADE;
DROP ROLE groups_owner, groups_reader;

-- rows of tables that inherit, which may have the same keys
CREATE TABLE parent (id int PRIMARY KEY, sig minhash);
CREATE TABLE child () INHERITS (parent);
INSERT INTO parent SELECT n, array_to_minhash(ARRAY[n]) FROM generate_series(1, 3) n;
INSERT INTO child SELECT 1, array_to_minhash(ARRAY[7]);
SELECT minhash_groups_create('parent', 'sig', 0.5);
SELECT * FROM minhash_groups_refresh('parent_groups');
SELECT * FROM parent_groups ORDER BY id;
-- a sequence behind the ids in use, as a subscriber has it, and none
SELECT setval(pg_get_serial_sequence('parent_groups', 'grp'), 1, false);
INSERT INTO parent SELECT n, array_to_minhash(ARRAY[n]) FROM generate_series(4, 5) n;
SELECT * FROM minhash_groups_refresh('parent_groups');
SELECT * FROM parent_groups ORDER BY id;
ALTER TABLE parent_groups ALTER grp DROP IDENTITY;
INSERT INTO parent VALUES (6, array_to_minhash(ARRAY[6]));
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups ALTER grp ADD GENERATED BY DEFAULT AS IDENTITY;
-- columns of other types than those that minhash_groups_create gives
ALTER TABLE parent_groups ALTER grp TYPE int;
ALTER TABLE parent_groups_definition ALTER threshold TYPE text, ALTER sig TYPE text;
SELECT * FROM minhash_groups_refresh('parent_groups');
SELECT * FROM parent_groups ORDER BY id;
ALTER TABLE parent_groups_definition ALTER key TYPE bigint USING 12345;
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups_definition ALTER key TYPE name[] USING '{id}';
ALTER TABLE parent_groups DROP CONSTRAINT parent_groups_pkey, ALTER id TYPE json USING '1';
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups DROP id;
SELECT * FROM minhash_groups_refresh('parent_groups');
SELECT minhash_groups_drop('parent_groups');
DROP TABLE parent CASCADE;

DROP TABLE docs, before;
SELECT minhash_groups_drop('docs_groups');

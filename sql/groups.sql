--
-- minhash_groups_create, minhash_groups_refresh, minhash_groups_drop:
-- groups in a table, with ids that last.  Random changes are in test/t/071_groups_random.pl.
--
\set ECHO none \i test/data/setup.sql \i test/data/groups.sql \set ECHO all

-- a small example: what joins, merges, leaves
CREATE TABLE posts (id int PRIMARY KEY, tags int[],
	sig minhash GENERATED ALWAYS AS (array_to_minhash(tags)) STORED);
INSERT INTO posts (id, tags) VALUES
	(1, '{1,2,3,4,5,6}'), (2, '{1,2,3,4,5,6}'), (3, '{1,2,3,4,5,7}'),
	(4, '{21,22,23,24}'), (5, '{21,22,23,24}'),
	(6, NULL), (7, '{}'), (8, '{}');
SELECT minhash_groups_create('posts', 'sig', 0.6, agreement => 0);
SELECT grp, array_agg(id ORDER BY id) AS ids FROM posts_groups GROUP BY grp ORDER BY grp;
SELECT relation, sig, key, scope, threshold, recall, agreement, refreshes, last_grp FROM posts_groups_definition;
-- nothing has changed, so nothing is written
CALL pg_temp.refresh_gives('posts_groups', 8, 5, 0);
SELECT refreshes, (SELECT count(*) FROM posts_groups_log) AS logged FROM posts_groups_definition;
-- a row joins, one is new, one leaves
INSERT INTO posts (id, tags) VALUES (9, '{21,22,23,24}'), (10, '{31}');
DELETE FROM posts WHERE id = 7;
CALL pg_temp.refresh_gives('posts_groups', 9, 5, 3);
SELECT event, id, old_grp, new_grp FROM posts_groups_log WHERE refresh = 3 ORDER BY id;
-- two groups merge: the larger one keeps its id
UPDATE posts SET tags = '{1,2,3,4,5,6,21,22,23,24}' WHERE id = 9;
UPDATE posts SET tags = '{1,2,3,4,5,6,21,22,23}' WHERE id = 4;
UPDATE posts SET tags = '{1,2,3,4,5,6,21,22}' WHERE id = 5;
CALL pg_temp.refresh_gives('posts_groups', 9, 4, 3);
SELECT event, id, old_grp, new_grp FROM posts_groups_log WHERE refresh = 4 ORDER BY id;
-- another threshold is a change of the definition; ids follow their rows
UPDATE posts_groups_definition SET threshold = 1;
CALL pg_temp.refresh_gives('posts_groups', 9, 8, 4);
-- the table can be renamed, or emptied; ids are never used again
ALTER TABLE posts RENAME TO articles;
TRUNCATE articles;
CALL pg_temp.refresh_gives('posts_groups', 0, 0, 9);
INSERT INTO articles (id, tags) VALUES (1, '{1,2,3,4,5,6}');
CALL pg_temp.refresh_gives('posts_groups', 1, 1, 1);
SELECT new_grp > (SELECT max(old_grp) FROM posts_groups_log) AS is_unused
FROM posts_groups_log WHERE refresh = 7;

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
SELECT minhash_groups_drop('posts_groups') \g /dev/null
SELECT relname FROM pg_class WHERE relname LIKE 'posts%' AND relkind IN ('r', 'S');
SELECT minhash_groups_create('articles', 'signature', 0.6) \g /dev/null
DROP TABLE articles;
SELECT minhash_groups_refresh('articles_groups');
SELECT minhash_groups_drop('articles_groups') \g /dev/null

-- errors of minhash_groups_create
CREATE TABLE plain (id int, grp int NOT NULL UNIQUE, late int NOT NULL UNIQUE DEFERRABLE,
	part int NOT NULL, body text, sig minhash);
INSERT INTO plain (id, grp, late, part) VALUES (1, 1, 1, 1), (NULL, 2, 2, 2), (NULL, 3, 3, 2);
SELECT * FROM pg_temp.errors_of(
	$$minhash_groups_create('plain', 'sig', 0.8)$$, $$minhash_groups_create('plain', 'sig', 0.8, key => '{part}')$$,
	$$minhash_groups_create('plain', 'sig', 0.8, key => '{part,id}')$$);
DELETE FROM plain WHERE grp = 3;
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{id}');
SELECT minhash_groups_create('plain', 'sig', 0.8, key => '{late}') \g /dev/null
SELECT minhash_groups_drop('plain_groups') \g /dev/null
DELETE FROM plain;
SELECT * FROM pg_temp.errors_of(
	$$minhash_groups_create('plain', 'sig', 0.8, key => '{part,grp}')$$,
	$$minhash_groups_create('plain', 'sig', 0.8, key => '{}')$$,
	$$minhash_groups_create('plain', 'sig', 0.8, key => '{NULL}')$$,
	$$minhash_groups_create('plain', 'sig', 0.8, key => '{ctid}')$$,
	$$minhash_groups_create('plain', 'sig', 0.8, key => '{grp}')$$);
ALTER TABLE plain ADD PRIMARY KEY (id);
SELECT * FROM pg_temp.errors_of(
	$$minhash_groups_create('plain', 'body', 0.8)$$, $$minhash_groups_create('plain', 'none', 0.8)$$,
	$$minhash_groups_create('plain', 'sig', 1.1)$$, $$minhash_groups_create('plain', 'sig', 0.8, 'NaN')$$,
	$$minhash_groups_create('plain', 'sig', NULL)$$, $$minhash_groups_create(NULL, 'sig', 0.8)$$,
	$$minhash_groups_create('plain', NULL, 0.8)$$, $$minhash_groups_create('plain', 'sig', 0.8, NULL)$$,
	$$minhash_groups_create('plain', 'sig', 0.8, groups => 'plain')$$,
	$$minhash_groups_create('plain', 'sig', 0.8, groups => '')$$,
	$$minhash_groups_create('plain', 'sig', 0.8, key => '{sig}')$$,
	$$minhash_groups_create('plain_pkey', 'sig', 0.8)$$, $$minhash_groups_create(0, 'sig', 0.8)$$);
CREATE TEMP TABLE passing (id int PRIMARY KEY, sig minhash);
SELECT minhash_groups_create('passing', 'sig', 0.8);
SELECT relname FROM pg_class WHERE relname LIKE 'plain%groups%';
-- a key that comes to repeat
CREATE VIEW plainly AS SELECT part, sig FROM plain;
SELECT minhash_groups_create('plainly', 'sig', 0.8, key => '{part}') \g /dev/null
INSERT INTO plain (id, grp, late, part, sig) SELECT i, i, i, i / 2, to_minhash('text ' || i / 2) FROM generate_series(1, 3) i;
SELECT minhash_groups_refresh('plainly_groups');
DELETE FROM plain WHERE id = 3;
CALL pg_temp.refresh_gives('plainly_groups', 2, 2, 2);
DROP VIEW plainly CASCADE;
DROP TABLE plainly_groups, plainly_groups_log, plainly_groups_judged, plainly_groups_definition;
DELETE FROM plain;
-- signatures of two kinds; without the context, which shows the statement of a refresh
\set SHOW_CONTEXT never
INSERT INTO plain VALUES (1, 1, 1, 1, '', to_minhash('a')), (2, 2, 2, 2, '', to_minhash('a', 'char:2'));
SELECT minhash_groups_create('plain', 'sig', 0.8);
SELECT relname FROM pg_class WHERE relname LIKE 'plain%groups%';

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
CALL pg_temp.refresh_gives('"Odd ""schema"."Odd ''table_groups"', 23, 6, 26);
CALL pg_temp.refresh_gives('"Odd ""schema"."My groups"', 23, 6, 26);
SELECT DISTINCT event FROM "Odd ""schema"."My groups_log" ORDER BY 1;
SELECT count(*) FROM "Odd ""schema"."Odd 'table" JOIN "Odd ""schema"."My groups" USING ("The ""key", k2, component, k1, price, period);
SELECT minhash_groups_drop('"Odd ""schema"."Odd ''table_groups"'), minhash_groups_drop('"Odd ""schema"."My groups"');
DROP SCHEMA "Odd ""schema" CASCADE;

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
SELECT minhash_groups_create('shared.docs', 'sig', 0.8) \g /dev/null
SELECT relname, pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 'shared'::regnamespace AND relkind = 'r' ORDER BY 1;
SET ROLE groups_reader;
SELECT * FROM pg_temp.errors_of(
	$$minhash_groups_refresh('shared.docs_groups')$$, $$minhash_groups_drop('shared.docs_groups')$$,
	$$SELECT * FROM shared.docs_groups$$);
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
SET search_path = regress_lshsim, public;
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
SELECT minhash_groups_create('parent', 'sig', 0.5) \g /dev/null
CALL pg_temp.refresh_gives('parent_groups', 3, 3, 0);
SELECT string_agg(id || ' in ' || grp, ', ' ORDER BY id, grp) AS groups FROM parent_groups;
-- columns of other types than those that minhash_groups_create gives
ALTER TABLE parent_groups ALTER grp TYPE int;
ALTER TABLE parent_groups_definition ALTER threshold TYPE text, ALTER sig TYPE text;
INSERT INTO parent VALUES (6, array_to_minhash(ARRAY[6]));
CALL pg_temp.refresh_gives('parent_groups', 4, 4, 1);
SELECT string_agg(id || ' in ' || grp, ', ' ORDER BY id, grp) AS groups FROM parent_groups;
-- an id that was set by hand is not used again
UPDATE parent_groups SET grp = 5 WHERE id = 1;
INSERT INTO parent VALUES (7, array_to_minhash(ARRAY[7]));
CALL pg_temp.refresh_gives('parent_groups', 5, 5, 1);
SELECT string_agg(id || ' in ' || grp, ', ' ORDER BY id, grp) AS groups FROM parent_groups;
ALTER TABLE parent_groups_definition ALTER key TYPE bigint USING 12345;
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups_definition ALTER key TYPE name[] USING '{id}';

-- a key column that is renamed, or gets another type
ALTER TABLE parent RENAME id TO number;
SELECT * FROM minhash_groups_refresh('parent_groups');
UPDATE parent_groups_definition SET key = '{number}';
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups RENAME id TO number;
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups_log RENAME id TO number;
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups_judged RENAME id_a TO number_a;
ALTER TABLE parent_groups_judged RENAME id_b TO number_b;
CALL pg_temp.refresh_gives('parent_groups', 5, 5, 0);
ALTER TABLE parent ALTER number TYPE bigint;
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups ALTER number TYPE bigint;
SELECT * FROM minhash_groups_refresh('parent_groups');
ALTER TABLE parent_groups_log ALTER number TYPE bigint;
ALTER TABLE parent_groups_judged ALTER number_a TYPE bigint, ALTER number_b TYPE bigint;
INSERT INTO parent VALUES (5000000000, array_to_minhash(ARRAY[6]));
CALL pg_temp.refresh_gives('parent_groups', 6, 5, 1);
SELECT event, number, new_grp FROM parent_groups_log ORDER BY refresh DESC LIMIT 1;
ALTER TABLE parent_groups DROP number;
SELECT * FROM minhash_groups_refresh('parent_groups');

-- dropped under a view, and by hand
CREATE VIEW seen AS SELECT grp FROM parent_groups;
SELECT minhash_groups_drop('parent_groups');
DROP TABLE parent_groups CASCADE;
SELECT minhash_groups_create('parent', 'sig', 0.5);
DROP TABLE parent_groups_log, parent_groups_judged;
SELECT minhash_groups_create('parent', 'sig', 0.5);
DROP TABLE parent_groups_definition;
SELECT minhash_groups_create('parent', 'sig', 0.5) \g /dev/null
SELECT minhash_groups_drop('parent_groups') \g /dev/null
DROP TABLE parent CASCADE;

-- a key that is unique only under another equality than that of GROUP BY: the two rows are one key there
CREATE TYPE version AS (n numeric);
CREATE TABLE imaged (id version NOT NULL, sig minhash);
CREATE UNIQUE INDEX imaged_image ON imaged (id record_image_ops);
INSERT INTO imaged VALUES (ROW(1.0), array_to_minhash(ARRAY[1])), (ROW(1.00), array_to_minhash(ARRAY[2]));
SELECT minhash_groups_create('imaged', 'sig', 0.5, key => '{id}');
UPDATE imaged SET id = ROW(2) WHERE id *= ROW(1.00)::version;
CREATE UNIQUE INDEX imaged_default ON imaged (id);
SELECT minhash_groups_create('imaged', 'sig', 0.5, key => '{id}') \g /dev/null
-- an operator class that is not the default one, with the same equality
CREATE TABLE patterns (id text NOT NULL, sig minhash);
CREATE UNIQUE INDEX ON patterns (id text_pattern_ops);
SELECT minhash_groups_create('patterns', 'sig', 0.5, key => '{id}') \g /dev/null

-- A greedy choice: A and X have 10 rows in common, B and X 5, B and Y 4, so B goes on
-- as Y although its largest overlap is that with X.  A tie goes to the smaller id.
SELECT minhash_groups_match(array_agg(old_grp), array_agg(component), 20)
FROM (SELECT old_grp, component
	FROM (VALUES (1, 1, 10), (2, 1, 5), (2, 2, 4), (3, 4, 3), (4, 4, 3), (0, 2, 1), (0, 5, 2), (4, 6, 1)) AS o(old_grp, component, n),
		generate_series(1, n) ORDER BY random()) AS rows;
SELECT * FROM pg_temp.errors_of(
	$$minhash_groups_match('{1,1}', '{1,3}', 0)$$, $$minhash_groups_match('{1,1}', '{1,0}', 0)$$,
	$$minhash_groups_match('{1,1}', '{1}', 0)$$, $$minhash_groups_match('{1,NULL}', '{1,1}', 0)$$,
	$$minhash_groups_match('{{1}}', '{{1}}', 0)$$, $$minhash_groups_match('{-1}', '{1}', 0)$$,
	$$minhash_groups_match('{0}', '{1}', -1)$$, $$minhash_groups_match('{0}', '{1}', 9223372036854775807)$$,
	$$minhash_groups_match('{0,0}', '{1,2}', 9223372036854775806)$$);
SELECT minhash_groups_match('{9223372036854775807}', '{1}', 9223372036854775807), minhash_groups_match('{0}', '{1}', 9223372036854775806);
SELECT minhash_groups_match('{5,0,0}', '{1,2,3}', 3);
SELECT minhash_groups_match('{1}', '{1}', 0) IS NULL AS is_null, minhash_groups_match('{0}', '{1}', 7), minhash_groups_match(NULL, '{1}', 7);

-- only rows of one scope are compared; NULL is a scope, too
CREATE TABLE tenants (tenant text, region int, id int, sig minhash, PRIMARY KEY (region, id));
INSERT INTO tenants SELECT t, r, i, array_to_minhash(ARRAY[i / 4])
FROM (VALUES ('a', 1), ('b', 2), (NULL, 3), (NULL, 4)) AS v(t, r), generate_series(1, 8) i;
SELECT minhash_groups_create('tenants', 'sig', 0.9), minhash_groups_create('tenants', 'sig', 0.9, groups => 'by_tenant', scope => '{tenant}'),
	minhash_groups_create('tenants', 'sig', 0.9, groups => 'by_both', scope => '{tenant,region}') \g /dev/null
SELECT (SELECT count(DISTINCT grp) FROM tenants_groups) AS no_scope, (SELECT count(DISTINCT grp) FROM by_tenant) AS tenant,
	(SELECT count(DISTINCT grp) FROM by_both) AS both;
SELECT count(*) FROM (SELECT array_agg((region, id) ORDER BY region, id) FROM by_tenant GROUP BY grp
	EXCEPT SELECT array_agg((region, id) ORDER BY region, id) FROM (
		SELECT *, minhash_cluster(sig, 0.9) OVER (PARTITION BY tenant ORDER BY region, id) AS c FROM tenants) AS t GROUP BY tenant, c) AS wrong;
UPDATE tenants SET tenant = 'b' WHERE region = 4;
CALL pg_temp.refresh_gives('by_tenant', 32, 9, 8);
SELECT event, count(*) FROM by_tenant_log WHERE refresh = 2 GROUP BY event;
SELECT count(DISTINCT grp) FROM by_tenant;
ALTER TABLE tenants RENAME tenant TO customer;
SELECT * FROM pg_temp.errors_of(
	$$SELECT * FROM minhash_groups_refresh('by_tenant')$$,
	$$minhash_groups_create('tenants', 'sig', 0.9, groups => 'wrong', scope => '{tableoid}')$$,
	$$minhash_groups_create('tenants', 'sig', 0.9, groups => 'wrong', scope => '{tenant}')$$);
SELECT minhash_groups_drop('tenants_groups'), minhash_groups_drop('by_tenant'), minhash_groups_drop('by_both') \g /dev/null

-- the rows of a refresh are in a file beyond work_mem, which does not stay open
CREATE TABLE many AS SELECT i AS id, array_to_minhash(ARRAY[i]) AS sig FROM generate_series(1, 5000) i;
SET work_mem = '64kB';
SELECT minhash_groups_create('many', 'sig', 0.9, key => '{id}') \g /dev/null
RESET work_mem;
SELECT minhash_groups_drop('many_groups') \g /dev/null

-- JIT is off in a refresh: the row that is signed from the setting joins the other
CREATE VIEW settings AS SELECT 1 AS id, array_to_minhash(ARRAY['off']) AS sig
	UNION ALL SELECT 2, array_to_minhash(ARRAY[current_setting('jit')]);
SET jit = on;
SELECT minhash_groups_create('settings', 'sig', 1, key => '{id}') \g /dev/null
SELECT count(DISTINCT grp) FROM settings_groups;
RESET jit;
SELECT minhash_groups_drop('settings_groups') \g /dev/null

-- a threshold of 0 would make one group of all rows
CREATE TABLE judged (id int PRIMARY KEY, sig minhash);
INSERT INTO judged SELECT i, array_to_minhash(ARRAY[i, -i]) FROM generate_series(1, 2) i;
SELECT minhash_groups_create('judged', 'sig', 0);
-- the latest judgment counts, by the column of that name, wherever it is
SELECT minhash_groups_create('judged', 'sig', 0.9) \g /dev/null
ALTER TABLE judged_groups_judged DROP judged_at;
ALTER TABLE judged_groups_judged ADD judged_at timestamptz;
INSERT INTO judged_groups_judged (id_a, id_b, same, judged_by, judged_at) VALUES (1, 2, false, 'b', '2026-01-01'), (2, 1, true, 'a', '2026-01-02');
CALL pg_temp.refresh_gives('judged_groups', 2, 1, 1);
-- of two with the same time the last one, also after the first was stored again
INSERT INTO judged_groups_judged (id_a, id_b, same, judged_at) VALUES (1, 2, true, '2026-01-03'), (2, 1, false, '2026-01-03');
CALL pg_temp.refresh_gives('judged_groups', 2, 2, 1);
UPDATE judged_groups_judged SET judged_by = 'c' WHERE same;
CALL pg_temp.refresh_gives('judged_groups', 2, 2, 0);
SELECT minhash_groups_drop('judged_groups') \g /dev/null

-- in a schema of its own, where tools that manage the schema of the table do not see the groups
CREATE TABLE posts (id int PRIMARY KEY, sig minhash);
INSERT INTO posts SELECT i, array_to_minhash(ARRAY[i / 2]) FROM generate_series(2, 5) i;
CREATE SCHEMA "Kept apart";
CREATE ROLE author;
ALTER TABLE posts OWNER TO author;
SELECT minhash_groups_create('posts', 'sig', 0.9, schema => 'nowhere');
SELECT minhash_groups_create('posts', 'sig', 0.9, schema => 'Kept apart');
GRANT CREATE, USAGE ON SCHEMA "Kept apart" TO author;
SELECT minhash_groups_create('posts', 'sig', 0.9, schema => 'Kept apart', groups => 'copies') \g /dev/null
SELECT minhash_groups_create('posts', 'sig', 0.9, schema => 'Kept apart', groups => 'copies');
SELECT relname, pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relnamespace = '"Kept apart"'::regnamespace AND relkind = 'r' ORDER BY 1;
SELECT array_agg(id ORDER BY id) AS ids FROM "Kept apart".copies GROUP BY grp ORDER BY 1;
-- no column is of type name or an array of it, for which tools have no type
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = '"Kept apart".copies_judged'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*), count(*) FILTER (WHERE atttypid IN ('name'::regtype, 'name[]'::regtype)) AS names FROM pg_attribute
WHERE attrelid IN ('"Kept apart".copies'::regclass, '"Kept apart".copies_log'::regclass, '"Kept apart".copies_definition'::regclass) AND attname IN ('id', 'grp', 'event', 'relation', 'sig', 'key', 'scope');
-- the time and the author of a judgment are filled also without the defaults
ALTER TABLE "Kept apart".copies_judged ALTER judged_at DROP DEFAULT, ALTER judged_by DROP DEFAULT;
INSERT INTO "Kept apart".copies_judged (id_a, id_b, same) VALUES (2, 3, false);
INSERT INTO "Kept apart".copies_judged VALUES (4, 5, false, '2026-01-01', 'me');
UPDATE "Kept apart".copies_judged SET same = true, judged_by = NULL WHERE id_a = 4;
SELECT id_a, judged_by = current_user AS mine, judged_at BETWEEN now() - interval '1 hour' AND clock_timestamp() AS recent FROM "Kept apart".copies_judged ORDER BY 1;
CALL pg_temp.refresh_gives('"Kept apart".copies', 4, 3, 1);
-- unless the owner has altered the columns
ALTER TABLE "Kept apart".copies_judged DROP judged_by, ALTER judged_at TYPE timestamp;
INSERT INTO "Kept apart".copies_judged (id_a, id_b, same) VALUES (3, 4, false);
SELECT minhash_groups_drop('"Kept apart".copies');
DROP SCHEMA "Kept apart";
DROP TABLE posts;
DROP ROLE author;

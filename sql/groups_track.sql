--
-- minhash_groups_create(..., track => true): refreshes that cluster only what has changed.
-- Random changes, concurrency and crashes are in test/t/076_groups_track.pl.
--
\set ECHO none \i test/data/setup.sql \i test/data/groups.sql
GRANT ALL ON SCHEMA regress_lshsim TO PUBLIC;

-- Refresh tracked groups by an expected method, with the expected keys of changed rows before.  If a number of groups is
-- expected, refresh the groups "plain" of the same table, too, and compare: the same rows must be in the same groups.
CREATE PROCEDURE refreshed(method text, groups int DEFAULT NULL, noted text DEFAULT NULL, tracked text DEFAULT 'tracked')
LANGUAGE plpgsql AS $$
DECLARE
	found text;
	t record;
	p record;
	n int;
BEGIN
	IF noted IS NOT NULL THEN
		SELECT string_agg(id::text, ' ' ORDER BY id) INTO found FROM tracked_changes;
		IF found IS DISTINCT FROM noted THEN
			RAISE WARNING 'noted: %, not %', found, noted;
		END IF;
	END IF;
	SELECT * INTO t FROM minhash_groups_refresh(tracked::regclass);
	IF t.method IS DISTINCT FROM refreshed.method THEN
		RAISE WARNING 'refreshed by %, not by %', t.method, refreshed.method;
	END IF;
	IF groups IS NULL THEN
		RETURN;
	END IF;
	SELECT * INTO p FROM minhash_groups_refresh('plain');
	EXECUTE format('SELECT count(*) FROM (SELECT id, min(id) OVER (PARTITION BY grp) AS first FROM %s) AS a
		FULL JOIN (SELECT id, min(id) OVER (PARTITION BY grp) AS first FROM plain) AS b USING (id, first)
		WHERE a.id IS NULL OR b.id IS NULL', tracked) INTO n;
	IF n > 0 OR (t.rows, t.groups_found, t.groups_found) IS DISTINCT FROM (p.rows, p.groups_found, groups::bigint) THEN
		RAISE WARNING '% rows in % groups, % in % by a full refresh, % differ', t.rows, t.groups_found, p.rows, p.groups_found, n;
	END IF;
END $$;
-- A signature that is similar to those of the numbers next to it.
CREATE FUNCTION link(i int) RETURNS minhash IMMUTABLE LANGUAGE sql AS
	'SELECT public.array_to_minhash(ARRAY(SELECT generate_series(i, i + 11)), 64)';
\set ECHO all

CREATE TABLE docs (id int PRIMARY KEY, n int, sig minhash);
INSERT INTO docs SELECT i, 0, link(i) FROM generate_series(1, 90) i WHERE i % 10 > 0;
-- needs an index on the signatures
SELECT minhash_groups_create('docs', 'sig', 0.6, groups => 'tracked', track => true);
CREATE INDEX partial ON docs USING lsh (sig) WHERE n = 0;
SELECT minhash_groups_create('docs', 'sig', 0.6, groups => 'tracked', track => true);
DROP INDEX partial;
CREATE INDEX docs_sig ON docs USING lsh (sig);
SELECT minhash_groups_create('docs', 'sig', 0.6, groups => 'tracked', track => NULL);
SELECT minhash_groups_create('docs', 'sig', 0.6, groups => 'tracked', track => true, agreement => 0),
	minhash_groups_create('docs', 'sig', 0.6, groups => 'plain', agreement => 0) \g /dev/null
SELECT tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE tgname LIKE 'tracked%' ORDER BY 1, 2;
SELECT track, changes, components, state[1:2] FROM tracked_definition;
CALL refreshed('changes', 1);

-- each kind of statement is noted; an update of another column is not
INSERT INTO docs VALUES (10, 0, link(10)), (20, 0, link(20));
UPDATE docs SET n = 1;
CALL refreshed('changes', 1, noted => '10 20');
SELECT event, id FROM tracked_log WHERE refresh = (SELECT refreshes FROM tracked_definition) AND id % 10 = 0 ORDER BY id;
SELECT count(*) FROM tracked_changes;
UPDATE docs SET sig = link(500) WHERE id = 15;
DELETE FROM docs WHERE id = 25;
CALL refreshed('changes', 2, noted => '15 25');
UPDATE docs SET id = 1015 WHERE id = 15;
INSERT INTO docs VALUES (30, 0, link(30)), (31, 0, link(700)) ON CONFLICT (id) DO UPDATE SET sig = excluded.sig;
CALL refreshed('changes', 3, noted => '15 30 31 1015');
MERGE INTO docs USING (VALUES (31), (32), (40)) AS v(i) ON v.i = docs.id
WHEN MATCHED AND i = 31 THEN DELETE WHEN MATCHED THEN UPDATE SET sig = NULL WHEN NOT MATCHED THEN INSERT VALUES (i, 0, link(i));
CALL refreshed('changes', 3, noted => '31 32 40');
COPY docs (id, n) FROM STDIN;
2001	1
2002	1
\.
CALL refreshed('changes', 5, noted => '2001 2002');
SET session_replication_role = replica;
DELETE FROM docs WHERE id = 2001;
RESET session_replication_role;
CALL refreshed('changes', 4);
BEGIN;
DELETE FROM docs WHERE id < 30;
SELECT minhash_groups_refresh('tracked');
ROLLBACK;
CALL refreshed('changes', 4);
-- a change and its refresh in one transaction
BEGIN;
DELETE FROM docs WHERE id = 41;
CALL refreshed('changes', 4);
INSERT INTO docs VALUES (41, 0, link(41));
CALL refreshed('changes', 4);
COMMIT;
CALL refreshed('changes', 4);

-- judgments: their rows count as changed
INSERT INTO tracked_judged (id_a, id_b, same) VALUES (3, 83, true), (44, 45, false), (1, 5000, true);
INSERT INTO plain_judged (id_a, id_b, same) VALUES (3, 83, true), (44, 45, false), (1, 5000, true);
CALL refreshed('changes', 5, noted => '1 3 44 45 83 5000');
-- rows that a judgment connects, not similarity: the group of 83 must follow 3
UPDATE docs SET sig = link(900) WHERE id = 3;
CALL refreshed('changes', 5);
-- a row that comes only after its judgment
INSERT INTO docs VALUES (5000, 0, NULL);
CALL refreshed('changes', 5);
-- parts of a component that a judgment divides: a change in one is one of all
SELECT count(*) AS parts FROM tracked_components;
DELETE FROM docs WHERE id = 50;
CALL refreshed('changes', 5);
DELETE FROM tracked_judged;
DELETE FROM plain_judged;
CALL refreshed('changes', 6);
SELECT count(*) AS parts FROM tracked_components;

-- edits of the groups are undone
UPDATE tracked SET grp = 1 WHERE id IN (50, 51);
CALL refreshed('full: unknown rows', 6);
DELETE FROM tracked WHERE id = 52;
CALL refreshed('full: unknown rows', 6);
TRUNCATE tracked;
CALL refreshed('full: definition or tables', 6);
CALL refreshed('changes', 6);

-- changes that pass the triggers
TRUNCATE docs;
INSERT INTO docs SELECT i, 0, link(i) FROM generate_series(1, 60) i WHERE i % 10 > 0;
CALL refreshed('full: definition or tables', 1);
ALTER TABLE docs DISABLE TRIGGER USER;
DELETE FROM docs WHERE id = 5;
CALL refreshed('full: new', 1);
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'docs'::regclass ORDER BY 1;
ALTER TABLE docs DISABLE TRIGGER tracked_note;
DELETE FROM docs WHERE id = 6;
ALTER TABLE docs ENABLE ALWAYS TRIGGER tracked_note;
CALL refreshed('full: definition or tables', 1);
CALL refreshed('changes', 1);
DROP TRIGGER tracked_note ON docs;
DELETE FROM docs WHERE id = 7;
CALL refreshed('full: new', 2);
DELETE FROM docs WHERE id = 8;
CALL refreshed('changes', 2);
DROP TABLE tracked_changes;
\set VERBOSITY terse
DROP TABLE tracked_changes CASCADE;
\set VERBOSITY default
DELETE FROM docs WHERE id = 12;
CALL refreshed('full: new', 2);
DROP TABLE tracked_components;
DELETE FROM docs WHERE id = 13;
CALL refreshed('full: new', 2);
VACUUM FULL docs;
CALL refreshed('full: definition or tables', 2);
-- all in one transaction, where the catalogs look the same
BEGIN;
ALTER TABLE docs DISABLE TRIGGER tracked_note;
ALTER TABLE docs ENABLE ALWAYS TRIGGER tracked_note;
CALL refreshed('full: definition or tables', 2);
ALTER TABLE docs DISABLE TRIGGER tracked_note;
DELETE FROM docs WHERE id = 9;
ALTER TABLE docs ENABLE ALWAYS TRIGGER tracked_note;
COMMIT;
CALL refreshed('full: definition or tables', 2);
BEGIN;
CREATE TABLE fresh (id int PRIMARY KEY, sig minhash);
CREATE INDEX ON fresh USING lsh (sig);
INSERT INTO fresh SELECT i, link(i) FROM generate_series(1, 9) i;
SELECT minhash_groups_create('fresh', 'sig', 0.6, track => true) \g /dev/null
TRUNCATE fresh;
COMMIT;
CALL pg_temp.refresh_gives('fresh_groups', 0, 0, 9, 'full: definition or tables');
CALL pg_temp.refresh_gives('fresh_groups', 0, 0, 0, 'changes');
DROP TABLE fresh;
SELECT minhash_groups_drop('fresh_groups') \g /dev/null
-- triggers that are made in an old snapshot
UPDATE tracked_definition SET track = false;
CALL refreshed('full', 2);
SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'tracked%';
DELETE FROM docs WHERE id = 11;
UPDATE tracked_definition SET track = true;
BEGIN ISOLATION LEVEL REPEATABLE READ;
CALL refreshed('full: new', 2);
COMMIT;
CALL refreshed('full: definition or tables', 2);
CALL refreshed('changes', 2);

-- the definition: another threshold; then another scope, which the triggers compare
UPDATE tracked_definition SET threshold = 0.5;
UPDATE plain_definition SET threshold = 0.5;
CALL refreshed('full: definition or tables', 2);
UPDATE tracked_definition SET scope = '{n}';
UPDATE plain_definition SET scope = '{n}';
CALL refreshed('full: new', 2);
UPDATE docs SET n = 1 WHERE id IN (21, 24);
UPDATE docs SET n = NULL WHERE id IN (31, 32);
CALL refreshed('changes', 4, noted => '21 24 31 32');

-- names: of the table, of the groups, of a schema, of the key
ALTER TABLE docs RENAME TO texts;
INSERT INTO texts VALUES (70, 0, link(70));
CALL refreshed('full: definition or tables', 5);
ALTER TABLE tracked_changes RENAME TO "Other changes";
ALTER TABLE tracked RENAME TO named;
ALTER TABLE tracked_log RENAME TO named_log;
ALTER TABLE tracked_judged RENAME TO named_judged;
ALTER TABLE tracked_definition RENAME TO named_definition;
INSERT INTO texts VALUES (71, 0, link(71));
CALL refreshed('full: definition or tables', 5, tracked => 'named');
INSERT INTO texts VALUES (72, 0, link(72));
CALL refreshed('changes', 5, tracked => 'named');
ALTER TABLE texts RENAME id TO number;
INSERT INTO texts VALUES (73, 0, link(73));
SELECT minhash_groups_refresh('named');
UPDATE named_definition SET key = '{number}';
ALTER TABLE named RENAME id TO number;
ALTER TABLE named_log RENAME id TO number;
ALTER TABLE named_judged RENAME id_a TO number_a;
ALTER TABLE named_judged RENAME id_b TO number_b;
CALL pg_temp.refresh_gives('named', 50, 5, 1, 'full: new');
INSERT INTO texts VALUES (74, 0, link(74));
CALL pg_temp.refresh_gives('named', 51, 5, 1, 'changes');
-- the server refuses another type
\set VERBOSITY terse
ALTER TABLE texts ALTER number TYPE bigint;
\set VERBOSITY default

-- full while something is missing, and back
DROP INDEX docs_sig;
INSERT INTO texts VALUES (75, 0, link(75));
CALL refreshed('full: index', tracked => 'named');
CREATE INDEX docs_sig ON texts USING lsh (sig);
CALL refreshed('full: definition or tables', tracked => 'named');
ALTER TABLE texts DROP CONSTRAINT docs_pkey;
CALL refreshed('full: key', tracked => 'named');
ALTER TABLE texts ADD PRIMARY KEY (number);
ALTER TABLE texts SET UNLOGGED;
CALL refreshed('full: unlogged table', tracked => 'named');
ALTER TABLE texts SET LOGGED;
CALL refreshed('full: definition or tables', tracked => 'named');
CALL refreshed('changes', tracked => 'named');
SET client_min_messages = error;
CREATE PUBLICATION tracking FOR ALL TABLES;
RESET client_min_messages;
INSERT INTO texts VALUES (76, 0, link(76));
CALL pg_temp.refresh_gives('named', 53, 5, 1, 'changes');
DROP PUBLICATION tracking;

-- dropped with all that it made
SELECT minhash_groups_drop('named'), minhash_groups_drop('plain') \g /dev/null
SELECT relname FROM pg_class WHERE relnamespace = 'regress_lshsim'::regnamespace AND relkind = 'r';
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'texts'::regclass;
INSERT INTO texts VALUES (77, 0, link(77));

-- another column takes the name of the signature, and of the scope
CREATE TABLE docs (id int PRIMARY KEY, n int, sig minhash);
INSERT INTO docs SELECT i, i / 31, link(i) FROM generate_series(1, 60) i WHERE i % 10 > 0;
CREATE INDEX ON docs USING lsh (sig);
SELECT minhash_groups_create('docs', 'sig', 0.6, groups => 'tracked', scope => '{n}', agreement => 0, track => true),
	minhash_groups_create('docs', 'sig', 0.6, groups => 'plain', scope => '{n}', agreement => 0) \g /dev/null
ALTER TABLE docs ADD next_sig minhash, ADD next_n int;
UPDATE docs SET next_sig = sig;
CALL refreshed('full: definition or tables', 2);
ALTER TABLE docs RENAME sig TO last_sig;
ALTER TABLE docs RENAME next_sig TO sig;
CREATE INDEX ON docs USING lsh (sig);
CALL refreshed('full: new', 2);
UPDATE docs SET sig = link(600) WHERE id = 33;
CALL refreshed('changes', 3);
UPDATE docs SET next_n = n;
ALTER TABLE docs RENAME n TO last_n;
ALTER TABLE docs RENAME next_n TO n;
CALL refreshed('full: new', 3);
UPDATE docs SET n = 2 WHERE id IN (34, 35);
CALL refreshed('changes', 5);
ALTER TABLE docs DROP last_sig, DROP last_n;
CALL refreshed('full: definition or tables', 5);
-- scopes and keys of other types: a row of nulls is not a null
CREATE TYPE place AS (shop int, shelf text);
CREATE DOMAIN article AS varchar(20);
CREATE TABLE goods (id article, num int[], place place, sig minhash, PRIMARY KEY (id, num));
CREATE INDEX ON goods USING lsh (sig);
INSERT INTO goods SELECT i, ARRAY[i], NULL, link(1) FROM generate_series(1, 4) i;
SELECT minhash_groups_create('goods', 'sig', 0.6, scope => '{place}', track => true) \g /dev/null
UPDATE goods SET place = ROW(NULL, NULL) WHERE id = '1';
UPDATE goods SET place = ROW(1, 'a') WHERE id IN ('2', '3');
CALL refreshed('changes', tracked => 'goods_groups');
SELECT string_agg(id, ' ' ORDER BY id) FROM goods_groups GROUP BY grp ORDER BY 1;
UPDATE goods SET place = NULL WHERE id = '1';
UPDATE goods SET place = ROW(1, NULL) WHERE id = '2';
INSERT INTO goods VALUES ('5', '{5,NULL}', ROW(1, NULL), link(2));
CALL refreshed('changes', tracked => 'goods_groups');
SELECT string_agg(id, ' ' ORDER BY id) FROM goods_groups GROUP BY grp ORDER BY 1;
SELECT minhash_groups_drop('goods_groups') \g /dev/null
-- two tracked groups of one table: a trigger of one does not concern the other
SELECT minhash_groups_create('docs', 'sig', 0.6, groups => 'second', track => true) \g /dev/null
ALTER TABLE docs DISABLE TRIGGER second_note;
DELETE FROM docs WHERE id = 36;
CALL refreshed('changes', 5);
DELETE FROM docs WHERE id = 37;
CALL refreshed('changes', 5);
CALL refreshed('full: new', tracked => 'second');
INSERT INTO docs (id, sig) VALUES (36, link(36));
CALL refreshed('changes', tracked => 'second');
CALL refreshed('changes', 6);
SELECT minhash_groups_drop('second') \g /dev/null
CALL refreshed('changes', 6);
-- pairs of rows that are gone are not warned of
INSERT INTO docs (id) VALUES (801), (802), (803);
INSERT INTO tracked_judged (id_a, id_b, same) VALUES (801, 802, true), (802, 803, true), (801, 803, false);
CALL refreshed('changes');
DELETE FROM docs WHERE id > 800;
CALL refreshed('changes');
DELETE FROM tracked_judged;
CALL refreshed('changes', 6);
SELECT minhash_groups_drop('tracked'), minhash_groups_drop('plain') \g /dev/null
DROP TABLE docs;

-- partitions: rows written to the table and to a leaf, leaves that come and go
CREATE TABLE parts (sig minhash, id int PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (30);
CREATE TABLE high PARTITION OF parts FOR VALUES FROM (30) TO (1000);
CREATE INDEX ON parts USING lsh (sig);
INSERT INTO parts SELECT link(i), i FROM generate_series(1, 80) i WHERE i % 10 > 0;
SELECT minhash_groups_create('parts', 'sig', 0.6, groups => 'tracked', track => true),
	minhash_groups_create('parts', 'sig', 0.6, groups => 'plain') \g /dev/null
INSERT INTO parts VALUES (link(10), 10);
INSERT INTO low VALUES (link(20), 20);
UPDATE parts SET id = 930 WHERE id = 29;
DELETE FROM high WHERE id = 45;
CALL refreshed('changes', 17, noted => '10 20 29 45 930');
CREATE TABLE more (id int PRIMARY KEY, n int, sig minhash);
INSERT INTO more SELECT i, 0, link(i - 950) FROM generate_series(1001, 1020) i;
ALTER TABLE parts ATTACH PARTITION more FOR VALUES FROM (1000) TO (2000);
CALL refreshed('full: definition or tables', 17);
DELETE FROM more WHERE id = 1005;
CALL refreshed('changes', 17);
TRUNCATE more;
CALL refreshed('full: definition or tables', 17);
ALTER TABLE low DISABLE TRIGGER USER;
DELETE FROM low WHERE id = 2;
CALL refreshed('full: new', 18);
CALL refreshed('changes', 18);
ALTER TABLE parts DETACH PARTITION low;
CALL refreshed('full: definition or tables', 13);
DELETE FROM low;
CALL refreshed('changes', 13);
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nothing FOREIGN DATA WRAPPER nothing;
CREATE TABLE others (id int, sig minhash) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE elsewhere PARTITION OF others FOR VALUES FROM (2000) TO (3000) SERVER nothing;
CREATE INDEX ON others USING lsh (sig);
SELECT statement, detail FROM pg_temp.errors_of(
	$$minhash_groups_create('others', 'sig', 0.6, key => '{id}', track => true)$$,
	$$minhash_groups_create('elsewhere', 'sig', 0.6, key => '{id}', track => true)$$);
DROP SERVER nothing CASCADE;
DROP FOREIGN DATA WRAPPER nothing;
SELECT minhash_groups_drop('tracked'), minhash_groups_drop('plain') \g /dev/null

-- other relations, and keys without an index
CREATE TABLE docs (id int, id2 int, sig minhash);
CREATE INDEX ON docs USING lsh (sig);
CREATE VIEW seen AS SELECT * FROM docs;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM docs;
CREATE UNLOGGED TABLE fast (id int PRIMARY KEY, sig minhash);
CREATE INDEX ON fast USING lsh (sig);
SELECT statement, detail FROM pg_temp.errors_of(
	$$minhash_groups_create('docs', 'sig', 0.6, key => '{id}', track => true)$$,
	$$minhash_groups_create('seen', 'sig', 0.6, key => '{id}', track => true)$$,
	$$minhash_groups_create('kept', 'sig', 0.6, key => '{id}', track => true)$$,
	$$minhash_groups_create('fast', 'sig', 0.6, track => true)$$);
CREATE INDEX ON docs (id2, id);
SELECT minhash_groups_create('docs', 'sig', 0.6, key => '{id}', track => true);
SELECT minhash_groups_create('docs', 'sig', 0.6, key => '{id,id2}', track => true) \g /dev/null
INSERT INTO docs VALUES (1, NULL, link(1));
SELECT minhash_groups_refresh('docs_groups');
DELETE FROM docs;
INSERT INTO docs VALUES (1, 1, link(1));
CALL refreshed('full: unknown rows', tracked => 'docs_groups');
INSERT INTO docs VALUES (1, 1, link(1));
SELECT minhash_groups_refresh('docs_groups');
DELETE FROM docs;
-- groups of the same name in another schema: their triggers would have one name
CREATE SCHEMA tracking_more;
\set SHOW_CONTEXT never
SELECT minhash_groups_create('docs', 'sig', 0.6, key => '{id,id2}', schema => 'tracking_more', track => true);
\set SHOW_CONTEXT errors
DROP SCHEMA tracking_more;
SELECT minhash_groups_drop('docs_groups') \g /dev/null

-- more rows than a tenth, from 10,000 on
CREATE FUNCTION other(i int) RETURNS minhash IMMUTABLE LANGUAGE sql AS
	'SELECT public.array_to_minhash(ARRAY[3 * i, 3 * i + 1, 3 * i + 2], 64)';
INSERT INTO docs SELECT i, 0, other(i / 2) FROM generate_series(1, 10500) i;
SELECT minhash_groups_create('docs', 'sig', 0.6, key => '{id,id2}', track => true, agreement => 0) \g /dev/null
UPDATE docs SET sig = other(id / 2 + 1000000) WHERE id <= 900;
CALL pg_temp.refresh_gives('docs_groups', 10500, 5252, 1, 'changes');
UPDATE docs SET sig = other(id / 2 + 2000000) WHERE id <= 1055;
CALL pg_temp.refresh_gives('docs_groups', 10500, 5251, 1, 'full: many rows');
-- few changes, and more rows in their groups
UPDATE docs SET sig = other(7) WHERE id <= 1060;
CALL pg_temp.refresh_gives('docs_groups', 10500, 4722, 1058, 'full: many rows');
UPDATE docs SET sig = other(8) WHERE id = 5;
CALL pg_temp.refresh_gives('docs_groups', 10500, 4723, 1, 'full: many rows');
SELECT minhash_groups_drop('docs_groups') \g /dev/null

-- tables that inherit are not part of it
TRUNCATE docs;
CREATE TABLE child () INHERITS (docs);
INSERT INTO docs VALUES (1, 1, link(1));
SELECT minhash_groups_create('docs', 'sig', 0.6, key => '{id,id2}', track => true) \g /dev/null
INSERT INTO child VALUES (1, 1, link(1));
INSERT INTO docs VALUES (2, 1, link(2));
CALL pg_temp.refresh_gives('docs_groups', 2, 1, 1, 'changes');
SELECT minhash_groups_drop('docs_groups') \g /dev/null

-- roles that write need no privilege on the changes; the changes are the owner's
CREATE ROLE tracking_owner;
CREATE ROLE tracking_writer;
ALTER TABLE docs OWNER TO tracking_owner;
GRANT ALL ON docs TO tracking_writer;
SET ROLE tracking_owner;
SELECT minhash_groups_create('docs', 'sig', 0.6, key => '{id,id2}', track => true) \g /dev/null
GRANT INSERT ON docs_groups_judged TO tracking_writer;
SET ROLE tracking_writer;
INSERT INTO docs VALUES (3, 1, link(3));
INSERT INTO docs_groups_judged VALUES (1, 1, 3, 1, true);
SELECT * FROM docs_groups_changes;
SELECT * FROM docs_groups_components;
-- a trigger of another role's table does not write to them
CREATE TABLE mine (id int, id2 int);
CREATE TRIGGER note AFTER INSERT ON mine FOR EACH ROW WHEN ('docs_groups_changes'::regclass IS NOT NULL) EXECUTE FUNCTION minhash_note_trigger();
INSERT INTO mine VALUES (99, 99);
CREATE TRIGGER note2 BEFORE INSERT ON mine FOR EACH ROW EXECUTE FUNCTION minhash_note_trigger();
INSERT INTO mine VALUES (99, 99);
DROP TRIGGER note2 ON mine;
CREATE TRIGGER note2 AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION minhash_note_trigger();
INSERT INTO mine VALUES (99, 99);
DROP TRIGGER note2 ON mine;
CREATE TRIGGER note2 AFTER INSERT ON mine EXECUTE FUNCTION minhash_note_trigger();
INSERT INTO mine VALUES (99, 99);
DROP TABLE mine;
RESET ROLE;
SELECT id, id2 FROM docs_groups_changes ORDER BY 1, 2;
SELECT minhash_note_trigger();
CALL pg_temp.refresh_gives('docs_groups', 3, 1, 1, 'full: definition or tables');
-- another owner
ALTER TABLE docs OWNER TO tracking_writer;
GRANT SELECT ON docs TO tracking_owner;
INSERT INTO docs VALUES (4, 1, link(4));
CALL pg_temp.refresh_gives('docs_groups', 4, 1, 1, 'full: owner');
SELECT minhash_groups_drop('docs_groups') \g /dev/null
-- a partition of another role: its triggers write nothing to a table of the owner, whose groups cannot be tracked
CREATE TABLE parted (id int PRIMARY KEY, sig minhash) PARTITION BY RANGE (id);
CREATE TABLE leaf PARTITION OF parted FOR VALUES FROM (0) TO (100);
CREATE INDEX ON parted USING lsh (sig);
CREATE TABLE victim (id int);
ALTER TABLE parted OWNER TO tracking_owner;
ALTER TABLE victim OWNER TO tracking_owner;
ALTER TABLE leaf OWNER TO tracking_writer;
SET ROLE tracking_writer;
CREATE TRIGGER planted AFTER INSERT ON leaf FOR EACH ROW WHEN ('victim'::regclass IS NOT NULL) EXECUTE FUNCTION minhash_note_trigger();
INSERT INTO leaf VALUES (1, NULL);
RESET ROLE;
SELECT count(*) FROM victim;
SET ROLE tracking_owner;
SELECT minhash_groups_create('parted', 'sig', 0.5, track => true);
RESET ROLE;
-- a role with TRIGGER writes nothing to tables other than those of changes
CREATE TABLE granted (id int);
ALTER TABLE granted OWNER TO tracking_owner;
GRANT INSERT, TRIGGER ON granted TO tracking_writer;
SET ROLE tracking_writer;
CREATE TRIGGER planted AFTER INSERT ON granted FOR EACH ROW WHEN ('victim'::regclass IS NOT NULL) EXECUTE FUNCTION minhash_note_trigger();
CREATE TRIGGER planted2 AFTER INSERT ON granted FOR EACH ROW WHEN ('pg_enum'::regclass IS NOT NULL) EXECUTE FUNCTION minhash_note_trigger();
INSERT INTO granted VALUES (7);
RESET ROLE;
SELECT count(*) FROM victim;
ALTER TABLE granted OWNER TO CURRENT_USER;
INSERT INTO granted VALUES (8);
-- TRUNCATE of tables that are new in the transaction
CREATE TABLE fresh (id int PRIMARY KEY, sig minhash);
CREATE INDEX fresh_sig ON fresh USING lsh (sig);
INSERT INTO fresh SELECT i, to_minhash('one text') FROM generate_series(1, 3) i;
BEGIN;
SELECT minhash_groups_create('fresh', 'sig', 0.5, track => true) \g /dev/null
TRUNCATE fresh_groups;
COMMIT;
CALL pg_temp.refresh_gives('fresh_groups', 3, 1, 3, 'full: unknown rows');
SELECT count(*) FROM fresh_groups;
SELECT minhash_groups_drop('fresh_groups') \g /dev/null
BEGIN;
SELECT minhash_groups_create('fresh', 'sig', 0.5, track => true) \g /dev/null
INSERT INTO fresh VALUES (9, to_minhash('something else'));
INSERT INTO fresh_groups_judged (id_a, id_b, same) VALUES (1, 9, true);
CALL pg_temp.refresh_gives('fresh_groups', 4, 1, 1, 'changes');
TRUNCATE fresh_groups_judged;
COMMIT;
CALL pg_temp.refresh_gives('fresh_groups', 4, 2, 1, 'full: unknown rows');
SELECT array_agg(id ORDER BY id) AS ids FROM fresh_groups GROUP BY grp ORDER BY 1;
-- a refresh that meets an obstacle after a TRUNCATE, and before another one
BEGIN;
TRUNCATE fresh;
DROP INDEX fresh_sig;
INSERT INTO fresh SELECT i, to_minhash('one text') FROM generate_series(1, 3) i;
CALL pg_temp.refresh_gives('fresh_groups', 3, 1, 1, 'full: index');
TRUNCATE fresh;
COMMIT;
CREATE INDEX fresh_sig ON fresh USING lsh (sig);
CALL pg_temp.refresh_gives('fresh_groups', 0, 0, 3, 'full: definition or tables');
-- another table in place of that of changes is not dropped
UPDATE fresh_groups_definition SET changes = 'victim';
\set VERBOSITY terse
DROP TABLE fresh_groups_changes CASCADE;
\set VERBOSITY default
CALL pg_temp.refresh_gives('fresh_groups', 0, 0, 0, 'full: owner');
SELECT count(*) FROM victim;
-- nor is it emptied in place of that of components, also while there is no index
ALTER TABLE victim OWNER TO CURRENT_USER;
ALTER TABLE victim ADD grp bigint, ADD component bigint;
INSERT INTO victim VALUES (1);
UPDATE fresh_groups_definition SET components = 'victim';
DROP TABLE fresh_groups_components;
DROP INDEX fresh_sig;
CALL refreshed('full: index', tracked => 'fresh_groups');
CREATE INDEX fresh_sig ON fresh USING lsh (sig);
CALL refreshed('full: new', tracked => 'fresh_groups');
SELECT count(*) FROM victim;
SELECT minhash_groups_drop('fresh_groups') \g /dev/null

-- triggers that minhash_groups_create has not made do no harm: for other events, with other arguments, and of other tables
SET ROLE tracking_writer;
CREATE TABLE own (id bigint PRIMARY KEY, sig minhash);
CREATE INDEX ON own USING lsh (sig);
SELECT minhash_groups_create('own', 'sig', 0.5, track => true) \g /dev/null
CREATE TRIGGER emptied AFTER TRUNCATE ON own WHEN ('own_groups_changes'::regclass IS NOT NULL) EXECUTE FUNCTION minhash_note_trigger();
TRUNCATE own;
SELECT * FROM own_groups_changes;
DROP TRIGGER emptied ON own;
SELECT format('CREATE TRIGGER argument AFTER INSERT ON own FOR EACH ROW WHEN (''own_groups_changes''::regclass IS NOT NULL)
	EXECUTE FUNCTION minhash_note_trigger(%L)', repeat('long', 100000)) AS planted \gset
:planted;
INSERT INTO own VALUES (1, NULL);
SELECT * FROM own_groups_changes;
DROP TRIGGER argument ON own;
CREATE TRIGGER no_table AFTER INSERT ON own FOR EACH ROW WHEN (NULL::regclass IS NULL) EXECUTE FUNCTION minhash_note_trigger();
INSERT INTO own VALUES (2, NULL);
DROP TRIGGER no_table ON own;
-- a trigger that alters the table of changes between two rows
CREATE FUNCTION alter_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	ALTER TABLE own_groups_changes ALTER id TYPE text, ADD more text;
	RETURN NULL;
END $$;
CREATE TRIGGER alter_changes AFTER INSERT ON own FOR EACH ROW WHEN (new.id = 4) EXECUTE FUNCTION alter_changes();
INSERT INTO own VALUES (3, NULL), (4, NULL), (5, NULL);
SELECT * FROM own_groups_changes;
-- a trigger that makes the table of changes a view between two rows, which PostgreSQL 15 can
CREATE FUNCTION make_view() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	DELETE FROM own_groups_changes;
	CREATE RULE "_RETURN" AS ON SELECT TO own_groups_changes DO INSTEAD
		SELECT NULL::text AS id, NULL::public.minhash AS lshsim_note, NULL::text AS more;
	RETURN NULL;
EXCEPTION WHEN wrong_object_type THEN
	RETURN NULL;
END $$;
CREATE TRIGGER make_view AFTER UPDATE ON own FOR EACH ROW WHEN (new.id = 104) EXECUTE FUNCTION make_view();
UPDATE own SET id = id + 100;
SELECT count(*) FROM own;
-- no lock of a table of others
CREATE TRIGGER planted AFTER DELETE ON own FOR EACH ROW WHEN ('victim'::regclass IS NOT NULL) EXECUTE FUNCTION minhash_note_trigger();
BEGIN;
DELETE FROM own;
SELECT relation::regclass, mode FROM pg_locks WHERE relation = 'victim'::regclass AND pid = pg_backend_pid();
COMMIT;
-- a definition that names a table that does not exist
UPDATE own_groups_definition SET track = false, changes = NULL, components = '4294967295';
CALL refreshed('full', tracked => 'own_groups');
UPDATE own_groups_definition SET changes = 'victim', components = 'victim';
BEGIN;
SELECT minhash_groups_drop('own_groups') \g /dev/null
SELECT relation::regclass, mode FROM pg_locks WHERE relation = 'victim'::regclass AND pid = pg_backend_pid();
COMMIT;
-- a trigger that drops the table during a refresh
CREATE TABLE gone (id int PRIMARY KEY, sig minhash);
CREATE INDEX ON gone USING lsh (sig);
SELECT minhash_groups_create('gone', 'sig', 0.5, track => true) \g /dev/null
CREATE FUNCTION drop_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	DROP TABLE regress_lshsim.gone;
	RETURN NULL;
END $$;
CREATE TRIGGER drop_gone AFTER DELETE ON gone_groups_changes EXECUTE FUNCTION drop_gone();
ALTER TABLE gone SET (fillfactor = 90);
\set VERBOSITY sqlstate
SELECT minhash_groups_refresh('gone_groups');
\set VERBOSITY default
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_lshsim CASCADE;
RESET client_min_messages;
DROP ROLE tracking_owner, tracking_writer;

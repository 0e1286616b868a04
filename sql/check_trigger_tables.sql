--
-- minhash_check_trigger on each kind of table, and rows that move between partitions:
-- the server runs such an update as BEFORE UPDATE, DELETE and BEFORE INSERT.
--
\set ECHO none \i test/data/setup.sql \i test/data/triggers.sql
-- Run a statement; show the fields of its error.
CREATE PROCEDURE try(statement text) LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
	violated text;
	number int;
BEGIN
	EXECUTE statement;
	GET DIAGNOSTICS number = ROW_COUNT;
	RAISE NOTICE '% rows', number;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, violated = CONSTRAINT_NAME;
	RAISE NOTICE '% % [%] [%] [%]', sqlstate, sqlerrm, detail, hint, violated;
END $$;

CREATE TABLE parts (region text, id int, body text, copy_of text,
	sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED, PRIMARY KEY (region, id)) PARTITION BY LIST (region);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a');
CREATE TABLE parts_b PARTITION OF parts FOR VALUES IN ('b') PARTITION BY RANGE (id);
CREATE TABLE parts_b1 PARTITION OF parts_b FOR VALUES FROM (0) TO (10);
CREATE TABLE parts_b2 PARTITION OF parts_b DEFAULT;
CREATE INDEX ON parts USING lsh (sig);
PREPARE shown AS SELECT string_agg(concat_ws(' ', tableoid::regclass, id, 'of ' || copy_of), ', ' ORDER BY region, id) AS rows FROM parts;
\set ECHO all

-- skip: refused on partitions, whose rows it would lose
CREATE TRIGGER check_rows BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
CALL try($$INSERT INTO parts VALUES ('a', 1, words(1))$$);
CALL try($$INSERT INTO parts_b2 VALUES ('b', 11, words(1))$$);
SET session_replication_role = replica;
INSERT INTO parts VALUES ('a', 1, words(1)), ('a', 2, words(1, true)), ('b', 1, words(3)), ('a', 3, NULL);
RESET session_replication_role;
CALL try($$UPDATE parts SET region = 'b' WHERE id = 2$$);
CALL try($$UPDATE parts SET id = 12 WHERE region = 'b'$$);
CALL try($$UPDATE parts SET region = 'b' WHERE id = 3$$);
CALL try($$MERGE INTO parts p USING (VALUES (2), (4)) v (id) ON p.id = v.id WHEN MATCHED THEN UPDATE SET region = 'b' WHEN NOT MATCHED THEN INSERT VALUES ('a', v.id)$$);
CALL try($$INSERT INTO parts VALUES ('a', 2, words(2)) ON CONFLICT (region, id) DO UPDATE SET region = 'b'$$);
EXECUTE shown;
-- the trigger of one partition only: rows leave it, but cannot enter
DROP TRIGGER check_rows ON parts;
CREATE TRIGGER check_rows BEFORE INSERT ON parts_b1 FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
CALL try($$UPDATE parts SET region = 'b' WHERE id = 2$$);
CALL try($$UPDATE parts SET region = 'a', id = 4 WHERE region = 'b'$$);
EXECUTE shown;
-- a table that is attached and detached
CREATE TABLE parts_c (LIKE parts INCLUDING ALL);
CREATE TRIGGER check_rows BEFORE INSERT ON parts_c FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
CALL try($$INSERT INTO parts_c VALUES ('c', 1, words(1)), ('c', 2, words(1, true))$$);
ALTER TABLE parts ATTACH PARTITION parts_c FOR VALUES IN ('c');
CALL try($$INSERT INTO parts_c VALUES ('c', 3, words(5))$$);
CALL try($$UPDATE parts SET region = 'c' WHERE id = 2$$);
ALTER TABLE parts DETACH PARTITION parts_c;
CALL try($$INSERT INTO parts_c VALUES ('c', 3, words(5)), ('c', 4, words(5, true)), ('c', 5, words(1))$$);
SELECT id FROM parts_c ORDER BY id;
DROP TRIGGER check_rows ON parts_b1;

-- flag: a row that moves has the flag of a new row; an original does not become a copy of its copy
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of');
TRUNCATE parts;
INSERT INTO parts VALUES ('a', 1, words(1)), ('a', 2, words(1, true)), ('a', 3, words(2)), ('b', 4, words(3)), ('b', 5, NULL);
EXECUTE shown;
UPDATE parts SET region = 'b' WHERE id = 1;
UPDATE parts SET region = 'b' WHERE id = 3;
UPDATE parts SET id = id + 10 WHERE id IN (4, 5);
EXECUTE shown;
-- with another text; both rows of a pair; by MERGE
UPDATE parts SET region = 'a', body = words(1) WHERE id = 3;
UPDATE parts SET id = id + 10 WHERE body = words(1) OR body = words(1, true);
EXECUTE shown;
DELETE FROM parts WHERE id = 11;
MERGE INTO parts p USING (VALUES (12), (16)) v (id) ON p.id = v.id
	WHEN MATCHED THEN UPDATE SET region = 'b', id = 2 WHEN NOT MATCHED THEN INSERT VALUES ('a', v.id, words(3, true));
EXECUTE shown;
-- a flag of one's own stays only in an update without a move; an upsert cannot move a row
UPDATE parts SET copy_of = 'mine' WHERE id = 2;
INSERT INTO parts VALUES ('b', 2, words(2)) ON CONFLICT (region, id) DO UPDATE SET copy_of = parts.copy_of RETURNING copy_of;
CALL try($$INSERT INTO parts VALUES ('b', 2, words(2)) ON CONFLICT (region, id) DO UPDATE SET region = 'a'$$);
UPDATE parts SET region = 'a', copy_of = 'mine' WHERE id = 2 RETURNING copy_of;
-- an update moves a row when an earlier trigger changes its region
CREATE FUNCTION to_b() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.region := 'b'; RETURN NEW; END $$;
CREATE TRIGGER a BEFORE UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION to_b();
UPDATE parts SET id = 6 WHERE id = 2;
EXECUTE shown;
DROP TRIGGER a ON parts;
-- an earlier trigger inserts a copy while a row is inserted or moved; its own insert is checked, too
CREATE FUNCTION insert_copy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF pg_trigger_depth() = 1 THEN
		INSERT INTO parts VALUES ('a', NEW.id + 100, NEW.body);
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER a BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION insert_copy();
INSERT INTO parts VALUES ('a', 7, words(8));
SELECT id, copy_of FROM parts WHERE body = words(8) ORDER BY id;
DELETE FROM parts WHERE id = 107;
UPDATE parts SET region = 'b', id = 8 WHERE id = 7;
SELECT id, copy_of FROM parts WHERE body = words(8) ORDER BY id;
DROP TRIGGER a ON parts;
DELETE FROM parts WHERE body = words(8);
-- a trigger that is called for inserts only
DROP TRIGGER check_rows ON parts;
CREATE TRIGGER check_rows BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of');
UPDATE parts SET copy_of = 'mine', body = words(7) WHERE id = 13 RETURNING copy_of;
UPDATE parts SET region = 'b' WHERE id = 13 RETURNING copy_of;
UPDATE parts SET region = 'a' WHERE id = 6 RETURNING copy_of;
DROP TRIGGER check_rows ON parts;

-- the trigger of one partition only: the server stores the rows that COPY has for others before it fires
CREATE TRIGGER check_rows BEFORE INSERT ON parts_b1 FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of');
COPY parts (region, id, body) FROM stdin;
a	8	seven eight nine
b	8	nine eight seven
b	9	ten eleven
a	9	eleven ten
\.
SELECT region, id, copy_of FROM parts WHERE id IN (8, 9) ORDER BY id, region;
DROP TRIGGER check_rows ON parts_b1;

-- reject: refuses to move a row that has a similar one
TRUNCATE parts;
INSERT INTO parts VALUES ('a', 1, words(1)), ('a', 2, words(1, true)), ('a', 3, words(2)), ('b', 5, NULL);
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject');
CALL try($$UPDATE parts SET region = 'b' WHERE id = 1$$);
CALL try($$UPDATE parts SET region = 'b' WHERE id IN (2, 3)$$);
CALL try($$MERGE INTO parts p USING (VALUES (2)) v (id) ON p.id = v.id WHEN MATCHED THEN UPDATE SET region = 'b'$$);
CALL try($$MERGE INTO parts p USING (VALUES (3)) v (id) ON p.id = v.id WHEN MATCHED THEN UPDATE SET region = 'b'$$);
CALL try($$UPDATE parts SET region = 'b', body = words(2, true) WHERE id = 1$$);
CALL try($$UPDATE parts SET region = 'b', body = words(4) WHERE id = 1$$);
CALL try($$UPDATE parts SET region = 'a' WHERE id = 5$$);
CALL try($$INSERT INTO parts VALUES ('a', 2, words(5)) ON CONFLICT (region, id) DO UPDATE SET body = words(2)$$);
-- an update that changes neither partition nor text
CALL try($$UPDATE parts SET id = 7 WHERE id = 2$$);
EXECUTE shown;
DROP TRIGGER check_rows ON parts;

-- A partition is searched with the others, and alone once it is detached.
TRUNCATE parts;
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of');
INSERT INTO parts VALUES ('a', 1, words(1)), ('b', 21, words(2));
INSERT INTO parts_b1 VALUES ('b', 2, words(1)) RETURNING copy_of;
INSERT INTO parts_b VALUES ('b', 3, words(2)) RETURNING copy_of;
ALTER TABLE parts DETACH PARTITION parts_b;
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON parts_b FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of');
INSERT INTO parts_b1 VALUES ('b', 4, words(1, true)), ('b', 5, words(2, true)) RETURNING copy_of;
ALTER TABLE parts_b DETACH PARTITION parts_b1;
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON parts_b1 FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of');
DELETE FROM parts_b1;
INSERT INTO parts_b1 VALUES ('b', 2, words(1)), ('b', 3, words(2)) RETURNING copy_of;

-- Inheritance: the parent is searched with its children, a child alone; other tables without partitions.
CREATE TABLE parent (id int PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE TABLE child () INHERITS (parent);
CREATE UNLOGGED TABLE unlogged (LIKE parent INCLUDING ALL);
CREATE TEMP TABLE temporary (LIKE parent INCLUDING ALL);
CREATE TRIGGER check_rows BEFORE INSERT ON parent FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
CREATE TRIGGER check_rows BEFORE INSERT ON child FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
CREATE TRIGGER check_rows BEFORE INSERT ON unlogged FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
CREATE TRIGGER check_rows BEFORE INSERT ON temporary FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
INSERT INTO parent VALUES (1, words(1)), (2, words(1, true)), (3, words(2)) RETURNING id;
INSERT INTO child VALUES (4, words(1)), (5, words(1, true)), (6, words(3)) RETURNING id;
INSERT INTO parent VALUES (7, words(3, true)), (8, words(4)) RETURNING id;
INSERT INTO unlogged VALUES (1, words(1)), (2, words(1, true)) RETURNING id;
INSERT INTO temporary VALUES (1, words(1)), (2, words(1, true)) RETURNING id;
-- the child's row with the TID of an updated row of the parent is another row
DROP TRIGGER check_rows ON parent;
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON parent FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject');
SELECT p.ctid = c.ctid AS same FROM parent p, child c WHERE (p.id, c.id) = (1, 4);
CALL try($$UPDATE ONLY parent SET body = words(1, true) WHERE id = 1$$);
CALL try($$UPDATE parent SET id = id + 10, body = upper(body)$$);

-- COPY inserts rows, too; the isolation level; the columns that a trigger names.
CREATE TABLE docs (id int PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject');
COPY docs (id, body) FROM stdin;
1	one two three
2	Three, two, one!
\.
INSERT INTO docs VALUES (1, 'one two three');
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO docs VALUES (3, 'three two one');
ROLLBACK;
ALTER TABLE docs RENAME sig TO signature;
CALL try($$UPDATE docs SET body = 'two'$$);

-- Scopes of type name, in columns of several collations.
CREATE DOMAIN label AS name COLLATE "POSIX";
CREATE TABLE named (id int PRIMARY KEY, a name, b name COLLATE "POSIX", c label, d varchar(5) COLLATE "POSIX", e text, f name COLLATE "default", body text, copy_of int,
	sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON named FOR EACH ROW
	EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of', 'scope', 'a', 'b', 'c', 'd', 'e', 'f');
INSERT INTO named SELECT i, x, x, x, x, x, x, words(1) FROM unnest('{x,x,y,NULL,NULL}'::text[]) WITH ORDINALITY AS u (x, i) RETURNING id, a, copy_of;
UPDATE named SET b = 'y' WHERE id = 2 RETURNING id, copy_of;
-- also with another search path
SET search_path = pg_catalog;
UPDATE regress_lshsim.named SET b = 'x' WHERE id = 2 RETURNING id, copy_of;
SET search_path = regress_lshsim, public;

-- Ranges: what an update or delete FOR PORTION OF, new in PostgreSQL 19, leaves of a row is inserted.  A virtual
-- generated column, new in PostgreSQL 18, has no value in a row.
\set ECHO none
CREATE TABLE periods (id int, period int4range, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE TRIGGER check_rows BEFORE INSERT ON periods FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
DO $$
DECLARE
	version int = current_setting('server_version_num');
BEGIN
	BEGIN
		INSERT INTO periods VALUES (1, '[1,10)', words(1));
		ASSERT version < 190000, 'rows could be lost';
	EXCEPTION WHEN feature_not_supported THEN
		ASSERT version >= 190000 AND sqlerrm LIKE '%cannot skip rows%', sqlerrm;
	END;
	ALTER TABLE periods ADD initial text GENERATED ALWAYS AS (left(body, 1)) STORED;
	IF version >= 180000 THEN
		ALTER TABLE periods DROP initial;
		EXECUTE 'ALTER TABLE periods ADD initial text GENERATED ALWAYS AS (left(body, 1)) VIRTUAL';
	END IF;
	DROP TRIGGER check_rows ON periods;
	CREATE TRIGGER check_rows BEFORE INSERT ON periods FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject', 'scope', 'initial');
	BEGIN
		INSERT INTO periods VALUES (2, '[1,10)', words(2));
		ASSERT version < 180000, 'the scope is NULL';
	EXCEPTION WHEN feature_not_supported THEN
		ASSERT version >= 180000 AND sqlerrm LIKE '%virtual%', sqlerrm;
	END;
END $$;

-- INSERT ... ON CONFLICT DO SELECT, new in PostgreSQL 19: a new row, a similar one, conflicts with another text and
-- with a similar one, a conflict while a third row is similar.
CREATE TABLE chosen (id int PRIMARY KEY, body text, copy_of int, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
DO $$
DECLARE
	keys int[] := '{9, 9, 1, 1, 1}';
	bodies text[] := ARRAY[words(9), words(1, true), words(9), words(1, true), words(2, true)];
	outcome text;
	outcomes text[];
	expected text[];
	action text;
BEGIN
	FOR action, expected IN VALUES ($a$'flag', 'copy_of'$a$, ARRAY['9 of - new', '9 of 1 new', '1 of -', '1 of -', '1 of -']),
		($a$'skip'$a$, ARRAY['9 of - new', 'nothing', '1 of -', '1 of -', 'nothing']),
		($a$'reject'$a$, ARRAY['9 of - new', 'error', '1 of -', '1 of -', 'error'])
	LOOP
		EXIT WHEN current_setting('server_version_num')::int < 190000;
		EXECUTE format('CREATE OR REPLACE TRIGGER check_rows BEFORE INSERT ON chosen
			FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger(''sig'', 0.7, %s)', action);
		FOR i IN 1..5 LOOP
			TRUNCATE chosen;
			INSERT INTO chosen VALUES (1, words(1)), (2, words(2));
			BEGIN
				EXECUTE $q$INSERT INTO chosen VALUES ($1, $2) ON CONFLICT (id) DO SELECT
					RETURNING concat_ws(' ', id, 'of', coalesce(copy_of::text, '-'), CASE WHEN body = $2 THEN 'new' END)$q$
					INTO outcome USING keys[i], bodies[i];
				outcomes[i] := coalesce(outcome, 'nothing');
			EXCEPTION WHEN unique_violation THEN
				outcomes[i] := 'error';
			END;
		END LOOP;
		ASSERT outcomes = expected, format('%s: %s', action, outcomes);
	END LOOP;
END $$;
\set ECHO all

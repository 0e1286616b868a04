--
-- minhash_check_trigger: flag, skip or reject rows similar to another one.  The
-- actions on tables with several kinds of keys are in recipes_keys.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
RESET client_min_messages;

-- A set of 20 words, and one of whose words differs: the similarity is 19 / 21.
CREATE FUNCTION words(n int, differs bool = false) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$ SELECT string_agg(format('word%s', CASE WHEN differs AND i = 1 THEN -n ELSE 100 * n + i END), ' ') FROM generate_series(1, 20) i $$;

-- Names that need quotes; a column of flags that is not the type of the key.
CREATE SCHEMA "Odd schema";
CREATE TABLE "Odd schema"."The docs" ("The key" int PRIMARY KEY, "The body" text, "a copy" text,
	"The sig" minhash(64) GENERATED ALWAYS AS (to_minhash("The body", 'word:1', 64)) STORED);
CREATE TRIGGER check_docs BEFORE INSERT OR UPDATE ON "Odd schema"."The docs"
	FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('The sig', 0.7, 'flag', 'a copy');
SET search_path = pg_catalog;
-- also rows of one statement
INSERT INTO "Odd schema"."The docs" SELECT i, public.words(i / 2, i % 2 = 1) FROM generate_series(2, 5) i;
SELECT "The key", "a copy" FROM "Odd schema"."The docs" ORDER BY 1;
-- A flag that the user writes is replaced; an update that leaves the signature as it is does not change it.
INSERT INTO "Odd schema"."The docs" VALUES (6, public.words(6), 'mine') RETURNING "The key", "a copy";
UPDATE "Odd schema"."The docs" SET "a copy" = 'mine', "The key" = "The key" + 100, "The body" = upper("The body") WHERE "The key" = 6
	RETURNING "The key", "a copy";
UPDATE "Odd schema"."The docs" SET "The body" = NULL RETURNING "The key", "a copy";
RESET search_path;
DROP SCHEMA "Odd schema" CASCADE;

-- Partitions: the whole table is searched, and a row that moves does not find itself.
CREATE TABLE parts (shop text, sku int, body text, copy_of text,
	sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED, PRIMARY KEY (shop, sku)) PARTITION BY LIST (shop);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a');
CREATE TABLE parts_b (sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED, copy_of text, body text, sku int NOT NULL, shop text NOT NULL);
ALTER TABLE parts ATTACH PARTITION parts_b FOR VALUES IN ('b');
CREATE INDEX ON parts USING lsh (sig);
CREATE TRIGGER check_parts BEFORE INSERT OR UPDATE ON parts
	FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of');
INSERT INTO parts (shop, sku, body) VALUES ('a', 1, words(1)), ('b', 1, words(1, true)), ('b', 2, words(2)), ('a', 3, words(3));
SELECT shop, sku, copy_of FROM parts ORDER BY 1, 2;
UPDATE parts SET shop = 'b' WHERE shop = 'a' AND sku = 3 RETURNING shop, sku, copy_of;
UPDATE parts SET shop = 'a', body = words(4) WHERE sku = 3 RETURNING shop, sku, copy_of;
-- The same place in another partition is another row.
UPDATE parts SET body = words(1, true) || ' more' WHERE sku = 1 RETURNING shop, sku, copy_of;
DROP TABLE parts;

-- A row that an earlier trigger has changed; a table without a primary key.
CREATE TABLE plain (body text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE FUNCTION replace_body() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.body := words(1); RETURN NEW; END $$;
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON plain FOR EACH ROW EXECUTE FUNCTION replace_body();
CREATE TRIGGER b BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject');
INSERT INTO plain VALUES (words(2));
INSERT INTO plain VALUES (words(3));
DROP TABLE plain;
DROP FUNCTION replace_body;

-- Another user: row-level security that hides rows, and no privilege to read the table.
CREATE TABLE hidden (id int PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
CREATE TRIGGER check_hidden BEFORE INSERT ON hidden FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
CREATE ROLE regress_lshsim_writer;
GRANT INSERT ON hidden TO regress_lshsim_writer;
SET ROLE regress_lshsim_writer;
INSERT INTO hidden VALUES (1, 'a text');
RESET ROLE;
GRANT SELECT ON hidden TO regress_lshsim_writer;
SET ROLE regress_lshsim_writer;
INSERT INTO hidden VALUES (1, 'a text');
RESET ROLE;
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
CREATE POLICY small ON hidden USING (id < 1) WITH CHECK (true);
SET ROLE regress_lshsim_writer;
INSERT INTO hidden VALUES (2, 'a text');
RESET ROLE;
SELECT id FROM hidden;
DROP TABLE hidden;
DROP ROLE regress_lshsim_writer;

-- Invalid tables and arguments.
CREATE TABLE bad (id int PRIMARY KEY, body text, short varchar(1), filled minhash, folded text GENERATED ALWAYS AS (lower(body)) STORED,
	sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
INSERT INTO bad (id, body) VALUES (12, 'a body'), (13, 'another');
CREATE PROCEDURE try(arguments text, timing text DEFAULT 'BEFORE INSERT OR UPDATE', level text DEFAULT 'ROW') LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE format('CREATE TRIGGER try %s ON bad FOR EACH %s EXECUTE FUNCTION minhash_check_trigger(%s)', timing, level, arguments);
	INSERT INTO bad (id, body) VALUES (1, 'A body');
	UPDATE bad SET body = 'A body' WHERE id = 13;
	DELETE FROM bad WHERE id = 1;
	RAISE NOTICE '(%): accepted', arguments;
	DROP TRIGGER try ON bad;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RAISE NOTICE '(%): % % [%] [%]', arguments, sqlstate, sqlerrm, detail, hint;
END $$;
CALL try($$'sig', 0.8, 'reject'$$);
CALL try($$'sig', 0.8, 'reject'$$, 'AFTER INSERT');
CALL try($$'sig', 0.8, 'reject'$$, 'BEFORE INSERT', 'STATEMENT');
CALL try($$'sig', 0.8, 'reject'$$, 'BEFORE DELETE');
CALL try($$'sig', 0.8, 'skip'$$);
CALL try('');
CALL try($$'sig', 0.8$$);
CALL try($$'sig', 0.8, 'flag'$$);
CALL try($$'sig', 0.8, 'reject', 'short'$$);
CALL try($$'sig', 0.8, 'ignore'$$);
CALL try($$'sig', 'high', 'reject'$$);
CALL try($$'sig', 1.5, 'reject'$$);
CALL try($$'sig', 'NaN', 'reject'$$);
CALL try($$'sig', 0.05, 'reject'$$);
CALL try($$'sign', 0.8, 'reject'$$);
CALL try($$'body', 0.8, 'reject'$$);
CALL try($$'filled', 0.8, 'reject'$$);
CALL try($$'sig', 0.8, 'flag', 'copy'$$);
CALL try($$'sig', 0.8, 'flag', 'folded'$$);
CALL try($$'sig', 0.8, 'flag', 'short'$$);
ALTER TABLE bad DROP CONSTRAINT bad_pkey;
CALL try($$'sig', 0.8, 'flag', 'short'$$);
SELECT minhash_check_trigger();
DROP PROCEDURE try(text, text, text);
DROP TABLE bad;
DROP FUNCTION words;

--
-- minhash_check_trigger: flag, skip or reject rows similar to another one.  The
-- actions on tables with several kinds of keys are in recipes_keys.
--
\set ECHO none \i test/data/setup.sql \i test/data/triggers.sql \set ECHO all

-- Names that need quotes; a column of flags that is not the type of the key.
CREATE SCHEMA "Odd schema";
CREATE TABLE "Odd schema"."The docs" ("The key" int PRIMARY KEY, "The body" text, "a copy" text,
	"The sig" minhash(64) GENERATED ALWAYS AS (to_minhash("The body", 'word:1', 64)) STORED);
CREATE TRIGGER check_docs BEFORE INSERT OR UPDATE ON "Odd schema"."The docs"
	FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('The sig', 0.7, 'flag', 'a copy');
SET search_path = pg_catalog;
-- also rows of one statement
INSERT INTO "Odd schema"."The docs" SELECT i, regress_lshsim.words(i / 2, i % 2 = 1) FROM generate_series(2, 5) i;
SELECT "The key", "a copy" FROM "Odd schema"."The docs" ORDER BY 1;
-- A flag that the user writes is replaced; an update that leaves the signature as it is does not change it.
INSERT INTO "Odd schema"."The docs" VALUES (6, regress_lshsim.words(6), 'mine') RETURNING "The key", "a copy";
UPDATE "Odd schema"."The docs" SET "a copy" = 'mine', "The key" = "The key" + 100, "The body" = upper("The body") WHERE "The key" = 6
	RETURNING "The key", "a copy";
UPDATE "Odd schema"."The docs" SET "The body" = NULL RETURNING "The key", "a copy";
SET search_path = regress_lshsim, public;
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
INSERT INTO parts (shop, sku, body) VALUES ('b', 2, words(2, true)), ('b', 7, words(2, true))
	ON CONFLICT (shop, sku) DO UPDATE SET body = EXCLUDED.body, copy_of = EXCLUDED.copy_of RETURNING shop, sku, copy_of;

-- A row that an earlier trigger has changed; a table without a primary key.
CREATE TABLE plain (body text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE FUNCTION replace_body() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.body := words(1); RETURN NEW; END $$;
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON plain FOR EACH ROW EXECUTE FUNCTION replace_body();
CREATE TRIGGER b BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject');
INSERT INTO plain VALUES (words(2));
INSERT INTO plain VALUES (words(3));

-- Scope: rows are equal in it by the default operator class of each type, and NULL equals NULL.
CREATE TABLE scoped (id int PRIMARY KEY, tenant text, shop numeric, tags text[], cost money, body text, copy_of int,
	sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE INDEX ON scoped USING lsh (sig);
CREATE TRIGGER check_scoped BEFORE INSERT OR UPDATE ON scoped
	FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of', 'scope', 'tenant', 'shop');
INSERT INTO scoped (id, tenant, shop, body) VALUES (1, 'a', 1, words(1)), (2, 'a', 1.0, words(1, true)), (3, 'b', 1, words(1)), (4, 'a', 2, words(1)),
	(5, NULL, 1, words(1)), (6, NULL, 1.00, words(1, true)), (7, 'a', NULL, words(1)), (8, 'a', NULL, words(1)), (9, NULL, NULL, words(1))
	RETURNING id, copy_of;
-- a row that moves to another scope is compared there; one that stays keeps its flag
UPDATE scoped SET tenant = 'b' WHERE id = 2 RETURNING id, copy_of;
UPDATE scoped SET shop = 2.00 WHERE id = 4 RETURNING id, copy_of;
UPDATE scoped SET copy_of = 0 WHERE id = 2 RETURNING id, copy_of;
UPDATE scoped SET shop = NULL, tenant = NULL WHERE id = 2 RETURNING id, copy_of;
-- arrays, a type without a hash function, a generated column, another collation; the other actions
TRUNCATE scoped;
DROP TRIGGER check_scoped ON scoped;
ALTER TABLE scoped ADD initial text GENERATED ALWAYS AS (left(tenant, 1)) STORED, ALTER tenant TYPE varchar(9) COLLATE "C";
CREATE TRIGGER check_scoped BEFORE INSERT ON scoped
	FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip', 'scope', 'tags', 'cost', 'initial', 'tenant');
INSERT INTO scoped (id, tenant, tags, cost, body) VALUES (1, 'ab', '{x}', 1, words(1)), (2, 'ab', '{x}', 1.00, words(1, true)), (3, 'cb', '{x}', 1, words(1)),
	(4, 'ab', '{y}', 1, words(1)), (5, 'ab', '{x}', 2, words(1)), (6, 'ab', '{x}', 2, words(1)), (7, 'ac', '{x}', 2, words(1)) RETURNING id;
DROP TRIGGER check_scoped ON scoped;
CREATE TRIGGER check_scoped BEFORE INSERT OR UPDATE ON scoped
	FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject', 'scope', 'tenant');
INSERT INTO scoped (id, tenant, body) VALUES (8, 'ac', words(1));
INSERT INTO scoped (id, tenant, body) VALUES (8, 'a', words(1)) RETURNING id;
-- the keys of the advisory locks are those of lsh_plan_keys, with a scope others
CREATE VIEW locked AS SELECT count(*), count(*) FILTER (WHERE key IN (SELECT unnest(lsh_plan_keys(to_minhash(words(9), 'word:1'), 0.7, 0.99)))) AS of_plan
	FROM (SELECT (classid::bigint << 32) | objid::bigint AS key FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks;
BEGIN;
INSERT INTO scoped (id, tenant, body) VALUES (9, 'a', words(9));
SELECT count = array_length(lsh_plan_keys(to_minhash(words(9), 'word:1'), 0.7, 0.99), 1) AS all, of_plan FROM locked;
INSERT INTO scoped (id, tenant, body) VALUES (10, 'b', words(9));
SELECT count = 2 * array_length(lsh_plan_keys(to_minhash(words(9), 'word:1'), 0.7, 0.99), 1) AS all, of_plan FROM locked;
ROLLBACK;
DROP TRIGGER check_scoped ON scoped;
CREATE TRIGGER check_scoped BEFORE INSERT OR UPDATE ON scoped FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject');
BEGIN;
INSERT INTO scoped (id, tenant, body) VALUES (9, 'a', words(9));
SELECT count = of_plan AS same FROM locked;
ROLLBACK;

-- A table locked in SHARE ROW EXCLUSIVE mode needs no advisory locks; without, there is a limit.
BEGIN;
LOCK TABLE scoped IN SHARE MODE;
INSERT INTO scoped (id, body) VALUES (9, words(9));
SELECT count = of_plan AS same FROM locked;
ROLLBACK;
BEGIN;
LOCK TABLE scoped IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO scoped (id, body) SELECT i, words(i) FROM generate_series(11, 2000) i;
SELECT count FROM locked;
ROLLBACK;
\set VERBOSITY terse
DO $$ BEGIN
	INSERT INTO scoped (id, body) SELECT i, words(i) FROM generate_series(11, 100000) i;
EXCEPTION WHEN program_limit_exceeded THEN
	RAISE NOTICE '%', sqlerrm;
END $$;
\set VERBOSITY default

-- ON CONFLICT: a row that conflicts with the new one in a unique index is left to that index.
CREATE TABLE upserts (id int PRIMARY KEY, slug text UNIQUE, lang text, n int, late int UNIQUE DEFERRABLE, body text,
	stem text GENERATED ALWAYS AS (left(slug, 3)) STORED UNIQUE, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE UNIQUE INDEX ON upserts (n) WHERE lang = 'en';
CREATE UNIQUE INDEX ON upserts (lower(lang || slug));
CREATE TRIGGER check_upserts BEFORE INSERT ON upserts FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'skip');
INSERT INTO upserts VALUES (1, 'a', 'en', 1, 1, words(1)), (2, 'b', 'de', 2, 2, words(2));
PREPARE shown AS SELECT string_agg(id || ' ' || left(body, 7), ', ' ORDER BY id) AS rows FROM upserts;
INSERT INTO upserts VALUES (1, 'x', 'x', 5, 5, words(1, true)) ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body RETURNING id, left(body, 7);
INSERT INTO upserts VALUES (3, 'a', 'x', 5, 5, words(1)) ON CONFLICT (slug) DO UPDATE SET body = EXCLUDED.body RETURNING id, left(body, 7);
INSERT INTO upserts VALUES (3, 'x', 'en', 1, 5, words(1, true)) ON CONFLICT (n) WHERE lang = 'en' DO UPDATE SET body = EXCLUDED.body RETURNING id, left(body, 7);
INSERT INTO upserts VALUES (3, 'A', 'En', 5, 5, words(1)) ON CONFLICT (lower(lang || slug)) DO UPDATE SET body = EXCLUDED.body RETURNING id, left(body, 7);
INSERT INTO upserts VALUES (4, 'stem1', 'x', 6, 6, words(3)) ON CONFLICT (stem) DO NOTHING;
INSERT INTO upserts VALUES (3, 'stem2', 'x', 5, 5, words(3, true)) ON CONFLICT (stem) DO UPDATE SET body = EXCLUDED.body RETURNING id, left(body, 7);
-- no conflict: NULLs, a row outside of the partial index; a deferrable constraint is checked too late to matter
INSERT INTO upserts VALUES (3, NULL, NULL, NULL, NULL, words(1)) ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO upserts VALUES (3, 'x', 'x', 1, 5, words(1)) ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO upserts VALUES (3, 'x', 'x', 5, 1, words(1)) ON CONFLICT (id) DO NOTHING RETURNING id;
-- a third row still counts, whichever row conflicts; one that conflicts in another index is an error of that index
INSERT INTO upserts VALUES (1, 'x', 'x', 5, 5, words(2)) ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body RETURNING id;
INSERT INTO upserts VALUES (1, 'b', 'x', 5, 5, words(2)) ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body RETURNING id, left(body, 7);
INSERT INTO upserts VALUES (3, 'a', 'x', 5, 5, words(2)) ON CONFLICT (id) DO NOTHING;
EXECUTE shown;
-- reject: an update by ON CONFLICT is compared with the other rows
DROP TRIGGER check_upserts ON upserts;
CREATE TRIGGER check_upserts BEFORE INSERT OR UPDATE ON upserts FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject');
INSERT INTO upserts VALUES (4, 'x', 'x', 5, 5, words(3)) ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body RETURNING id, left(body, 7);
INSERT INTO upserts VALUES (4, 'x', 'x', 5, 5, words(3, true)) ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO upserts VALUES (4, 'x', 'x', 5, 5, words(5)) ON CONFLICT (id) DO UPDATE SET body = words(2) RETURNING id;
INSERT INTO upserts VALUES (5, 'x', 'x', 5, 5, words(3)) ON CONFLICT DO NOTHING RETURNING id;
-- MERGE
MERGE INTO upserts u USING (VALUES (4, words(3, true))) AS v (id, body) ON u.id = v.id
	WHEN MATCHED THEN UPDATE SET body = v.body WHEN NOT MATCHED THEN INSERT (id, body) VALUES (v.id, v.body);
EXECUTE shown;
-- a row that conflicts only with an exclusion constraint counts
ALTER TABLE upserts ADD apart int DEFAULT 1, ADD EXCLUDE USING btree (apart WITH =) WHERE (id >= 4);
INSERT INTO upserts VALUES (6, 'x', 'x', 5, 5, words(3)) ON CONFLICT DO NOTHING;

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

-- A user with SELECT on the columns of the signature, the scope and the primary key, and no other.
CREATE TABLE columns (id int PRIMARY KEY, tenant text, body text, copy_of int, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED) PARTITION BY RANGE (id);
CREATE TABLE columns_1 PARTITION OF columns FOR VALUES FROM (1) TO (5);
CREATE TABLE columns_2 PARTITION OF columns FOR VALUES FROM (5) TO (9);
CREATE TRIGGER check_columns BEFORE INSERT OR UPDATE ON columns FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of', 'scope', 'tenant');
CREATE TABLE keyless (body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
CREATE TRIGGER check_keyless BEFORE INSERT OR UPDATE ON keyless FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'reject');
INSERT INTO columns VALUES (1, 'a', 'a text'), (2, 'b', 'a text');
INSERT INTO keyless VALUES ('a text'), ('another');
GRANT INSERT, UPDATE (body), SELECT (id, tenant, sig) ON columns TO regress_lshsim_writer;
GRANT INSERT, UPDATE (body), SELECT (sig) ON keyless TO regress_lshsim_writer;
SET ROLE regress_lshsim_writer;
INSERT INTO columns VALUES (3, 'a', 'a text'), (5, 'b', 'a text'), (6, 'c', 'a text');
UPDATE columns SET body = 'a text!' WHERE id = 6;
UPDATE columns SET body = 'A TEXT' WHERE id = 3;
INSERT INTO keyless VALUES ('a text');
SELECT ctid FROM keyless;
RESET ROLE;
SELECT id, tenant, body, copy_of FROM columns ORDER BY id;
\set VERBOSITY terse
REVOKE SELECT (id) ON columns FROM regress_lshsim_writer;
SET ROLE regress_lshsim_writer;
INSERT INTO columns VALUES (7, 'a', 'a text');
RESET ROLE;
GRANT SELECT (id) ON columns TO regress_lshsim_writer;
REVOKE SELECT (tenant) ON columns FROM regress_lshsim_writer;
SET ROLE regress_lshsim_writer;
INSERT INTO columns VALUES (7, 'a', 'a text');
RESET ROLE;
GRANT SELECT (tenant) ON columns TO regress_lshsim_writer;
REVOKE SELECT (sig) ON columns FROM regress_lshsim_writer;
SET ROLE regress_lshsim_writer;
INSERT INTO columns VALUES (7, 'a', 'a text');
RESET ROLE;
\set VERBOSITY default
DROP TABLE hidden, columns, keyless;
DROP ROLE regress_lshsim_writer;

-- Invalid tables and arguments.
CREATE TABLE bad (id int PRIMARY KEY, body text, tags text[], short varchar(1), place point, day date, filled minhash, folded text GENERATED ALWAYS AS (lower(body)) STORED,
	sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
INSERT INTO bad (id, body) VALUES (12, 'a body'), (13, 'another');
SELECT left(arguments, 60) AS arguments, trigger_error('minhash_check_trigger', arguments) FROM unnest(ARRAY[
	$$'sig', 0.8, 'reject'$$, $$'sig', 0.8, 'skip'$$, '', $$'sig', 0.8$$, $$'sig', 0.8, 'flag'$$,
	$$'sig', 0.8, 'reject', 'short'$$, $$'sig', 0.8, 'reject', 'scope'$$, $$'sig', 0.8, 'flag', 'scope', 'body'$$,
	$$'sig', 0.8, 'flagg'$$, $$'sig', 60, 'flag'$$, $$'sig', 60, 'flag', 'short'$$, $$'sig', 0.8, 'reject', 'copy_of'$$,
	$$'sig', 0.8, 'reject', 'scope'$$ || repeat(', ''body''', 96), $$'sig', 0.8, 'reject', 'scope'$$ || repeat(', ''body''', 97), $$'sig', 0.8, 'reject', 'scope', 'shop'$$, $$'sig', 0.8, 'reject', 'scope', 'place'$$, $$'sig', 0.8, 'ignore'$$,
	$$'sig', 'high', 'reject'$$, $$'sig', 0, 'reject'$$, $$'sig', 1.5, 'reject'$$, $$'sig', 'NaN', 'reject'$$, $$'sig', 0.05, 'reject'$$,
	$$'sign', 0.8, 'reject'$$, $$'body', 0.8, 'reject'$$, $$'filled', 0.8, 'reject'$$, $$'sig', 0.8, 'flag', 'copy'$$,
	$$'sig', 0.8, 'flag', 'folded'$$, $$'sig', 0.8, 'flag', 'day'$$, $$'sig', 0.8, 'flag', 'short'$$]) arguments;
SELECT timing, level, trigger_error('minhash_check_trigger', $$'sig', 0.8, 'reject'$$, timing, level)
FROM (VALUES ('AFTER INSERT', 'ROW'), ('BEFORE INSERT', 'STATEMENT'), ('BEFORE DELETE', 'ROW')) v (timing, level);
ALTER TABLE bad DROP CONSTRAINT bad_pkey;
SELECT trigger_error('minhash_check_trigger', $$'sig', 0.8, 'flag', 'short'$$);
SELECT minhash_check_trigger();
-- 'skip' for inserts and updates is refused at the first row, be it an insert
CREATE TRIGGER try BEFORE INSERT OR UPDATE ON bad FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'skip');
INSERT INTO bad (id) VALUES (20);

--
-- minhash_check_trigger saves the plan of its search for the session.  The plan has
-- to follow changes of the table, the user and the search path.
--
\set ECHO none \i test/data/setup.sql
-- Create tables one after another, each with a trigger that flags a copy.
CREATE PROCEDURE make_tables(a int, b int) LANGUAGE plpgsql AS $$
DECLARE
	flag text;
BEGIN
	FOR i IN a..b LOOP
		EXECUTE format($f$CREATE TABLE t%1$s (id int PRIMARY KEY, body text, copy_of int,
				sig minhash(16) GENERATED ALWAYS AS (to_minhash(body, 'word:1', 16)) STORED);
			CREATE TRIGGER t BEFORE INSERT ON t%1$s FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of');
			INSERT INTO t%1$s VALUES (1, 'red')$f$, i);
		EXECUTE format($f$INSERT INTO t%s VALUES (2, 'red') RETURNING copy_of$f$, i) INTO flag;
		IF flag IS DISTINCT FROM '1' THEN
			RAISE WARNING 'table %: flag %', i, flag;
		END IF;
		EXECUTE format('DROP TABLE t%s', i);
		COMMIT;
	END LOOP;
END $$;
\set ECHO all

CREATE VIEW plans AS SELECT count(*) FROM pg_backend_memory_contexts
	WHERE name = 'CachedPlanSource' AND ident LIKE '%minhash\_similar(t.%';
CREATE TABLE docs (id int PRIMARY KEY, body text, copy_of text,
	sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE INDEX docs_sig ON docs USING lsh (sig);
CREATE TRIGGER check_docs BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of');

-- One plan for all rows.
INSERT INTO docs VALUES (1, 'red green blue');
INSERT INTO docs VALUES (2, 'Red green blue') RETURNING copy_of;
INSERT INTO docs VALUES (3, 'one two three') RETURNING copy_of;
TABLE plans;
UPDATE docs SET body = 'blue red green' WHERE id = 3 RETURNING copy_of IN ('1', '2');
TABLE plans;

-- The plan made for an empty table uses the index as the table grows.
TRUNCATE docs;
VACUUM ANALYZE docs;
BEGIN;
SELECT pg_stat_get_xact_numscans('docs'::regclass) AS of_table, pg_stat_get_xact_numscans('docs_sig'::regclass) AS of_index \gset
INSERT INTO docs SELECT i, format('word%s other%s', i, i) FROM generate_series(1, 100) i;
SELECT pg_stat_get_xact_numscans('docs'::regclass) - :of_table AS of_table, pg_stat_get_xact_numscans('docs_sig'::regclass) - :of_index AS of_index;
-- the settings are those of before
SELECT name, setting FROM pg_settings WHERE name IN ('enable_seqscan', 'enable_hashjoin', 'plan_cache_mode') ORDER BY name;
COMMIT;

-- No index.
DROP INDEX docs_sig;
INSERT INTO docs VALUES (101, 'other7 word7') RETURNING copy_of;
CREATE INDEX docs_sig ON docs USING gin (sig);
INSERT INTO docs VALUES (102, 'other8 word8') RETURNING copy_of;

-- Other names and types of columns; another name of the table.
ALTER TABLE docs ALTER id TYPE text USING 'number ' || id;
INSERT INTO docs VALUES ('103', 'other9 word9') RETURNING copy_of;
ALTER TABLE docs RENAME id TO key;
INSERT INTO docs VALUES ('104', 'other10 word10') RETURNING copy_of;
ALTER TABLE docs RENAME TO texts;
INSERT INTO texts VALUES ('105', 'other11 word11') RETURNING copy_of;
ALTER TABLE texts ADD part int DEFAULT 5, DROP CONSTRAINT docs_pkey, ADD PRIMARY KEY (part, key);
INSERT INTO texts VALUES ('106', 'other12 word12') RETURNING copy_of;

-- Another table with the name; one in a schema that comes first in the search path.
CREATE TABLE docs (id date PRIMARY KEY, body text, copy_of date, sig minhash(64) GENERATED ALWAYS AS (to_minhash(body, 'word:1', 64)) STORED);
CREATE TRIGGER check_docs BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of');
INSERT INTO docs VALUES ('2001-01-01', 'red green blue'), ('2002-02-02', 'red green blue') RETURNING copy_of;
CREATE SCHEMA first;
CREATE TABLE first.docs (LIKE docs);
SET search_path = first, public;
INSERT INTO regress_lshsim.docs VALUES ('2003-03-03', 'blue red green') RETURNING copy_of IN ('2001-01-01', '2002-02-02');
SET search_path = pg_catalog;
INSERT INTO regress_lshsim.docs VALUES ('2004-04-04', 'one two three') RETURNING copy_of;
SET search_path = regress_lshsim, public;
DROP TABLE docs;
CREATE TABLE docs (LIKE first.docs INCLUDING ALL, PRIMARY KEY (id));
ALTER TABLE docs DROP sig, ADD sig minhash(32) GENERATED ALWAYS AS (to_minhash(body, 'word:1', 32)) STORED;
CREATE TRIGGER check_docs BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of');
INSERT INTO docs VALUES ('2001-01-01', 'red green blue'), ('2002-02-02', 'red green blue') RETURNING copy_of;
DROP SCHEMA first CASCADE;

-- Another type of a scope column.
CREATE TABLE scoped (id int PRIMARY KEY, scope int, body text, copy_of int, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
CREATE TRIGGER check_scoped BEFORE INSERT ON scoped FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of', 'scope', 'scope');
INSERT INTO scoped VALUES (1, 7, 'red green blue'), (2, 7, 'red green blue') RETURNING copy_of;
ALTER TABLE scoped ALTER scope TYPE text;
INSERT INTO scoped VALUES (3, '7', 'blue green red'), (4, 'seven', 'red green blue') RETURNING copy_of;
ALTER TABLE scoped ALTER scope TYPE float8 USING length(scope);
INSERT INTO scoped VALUES (5, 1, 'green blue red'), (6, 5, 'red green blue'), (7, 2, 'red green blue') RETURNING copy_of;

-- Another user has no privilege for the search; an error in a subtransaction leaves the plan.
CREATE ROLE regress_lshsim_inserter;
GRANT INSERT ON docs TO regress_lshsim_inserter;
CREATE PROCEDURE try(id date) LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO docs VALUES (id, 'green red blue');
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%', sqlerrm;
END $$;
BEGIN;
SET LOCAL ROLE regress_lshsim_inserter;
CALL try('2003-03-03');
SET LOCAL ROLE NONE;
GRANT SELECT ON docs TO regress_lshsim_inserter;
SET LOCAL ROLE regress_lshsim_inserter;
CALL try('2004-04-04');
SELECT id, copy_of IN ('2001-01-01', '2002-02-02') FROM docs WHERE id > '2002-02-02';
SET LOCAL ROLE NONE;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY anything ON docs USING (true);
SET LOCAL ROLE regress_lshsim_inserter;
CALL try('2005-05-05');
COMMIT;
DROP TABLE docs;
DROP ROLE regress_lshsim_inserter;

-- All partitions have one plan.
CREATE TABLE parts (id int, part int, body text, copy_of text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED,
	PRIMARY KEY (part, id)) PARTITION BY LIST (part);
SELECT format('CREATE TABLE part%s PARTITION OF parts FOR VALUES IN (%1$s)', i) FROM generate_series(1, 20) i \set ECHO none \gexec \set ECHO all
CREATE TRIGGER check_parts BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of');
INSERT INTO parts SELECT i, i, format('word%s', i % 18) FROM generate_series(1, 20) i;
SELECT id, copy_of FROM parts WHERE copy_of IS NOT NULL ORDER BY id;
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource' AND ident LIKE '%FROM regress_lshsim.parts %';

-- Tables that come and go leave a plan each, but at most 512.
CALL make_tables(1, 300);
SELECT count BETWEEN 300 AND 512 AS bounded FROM plans;
CALL make_tables(301, 601);
SELECT count BETWEEN 1 AND 512 AS bounded FROM plans;
-- the last one is among them
SELECT count(*) AS last FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource' AND ident LIKE '%FROM regress_lshsim.t601 %';

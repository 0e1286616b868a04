--
-- The extension installs, and its objects are what they claim to be.
--
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS lshsim;
DROP ROLE IF EXISTS regress_lshsim;
RESET client_min_messages;
\pset format unaligned \pset footer off

-- It can live in any schema, and works from there with nothing in the search path.
CREATE SCHEMA elsewhere;
CREATE EXTENSION lshsim SCHEMA elsewhere;
SET search_path = pg_catalog;
SELECT elsewhere.jaccard(elsewhere.to_minhash('same text'), elsewhere.to_minhash('Same  Text'));
SELECT elsewhere.to_minhash('same text') OPERATOR(elsewhere.%) elsewhere.to_minhash('Same  Text') AS similar;
SELECT elsewhere.minhash_info(elsewhere.to_minhash('same text', 'word:1', 16));
ALTER EXTENSION lshsim SET SCHEMA public;
SELECT public.jaccard(ARRAY[1,2], ARRAY[2,3]);
RESET search_path;

-- It leaves nothing behind.
DROP EXTENSION lshsim;
SELECT count(*) FROM pg_proc WHERE probin LIKE '%lshsim%';
DROP SCHEMA elsewhere;

-- Columns and indexes keep it, or go with it; the rows stay.
CREATE EXTENSION lshsim;
CREATE TABLE kept (id int, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
INSERT INTO kept VALUES (1, 'some text');
CREATE INDEX ON kept USING lsh (sig);
CREATE INDEX ON kept USING gin (body passage_ops);
\set VERBOSITY terse
DROP EXTENSION lshsim;
\set VERBOSITY default
SET client_min_messages = warning;
DROP EXTENSION lshsim CASCADE;
RESET client_min_messages;
SELECT *, (SELECT count(*) FROM pg_index WHERE indrelid = 'kept'::regclass) AS indexes FROM kept;
DROP TABLE kept;

-- It is trusted: any user with CREATE on the database can install it.
CREATE ROLE regress_lshsim;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_lshsim', current_database()); END $$;
SET ROLE regress_lshsim;
CREATE EXTENSION lshsim;
SELECT extowner::regrole, extversion FROM pg_extension WHERE extname = 'lshsim';
DROP EXTENSION lshsim;
RESET ROLE;
DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM regress_lshsim', current_database()); END $$;
DROP ROLE regress_lshsim;

CREATE EXTENSION lshsim;

-- The objects that belong to the extension; array types only do from PostgreSQL 17 on.
CREATE TEMP VIEW own AS
	SELECT classid, objid
	FROM pg_depend JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
	WHERE deptype = 'e' AND extname = 'lshsim'
		AND NOT EXISTS (SELECT 1 FROM pg_type t WHERE classid = 'pg_type'::regclass AND objid = t.oid AND typcategory = 'A');

-- Operator classes: which there are ...
SELECT amname, opcname, opcintype::regtype, opcdefault, opckeytype::regtype
FROM own JOIN pg_opclass c ON classid = 'pg_opclass'::regclass AND objid = c.oid JOIN pg_am a ON a.oid = opcmethod
ORDER BY amname COLLATE "C", opcintype::regtype::text COLLATE "C";

-- ... and those that are not valid: none.
SELECT amname, opcname
FROM own JOIN pg_opclass c ON classid = 'pg_opclass'::regclass AND objid = c.oid JOIN pg_am a ON a.oid = opcmethod
WHERE NOT amvalidate(c.oid);

-- Types.
SELECT typname, typlen, typbyval, typalign, typstorage, typcategory, typispreferred, typmodin, typmodout
FROM own JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid
ORDER BY typname COLLATE "C";

-- Every type has binary input and output.
SELECT typname
FROM own JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid
WHERE typreceive = 0 OR typsend = 0;

-- Casts: who may convert what without asking (i), on assignment (a), by name only (e).
SELECT castsource::regtype, casttarget::regtype, castcontext
FROM own JOIN pg_cast c ON classid = 'pg_cast'::regclass AND objid = c.oid
ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";

-- Operators, with what the planner may do with them.
SELECT o.oid::regoperator AS operator, oprcom::regoperator AS commutator, oprnegate::regoperator AS negator,
	oprrest AS restriction, oprjoin AS join, oprcanhash AS hash, oprcanmerge AS merge
FROM own JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid
ORDER BY o.oid::regoperator::text COLLATE "C";

-- Functions for users: not those that only the server calls.
CREATE TEMP VIEW for_users AS SELECT p.oid, proname
FROM own JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE NOT EXISTS (SELECT FROM pg_operator WHERE oprcode = p.oid) AND NOT EXISTS (SELECT FROM pg_amproc WHERE amproc = p.oid)
	AND NOT EXISTS (SELECT FROM pg_cast WHERE castfunc = p.oid) AND NOT EXISTS (SELECT FROM pg_aggregate WHERE aggtransfn = p.oid)
	AND NOT EXISTS (SELECT FROM pg_type WHERE p.oid IN (typinput, typoutput, typreceive, typsend, typmodin, typmodout))
	AND 'internal'::regtype <> ALL (proargtypes::oid[]);
SELECT proname, pg_get_function_arguments(oid) AS arguments, pg_get_function_result(oid) AS result
FROM for_users
ORDER BY oid::regprocedure::text COLLATE "C";

-- Functions are strict, immutable and parallel safe, but for these: they read settings (stable), a table or an index (volatile).
SELECT p.oid::regprocedure AS function, proisstrict AS strict, provolatile AS volatility, proparallel AS parallel
FROM own JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE NOT proisstrict OR provolatile <> 'i' OR proparallel <> 's'
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- Every type, operator, operator class and function for users has a comment.
SELECT pg_describe_object(classid, objid, 0) AS uncommented
FROM own
WHERE (classid IN ('pg_type'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass)
		OR classid = 'pg_proc'::regclass AND objid IN (SELECT oid FROM for_users))
	AND obj_description(objid, classid::regclass::name) IS NULL
ORDER BY 1;

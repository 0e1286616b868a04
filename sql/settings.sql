--
-- The setting lshsim.similarity_threshold, and the recall that functions take instead.
--
\set ECHO none \i test/data/setup.sql \set ECHO all
LOAD 'lshsim';

SELECT name, setting, vartype, context, min_val, max_val, boot_val FROM pg_settings WHERE name LIKE 'lshsim.%' ORDER BY name COLLATE "C";

-- Valid values.
SET lshsim.similarity_threshold = 1e-300;
SHOW lshsim.similarity_threshold;
SET lshsim.similarity_threshold = 1;
SHOW lshsim.similarity_threshold;
SET lshsim.similarity_threshold = '0.123456789012345678';
SHOW lshsim.similarity_threshold;
SET lshsim.similarity_threshold TO DEFAULT;
SHOW lshsim.similarity_threshold;
-- Invalid values: the setting does not change.
SELECT * FROM pg_temp.errors_of(
	$$SET lshsim.similarity_threshold = 0$$, $$SET lshsim.similarity_threshold = '-0'$$, $$SET lshsim.similarity_threshold = -1$$, $$SET lshsim.similarity_threshold = 1.1$$,
	$$SET lshsim.similarity_threshold = 'NaN'$$, $$SET lshsim.similarity_threshold = 'Infinity'$$,
	$$SET lshsim.similarity_threshold = 'x'$$, $$SET lshsim.similarity_threshold = ''$$,
	$$SET lshsim.similarity_threshold = '80%'$$);
SHOW lshsim.similarity_threshold;

-- There are no others.
\set VERBOSITY terse
SET lshsim.recall = 0.9;
\set VERBOSITY default

-- It decides what % says, with a recall of .99: this pair has an estimate between .8 and .82, and disagrees in the first band.
CREATE TABLE pair AS SELECT 1 AS id, array_to_minhash(array_agg(i)) AS a, array_to_minhash(array_agg(i + 10)) AS b FROM generate_series(1, 100) i;
SELECT jaccard(a, b) BETWEEN .8 AND .82 AS between, (minhash_slots(a))[1:6] = (minhash_slots(b))[1:6] AS first_band FROM pair;
CREATE FUNCTION is_similar(threshold float8) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('lshsim.similarity_threshold', threshold::text, true);
	RETURN a % b FROM pair;
END $$;
SELECT threshold, is_similar(threshold) AS "%", minhash_similar(a, b, threshold) AS "no recall", minhash_similar(a, b, threshold, 0) AS "recall 0",
	minhash_similar(a, b, threshold, .99) AS "recall .99", minhash_similar(a, b, threshold, 1) AS "recall 1"
FROM pair, unnest('{.01,.5,.7,.8,.82,.9,1}'::float8[]) threshold;
-- also of a plan made before,
PREPARE compare AS SELECT a % b AS similar FROM pair;
SET plan_cache_mode = force_generic_plan;
EXECUTE compare;
SET lshsim.similarity_threshold = 0.9;
EXECUTE compare;
RESET lshsim.similarity_threshold;
EXECUTE compare;
RESET plan_cache_mode;
-- in a transaction only,
BEGIN;
SET LOCAL lshsim.similarity_threshold = 0.9;
EXECUTE compare;
COMMIT;
EXECUTE compare;
DEALLOCATE compare;
-- and in a function only.
CREATE FUNCTION very_similar(minhash, minhash) RETURNS boolean LANGUAGE sql SET lshsim.similarity_threshold = 0.9 AS 'SELECT $1 % $2';
SELECT very_similar(a, b), a % b AS similar FROM pair;

-- A session that Citus opened on a worker follows only a setting that was SET there.
SET application_name = 'citus_internal gpid=10000000001';
SELECT a % b AS similar FROM pair;
SELECT minhash_similar(a, b, 0.8) AS similar, a @@ minhash_query(b, 0.8) AS matches FROM pair;
SET lshsim.similarity_threshold = 0.7;
SELECT a % b AS similar FROM pair;
RESET lshsim.similarity_threshold;
RESET application_name;

-- NULL is not the default.
SELECT minhash_similar(a, b, 0.8, NULL) IS NULL AS similar, minhash_query(a, 0.8, NULL) IS NULL AS query, lsh_plan_keys(a, 0.8, NULL) IS NULL AS keys FROM pair;
-- All but % are immutable, with and without a recall.
-- PostgreSQL 19 adds a position to this error, so print its message alone.
DO $$
BEGIN
	CREATE INDEX ON pair ((a % b));
EXCEPTION WHEN invalid_object_definition THEN
	RAISE NOTICE '%', sqlerrm;
END $$;
CREATE INDEX ON pair (minhash_similar(a, b, 0.8));
CREATE INDEX ON pair (id) WHERE a @@ minhash_query(b, 0.8);
ALTER TABLE pair ADD near boolean GENERATED ALWAYS AS (minhash_similar(a, b, 0.8)) STORED;
SELECT near FROM pair;

-- A new session has the defaults again, and a value set before the module is loaded holds once it is.
SET lshsim.similarity_threshold = 0.9;
SELECT a % b AS similar FROM pair;
\c -
SELECT a % b AS similar FROM regress_lshsim.pair;
SHOW lshsim.similarity_threshold;
\c -
SET lshsim.similarity_threshold = 0.9;
SELECT a % b AS similar FROM regress_lshsim.pair;
SHOW lshsim.similarity_threshold;

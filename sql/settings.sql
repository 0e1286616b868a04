--
-- The settings lshsim.similarity_threshold and lshsim.recall.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
RESET client_min_messages;
LOAD 'lshsim';

SELECT name, setting, vartype, context, min_val, max_val, boot_val FROM pg_settings WHERE name LIKE 'lshsim.%' ORDER BY name COLLATE "C";

-- What they can be.
SET lshsim.similarity_threshold = 0;
SHOW lshsim.similarity_threshold;
SET lshsim.similarity_threshold = 1;
SHOW lshsim.similarity_threshold;
SET lshsim.similarity_threshold = '0.123456789012345678';
SHOW lshsim.similarity_threshold;
SET lshsim.similarity_threshold TO DEFAULT;
SHOW lshsim.similarity_threshold;
SET lshsim.recall = 0;
SET lshsim.recall = 1;
SHOW lshsim.recall;
RESET lshsim.recall;
SHOW lshsim.recall;
-- What they cannot be: the value stays as it was.
SET lshsim.similarity_threshold = -1;
SET lshsim.similarity_threshold = 1.1;
SET lshsim.similarity_threshold = 'NaN';
SET lshsim.similarity_threshold = 'Infinity';
SET lshsim.similarity_threshold = 'x';
SET lshsim.similarity_threshold = '';
SET lshsim.similarity_threshold = '80%';
SET lshsim.recall = -1;
SET lshsim.recall = 1.1;
SET lshsim.recall = 'NaN';
SET lshsim.recall = 'x';
SELECT set_config('lshsim.recall', '99', false);
SHOW lshsim.similarity_threshold;
SHOW lshsim.recall;

-- There are no others: from PostgreSQL 15 on, a name that nobody has defined is an error.
DO $$
BEGIN
	IF current_setting('server_version_num')::int < 150000 THEN
		RETURN;
	END IF;
	SET lshsim.foo = 1;
	RAISE 'accepted';
EXCEPTION WHEN invalid_name THEN
	NULL;
END $$;

-- They decide what % says: this pair has an estimate between .8 and .82, and disagrees in the first band.
CREATE TABLE pair AS SELECT array_to_minhash(array_agg(i)) AS a, array_to_minhash(array_agg(i + 10)) AS b FROM generate_series(1, 100) i;
SELECT jaccard(a, b) BETWEEN .8 AND .82 AS between, (minhash_values(a))[1:6] = (minhash_values(b))[1:6] AS first_band FROM pair;
CREATE FUNCTION is_similar(threshold float8, recall float8) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('lshsim.similarity_threshold', threshold::text, true), set_config('lshsim.recall', recall::text, true);
	RETURN a % b FROM pair;
END $$;
SELECT threshold, is_similar(threshold, 0) AS "recall 0", is_similar(threshold, .99) AS "recall .99", is_similar(threshold, 1) AS "recall 1"
FROM unnest('{0,.5,.7,.8,.82,.9,1}'::float8[]) threshold;
DROP FUNCTION is_similar;
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
DROP FUNCTION very_similar;

-- A new session has the defaults again, and a value set before the module is loaded holds once it is.
SET lshsim.similarity_threshold = 0.9;
SELECT a % b AS similar FROM pair;
\c -
SELECT a % b AS similar FROM pair;
SHOW lshsim.similarity_threshold;
\c -
SET lshsim.similarity_threshold = 0.9;
SELECT a % b AS similar FROM pair;
SHOW lshsim.similarity_threshold;
DROP TABLE pair;

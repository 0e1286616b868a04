-- Thresholds in the query: minhash_query, @@ and minhash_similar.
\set ECHO none \i test/data/setup.sql
-- Whether two numbers, with a signature, are a query.
CREATE FUNCTION is_query(numbers text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	RETURN (numbers || '/' || to_minhash('a'))::minhash_query IS NOT NULL;
EXCEPTION WHEN invalid_text_representation THEN
	RETURN false;
END $$;
-- The operator % at a threshold.
CREATE FUNCTION by_setting(a minhash, b minhash, t float8) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('lshsim.similarity_threshold', t::text, false);
	RETURN a % b;
END $$;
\set ECHO all

-- text and binary form
SELECT minhash_query(to_minhash('the cat sat on the mat'::text, 'word:2', 16), 0.8, 0.95);
SELECT count(*), bool_and(minhash_query(s, t, r)::text::minhash_query::text = minhash_query(s, t, r)::text) AS round_trip
FROM (VALUES (0.8, 0.99), (1, 1), (0.5, 0), (1 / 3.0, 2 / 3.0), (1e-300, 0.5), (1e-320, 0.5)) AS v (t, r),
	to_minhash('the cat sat on the mat') AS s;

CREATE TEMP TABLE saved (id int, q minhash_query);
INSERT INTO saved SELECT k, minhash_query(array_to_minhash(ARRAY[1, 2, k], k), 0.7, 0.9)
	FROM unnest(ARRAY[16, 64, 128, 1000, 4096]) AS k;
\copy saved TO 'results/query.bin' (FORMAT binary)
CREATE TEMP TABLE restored (LIKE saved);
\copy restored FROM 'results/query.bin' (FORMAT binary)
SELECT count(*) AS equal FROM saved JOIN restored USING (id)
WHERE saved.q::text = restored.q::text;

-- the default recall
SELECT minhash_query(to_minhash('a'), 0.5)::text = minhash_query(to_minhash('a'), 0.5, 0.99)::text AS same;

-- wrong input
SELECT * FROM pg_temp.errors_of(
	$$''::minhash_query$$, $$'0.8'::minhash_query$$, $$'0.8/0.9'::minhash_query$$, $$'0.8/0.9/'::minhash_query$$,
	$$'0.8/0.9/char:5'::minhash_query$$,
	$$'1.1/0.9/char:5/one-permutation/16/0//////////////////////////////////////////8='::minhash_query$$,
	$$'0.8/nan/char:5/one-permutation/16/0//////////////////////////////////////////8='::minhash_query$$,
	$$'0/0.9/char:5/one-permutation/16/0//////////////////////////////////////////8='::minhash_query$$,
	$$'x/0.9/char:5/one-permutation/16/0//////////////////////////////////////////8='::minhash_query$$);
-- A number has one form, in which it is printed; 0 has no sign.
SELECT is_query(s || '/0.9') AS first, is_query('0.9/' || s) AS second, array_agg(s ORDER BY n) FROM unnest('{0x1p-1,0.80,.8,+0.8,8e-1,-0," 0.8","0.8 ",1.0,00,1e0,0.8000000000000000001,
	0,1,0.8,1e-05,5e-324,0.30000000000000004}'::text[]) WITH ORDINALITY u(s, n) GROUP BY 1, 2 ORDER BY 1;
SELECT minhash_query(to_minhash('a'), 1, '-0')::text = minhash_query(to_minhash('a'), 1, 0)::text AS zero;
SELECT minhash_query(to_minhash('a'), -0.1);
SELECT minhash_query(to_minhash('a'), 0);
SELECT minhash_query(to_minhash('a'), 0.5, 'NaN');
SELECT minhash_query(NULL, 0.5) IS NULL AS null_sig, minhash_query(to_minhash('a'), NULL) IS NULL AS null_threshold;

-- @@ both ways, minhash_similar and % say the same of many pairs
CREATE TEMP TABLE pairs AS
SELECT i, array_to_minhash(ARRAY(SELECT generate_series(1, 100))) AS a,
	array_to_minhash(ARRAY(SELECT generate_series(1 + i, 100 + i))) AS b
FROM generate_series(0, 60) AS i;

SELECT count(*), count(*) FILTER (WHERE minhash_similar(a, b, t, r)) AS similar,
	bool_and(minhash_similar(a, b, t, r) = (a @@ minhash_query(b, t, r))
		AND minhash_similar(a, b, t, r) = (minhash_query(a, t, r) @@ b)
		AND minhash_similar(a, b, t, r) = minhash_similar(b, a, t, r)
		AND (r <> 0.99 OR minhash_similar(a, b, t, r) = by_setting(a, b, t))) AS all_agree,
	bool_and(jaccard(a, b) >= t) FILTER (WHERE minhash_similar(a, b, t, r)) AS verified,
	-- with recall 1 the threshold alone decides
	bool_and((jaccard(a, b) >= t) = minhash_similar(a, b, t, 1)) AS plain
FROM pairs, unnest(ARRAY[0.01, 0.2, 0.5, 0.8, 0.95, 1]) AS t, unnest(ARRAY[0.5, 0.99, 1]) AS r;
RESET lshsim.similarity_threshold;

-- the empty set is similar to nothing, not even to itself
SELECT minhash_similar(e, e, 0.5), minhash_similar(e, e, 0.01, 1), e @@ minhash_query(e, 0.01), minhash_similar(e, s, 0.01)
FROM to_minhash('') AS e, to_minhash('a') AS s;

-- errors
SELECT * FROM pg_temp.errors_of(
	$$minhash_similar(to_minhash('a'), to_minhash('a'), 0)$$, $$minhash_similar(to_minhash('a'), to_minhash('a'), 1.5)$$,
	$$minhash_similar(to_minhash('a'), to_minhash('a'), 0.5, 'NaN')$$,
	$$minhash_similar(to_minhash('a'), to_minhash('a'::text, 'word:1'), 0.5)$$,
	$$to_minhash('a') @@ minhash_query(to_minhash('a'::text, 'char:5', 64), 0.5)$$);
SELECT minhash_similar(to_minhash('a'), NULL, 0.5) IS NULL AS null_arg;
-- a scan of an empty table reports an invalid threshold only if it is by index
CREATE TABLE empty (sig minhash);
SELECT count(*) FROM empty WHERE minhash_similar(sig, to_minhash('a'), 1.5);
CREATE INDEX ON empty USING lsh (sig);
SELECT count(*) FROM empty WHERE minhash_similar(sig, to_minhash('a'), 1.5);

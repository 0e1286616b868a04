--
-- Parameters that clients send without a type, or as text or varchar: a correct result or an error.
--
\set ECHO none \i test/data/setup.sql
-- The types that the parameters of a call get, or why not.
CREATE FUNCTION taken_as(call text, sent text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	types text;
BEGIN
	EXECUTE 'PREPARE taken' || CASE WHEN sent <> '' THEN format(' (%s, %1$s, %1$s, %1$s)', sent) ELSE '' END || ' AS SELECT ' || call
		|| ' FROM (SELECT to_minhash(''a text''::text) AS sig, ''a text''::text AS body, ARRAY[''a''] AS tags) t';
	SELECT array_to_string(parameter_types[1:n], ', ') INTO types
	FROM pg_prepared_statements, LATERAL (SELECT count(*)::int FROM regexp_matches(call, '\$\d', 'g')) c (n) WHERE name = 'taken';
	DEALLOCATE taken;
	RETURN types;
EXCEPTION WHEN OTHERS THEN
	RETURN 'error: ' || SQLERRM;
END $$;
\set ECHO all

SELECT call, taken_as(call, '') AS untyped, taken_as(call, 'text') AS text, taken_as(call, 'varchar') AS varchar
FROM unnest(ARRAY['to_minhash($1)', 'to_minhash($1, $2)', 'to_minhash($1, $2, 64)', 'to_minhash($1, num_hashes => $2::int)',
	'array_to_minhash($1)', 'array_to_minhash($1::text[])', 'array_to_minhash(tags, $1)', 'tsvector_to_minhash($1)',
	'weighted_to_minhash($1, $2)', 'weighted_to_minhash(tags, $1)', 'minhash_from_values($1)', 'shingles($1, $2)',
	'jaccard($1, $2)', 'jaccard(sig, $1)', 'jaccard($1, sig)', 'jaccard(tags, $1)', 'jaccard(body, $1)', 'jaccard($1, $2, $3)',
	'containment($1, $2)', 'containment(sig, $1)', 'containment(tags, $1)', 'containment($1, $2, $3)',
	'sig % $1', 'sig <-> $1', 'sig | $1', 'sig @@ $1', 'sig = $1', 'minhash_similar(sig, $1, $2)', 'minhash_similar(sig, $1, $2, $3)',
	'minhash_query($1, $2)', 'minhash_query($1, $2, $3)', 'minhash_cluster($1, $2) OVER ()', 'minhash_cluster(sig, $1, $2) OVER ()',
	'minhash_agg($1)', 'minhash_agg(body, $1)', 'minhash_union_agg($1)', 'cardinality($1)',
	'minhash_info($1)', 'lsh_plan($1, $2)', 'lsh_band_keys($1, 4, 6)']) WITH ORDINALITY c (call, n) ORDER BY n;

-- A text where a signature belongs: the hint says what to write.
SELECT * FROM pg_temp.errors_of(
	$$to_minhash('a text') % 'a text'$$, $$to_minhash('a text') % 'https://host/a/b/c/d/e'$$,
	$$to_minhash('a text') @@ 'a text'$$, $$minhash_similar(to_minhash('a text'), 'a text', 0.5)$$,
	-- a signature that is damaged is none
	$$to_minhash('a text') % 'char:5/one-permutation/128/0/AAAA'$$);

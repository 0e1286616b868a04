--
-- jaccard(): exact for arrays, texts and tsvectors, estimated for signatures.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

-- Worked examples from the literature.
SELECT jaccard('{10,8,11,13,2,17,3,1,19}'::int[], '{1,2,5,9,12,17,13,11,10}'::int[]);
SELECT jaccard('{2,3,4}'::int[], '{1,5,4,2}'::int[]);
-- columns of a characteristic matrix, as the sets of their rows
SELECT jaccard(a, b) FROM (SELECT array_agg(i) FILTER (WHERE substr('10111', i, 1) = '1') AS a,
	array_agg(i) FILTER (WHERE substr('10011', i, 1) = '1') AS b FROM generate_series(1, 5) i) c;
-- bags by minimum over maximum: {a,a,a,b} and {a,a,b,b,c} have 3 of 6
SELECT jaccard('aaab', 'aabbc', 'char:1 bag') AS bag, jaccard('aaab', 'aabbc', 'char:1') AS "set";
-- four columns of five rows, pair by pair: 0, 1/4, 2/3, 0, 1/3, 1/5
SELECT a, b, round(jaccard(sets.a_rows, others.b_rows)::numeric, 3) AS jaccard
FROM (VALUES ('S1', '{0,3}'::int[]), ('S2', '{2}'), ('S3', '{1,3,4}'), ('S4', '{0,2,3}')) AS sets(a, a_rows),
	(VALUES ('S1', '{0,3}'::int[]), ('S2', '{2}'), ('S3', '{1,3,4}'), ('S4', '{0,2,3}')) AS others(b, b_rows)
WHERE a < b ORDER BY a, b;

-- Arrays are sets: NULLs, order, repetitions and dimensions do not matter.
SELECT jaccard('{1,NULL,2,2}'::int[], '{{2,1},{1,NULL}}'::int[]), jaccard('{1,1,1,2}'::int[], '{2,3}'::int[]), jaccard('{1}'::int[], '{2}'::int[]);
-- Both empty: nothing is known.  One empty: nothing in common.
SELECT jaccard('{}'::int[], '{}'::int[]), jaccard('{NULL}'::int[], '{}'::int[]), jaccard('{}'::int[], '{1}'::int[]), jaccard('{1}'::int[], '{NULL}'::int[]);
SELECT jaccard(NULL, '{1}'::int[]), jaccard('{1}'::int[], NULL);
-- Elements of types that have a common one; strings by their bytes.
SELECT jaccard('{1,2}'::int2[], '{2,3}'::int8[]), jaccard('{1,2}'::int[], '{1.0,2.5}'::numeric[]), jaccard('{a,b}'::varchar[], '{b,c}'::text[]);
SELECT jaccard('{a,A}'::text[], '{A,b}'::text[]), jaccard('{"a "}'::text[], '{a}'::text[]), jaccard('{"a "}'::char(3)[], '{a}'::char(3)[]),
	jaccard('{a,b}'::text[] COLLATE "C", '{b}'::text[]);
SELECT jaccard('{2024-01-01,2024-01-02}'::date[], '{2024-01-02}'::date[]), jaccard('{t,f}'::bool[], '{f}'::bool[]),
	jaccard('{0,NaN}'::float8[], '{-0,NaN,1}'::float8[]);
-- PostgreSQL 19 has a detail for a function that does not exist.
SELECT statement, message, nullif(detail, 'No function of that name accepts the given argument types.') AS detail FROM pg_temp.errors_of(
	$$jaccard('{1}'::int[], '{a}'::text[])$$, $$jaccard(ARRAY['1']::json[], ARRAY['1']::json[])$$);

-- Texts under a shingling.
SELECT jaccard('The cat sat', 'the  cat sat', 'char:3'), jaccard('The cat sat', 'the  cat sat', 'char:3 raw'), jaccard('cat, sat.', 'Sat CAT', 'word:1');
SELECT jaccard('', '', 'char:5'), jaccard(' ', '', 'char:5'), jaccard('', 'x', 'char:5'), jaccard('x', '', 'word:1'), jaccard('...', '!', 'word:1');
SELECT jaccard(NULL, 'x', 'char:5'), jaccard('x', NULL, 'char:5'), jaccard('x', 'x', NULL);
-- a text that is too short is one shingle: equal or not
SELECT jaccard('ab', 'ab', 'char:5'), jaccard('ab', 'abc', 'char:5'), jaccard('one', 'one two', 'word:2'), jaccard('abcd', 'abcde', 'char:5');
SELECT * FROM pg_temp.errors_of($$jaccard('a', 'b', 'integer')$$, $$jaccard('a', 'b', 'char:5 cooked')$$);

-- tsvectors.
SELECT jaccard('a:1 b:2A c'::tsvector, 'b:9 c:1 d'), jaccard(''::tsvector, ''), jaccard(''::tsvector, 'a'), jaccard('a'::tsvector, NULL);
SELECT jaccard(to_tsvector('simple', 'the quick brown fox'), to_tsvector('simple', 'The lazy fox'));

-- Pseudorandom texts (004_exact compares exact similarities of texts with an independent program) ...
\set ECHO none
CREATE FUNCTION rnd(i bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT (x * x + i) % 2147483647 FROM (SELECT (i + 1) * 48271 % 2147483647) AS v(x)
$$;
CREATE TEMP TABLE texts AS
	SELECT i, (SELECT coalesce(string_agg(substr('abAB . ', (rnd(i * 100 + j) % 7)::int + 1, 1), '' ORDER BY j), '') FROM generate_series(1, rnd(i) % 40) j) AS a,
		(SELECT coalesce(string_agg(substr('abAB . ', (rnd(i * 100 + 50 + j) % 7)::int + 1, 1), '' ORDER BY j), '') FROM generate_series(1, rnd(i) % 30) j) AS b
	FROM generate_series(1, 300) i;
-- ... and arrays and tsvectors, compared with plain SQL
CREATE TEMP TABLE pairs AS
	SELECT i, coalesce((SELECT array_agg((rnd(i * 1000 + j) % 60)::int) FROM generate_series(1, rnd(i) % (i + 1)) j), '{}') AS a,
		coalesce((SELECT array_agg((rnd(i * 1000 + 500 + j) % 60)::int) FROM generate_series(1, rnd(-i - 2) % (i + 1)) j), '{}') AS b
	FROM generate_series(0, 200) i;
\set ECHO all
SELECT count(*) AS pairs, round(avg(expected)::numeric, 3) AS mean, count(*) - count(expected) AS nulls,
	count(*) FILTER (WHERE jaccard(a, b) IS NOT DISTINCT FROM expected) AS int,
	count(*) FILTER (WHERE jaccard(a::text[], b::text[]) IS NOT DISTINCT FROM expected) AS text,
	count(*) FILTER (WHERE jaccard(a::numeric[], b::numeric[]) IS NOT DISTINCT FROM expected) AS numeric,
	count(*) FILTER (WHERE jaccard(array_to_tsvector(a::text[]), array_to_tsvector(b::text[])) IS NOT DISTINCT FROM expected) AS tsvector
FROM pairs, LATERAL (
	SELECT (SELECT count(*) FROM (SELECT unnest(a) INTERSECT SELECT unnest(b)) c)::float8 /
		nullif((SELECT count(*) FROM (SELECT unnest(a) UNION SELECT unnest(b)) c), 0) AS expected) e;

-- Estimates: the share of equal slots among those that are not empty in both.
SELECT count(*) AS pairs, count(*) FILTER (WHERE jaccard(s, t) IS NOT DISTINCT FROM expected) AS equal,
	count(*) FILTER (WHERE s <-> t IS NOT DISTINCT FROM 1 - expected) AS distance, count(*) FILTER (WHERE jaccard(t, s) IS NOT DISTINCT FROM expected) AS swapped
FROM pairs, unnest('{one-permutation,k-permutation}'::text[]) method, unnest('{16,17,128,1000}'::int[]) k, LATERAL (
	SELECT array_to_minhash(a, k, i, method) AS s, array_to_minhash(b, k, i, method) AS t) sigs, LATERAL (
	SELECT count(*) FILTER (WHERE x = y)::float8 / nullif(count(*) FILTER (WHERE x IS NOT NULL OR y IS NOT NULL), 0) AS expected
	FROM unnest(minhash_slots(s), minhash_slots(t)) u(x, y)) e;
-- of a set and itself, of nothing in common, of the empty set
SELECT jaccard(s, s), jaccard(s, other), jaccard(s, nothing), jaccard(nothing, s), jaccard(nothing, nothing),
	s <-> s, s <-> other, s <-> nothing, nothing <-> nothing, jaccard(s, NULL), s <-> NULL
FROM array_to_minhash('{1,2,3,4}'::int[]) s, array_to_minhash('{5,6,7,8}'::int[]) other, array_to_minhash('{}'::int[]) nothing;
SELECT jaccard(s, s), jaccard(s, nothing), jaccard(nothing, nothing)
FROM array_to_minhash('{1,2,3,4}'::int[], 128, 0, 'k-permutation') s, array_to_minhash('{}'::int[], 128, 0, 'k-permutation') nothing;
-- near the exact value, for every way to make a set (see also unit/estimator)
SELECT count(*) AS pairs, count(*) FILTER (WHERE abs(jaccard(array_to_minhash(a, 4096, 0, method), array_to_minhash(b, 4096, 0, method)) - j) <= 0.05) AS near
FROM pairs, unnest('{one-permutation,k-permutation}'::text[]) method, LATERAL (SELECT jaccard(a, b) AS j) e WHERE j IS NOT NULL;
SELECT count(*) AS pairs, count(*) FILTER (WHERE abs(jaccard(to_minhash(a, s, 4096), to_minhash(b, s, 4096)) - j) <= 0.05) AS near
FROM texts, unnest('{char:2,char:3 raw,char:2 bag,word:1,word:2,word:2 raw bag}'::shingling[]) s, LATERAL (SELECT jaccard(a, b, s) AS j) e
WHERE j IS NOT NULL;

-- Signatures that are made in different ways cannot be compared.
SELECT message, hint, sql_error_code, count(*), string_agg(detail, E'\n' ORDER BY detail COLLATE "C") AS details FROM pg_temp.errors_of(
	$$jaccard(to_minhash('x', 'char:5'), to_minhash('x', 'word:3'))$$,
	$$jaccard(to_minhash('x', 'char:5 raw'), to_minhash('x', 'char:5 bag'))$$,
	$$jaccard(array_to_minhash('{1}'::int[]), array_to_minhash('{1}'::text[]))$$,
	$$jaccard(array_to_minhash('{a}'::text[]), tsvector_to_minhash('a'::tsvector))$$,
	$$jaccard(to_minhash('x'), to_minhash('x', method => 'k-permutation'))$$,
	$$jaccard(to_minhash('x', num_hashes => 64), to_minhash('x'))$$,
	$$jaccard(to_minhash('x', seed => 1), to_minhash('x', seed => -1))$$,
	$$to_minhash('x', 'char:5') <-> to_minhash('x', 'word:3')$$,
	$$to_minhash('x', 'char:5') % to_minhash('x', 'word:3')$$,
	-- not even those of empty sets; of several differences the first is named
	$$jaccard(to_minhash('', 'char:5'), to_minhash('', 'char:6', 64, 1, 'k-permutation'))$$,
	$$jaccard(to_minhash('', 'char:5'), to_minhash('', 'char:5', 64, 1, 'k-permutation'))$$,
	$$jaccard(to_minhash('', 'char:5'), to_minhash('', 'char:5', 64, 1))$$) GROUP BY 1, 2, 3;

--
-- Union, cardinality, containment, intervals.
--
-- The union of two sets has the slot-wise minimum of their signatures.
SELECT to_minhash(ARRAY[1, 2, 3]) | to_minhash(ARRAY[3, 4]) = to_minhash(ARRAY[1, 2, 3, 4]) AS arrays,
	to_minhash('abcdef', 'char:3') | to_minhash('defgh', 'char:3') = to_minhash('abcdefgh', 'char:3') AS chars,
	to_minhash(to_tsvector('simple', 'a b')) | to_minhash(to_tsvector('simple', 'b c')) = to_minhash(to_tsvector('simple', 'a b c')) AS lexemes,
	to_minhash('one two three', 'word:1') | to_minhash('four', 'word:1') = to_minhash('four three two one', 'word:1') AS words;
SELECT count(*), bool_and(a | b = ab), bool_and(b | a = ab), bool_and(a | a = a), bool_and(a | e = a), bool_and(minhash_union(a, b) = ab)
FROM (
	SELECT to_minhash(x, k, 5, method) AS a, to_minhash(y, k, 5, method) AS b, to_minhash(x || y, k, 5, method) AS ab,
		to_minhash('{}'::int[], k, 5, method) AS e
	FROM (SELECT ARRAY(SELECT i * 7 FROM generate_series(1, n) i) AS x, ARRAY(SELECT i * 11 FROM generate_series(1, m) i) AS y
		FROM unnest(ARRAY[0, 1, 10, 100, 1000]) n, unnest(ARRAY[0, 1, 50, 2000]) m) s,
		unnest(ARRAY[16, 100, 128]) k, unnest(ARRAY['one-permutation', 'k-permutation']) method) s;
SELECT minhash_values(a | b) = ARRAY(SELECT least(x, y) FROM unnest(minhash_values(a), minhash_values(b)) u(x, y)) AS minima
FROM (SELECT to_minhash('a first text', 'char:2', 16) AS a, to_minhash('a second text', 'char:2', 16) AS b) s;
SELECT to_minhash('a') | NULL AS is_null;
SELECT to_minhash('a', 'char:3') | to_minhash('a', 'char:4');
SELECT to_minhash('a', 'char:3', 64) | to_minhash('a', 'char:3', 65);
SELECT to_minhash('a', 'char:3', 64, 1) | to_minhash('a', 'char:3', 64, 2);
SELECT to_minhash('a', 'char:3', 64, 1) | to_minhash('a', 'char:3', 64, 1, 'k-permutation');

-- Cardinality: near the truth.
SELECT method, n, bool_and(abs(cardinality(sig) - n) <= greatest(2, 4 * n / sqrt(k))) AS near
FROM (SELECT method, n, k, to_minhash(ARRAY(SELECT generate_series(1, n)), k, seed, method) AS sig
	FROM unnest(ARRAY[0, 1, 3, 10, 100, 1000, 50000]) n, unnest(ARRAY[128, 1000]) k, generate_series(1, 5) seed,
		unnest(ARRAY['one-permutation', 'k-permutation']) method) s
GROUP BY method, n ORDER BY method, n;
SELECT cardinality(NULL::minhash) AS is_null, cardinality(to_minhash('')) AS empty;
-- One element is in one slot, at a time of 0 to 1: k / (k - 1 + time).
SELECT cardinality(to_minhash(ARRAY[i])) BETWEEN 1 AND 128.0 / 127 AS one, count(*) FROM generate_series(1, 1000) i GROUP BY 1;
-- The formula of the documentation, in SQL: k * full slots / sum of the slots as fractions, empty ones 1.
CREATE FUNCTION middle(code int) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN code IS NULL THEN 1 WHEN code < 4096 THEN code + 0.5
		ELSE (2048 + code % 2048 + 0.5) * power(2, code / 2048 - 1) END / CASE WHEN code IS NULL THEN 1 ELSE power(2.0, 32) END
$$;
SELECT n, abs(k * count(code) / sum(middle(code)) / max(estimate) - 1) < 1e-9 AS same
FROM (SELECT n, 128 AS k, cardinality(sig) AS estimate, unnest(minhash_values(sig)) AS code
	FROM (SELECT n, to_minhash(ARRAY(SELECT generate_series(1, n))) AS sig FROM unnest(ARRAY[1, 7, 100, 3000, 300000]) n) s) s
GROUP BY n, k ORDER BY n;
SELECT n, abs((k - 1) / sum(-ln(1 - middle(code))) / max(estimate) - 1) < 1e-9 AS same
FROM (SELECT n, 64 AS k, cardinality(sig) AS estimate, unnest(minhash_values(sig)) AS code
	FROM (SELECT n, to_minhash(ARRAY(SELECT generate_series(1, n)), 64, 0, 'k-permutation') AS sig FROM unnest(ARRAY[1, 7, 100, 3000]) n) s) s
GROUP BY n, k ORDER BY n;
DROP FUNCTION middle(int);

-- Containment, exact: the share of the first set that is in the second.
SELECT containment(ARRAY[1, 2, 3, 4], ARRAY[4, 5, 2, 2]) AS half, containment(ARRAY[4, 5, 2, 2], ARRAY[1, 2, 3, 4]) AS two_thirds,
	containment(ARRAY[1, NULL], ARRAY[1]) AS all_of_it, containment(ARRAY[1], '{}') AS nothing, containment('{}'::int[], ARRAY[1]) AS unknown;
SELECT containment(ARRAY['a', 'B'], ARRAY['b', 'a']) AS texts, containment(ARRAY[1, 2], ARRAY[2.0, 3.5]) AS mixed;
SELECT containment('one two three four', 'two three four five six', 'word:2') AS words,
	containment('a a a b', 'a a b', 'char:1 raw bag') AS bag, containment('', 'a', 'char:3') AS unknown;
SELECT containment('fat cat'::tsvector, 'a fat dog'::tsvector) AS lexemes, containment(''::tsvector, 'a'::tsvector) AS unknown;
SELECT containment('a', 'b', 'integer');
SELECT containment(ARRAY[1], NULL) AS is_null, containment(NULL, 'b', 'char:3') AS is_null, containment(NULL::tsvector, 'b') AS is_null;

-- Containment, estimated: 1 of a subset, 0 of disjoint sets, near the truth between.
SELECT method, containment(small, large) AS subset, containment(apart, large) AS disjoint,
	abs(containment(large, small) - 0.2) < 0.05 AS superset, abs(containment(large, shifted) - 0.7) < 0.05 AS overlapping,
	containment(none, large) AS of_empty, containment(large, none) AS in_empty
FROM (SELECT method, to_minhash(ARRAY(SELECT generate_series(1, 200)), 512, 0, method) AS small,
	to_minhash(ARRAY(SELECT generate_series(1, 1000)), 512, 0, method) AS large,
	to_minhash(ARRAY(SELECT generate_series(301, 1300)), 512, 0, method) AS shifted,
	to_minhash(ARRAY(SELECT generate_series(5001, 5010)), 512, 0, method) AS apart,
	to_minhash('{}'::int[], 512, 0, method) AS none
	FROM unnest(ARRAY['one-permutation', 'k-permutation']) method) s;
SELECT containment(to_minhash('a'), NULL) AS is_null;
SELECT containment(to_minhash('a', 'char:3'), to_minhash('a', 'char:4'));

-- Interval of the Jaccard similarity.
SELECT round(low::numeric, 4) AS low, round(high::numeric, 4) AS high
FROM unnest(ARRAY[0.5, 0.95, 0.999]) confidence,
	jaccard_interval(to_minhash(ARRAY(SELECT generate_series(1, 1000)), 128, 0, 'k-permutation'),
		to_minhash(ARRAY(SELECT generate_series(201, 1200)), 128, 0, 'k-permutation'), confidence);
-- Wilson's formula, in SQL, as no slot is empty.
SELECT abs(low - (p + 1.959964 ^ 2 / 256 - 1.959964 * sqrt(p * (1 - p) / 128 + 1.959964 ^ 2 / (4 * 128 ^ 2))) / (1 + 1.959964 ^ 2 / 128)) < 1e-6 AS low,
	abs(high - (p + 1.959964 ^ 2 / 256 + 1.959964 * sqrt(p * (1 - p) / 128 + 1.959964 ^ 2 / (4 * 128 ^ 2))) / (1 + 1.959964 ^ 2 / 128)) < 1e-6 AS high
FROM (SELECT to_minhash(ARRAY(SELECT generate_series(1, 1000)), 128, 0, 'k-permutation') AS a,
	to_minhash(ARRAY(SELECT generate_series(201, 1200)), 128, 0, 'k-permutation') AS b) s, jaccard(a, b) p, jaccard_interval(a, b);
-- It holds the estimate, and is narrower with more hashes and with less confidence.
SELECT bool_and(jaccard(a, b) BETWEEN (jaccard_interval(a, b)).low AND (jaccard_interval(a, b)).high) AS holds,
	bool_and((i99).low <= (i80).low AND (i99).high >= (i80).high) AS wider
FROM (SELECT a, b, jaccard_interval(a, b, 0.99) AS i99, jaccard_interval(a, b, 0.8) AS i80
	FROM (SELECT to_minhash(ARRAY(SELECT generate_series(1, n)), 64) AS a, to_minhash(ARRAY(SELECT generate_series(1 + n / 3, n + n / 3)), 64) AS b
		FROM generate_series(1, 300) n) s) s;
SELECT low > 0.2 AS low, high FROM jaccard_interval(to_minhash('abc'), to_minhash('abc'));
SELECT * FROM jaccard_interval(to_minhash(''), to_minhash(''));
SELECT * FROM jaccard_interval(to_minhash('a'), NULL);
SELECT * FROM jaccard_interval(to_minhash('a'), to_minhash('a', 'word:1'));
SELECT * FROM jaccard_interval(to_minhash('a'), to_minhash('a'), 1);
SELECT * FROM jaccard_interval(to_minhash('a'), to_minhash('a'), 0);
SELECT * FROM jaccard_interval(to_minhash('a'), to_minhash('a'), 'NaN');

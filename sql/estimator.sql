--
-- The estimate of jaccard() is unbiased, and its error is what theory says.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
RESET client_min_messages;
\pset format unaligned \pset footer off

-- Pairs of sets: the size of their union, and what share of it they have in common.
CREATE TEMP TABLE pairs AS
	SELECT n, common::float8 / n AS j,
		ARRAY(SELECT generate_series(1, common + (n - common) / 2)) AS a,
		ARRAY(SELECT generate_series(1, common)) || ARRAY(SELECT generate_series(common + (n - common) / 2 + 1, n)) AS b
	FROM unnest('{5,10,20,50,100,200,500,1000,2000,5000}'::int[]) n, LATERAL (
		SELECT DISTINCT greatest(1, round(n * share)::int) AS common FROM unnest('{.1,.2,.4,.6,.8,.95}'::float8[]) share) s
	WHERE common < n;
SELECT n, count(*) AS pairs, round(min(j)::numeric, 2) AS min_j, round(max(j)::numeric, 2) AS max_j,
	bool_and(abs(jaccard(a, b) - j) < 1e-12) AS as_planned
FROM pairs GROUP BY n ORDER BY n;

-- Estimates with many seeds: a seed makes as much difference as other elements would.
CREATE FUNCTION errors(method text, k int, seeds int, sizes int[]) RETURNS TABLE (n int, j float8, error float8) LANGUAGE sql AS $$
	SELECT n, j, jaccard(array_to_minhash(a, k, seed, method), array_to_minhash(b, k, seed, method)) - j
	FROM pairs, LATERAL generate_series(n * 100000, n * 100000 + seeds - 1) seed WHERE n = ANY (sizes)
$$;
CREATE TEMP TABLE results AS
	SELECT 'one-permutation' AS method, 128 AS k, * FROM errors('one-permutation', 128, 5000, '{5,10,20,50,100,200}') UNION ALL
	SELECT 'one-permutation', 128, * FROM errors('one-permutation', 128, 1000, '{500,1000,2000,5000}') UNION ALL
	SELECT 'one-permutation', 1024, * FROM errors('one-permutation', 1024, 1000, '{20,200,2000}') UNION ALL
	SELECT 'k-permutation', 128, * FROM errors('k-permutation', 128, 3000, '{5,20,100,500}');

-- No bias beyond noise: the mean error of a pair is within four of its standard errors of 0.
SELECT method, k, n, count(*) AS pairs, count(*) FILTER (WHERE abs(mean) < 4 * deviation / sqrt(seeds)) AS unbiased
FROM (SELECT method, k, n, j, avg(error) AS mean, stddev(error) AS deviation, count(*) AS seeds FROM results GROUP BY method, k, n, j) p
GROUP BY method, k, n ORDER BY method DESC, k, n;

-- The mean squared error, as a multiple of that of k independent functions, J (1 - J) / k: near 1 with k permutations; with one
-- at most 1.05 everywhere and at most 0.7 where the union has up to 200 elements.
SELECT method, k, n, round(avg(error ^ 2 / (j * (1 - j) / k))::numeric, 2) AS multiple, avg(error ^ 2 / (j * (1 - j) / k)) <=
	CASE WHEN method = 'k-permutation' THEN 1.1 WHEN n <= 200 THEN 0.7 ELSE 1.05 END AS good
FROM results GROUP BY method, k, n ORDER BY method DESC, k, n;

DROP FUNCTION errors;

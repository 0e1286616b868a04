-- Measure the S-curve: prints bands, rows, class, pairs, similarity, share
-- measured, share expected, standard error.
SET max_parallel_workers_per_gather = 0;

-- 6,000 texts, and among their 18 million pairs some for each class
CREATE TABLE sample AS
SELECT row_number() OVER (ORDER BY md5(id)) AS n, body,
	to_minhash(body, 'char:5', 256, -1) AS chooser
FROM docs ORDER BY md5(id) LIMIT 6000;

CREATE TABLE chosen AS
SELECT a, b FROM (
	SELECT a.n AS a, b.n AS b,
		row_number() OVER (PARTITION BY floor(20 * jaccard(a.chooser, b.chooser))
			ORDER BY hashint8(a.n * 6007 + b.n)) AS place
	FROM sample AS a JOIN sample AS b ON a.n < b.n
	WHERE jaccard(a.chooser, b.chooser) >= 0.05
		-- one in eight of the many pairs that have little in common
		AND (jaccard(a.chooser, b.chooser) >= 0.25 OR hashint8(a.n * 6007 + b.n) % 8 = 0)) AS p
WHERE place <= 1500;

-- Pairs of one family of texts have much in common.  A seed of its own for
-- every pair makes what is measured of them independent.
CREATE TABLE pairs AS
SELECT to_minhash(a.body, 'char:5', 128, seed) AS a, to_minhash(b.body, 'char:5', 128, seed) AS b,
	jaccard(a.body, b.body, 'char:5') AS s
FROM (SELECT a, b, row_number() OVER (ORDER BY a, b)::int AS seed FROM chosen) AS chosen
JOIN sample AS a ON a.n = chosen.a JOIN sample AS b ON b.n = chosen.b;

SELECT bands, rows, class, count(*), avg(s), avg(agrees::int), avg(p), sqrt(sum(p * (1 - p))) / count(*)
FROM (
	SELECT bands, rows, floor(20 * s + 1e-9) AS class, s,
		lsh_band_keys(a, bands, rows) && lsh_band_keys(b, bands, rows) AS agrees,
		lsh_probability(s, bands, rows) AS p
	FROM pairs, (VALUES (4, 6), (7, 6), (16, 6), (17, 4), (17, 2)) AS plans (bands, rows)
	WHERE s < 1) AS measured
GROUP BY bands, rows, class HAVING count(*) >= 100
ORDER BY rows DESC, bands, class;

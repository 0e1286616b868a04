-- The optimum that datasketch computes.
\set ECHO none \i test/data/setup.sql \set ECHO all

-- threshold, hashes, weights, and the bands and rows that datasketch's own
-- code answers (commit 8d4bda1)
CREATE TEMP TABLE datasketch (threshold float8, num_hashes int, fp_weight float8, fn_weight float8, bands int, band_rows int);
\copy datasketch FROM 'test/data/lsh_params.tsv'
SELECT count(*) AS tried, count(*) FILTER (WHERE (p.bands, p.band_rows) = (d.bands, d.band_rows)) AS equal
FROM datasketch AS d, lsh_params(threshold, num_hashes, fp_weight, fn_weight) AS p;

SELECT * FROM lsh_params(0.8);
SELECT * FROM lsh_params(0.01, 16);
SELECT * FROM lsh_params(1, 16);
SELECT * FROM pg_temp.errors_of(
	$$SELECT * FROM lsh_params(0)$$, $$SELECT * FROM lsh_params(1.1)$$, $$SELECT * FROM lsh_params('NaN')$$, $$SELECT * FROM lsh_params(0.5, 15)$$,
	$$SELECT * FROM lsh_params(0.5, 128, -1, 0.5)$$);
SELECT * FROM lsh_params(0.5, 128, 0.5, 'Infinity');

-- The figures as Markdown.  In: bench.figures; psql variables machine, size.

-- A number with three digits that count.
CREATE FUNCTION pg_temp.pretty(x float8) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN x = 0 THEN '0' ELSE trim(TRAILING '.' FROM to_char(round(x::numeric, digits),
		'FM999,999,999,990' || CASE WHEN digits > 0 THEN '.' || repeat('0', digits) ELSE '' END)) END
	FROM (SELECT greatest(0, 2 - floor(log(abs(nullif(x, 0))))::int) AS digits) AS d
$$;

-- A figure, or all of a task, of the largest number of rows.
CREATE FUNCTION pg_temp.figure(s text, t text, w text, OUT f bench.figures) LANGUAGE sql AS $$
	SELECT figures FROM bench.figures WHERE section = s AND task = t AND who = w
	ORDER BY rows DESC, figure DESC LIMIT 1
$$;

-- By how much the first figure of lshsim for the same task is better.
CREATE TEMP VIEW compared AS
SELECT f.*, base.figure AS start, CASE WHEN f.figure <> base.figure AND f.median > 0 AND base.median > 0 THEN
	CASE WHEN f.unit LIKE '%/s' THEN base.median / f.median ELSE f.median / base.median END END AS ratio
FROM bench.figures AS f LEFT JOIN LATERAL (
	SELECT * FROM bench.figures AS b
	WHERE (b.section, b.task) = (f.section, f.task) AND (b.rows = f.rows OR f.section <> 'growth')
		AND b.who LIKE 'lshsim%'
	ORDER BY b.figure LIMIT 1) AS base ON true;

-- Rows of a table of some columns, or its head.
CREATE FUNCTION pg_temp.line(VARIADIC cells text[]) RETURNS text LANGUAGE sql AS $$
	SELECT array_to_string(cells, ' | ', '')
$$;
CREATE FUNCTION pg_temp.head(VARIADIC cells text[]) RETURNS text LANGUAGE sql AS $$
	SELECT array_to_string(cells, ' | ', '') || E'\n' || repeat('--- | ', cardinality(cells) - 1) || '---'
$$;

CREATE TEMP TABLE targets AS
SELECT 1 AS n, 'char:5 from SQL, as a share of the bare loop' AS what, '≥ 0.55' AS goal,
	(pg_temp.figure('sketch', 'texts, char:5, 128 hashes', 'lshsim')).median
		/ (pg_temp.figure('sketch', 'texts, char:5, 128 hashes', 'bare loop')).median AS measured, 0.55 AS least, NULL::float8 AS most
UNION ALL SELECT 2, 'word:3 beside char:5, MB/s', '> 1',
	(pg_temp.figure('sketch', 'texts, word:3, 128 hashes', 'lshsim')).median
		/ (pg_temp.figure('sketch', 'texts, char:5, 128 hashes', 'lshsim')).median, 1, NULL
UNION ALL SELECT 3, 'million elements/s of ' || task, '≥ 20', (pg_temp.figure('sketch', task, 'lshsim')).median, 20, NULL
	FROM unnest(ARRAY['int[] of 400 elements', 'text[] of words', 'tsvector']) AS task
UNION ALL SELECT 4, 'time of a scan with % beside get_byte of the same bytes', '≤ 1.3',
	(pg_temp.figure('compare', 'scan with %', 'bytea, get_byte(x, 0) = 255')).median
		/ (pg_temp.figure('compare', 'scan with %', 'lshsim')).median, NULL, 1.3
UNION ALL SELECT 5, 'search at 0.8, median: pg_trgm (GIN) takes times as long', '≥ 1,000',
	(pg_temp.figure('probes', 'search at 0.8, median', 'pg_trgm, GIN')).median
		/ (pg_temp.figure('probes', 'search at 0.8, median', 'lshsim')).median, 1000, NULL
UNION ALL SELECT 6, 'search at 0.8, share of the estimated pairs that are found', '≥ 0.99',
	(pg_temp.figure('probes', 'search at 0.8, median', 'lshsim')).promise, 0.99, NULL
UNION ALL SELECT 7, 'search at 0.9 is times as fast as at 0.8, median', '≥ 2',
	(pg_temp.figure('probes', 'search at 0.8, median', 'lshsim')).median
		/ (pg_temp.figure('probes', 'search at 0.9, median', 'lshsim')).median, 2, NULL
UNION ALL SELECT 8, 'all similar pairs of the descriptions, verified, one statement, seconds', '< 1',
	(pg_temp.figure('pairs', 'all pairs at 0.8', 'lshsim, minhash_cluster and join')).median, NULL, 1
UNION ALL SELECT 9, format('clusters of %s rows, the whole statement, beside the bare loop',
		to_char((pg_temp.figure('growth', 'clusters at 0.8', 'lshsim')).rows, 'FM9,999,999')), '≤ 4',
	(pg_temp.figure('growth', 'clusters at 0.8', 'lshsim')).median
		/ nullif((pg_temp.figure('growth', 'clusters at 0.8', 'bare loop')).median, 0), NULL, 4;

\echo '# Results'
\echo
\echo 'Made by `make bench`; not to be edited.'
\echo
\echo '## In short'
\echo
\echo :machine
\echo
SELECT format('Noise: between the runs of a figure, least to greatest, lie %s %% of it at the median, %s %% for nine in ten figures.',
	round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY (high - low) / median)::numeric),
	round(100 * percentile_cont(0.9) WITHIN GROUP (ORDER BY (high - low) / median)::numeric))
FROM bench.figures WHERE runs > 1 AND median > 0;
\echo
SELECT pg_temp.head('Target', 'Goal', 'Measured', 'Reached');
SELECT pg_temp.line(what, goal, coalesce(pg_temp.pretty(measured), 'not measured'), CASE
	WHEN measured IS NULL THEN '–'
	WHEN measured >= coalesce(least, measured) AND measured <= coalesce(most, measured) THEN 'yes' ELSE 'no' END)
FROM targets ORDER BY n, what;
\echo
SELECT pg_temp.head('Package descriptions', 'By', 'Median', 'lshsim is better by', 'Recall', 'Precision', 'Promise');
SELECT pg_temp.line(CASE WHEN lag(task) OVER w = task THEN '' ELSE replace(task, ', median', '') END, who,
	pg_temp.pretty(median) || ' ' || unit, pg_temp.pretty(ratio),
	to_char(recall, 'FM0.000'), to_char(precision, 'FM0.000'), to_char(promise, 'FM0.000'))
FROM compared
WHERE section = 'sketch' AND task = 'texts, char:5, 128 hashes'
	OR section = 'compare' AND task = 'scan with %'
	OR section = 'index' AND task IN ('build', 'size', 'insert in one statement')
	OR section = 'probes' AND task IN ('search at 0.5, median', 'search at 0.8, median', 'search at 0.9, median')
	OR section = 'pairs'
WINDOW w AS (ORDER BY start, figure) ORDER BY start, figure;

\echo
\echo '## What is measured, and how'
\echo
\echo '- Medians; in brackets the least and the greatest of the runs. What is compared runs in turn. "lshsim is better by": how many times as long (or as large, or as slow) the other is; below 1 it is better than lshsim.'
\echo '- *Sketching*, *comparing* and *clusters*: processor time of the server process. Everything else: by the clock, all in memory, one process (no parallel plans, no JIT).'
\echo '- A *search* is one execution of a statement prepared once (a generic plan in PL/pgSQL), timed inside the server, whose ids are collected; the same for all. 200 documents drawn at random, three times; slow ones as often as there is patience for, once, which the remark says.'
\echo '- *Recall* and *precision*: against the exact Jaccard similarities of char:5 (truth.c), of all that were searched for, or of the pairs of those documents. Near the threshold the noise of the estimates decides. *Promise*: the share of the pairs with an estimate from the threshold on that are found, what `lshsim.recall` = 0.99 is about.'
\echo '- *pg_trgm* measures another similarity, of trigrams of words. Its threshold is what it says at the median of pairs that have the similarity asked for.'
\echo '- *Band table*: a table of (key, id), key by `lsh_band_keys`, with a B-tree of both columns; the bands of the same plan. What it takes to make it is not counted for all pairs. *Unverified*: all that share a key.'
\echo '- *Bare loop*: C without a database: for signatures the XXH3 hash of every 5 bytes and the minima (bare_loop.c), for clusters the keys, radix sort and verification (cluster_loop.c).'
\echo '- The generated documents (generate.c): about 200 words of a Zipf vocabulary, one in ten a near-duplicate, similarities spread evenly over 0.3 to 1. Searches are for near-duplicates.'

CREATE TEMP TABLE sections AS SELECT * FROM (VALUES
	(1, 'sketch', 'Signatures'), (2, 'compare', 'Comparing'), (3, 'index', 'The index'),
	(4, 'probes', 'Searches'), (5, 'pairs', 'All pairs, and clusters, of the descriptions'),
	(6, 'growth', 'Growth: generated documents')) AS v (n, section, title);
SELECT concat_ws(E'\n', '', format('## %s', title), '',
	(SELECT string_agg(format(E'![%s](%s)\n', chart, chart), E'\n') FROM
		(VALUES ('probes', 'searches.svg'), ('growth', 'growth.svg'), ('growth', 'pairs.svg')) AS v (s, chart) WHERE s = section),
	pg_temp.head('What', 'Rows', 'By', 'Median', 'Range', 'Runs', 'lshsim is better by', 'Recall', 'Precision', 'Promise', 'Remark'),
	(SELECT string_agg(pg_temp.line(task, to_char(rows, 'FM9,999,999'), who, pg_temp.pretty(median) || ' ' || unit,
		CASE WHEN f.runs > 1 THEN pg_temp.pretty(low) || ' to ' || pg_temp.pretty(high) ELSE '' END, f.runs::text,
		pg_temp.pretty(ratio), to_char(recall, 'FM0.000'), to_char(precision, 'FM0.000'), to_char(promise, 'FM0.000'), note),
		E'\n' ORDER BY coalesce(start, figure), figure)
	FROM compared AS f WHERE f.section = s.section))
FROM sections AS s WHERE section IN (SELECT section FROM bench.figures) ORDER BY n;

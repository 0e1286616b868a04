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
	WHERE (b.section, b.task) = (f.section, f.task) AND b.who LIKE 'lshsim%'
	ORDER BY b.figure LIMIT 1) AS base ON true;

-- Rows of a table of some columns, or its head.
CREATE FUNCTION pg_temp.line(VARIADIC cells text[]) RETURNS text LANGUAGE sql AS $$
	SELECT array_to_string(cells, ' | ', '')
$$;
CREATE FUNCTION pg_temp.head(VARIADIC cells text[]) RETURNS text LANGUAGE sql AS $$
	SELECT array_to_string(cells, ' | ', '') || E'\n' || repeat('--- | ', cardinality(cells) - 1) || '---'
$$;

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
SELECT pg_temp.head('Package descriptions', 'By', 'Median', 'lshsim is better by', 'Recall', 'Precision', 'Promise');
SELECT pg_temp.line(CASE WHEN lag(task) OVER w = task THEN '' ELSE replace(task, ', median', '') END, who,
	pg_temp.pretty(median) || ' ' || unit, pg_temp.pretty(ratio),
	to_char(recall, 'FM0.000'), to_char(precision, 'FM0.000'), to_char(promise, 'FM0.000'))
FROM compared
WHERE section = 'index' AND task IN ('build', 'size', 'insert in one statement')
	OR section = 'probes' AND task IN ('search at 0.5, median', 'search at 0.8, median', 'search at 0.9, median',
		'the ten nearest, median')
	OR section = 'pairs'
WINDOW w AS (ORDER BY start, figure) ORDER BY start, figure;

-- Loading by each engine: a row for each task.
CREATE FUNCTION pg_temp.speed(t text, w text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce((SELECT format('%s rows/s (%s)', pg_temp.pretty(median), note) FROM pg_temp.figure('load', t, w) WHERE median > 0), '–')
$$;
\echo
SELECT pg_temp.head('Loading the descriptions', 'lshsim, lsh', 'lshsim, GIN', 'pg_trgm, GIN', 'texts only');
SELECT pg_temp.line(title, pg_temp.speed(task, 'lshsim, lsh' || way), pg_temp.speed(task, 'lshsim, GIN' || way),
	pg_temp.speed(task, 'pg_trgm, GIN' || way), pg_temp.speed(task, 'texts only' || way))
FROM (VALUES (1, 'COPY with an index', 'COPY, a table with an index', ''),
	(2, 'CREATE INDEX', 'CREATE INDEX on a table', ''),
	(3, 'CREATE INDEX, five times the rows', 'CREATE INDEX on five times the rows', ''),
	(4, 'CREATE INDEX, five times the rows, 2 processes', 'CREATE INDEX on five times the rows', ', 2 processes'),
	(5, 'INSERT, 1 client', 'insert, 20 rows a transaction, clients: 1', ''),
	(6, 'INSERT, 4 clients', 'insert, 20 rows a transaction, clients: 4', '')) AS v (n, title, task, way)
WHERE EXISTS (SELECT FROM bench.figures WHERE section = 'load') ORDER BY n;

-- Searches for shared passages: a row for each text, run and index.
CREATE TEMP VIEW passages AS
SELECT split_part(task, ': ', 1) AS subject, who, max(rows) AS rows, min(figure) AS figure,
	jsonb_object_agg(split_part(task, ': ', 2), median) AS medians, max(note) FILTER (WHERE task LIKE '%200 characters, median') AS note
FROM bench.figures WHERE section = 'passages' GROUP BY 1, 2;
CREATE FUNCTION pg_temp.cell(medians jsonb, VARIADIC tasks text[]) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(pg_temp.pretty((medians->>task)::float8), '; ' ORDER BY n), '–')
	FROM unnest(tasks) WITH ORDINALITY AS t (task, n) WHERE medians ? task
$$;
\echo
SELECT pg_temp.head('Shared passages', 'Rows', 'Index', 'Bytes a character', 'Build, MB/s a core', '200 characters, ms: median; 95 %', 'Whole texts, ms: likewise', 'Inserts, rows/s', 'Remark: 200 characters');
SELECT pg_temp.line(subject, to_char(rows, 'FM9,999,999'), who, pg_temp.cell(medians, 'size'), pg_temp.cell(medians, 'build'),
	pg_temp.cell(medians, '200 characters, median', '200 characters, 95 %'), pg_temp.cell(medians, 'whole texts, median', 'whole texts, 95 %'),
	pg_temp.cell(medians, 'insert'), note)
FROM passages ORDER BY min(figure) OVER (PARTITION BY subject), figure;
\echo
\echo '## Method'
\echo
\echo '- Medians. What is compared runs in turn. "lshsim is better by": how many times as long (or as large, or as slow) the other is; below 1 it is better than lshsim.'
\echo '- *lsh*: the index `USING lsh`; *GIN*: `USING gin`. Each is on a table of its own with the same rows, so that a search has one to take. All of lshsim that search for the same must find the same rows, or the run fails; so must a sequential scan.'
\echo '- *Primary key*: looking up the document itself, what a prepared statement in the same loop takes at least.'
\echo '- *Building* and *clusters*: processor time of the server process. Everything else: by the clock, all in memory, one process (no parallel plans, no JIT).'
\echo '- A *search* is one execution of a statement prepared once (a generic plan in PL/pgSQL), timed inside the server, whose ids are collected; the same for all. 200 documents drawn at random, three times; slow ones as often as there is patience for, once, which the remark says.'
\echo '- *Recall* and *precision*: against the exact Jaccard similarities of char:5 of the texts, of all that were searched for, or of the pairs of those documents. Near the threshold the noise of the estimates decides. *Promise*: the share of the pairs with an estimate from the threshold on that are found, what the recall of 0.99 is about.'
\echo '- *pg_trgm* measures another similarity, of trigrams of words. Its threshold is what it says at the median of pairs that have the similarity asked for.'
\echo '- *Band table*: a table of (key, id), key by `lsh_band_keys`, with a B-tree of both columns; the bands of the same plan. What it takes to make it is not counted for all pairs. *Unverified*: all that share a key.'
\echo '- *Loading*: texts come from a file (COPY) or from another table (INSERT), and the signatures are made on the way, by a generated column or by an index on an expression. All by the clock, GIN with its pending list (fastupdate), which it leaves behind. Inserts go into a table that holds half of the rows.'
\echo '- *Shared passages*: 200 searches, one after the other, for 200 characters from a third of a text on, and for whole texts, each of at least 400 characters; every row found is verified. ILIKE finds the whole query verbatim only. Both indexes and a sequential scan must find the same rows. Inserts: one statement, a tenth of the rows, into a table that holds half of them.'
\echo '- *Generated documents* (generate.c): about 200 words of a Zipf vocabulary, one in ten a near-duplicate, similarities spread evenly over 0.3 to 1.'

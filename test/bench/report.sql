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

-- How many times as good as others lshsim's index is at some tasks, at the
-- least: for each section and number of rows, of growth the greatest.  From
-- searches the time of looking up a primary key is taken off.
CREATE FUNCTION pg_temp.times(sections text[], tasks text, quick text, VARIADIC others text[])
RETURNS float8[] LANGUAGE sql AS $$
	SELECT array_agg(least ORDER BY rows) FROM (
		SELECT q.section, q.rows, min(CASE WHEN q.unit LIKE '%/s' THEN q.median / o.median
			ELSE (o.median - coalesce(k.median, 0)) / nullif(q.median - coalesce(k.median, 0), 0) END) AS least
		FROM bench.figures AS q JOIN bench.figures AS o USING (section, task, rows)
		LEFT JOIN bench.figures AS k ON (k.section, k.task, k.rows, k.who) = (q.section, q.task, q.rows, 'primary key')
		WHERE q.section = ANY (sections) AND q.task LIKE tasks AND q.who = quick AND o.who = ANY (others)
			AND (q.section <> 'growth' OR q.rows = (SELECT max(f.rows) FROM bench.figures AS f WHERE f.section = 'growth'))
		GROUP BY q.section, q.rows) AS ratios
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

-- The median of a task, of the largest number of rows.
CREATE FUNCTION pg_temp.value(s text, t text, w text) RETURNS float8 LANGUAGE sql AS $$
	SELECT (pg_temp.figure(s, t, w)).median
$$;

CREATE TEMP TABLE targets (n int GENERATED ALWAYS AS IDENTITY, what text, goal text, least float8, most float8, measured float8[]);
INSERT INTO targets (what, goal, least, most, measured) VALUES
('search at 0.8, median: pg_trgm (GIN) takes times as long', '≥ 1,000', 1000, NULL,
	ARRAY[pg_temp.value('probes', 'search at 0.8, median', 'pg_trgm, GIN')
		/ pg_temp.value('probes', 'search at 0.8, median', 'lshsim, lsh')]),
('search at 0.8, share of the estimated pairs that are found', '≥ 0.99', 0.99, NULL,
	ARRAY[(pg_temp.figure('probes', 'search at 0.8, median', 'lshsim, lsh')).promise]),
('search by GIN at 0.9 is times as fast as at 0.8, median', '≥ 2', 2, NULL,
	ARRAY[pg_temp.value('probes', 'search at 0.8, median', 'lshsim, GIN')
		/ pg_temp.value('probes', 'search at 0.9, median', 'lshsim, GIN')]),
('all similar pairs of the descriptions, verified, one statement, seconds', '< 1', NULL, 1,
	ARRAY[pg_temp.value('pairs', 'all pairs at 0.8', 'lshsim, minhash_cluster and join')]);

-- The index lsh.
INSERT INTO targets (what, goal, least, measured) VALUES
('build, processor time: GIN takes times as long as lsh', '≥ 8', 8, pg_temp.times('{growth}', 'build', 'lshsim, lsh', 'lshsim, GIN'));
INSERT INTO targets (what, goal, most, measured)
SELECT 'size as built, bytes a row', format('≤ %s: 520, and 8 for each of %s keys above 21', most, keys), most,
	ARRAY[pg_temp.value('index', 'size', 'lshsim, lsh'), pg_temp.value('growth', 'size', 'lshsim, lsh')]
FROM round(pg_temp.value('index', 'keys', 'lshsim, lsh')) AS keys, round(520 + 8 * (keys - 21)) AS most;
INSERT INTO targets (what, goal, most, measured)
SELECT 'size after inserts in random order, compared with a new index', '≤ 1.33', 4 / 3.0,
	ARRAY[pg_temp.value('index', size, 'lshsim, lsh, inserts') / pg_temp.value('index', size, 'lshsim, lsh, built')]
FROM CAST('size, by how it is filled' AS text) AS size
UNION ALL SELECT 'size after ten rounds of updates, compared with before', '≤ 1.3', 1.3,
	ARRAY[pg_temp.value('index', 'size, after rounds of updates: 10', 'lshsim, lsh, inserts')
		/ pg_temp.value('index', 'size, by how it is filled', 'lshsim, lsh, inserts')];
INSERT INTO targets (what, goal, least, measured)
SELECT format('search at %s, median: GIN takes times as long as lsh', t), '≥ ' || least, least,
	pg_temp.times('{probes,growth}', format('search at %s, median', t), 'lshsim, lsh', 'lshsim, GIN')
FROM (VALUES (0.5, 3), (0.7, 2.5), (0.8, 2.5), (0.9, 2.5), (0.95, 1)) AS v (t, least)
UNION ALL SELECT 'search at 0.5 to 0.95, 95 %: the least such ratio', '≥ 1', 1,
	pg_temp.times('{probes,growth}', 'search at %, 95 \%', 'lshsim, lsh', 'lshsim, GIN')
UNION ALL SELECT 'search at 0.8, median: the band table takes times as long', '≥ 2', 2,
	pg_temp.times('{probes,growth}', 'search at 0.8, median', 'lshsim, lsh', 'band table, verified')
UNION ALL SELECT 'the ten nearest, median: a sequential scan takes times as long', '≥ 3', 3,
	pg_temp.times('{probes,growth}', 'the ten nearest, median', 'lshsim, lsh', 'sequential scan and sort')
UNION ALL SELECT 'all pairs by nested loop: GIN takes times as long', '≥ 3', 3,
	pg_temp.times('{growth}', 'all pairs at 0.8', 'lshsim, join by lsh', 'lshsim, join by GIN')
UNION ALL (SELECT format(what, task), goal, least,
	pg_temp.times('{index}', task || figure, 'lshsim, lsh', 'lshsim, GIN, fastupdate off')
FROM (VALUES (1, '%s: times as many rows/s as GIN (fastupdate off)', '≥ 1.5', 1.5, ''),
		(2, '%s: GIN writes times as much WAL', '> 1', 1, ', WAL')) AS v (n, what, goal, least, figure),
	unnest(ARRAY['insert in one statement', 'insert, 20 rows a transaction, clients: 1',
		'insert, 20 rows a transaction, clients: 4']) WITH ORDINALITY AS t (task, nth)
ORDER BY n, nth);
INSERT INTO targets (what, goal, most, measured)
SELECT 'all similar pairs of the most generated documents, verified, the best way, seconds', '≤ 2.5', 2.5,
	ARRAY[min(pg_temp.value('growth', task, who))]
FROM bench.figures WHERE section = 'growth' AND task = 'all pairs at 0.8' AND who LIKE 'lshsim%';

-- Shared passages through lsh.
CREATE FUNCTION pg_temp.passages(subject text, VARIADIC tasks text[]) RETURNS float8[] LANGUAGE sql AS $$
	SELECT array_agg(pg_temp.value('passages', subject || ': ' || task, 'lshsim, lsh') ORDER BY n) FROM unnest(tasks) WITH ORDINALITY AS t (task, n)
$$;
INSERT INTO targets (what, goal, most, measured) VALUES
('passages, descriptions, char:100: bytes a character', '≤ 0.3', 0.3, pg_temp.passages('descriptions, char:100', 'size')),
('passages, descriptions, word:12: bytes a character', '≤ 0.4', 0.4, pg_temp.passages('descriptions, word:12', 'size')),
('passages, 200 characters, descriptions: median, ms', '≤ 0.15', 0.15,
	pg_temp.passages('descriptions, char:100', '200 characters, median') || pg_temp.passages('descriptions, word:12', '200 characters, median')),
('passages, 200 characters, descriptions: 95 %, ms', '≤ 5', 5,
	pg_temp.passages('descriptions, char:100', '200 characters, 95 %') || pg_temp.passages('descriptions, word:12', '200 characters, 95 %')),
('passages, 200 characters, generated documents: median, ms', '≤ 0.2', 0.2, pg_temp.passages('generated documents, word:12', '200 characters, median')),
('passages, 200 characters, generated documents: 95 %, ms', '≤ 5', 5, pg_temp.passages('generated documents, word:12', '200 characters, 95 %')),
('passages, whole mails: median, ms', '≤ 1', 1, pg_temp.passages('mails, word:12', 'whole texts, median')),
('passages, whole mails: 95 %, ms', '≤ 10', 10, pg_temp.passages('mails, word:12', 'whole texts, 95 %'));
INSERT INTO targets (what, goal, least, measured) VALUES
('passages, build, MB/s a core: descriptions; mails; generated documents', '≥ 25', 25,
	pg_temp.passages('descriptions, word:12', 'build') || pg_temp.passages('mails, word:12', 'build') || pg_temp.passages('generated documents, word:12', 'build')),
('passages, mails inserted a second', '≥ 3,000', 3000, pg_temp.passages('mails, word:12', 'insert'));

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
SELECT pg_temp.line(what, goal, coalesce(string_agg(pg_temp.pretty(m), '; ' ORDER BY place), 'not measured'), CASE
	WHEN count(*) > count(m) THEN '–'
	WHEN bool_and(m >= coalesce(least, m) AND m <= coalesce(most, m)) THEN 'yes' ELSE 'no' END)
FROM targets LEFT JOIN unnest(measured) WITH ORDINALITY AS u (m, place) ON true
GROUP BY n, what, goal ORDER BY n;
\echo
\echo 'Two figures: of the descriptions; of the most generated documents. From times of searches that are compared here the time of looking up a primary key is taken off.'
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


-- Growth: a row for each task and way, the numbers of rows side by side.
SELECT E'\n## Growth\n\n' || pg_temp.head('Generated documents', 'By', format('Medians of %s rows', string_agg(to_char(rows, 'FM9,999,999'), '; ' ORDER BY rows)))
FROM (SELECT DISTINCT rows FROM bench.figures WHERE section = 'growth') AS sizes HAVING count(*) > 0;
SELECT pg_temp.line(CASE WHEN lag(task) OVER w = task THEN '' ELSE task END, who, medians)
FROM (
	SELECT task, who, string_agg(pg_temp.pretty(median), '; ' ORDER BY rows) || ' ' || unit AS medians,
		min(min(figure)) OVER (PARTITION BY task) AS start, min(figure) AS figure
	FROM bench.figures WHERE section = 'growth' AND task !~ 'WAL|mean|0.7|0.95|signatures' AND who <> 'primary key' GROUP BY task, who, unit) AS tasks
WINDOW w AS (ORDER BY start, figure) ORDER BY start, figure;
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
\echo '- *Rounds of updates*: after the inserts, each gives a tenth of the rows the signature of another row, and is followed by VACUUM; after ten rounds all signatures are there again.'
\echo '- *Loading*: texts come from a file (COPY) or from another table (INSERT), and the signatures are made on the way, by a generated column or by an index on an expression. All by the clock, GIN with its pending list (fastupdate), which it leaves behind. Inserts go into a table that holds half of the rows.'
\echo '- *Shared passages*: 200 searches, one after the other, for 200 characters from a third of a text on, and for whole texts, each of at least 400 characters; every row found is verified. ILIKE finds the whole query verbatim only. Both indexes and a sequential scan must find the same rows. Inserts: one statement, a tenth of the rows, into a table that holds half of them. Mails (mails.sql) are made of generated documents: threads with quotes, and signatures of 300 senders.'
\echo '- *Generated documents* (generate.c): about 200 words of a Zipf vocabulary, one in ten a near-duplicate, similarities spread evenly over 0.3 to 1. Searches are for near-duplicates; pg_trgm searches only in the fewest documents.'

-- One corpus under one shingling: the exact form of a search and the
-- estimate, compared with the exact pairs.
--
-- In: tables docs (n, probe, body, sig) and truth (a, b, common, united, j); the
-- pairs sought are those of a probe with any other document.  Variables of psql:
-- corpus, shingling, thresholds, margin, recall, rounds.  Out: a row of a
-- Markdown table for each threshold.

SELECT set_config('exact.shingling', :'shingling', false), set_config('exact.margin', :'margin', false),
	set_config('exact.recall', :'recall', false) \g /dev/null

CREATE TEMP TABLE known AS
SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b, common, united FROM truth;
CREATE TEMP TABLE found (a int, b int);

-- Seconds of this process on a processor, which Linux adds up when it sleeps; by
-- the clock elsewhere.
CREATE FUNCTION pg_temp.now() RETURNS float8 LANGUAGE sql AS $$
	SELECT pg_sleep(0.001);
	SELECT coalesce(split_part(pg_read_file('/proc/self/schedstat', 0, 100, true), ' ', 1)::float8 / 1e9,
		extract(epoch FROM clock_timestamp())::float8)
$$;

-- Find the pairs of a threshold again; return the seconds that it takes.
CREATE FUNCTION pg_temp.seconds(statement text, threshold float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	began float8;
BEGIN
	TRUNCATE found;
	began := pg_temp.now();
	EXECUTE 'INSERT INTO found ' || replace(replace(replace(replace(statement, '$threshold', threshold::text),
		'$shingling', quote_literal(current_setting('exact.shingling'))),
		'$margin', current_setting('exact.margin')), '$recall', current_setting('exact.recall'));
	RETURN pg_temp.now() - began;
END $$;

-- The search by the estimate, and the exact form of the README.
CREATE FUNCTION pg_temp.estimated() RETURNS text LANGUAGE sql AS $$ SELECT
	'SELECT a.n, b.n FROM docs a JOIN docs b ON minhash_similar(b.sig, a.sig, $threshold)
	WHERE a.probe AND a.n <> b.n AND (a.n < b.n OR NOT b.probe)' $$;
CREATE FUNCTION pg_temp.exactly() RETURNS text LANGUAGE sql AS $$ SELECT
	'SELECT a.n, b.n FROM docs a JOIN docs b
		ON minhash_similar(b.sig, a.sig, $threshold - $margin * sqrt($threshold * (1 - $threshold) / 128), $recall)
	WHERE a.probe AND a.n <> b.n AND (a.n < b.n OR NOT b.probe) AND jaccard(a.body, b.body, $shingling) >= $threshold' $$;

-- Judge what was found: recall and precision, or dashes.
CREATE FUNCTION pg_temp.judged(threshold numeric, OUT pairs bigint, OUT recall text, OUT accuracy text) LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE yes),
		coalesce(round((count(*) FILTER (WHERE yes AND hit))::numeric / nullif(count(*) FILTER (WHERE yes), 0), 5)::text, '–'),
		coalesce(round((count(*) FILTER (WHERE yes AND hit))::numeric / nullif(count(*) FILTER (WHERE hit), 0), 5)::text, '–')
	FROM (SELECT coalesce(common >= threshold * united, false) AS yes, f.a IS NOT NULL AS hit
		FROM known k FULL JOIN (SELECT least(a, b) AS a, greatest(a, b) AS b FROM found) f USING (a, b)) p
$$;

-- Measure at a threshold, both in turns, and return a row of the table.
CREATE FUNCTION pg_temp.measure(corpus text, shingling text, threshold float8, rounds int)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	estimate float8[];
	exact float8[];
	by_estimate record;
	by_texts record;
	medians float8[];
BEGIN
	FOR i IN 1 .. rounds LOOP
		estimate := estimate || pg_temp.seconds(pg_temp.estimated(), threshold);
		by_estimate := pg_temp.judged(threshold::numeric);
		exact := exact || pg_temp.seconds(pg_temp.exactly(), threshold);
		by_texts := pg_temp.judged(threshold::numeric);
		EXIT WHEN exact[1] > 5;
	END LOOP;
	medians := ARRAY[(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY e) FROM unnest(estimate) e)]
		|| ARRAY[(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY e) FROM unnest(exact) e)];
	RETURN format('| %s | `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s |', corpus, shingling, threshold,
		by_texts.pairs, by_estimate.recall, by_estimate.accuracy, round(medians[1]::numeric, 3),
		by_texts.recall, by_texts.accuracy, round(medians[2]::numeric, 3), round((medians[2] / nullif(medians[1], 0))::numeric, 1));
END $$;

-- Row by row, as they come.
SELECT format('SELECT pg_temp.measure(%L, %L, %s, %s)', :'corpus', :'shingling', t, :rounds)
FROM unnest(:'thresholds'::float8[]) t \gexec

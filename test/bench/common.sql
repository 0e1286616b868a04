-- Common to all sections of make bench: the table of figures, and the timing of
-- statements and probes.

CREATE SCHEMA bench;

-- Every figure: the median, least and greatest of some runs.  The rows of one
-- section, task and number of rows are compared with that of lshsim.
CREATE TABLE bench.figures (
	figure int GENERATED ALWAYS AS IDENTITY,
	section text, task text, rows bigint, who text, unit text,
	median float8, low float8, high float8, runs int,
	recall float8, precision float8, promise float8, note text
);

-- Put a figure down.
CREATE FUNCTION bench.note(section text, task text, rows bigint, who text, unit text,
	runs float8[], note text DEFAULT '') RETURNS void LANGUAGE sql AS $$
	INSERT INTO bench.figures (section, task, rows, who, unit, median, low, high, runs, note)
	SELECT section, task, rows, who, unit, percentile_cont(0.5) WITHIN GROUP (ORDER BY run),
		min(run), max(run), count(*), note
	FROM unnest(runs) AS run
$$;

-- A JSON list as an array.
CREATE FUNCTION bench.numbers(list jsonb) RETURNS float8[] LANGUAGE sql AS $$
	SELECT array_agg(n::float8) FROM jsonb_array_elements_text(list) AS n
$$;

-- Seconds by the clock, or of this process on a processor if bench.clock is
-- "processor" and Linux tells.
CREATE FUNCTION bench.now() RETURNS float8 LANGUAGE sql AS $$
	SELECT coalesce(CASE WHEN current_setting('bench.clock', true) = 'processor' THEN
			split_part(pg_read_file('/proc/self/schedstat', 0, 100, true), ' ', 1)::float8 / 1e9
		END, extract(epoch FROM clock_timestamp())::float8)
$$;

-- Return the seconds of a statement.  What stands before "--timed" is done first.
CREATE FUNCTION bench.measure(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	began float8;
BEGIN
	IF statement LIKE '%--timed%' THEN
		EXECUTE split_part(statement, '--timed', 1);
		statement := split_part(statement, '--timed', 2);
	END IF;
	began := bench.now();
	EXECUTE statement;
	-- the clock of a process ticks slowly
	RETURN greatest(bench.now() - began, 1e-6);
END $$;

-- Append a number to one of several lists.
CREATE FUNCTION bench.append(lists jsonb, name text, number float8) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_set(lists, ARRAY[name], coalesce(lists->name, '[]') || to_jsonb(number))
$$;

-- Time statements in turn, so that all share the machine's moods, and put down
-- seconds; or speeds, if an amount is given.  What takes half a minute is not
-- repeated.  Contenders: who, statement, ...
CREATE FUNCTION bench.race(section text, task text, rows bigint, unit text, amount float8,
	runs int, VARIADIC contenders text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	figure float8;
	figures jsonb := '{}';
	slow jsonb := '{}';
	who text;
BEGIN
	FOR run IN 1 .. runs LOOP
		FOR i IN 1 .. cardinality(contenders) / 2 LOOP
			who := contenders[2 * i - 1];
			CONTINUE WHEN slow ? who;
			figure := bench.measure(contenders[2 * i]);
			slow := slow || CASE WHEN figure > 30 THEN jsonb_build_object(who, 1) ELSE '{}' END;
			figures := bench.append(figures, who, coalesce(amount / figure, figure));
		END LOOP;
	END LOOP;
	FOR i IN 1 .. cardinality(contenders) / 2 LOOP
		who := contenders[2 * i - 1];
		PERFORM bench.note(section, task, rows, who, unit, bench.numbers(figures->who));
	END LOOP;
END $$;

-- Probes: rows whose similar rows are searched for, and what truly is similar.
CREATE TABLE bench.probes (probe int PRIMARY KEY, id int, body text, sig minhash);
CREATE TABLE bench.truth (a int, b int, similarity float8);
CREATE TABLE bench.estimated (a int, b int, similarity float8);
CREATE TABLE bench.found (who text, pass int, id int, ms float8, ids int[]);
-- documents of which the pairs are judged
CREATE TABLE bench.judged (id int PRIMARY KEY);

-- Make a function that runs a search for every probe, until patience ends: one
-- execution of a statement prepared once (PL/pgSQL keeps its generic plan) for
-- each probe, the ids collected, timed inside the server.  The query returns
-- ids; "probe" is the row of bench.probes.
CREATE FUNCTION bench.make_prober(query text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($prober$
		CREATE OR REPLACE FUNCTION bench.search(patience float8, OUT id int, OUT ms float8, OUT ids int[])
		RETURNS SETOF record LANGUAGE plpgsql
		SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $search$
		#variable_conflict use_column
		DECLARE
			probe bench.probes;
			start timestamptz := clock_timestamp();
			began timestamptz;
			planned boolean := false;
		BEGIN
			-- once more for the first, which plans and reads the metadata
			FOR probe IN (SELECT * FROM bench.probes ORDER BY probes.probe LIMIT 1)
				UNION ALL (SELECT * FROM bench.probes ORDER BY probes.probe) LOOP
				began := clock_timestamp();
				SELECT array_agg(found.id) INTO ids FROM (%s) AS found (id);
				ms := 1000 * extract(epoch FROM clock_timestamp() - began);
				id := probe.id;
				IF planned THEN
					RETURN NEXT;
				END IF;
				planned := true;
				EXIT WHEN probe.probe >= 3 AND clock_timestamp() > start + patience * interval '1 s';
			END LOOP;
		END $search$
	$prober$, query);
END $$;

-- The median number of pages that a search touches, of some probes.
CREATE FUNCTION bench.pages(query text, probes int) RETURNS float8 LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
	probe bench.probes;
	plan json;
	pages float8[] := '{}';
BEGIN
	query := regexp_replace(query, '\mprobe\.sig\M', '$1', 'g');
	query := regexp_replace(query, '\mprobe\.body\M', '$2', 'g');
	query := regexp_replace(query, '\mprobe\.id\M', '$3', 'g');
	FOR probe IN SELECT * FROM bench.probes AS p ORDER BY p.probe LIMIT probes LOOP
		EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) SELECT array_agg(id) FROM ('
			|| query || ') AS found (id) WHERE $1 IS NOT NULL AND $2 IS NOT NULL AND $3 IS NOT NULL'
			INTO plan USING probe.sig, probe.body, probe.id;
		pages := pages || (plan->0->'Plan'->>'Shared Hit Blocks')::float8
			+ (plan->0->'Plan'->>'Shared Read Blocks')::float8;
	END LOOP;
	RETURN (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY p) FROM unnest(pages) AS p);
END $$;

-- Compare pairs that were found with those that are so, of the documents that
-- were searched for.
CREATE FUNCTION bench.judge(this text, threshold float8, OUT recall float8, OUT "precision" float8,
	OUT promise float8, OUT hits bigint) LANGUAGE sql AS $$
	WITH searched AS (
		SELECT id AS a, ids FROM bench.found WHERE who = this AND pass = 1
	), hits AS (
		SELECT a, b FROM searched, unnest(ids) AS b WHERE a <> b
	), exact AS (
		SELECT a, b FROM bench.truth JOIN searched USING (a) WHERE similarity >= threshold
	), estimated AS (
		SELECT a, b FROM bench.estimated JOIN searched USING (a) WHERE similarity >= threshold
	)
	SELECT count(*) FILTER (WHERE hit AND yes)::float8 / nullif(count(*) FILTER (WHERE yes), 0),
		count(*) FILTER (WHERE hit AND yes)::float8 / nullif(count(*) FILTER (WHERE hit), 0),
		count(*) FILTER (WHERE hit AND likely)::float8 / nullif(count(*) FILTER (WHERE likely), 0),
		count(*) FILTER (WHERE hit)
	FROM (SELECT h.a IS NOT NULL AS hit, x.a IS NOT NULL AS yes, e.a IS NOT NULL AS likely
		FROM exact AS x FULL JOIN hits AS h USING (a, b) FULL JOIN estimated AS e USING (a, b)) AS pairs
$$;

-- All plans of lshsim's searches must have found the same.
CREATE FUNCTION bench.check_same(task text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM bench.found AS a JOIN bench.found AS b USING (id, pass)
		WHERE pass = 1 AND a.who LIKE 'lshsim%' AND (b.who LIKE 'lshsim%' OR b.who = 'sequential scan')
		AND ARRAY(SELECT unnest(a.ids) ORDER BY 1) <> ARRAY(SELECT unnest(b.ids) ORDER BY 1)) THEN
		RAISE EXCEPTION '%: two ways have found different rows', task;
	END IF;
END $$;

-- Search for all probes with every contender, in turn, and put down the median
-- and the 95th percentile.  Three passes; but where patience ends before the
-- first pass has made all probes, it is the only one.  Without a threshold what
-- is found is not judged.  Contenders: who, query, ...
CREATE FUNCTION bench.probe_race(section text, task text, threshold float8, rows bigint, patience float8,
	VARIADIC contenders text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	this text;
	probes bigint := (SELECT count(*) FROM bench.probes);
BEGIN
	TRUNCATE bench.found;
	FOR pass IN 1 .. 3 LOOP
		FOR i IN 1 .. cardinality(contenders) / 2 LOOP
			this := contenders[2 * i - 1];
			IF pass = 1 OR (SELECT count(*) FROM bench.found AS f WHERE f.who = this) >= probes THEN
				PERFORM bench.make_prober(contenders[2 * i]);
				INSERT INTO bench.found SELECT this, pass, s.* FROM bench.search(patience) AS s;
			END IF;
		END LOOP;
	END LOOP;
	IF threshold IS NOT NULL THEN
		PERFORM bench.check_same(task);
	END IF;
	FOR i IN 1 .. cardinality(contenders) / 2 LOOP
		PERFORM bench.note_probes(section, task, threshold, rows, contenders[2 * i - 1], contenders[2 * i]);
	END LOOP;
END $$;

-- Put down how quick and how good a contender's searches were.
CREATE FUNCTION bench.note_probes(section text, task text, threshold float8, rows bigint, this text, query text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	probes int := (SELECT count(*) FROM bench.found WHERE who = this AND pass = 1);
	shares record;
	name text;
BEGIN
	SELECT * INTO shares FROM bench.judge(this, CASE WHEN this <> 'primary key' THEN threshold END);
	FOREACH name IN ARRAY ARRAY['median', '95 %', 'mean'] LOOP
		-- the mean is what all rows together take
		CONTINUE WHEN name = 'mean' AND this NOT LIKE 'pg_trgm%';
		PERFORM bench.note(section, format('%s, %s', task, name), rows, this, 'ms', ARRAY(
			SELECT CASE name WHEN 'median' THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)
				WHEN '95 %' THEN percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) ELSE avg(ms) END
			FROM bench.found WHERE who = this GROUP BY pass));
	END LOOP;
	UPDATE bench.figures SET recall = shares.recall,
		precision = CASE WHEN shares.recall IS NOT NULL THEN shares.precision END,
		promise = CASE WHEN this ~ '^(lshsim|band table)' THEN shares.promise END,
		note = format('%s searches, %s others found by each, %s pages', probes,
			round(shares.hits::numeric / probes, 1), bench.pages(query, least(probes, 10)))
	WHERE figure = (SELECT max(figure) FROM bench.figures AS f WHERE who = this AND f.task LIKE '%, median');
END $$;

-- The threshold of pg_trgm that corresponds to one of Jaccard similarity: what
-- its own similarity is, at the median, of pairs of docs that are as similar.
CREATE FUNCTION bench.trgm_threshold(threshold float8) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT coalesce(round(percentile_cont(0.5) WITHIN GROUP (ORDER BY similarity(a.body, b.body))::numeric, 3),
			threshold::numeric)
		FROM (SELECT a, b FROM bench.truth WHERE similarity BETWEEN threshold - 0.02 AND threshold + 0.02
			ORDER BY hashint4(a), hashint4(b) LIMIT 500) AS pairs
		JOIN docs AS a ON a.id = pairs.a JOIN docs AS b ON b.id = pairs.b);
END $$;

-- Inserts by clients from the table "batches", each batch in a transaction:
-- the columns, into a table "target" that some statements make.
CREATE TABLE bench.inserts (n int PRIMARY KEY, who text, columns text, make text);
CREATE SEQUENCE bench.next_batch MINVALUE 0;

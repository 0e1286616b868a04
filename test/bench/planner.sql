-- Time the plan that the planner chooses, and the other one: for one table of
-- signatures, sigs, at eight thresholds, for every form of a search.

CREATE TABLE IF NOT EXISTS timed (corpus text, t float8, form text, probe int, plan text, chosen bool, cost float8, ms float8);

-- What is searched for: rows of the table.
CREATE FUNCTION pg_temp.draw_probes(n int) RETURNS void LANGUAGE sql AS $$
	DROP TABLE IF EXISTS probes;
	CREATE TABLE probes AS SELECT row_number() OVER ()::int AS probe, sig
	FROM (SELECT sig FROM sigs ORDER BY md5(id::text) LIMIT n) AS s;
	ANALYZE probes;
$$;

-- The forms of a search: what is known, and how it is written; PROBE is the
-- signature, and T the threshold.
CREATE TEMP TABLE forms (form text, condition text);
INSERT INTO forms
SELECT format('%s, %s', how, known), condition
FROM (VALUES ('%', 'sig % PROBE'), ('@@', 'sig @@ minhash_query(PROBE, T)'), ('minhash_similar', 'minhash_similar(sig, PROBE, T)')) AS w (how, condition),
	unnest(ARRAY['constant', 'parameter', 'subquery']) AS known;

-- A statement that is ready to be executed, and makes what it needs.
CREATE FUNCTION pg_temp.statement(form text, condition text, t float8, probe int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT count(*) FROM sigs WHERE ' || replace(condition, 'T)', t || ')');
	sig text := (SELECT format('%L::minhash', p.sig) FROM probes AS p WHERE p.probe = statement.probe);
BEGIN
	IF form LIKE '%constant' THEN
		RETURN replace(query, 'PROBE', sig);
	ELSIF form LIKE '%subquery' THEN
		RETURN replace(query, 'PROBE', format('(SELECT sig FROM probes WHERE probe = %s)', probe));
	END IF;
	IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'search') THEN
		DEALLOCATE search;
	END IF;
	EXECUTE 'PREPARE search (minhash) AS ' || replace(query, 'PROBE', '$1');
	RETURN format('EXECUTE search (%s)', sig);
END $$;

-- Milliseconds of a statement, the least of some runs; one is enough of what
-- takes long.
CREATE FUNCTION pg_temp.time_of(statement text, runs int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	least float8;
	began timestamptz;
BEGIN
	FOR run IN 1 .. runs LOOP
		began := clock_timestamp();
		EXECUTE statement;
		least := least(least, 1000 * extract(epoch FROM clock_timestamp() - began));
		EXIT WHEN least > 200;
	END LOOP;
	RETURN least;
END $$;

-- The plan of a statement: the scan of sigs, and what it is expected to cost.
CREATE FUNCTION pg_temp.plan_of(statement text, OUT plan text, OUT cost float8) LANGUAGE plpgsql AS $$
DECLARE
	found json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || statement INTO found;
	plan := CASE WHEN found::text LIKE '%sigs_sig_idx%' THEN 'index' ELSE 'scan' END;
	cost := (found->0->'Plan'->>'Total Cost')::float8;
END $$;

-- Time both plans of a search.
CREATE FUNCTION pg_temp.compare(corpus text, t float8, form text, condition text, probe int, runs int) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	statement text;
	best text;
	way text;
BEGIN
	PERFORM set_config('lshsim.similarity_threshold', t::text, false);
	statement := pg_temp.statement(form, condition, t, probe);
	best := (pg_temp.plan_of(statement)).plan;
	FOREACH way IN ARRAY ARRAY['scan', 'index'] LOOP
		PERFORM set_config('enable_seqscan', (way = 'scan')::text, false),
			set_config('enable_bitmapscan', (way = 'index')::text, false),
			set_config('enable_indexscan', (way = 'index')::text, false);
		-- what is prepared is planned anew
		statement := pg_temp.statement(form, condition, t, probe);
		INSERT INTO timed SELECT corpus, t, form, probe, p.plan, p.plan = best, p.cost, pg_temp.time_of(statement, runs)
		FROM pg_temp.plan_of(statement) AS p;
	END LOOP;
	RESET enable_seqscan;
	RESET enable_bitmapscan;
	RESET enable_indexscan;
END $$;

SELECT pg_temp.draw_probes(:probes);
SELECT count(pg_temp.compare(:'corpus', t, form, condition, probe, :runs))
FROM forms, unnest(ARRAY[0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8]) AS t, generate_series(1, :probes) AS probe;

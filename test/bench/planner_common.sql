-- Functions and the table that all parts of test/bench/planner share.
CREATE TABLE IF NOT EXISTS timed (corpus text, t float8, form text, probe int, plan text, chosen bool, cost float8, ms float8);

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

-- The plan of a statement: whether it uses the index that is judged, and its cost.
CREATE FUNCTION pg_temp.plan_of(statement text, OUT plan text, OUT cost float8) LANGUAGE plpgsql AS $$
DECLARE
	found json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || statement INTO found;
	plan := CASE WHEN found::text ~ 'sigs_sig_idx|texts_passages' THEN 'index' ELSE 'scan' END;
	cost := (found->0->'Plan'->>'Total Cost')::float8;
END $$;

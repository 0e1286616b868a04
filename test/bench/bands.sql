-- Functions of test/bench/bands.

-- Make the index of a table; return bytes a row and seconds.
CREATE FUNCTION make_index(what regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := clock_timestamp();
	row_count bigint;
BEGIN
	EXECUTE format('CREATE INDEX %I ON %s USING gin (sig)', what || '_sig', what);
	EXECUTE format('SELECT count(*) FROM %s', what) INTO row_count;
	RETURN format('%s | %s', pg_indexes_size(what) / row_count,
		round(extract(epoch FROM clock_timestamp() - start)::numeric, 2));
END $$;

-- Search for some rows of a table, the same ones by every rule; return the
-- milliseconds of a search, mean and median, and the mean of the rows found.
CREATE FUNCTION time_searches(what regclass, threshold float8, plan text, searches int,
	OUT mean float8, OUT middle float8, OUT matched float8) LANGUAGE plpgsql AS $$
DECLARE
	probe minhash;
	start timestamptz;
	matches bigint;
	times float8[];
	found_all bigint := 0;
BEGIN
	PERFORM set_config('enable_seqscan', CASE plan WHEN 'scan' THEN 'on' ELSE 'off' END, true),
		set_config('enable_bitmapscan', CASE plan WHEN 'scan' THEN 'off' ELSE 'on' END, true);
	FOR probe IN EXECUTE format('SELECT sig FROM %s ORDER BY hashint8(id) LIMIT %s', what, searches) LOOP
		start := clock_timestamp();
		EXECUTE format('SELECT count(*) FROM %s WHERE minhash_similar(sig, $1, $2)', what)
			INTO matches USING probe, threshold;
		times := times || 1000 * extract(epoch FROM clock_timestamp() - start)::float8;
		found_all := found_all + matches;
	END LOOP;
	SELECT avg(t), percentile_disc(.5) WITHIN GROUP (ORDER BY t) INTO mean, middle FROM unnest(times) t;
	matched := found_all::float8 / searches;
END $$;

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

-- Milliseconds of this process on a processor if Linux tells, else by the clock.
CREATE FUNCTION now_ms() RETURNS float8 LANGUAGE sql AS $$
	SELECT coalesce(split_part(pg_read_file('/proc/self/schedstat', 0, 100, true), ' ', 1)::float8 / 1e6,
		1000 * extract(epoch FROM clock_timestamp())::float8)
$$;

-- Search for some rows of a table, the same ones by every rule; return the mean
-- of a search in milliseconds on the processor, the median by the clock, and
-- the mean of the rows found.
CREATE FUNCTION time_searches(what regclass, threshold float8, plan text, searches int,
	OUT mean float8, OUT middle float8, OUT matched float8) LANGUAGE plpgsql AS $$
DECLARE
	probes minhash[];
	probe minhash;
	begun float8;
	start timestamptz;
	matches bigint;
	times float8[];
BEGIN
	matched := 0;
	PERFORM set_config('enable_seqscan', CASE plan WHEN 'scan' THEN 'on' ELSE 'off' END, true),
		set_config('enable_bitmapscan', CASE plan WHEN 'scan' THEN 'off' ELSE 'on' END, true);
	EXECUTE format('SELECT array_agg(sig) FROM (SELECT sig FROM %s ORDER BY hashint8(id) LIMIT %s) s', what, searches) INTO probes;
	begun := now_ms();
	FOREACH probe IN ARRAY probes LOOP
		start := clock_timestamp();
		EXECUTE format('SELECT count(*) FROM %s WHERE minhash_similar(sig, $1, $2)', what)
			INTO matches USING probe, threshold;
		times := times || 1000 * extract(epoch FROM clock_timestamp() - start)::float8;
		matched := matched + matches;
	END LOOP;
	mean := (now_ms() - begun) / searches;
	SELECT percentile_disc(.5) WITHIN GROUP (ORDER BY t) INTO middle FROM unnest(times) t;
	matched := matched / searches;
END $$;

-- A text of words of a small vocabulary, with line breaks.
CREATE FUNCTION essay(i int, words int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg('w' || get_byte(decode(md5(i || '.' || j), 'hex'), 0), CASE WHEN j % 9 = 0 THEN E',\n' ELSE ' ' END ORDER BY j)
	FROM generate_series(1, words) j
$$;
-- The scans of a plan, with their conditions.
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	scans text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Index Scan|Seq Scan on|Cond|Filter|Sort Key' THEN
			scans := concat_ws('; ', scans, regexp_replace(line, '^[ >-]*', ''));
		END IF;
	END LOOP;
	RETURN scans;
END $$;

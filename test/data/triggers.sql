-- A set of 20 words, and one of whose words differs: the similarity is 19 / 21.
CREATE FUNCTION words(n int, differs bool = false) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$ SELECT string_agg(format('word%s', CASE WHEN differs AND i = 1 THEN -n ELSE 100 * n + i END), ' ') FROM generate_series(1, 20) i $$;
-- The error of a trigger on the table bad with these arguments: when it is created, or called.
CREATE FUNCTION trigger_error(function text, arguments text, timing text = 'BEFORE INSERT OR UPDATE', level text = 'ROW') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE format('CREATE TRIGGER try %s ON bad FOR EACH %s EXECUTE FUNCTION %s(%s)', timing, level, function, arguments);
	INSERT INTO bad (id, body, tags) VALUES (1, 'A body', '{a}');
	UPDATE bad SET body = 'A body' WHERE id = 13;
	DELETE FROM bad WHERE id = 1;
	DROP TRIGGER try ON bad;
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN format('%s %s [%s] [%s]', sqlstate, sqlerrm, detail, hint);
END $$;

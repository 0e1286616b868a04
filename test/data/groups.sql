-- Refresh groups; warn if the rows, groups, changed rows or method are others.
CREATE PROCEDURE pg_temp.refresh_gives(groups regclass, rows int, groups_found int, changed_rows int, method text = 'full') LANGUAGE plpgsql AS $$
DECLARE
	result text;
	expected CONSTANT text := format('%s rows, %s groups, %s changed: %s', rows, groups_found, changed_rows, method);
BEGIN
	SELECT format('%s rows, %s groups, %s changed: %s', r.rows, r.groups_found, r.changed_rows, r.method) INTO result
	FROM minhash_groups_refresh(groups) r;
	IF result IS DISTINCT FROM expected THEN
		RAISE WARNING 'refresh gives %, not %', result, expected;
	END IF;
END $$;

-- What nearly all files of sql/ begin with: the extension, a schema without what the file before left in it, results as
-- values between bars without a footer.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
DROP SCHEMA IF EXISTS regress_lshsim CASCADE;
RESET client_min_messages;
CREATE SCHEMA regress_lshsim;
GRANT USAGE ON SCHEMA regress_lshsim TO PUBLIC;
SET search_path = regress_lshsim, public;
\pset format unaligned
\pset footer off
-- The errors of statements; a statement without a verb is selected.
CREATE FUNCTION pg_temp.errors_of(VARIADIC statements text[])
RETURNS TABLE (statement text, message text, detail text, hint text, sql_error_code text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH statement IN ARRAY statements LOOP
		message := NULL; detail := NULL; hint := NULL; sql_error_code := NULL;
		BEGIN
			EXECUTE CASE WHEN statement ~ '^[A-Z]{3,} ' THEN statement ELSE 'SELECT ' || statement END;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS message := MESSAGE_TEXT, detail := PG_EXCEPTION_DETAIL, hint := PG_EXCEPTION_HINT,
				sql_error_code := RETURNED_SQLSTATE;
		END;
		RETURN NEXT;
	END LOOP;
END $$;
-- The plan of a query.
CREATE FUNCTION pg_temp.explain(query text, options text = 'COSTS') RETURNS json LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (%s, FORMAT json) %s', options, query) INTO plan;
	RETURN plan->0;
END $$;

--
-- Distances of minhash_check_trigger: of each type, their limits and their errors.
-- Random operations are in test/t/025_check_models.pl.
--
\set ECHO none \i test/data/setup.sql
-- The flags of rows with values in a field, for a distance in it; or the error.
CREATE FUNCTION near(field text, distance text, VARIADIC field_values text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	detail text;
	context text;
BEGIN
	EXECUTE format('TRUNCATE dated; CREATE TRIGGER c BEFORE INSERT OR UPDATE ON dated
		FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger(''sig'', 0.8, ''flag'', ''copy_of'', ''within'', %L, %L)', field, distance);
	EXECUTE format('INSERT INTO dated (id, %I) SELECT n, v FROM unnest(%L::%s[]) WITH ORDINALITY AS u (v, n)', field, field_values,
		(SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'dated'::regclass AND attname = field));
	SELECT string_agg(coalesce(copy_of::text, '-'), ' ' ORDER BY id) INTO result FROM dated;
	DROP TRIGGER c ON dated;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, context = PG_EXCEPTION_CONTEXT;
	RETURN format('%s %s [%s]%s', sqlstate, sqlerrm, detail, ' ' || substring(context FROM 'distance [^\n]*'));
END $$;

-- Distances: of each type, inclusive in both directions; NULL is within nothing.
CREATE DOMAIN "My day" AS date;
CREATE TABLE dated (id int PRIMARY KEY, day "My day", at timestamp, n smallint, big bigint, ratio float8, part real, cost numeric,
	clock time, zoned timetz, span interval, since date, name text, spot point, folded text, body text DEFAULT 'one text of several words',
	copy_of int, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
\set ECHO all
SELECT field, distance, near(field, distance, VARIADIC v) FROM (VALUES
	('day', '2 days', '{2026-02-27,2026-03-01,2026-03-02,2026-02-25,NULL,NULL,infinity,2026-02-26}'::text[]),
	('at', '1 hour', '{2026-02-27 12:00,2026-02-27 13:00,2026-02-27 13:00:00.000001,2026-02-27 11:00,2026-02-27 10:59:59.999999}'),
	('at', '0', '{2026-02-27 12:00,2026-02-27 12:00,2026-02-27 12:01}'),
	('n', '5', '{1,6,7,-4,-5,32767,-32768}'),
	('big', '9223372036854775807', '{-9223372036854775808,0,9223372036854775807}'),
	('ratio', '0.5', '{0.25,0.75,0.7500000001,Infinity,Infinity,NaN,NaN}'),
	('part', '0.5', '{0.25,0.75,0.76}'),
	('cost', '0.1', '{0.2,0.3,0.30000000000000000001,0.1}'),
	('clock', '2 hours', '{01:00,03:00,23:30,03:01}'),
	('zoned', '24:00', '{01:00+00,23:00+00,24:00+00}'),
	('span', '1 day', '{1 hour,25 hours,26 hours}')) AS v (field, distance, v);
-- Bounds at the ends of a type: numbers and infinite values have one, a value near the end of the timestamps is an error even if no row is similar.
SELECT near('at', '7 days', 'infinity', 'infinity', '-infinity', '294276-12-20', '294276-12-24 23:59', '4713-01-10 BC'), near('cost', '1', 'NaN', 'NaN', '1e1000', '0');
SELECT f, d, v, near(f, d, v) FROM (VALUES ('at', '7 days', '294276-12-25'), ('at', '7 days', '4714-11-30 BC'), ('at', '300000 years', '2026-02-01'), ('since', '0', '294277-01-01'), ('since', '7 days', '4714-11-24 BC'), ('since', '0', '294276-12-31')) v (f, d, v);
-- A date that was stored before the trigger is an error for other rows.
TRUNCATE dated;
INSERT INTO dated (id, since) VALUES (1, '300000-01-01');
CREATE TRIGGER c BEFORE INSERT OR UPDATE ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of', 'within', 'since', '7 days');
\set SHOW_CONTEXT never
INSERT INTO dated (id, since) VALUES (2, '2026-02-03');
\set SHOW_CONTEXT errors
DROP TRIGGER c ON dated;
SELECT f, d, near(f, d, v) FROM (VALUES ('n', '-1', '1'), ('n', 'some', '1'), ('n', '1 day', '1'), ('big', '1.5', '1'), ('ratio', 'NaN', '1'), ('cost', 'nan', '1'),
	('at', '-1 day', '2026-02-01'), ('at', '1 month -1 day', '2026-02-01'), ('clock', '1 day', '01:00'), ('clock', '1 month', '01:00'), ('clock', '1 day -2 hours', '01:00'), ('zoned', '1 day 2 hours', '01:00+00'), ('zoned', '-2 hours', '01:00+00'), ('span', '1 day -1 hour', '1 day'), ('at', '7 dais', '2026-02-01'), ('name', '1', '1'), ('spot', '1', '(1,2)')) v (f, d, v);
-- several distances, after a scope; the other actions; an update of the column is checked
TRUNCATE dated;
CREATE TRIGGER c BEFORE INSERT OR UPDATE ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of', 'scope', 'name', 'folded', 'within', 'at', '1 day', 'within', 'n', '2');
INSERT INTO dated (id, name, at, n) VALUES (1, 'a', '2026-02-01', 1), (2, 'a', '2026-02-02', 3), (3, 'a', '2026-02-02', 4), (4, 'a', '2026-02-04', 1), (5, 'b', '2026-02-02', 3) RETURNING id, copy_of;
UPDATE dated SET n = 3 WHERE id = 3 RETURNING copy_of;
UPDATE dated SET at = '2026-02-03' WHERE id = 4 RETURNING copy_of;
UPDATE dated SET at = '2026-02-02', n = 2 WHERE id = 4 RETURNING copy_of;
UPDATE dated SET body = body WHERE id = 4 RETURNING copy_of;
DROP TRIGGER c ON dated;
TRUNCATE dated;
CREATE TRIGGER c BEFORE INSERT ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'skip', 'within', 'at', '1 day');
INSERT INTO dated (id, at) VALUES (1, '2026-02-01'), (2, '2026-02-02'), (3, '2026-02-03') RETURNING id;
DROP TRIGGER c ON dated;
CREATE TRIGGER c BEFORE INSERT OR UPDATE ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'reject', 'within', 'at', '1 day');
INSERT INTO dated (id, at) VALUES (4, '2026-02-05');
INSERT INTO dated (id, at) VALUES (5, '2026-02-05');
UPDATE dated SET at = '2026-02-04' WHERE id = 1;
-- wrong arguments
DROP TRIGGER c ON dated;
CREATE TABLE bad (LIKE dated INCLUDING ALL);
ALTER TABLE bad ADD tags text[];
\set ECHO none \i test/data/triggers.sql \set ECHO all
SELECT arguments, regexp_replace(trigger_error('minhash_check_trigger', arguments, 'BEFORE INSERT'), ' \[[^]]*\]$', '') AS error FROM unnest(ARRAY[
	$$'sig', 0.8, 'reject', 'within'$$, $$'sig', 0.8, 'reject', 'within', 'at'$$, $$'sig', 0.8, 'reject', 'scope', 'within', 'at', '1 day'$$,
	$$'sig', 0.8, 'reject', 'within', 'at', '1 day', 'at', '2 days'$$, $$'sig', 0.8, 'reject', 'within', 'at', '1 day', 'scope', 'name'$$,
	$$'sig', 0.8, 'flag', 'copy_of', 'within', 'at', '1 day', 'within', 'n'$$]) arguments;

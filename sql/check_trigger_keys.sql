--
-- Flags of minhash_check_trigger: keys of many types in columns of their type or of
-- text, under settings that print values in other ways, and columns that would lose a
-- part of a key.
--
\set ECHO none \i test/data/setup.sql
-- A table with a key and a flag of two types.
CREATE PROCEDURE make_keyed(key text, flag text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('DROP TABLE IF EXISTS keyed; CREATE TABLE keyed (k %s PRIMARY KEY, f %s, body text,
			sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
		CREATE TRIGGER c BEFORE INSERT ON keyed
			FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger(''sig'', 0.8, ''flag'', ''f'')', key, flag);
END $$;
-- The flag of a copy in it, or the error.
CREATE FUNCTION try(key text, flag text, first text, second text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	CALL make_keyed(key, flag);
	EXECUTE format('INSERT INTO keyed (k, body) VALUES (%L, ''a text of several words'')', first);
	EXECUTE format('INSERT INTO keyed (k, body) VALUES (%L, ''a text of several words'')', second);
	EXECUTE format('SELECT format(''%%s, equal: %%s'', f, f::%1$s = (SELECT k FROM keyed WHERE f IS NULL))
		FROM keyed WHERE f IS NOT NULL', key) INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
\set ECHO all
SET client_min_messages = warning;

CREATE DOMAIN "My even" AS int CHECK (VALUE % 2 = 0);
CREATE DOMAIN short_code AS varchar(8);
CREATE DOMAIN long_code AS short_code CHECK (VALUE <> 'none');
CREATE TYPE colour AS ENUM ('dark red', 'blue');
\set ECHO none
-- Types of keys, and the keys of a row and of its copy.
CREATE TABLE key_values (n int, type text, first text, second text);
INSERT INTO key_values SELECT row_number() OVER (), v.* FROM (VALUES
	('int', '-12', '99'), ('bigint', '12345678901', '99'), ('numeric(10,2)', '12.30', '99'), ('numeric', '1e-20', '99'),
	('real', '0.1', '99'), ('float8', '0.30000000000000004', '5'), ('text', 'Zoë''s, "key" \ (1)', 'z'), ('varchar(9)', ' spaces ', 'z'),
	('uuid', '0a0b0c0d-0000-0000-0000-000000000001', '0a0b0c0d-0000-0000-0000-000000000002'), ('bytea', '\x00ff5c27', '\x01'),
	('date', '2026-02-01', '2020-01-31'), ('timestamp', '2026-02-01 00:00:00.000001', '2020-01-31'), ('timestamptz', '2026-07-01 22:30:00.5+00', '2020-01-31 00:00+00'),
	('timestamptz', '2026-01-02 03:04:05+00', '2020-01-31 00:00+00'), ('time', '23:59:59.999999', '00:00'), ('timetz', '23:59:59.5+05:30', '00:00+00'),
	('interval', '1 year 2 mons -3 days 04:00:00', '1 day'), ('interval', '-1 days +02:03:00', '1 day'), ('bool', 'true', 'false'), ('colour', 'dark red', 'blue'),
	('inet', '10.1.2.3/8', '::1'), ('int[]', '{1,NULL,3}', '{}'), ('int4range', '[1,5)', 'empty'), ('"My even"', '12', '14'), ('short_code', 'some', 'other'),
	('regclass', 'keyed', 'pg_class'), ('money', '1234.5', '2'), ('"char"', 'x', 'y'), ('name', 'a name', 'b'), ('oid', '4000000000', '1')) v;
-- The settings of a session.
CREATE TABLE sessions (n int, settings text);
INSERT INTO sessions VALUES (1, ''),
	(2, 'SET DateStyle = ''SQL, DMY''; SET TimeZone = ''Asia/Kolkata''; SET extra_float_digits = 0; SET bytea_output = escape;
		SET IntervalStyle = sql_standard'),
	(3, 'SET DateStyle = German; SET TimeZone = ''Asia/Shanghai''; SET extra_float_digits = -15;
		SET IntervalStyle = postgres_verbose; SET search_path = pg_catalog'),
	(4, 'SET DateStyle = ''Postgres, MDY''; SET TimeZone = ''America/Manaus''; SET IntervalStyle = iso_8601'),
	(5, 'SET DateStyle = ''Postgres, DMY''; SET TimeZone = ''Europe/Dublin''');
-- The flag of the copy, and if it names the first row.
CREATE TABLE flags (session int, n int, flag_type text, names_first bool, f text);
-- Insert the copy under the settings of a session; read its flag under those of another one.
CREATE PROCEDURE compare(session sessions) LANGUAGE plpgsql AS $$
DECLARE
	v key_values;
	flag text;
	names_first bool;
	f text;
	resets text := 'SET DateStyle = ISO; SET TimeZone = ''UTC''; SET extra_float_digits = 1; SET bytea_output = hex;
		SET IntervalStyle = postgres; SET search_path = regress_lshsim, public';
BEGIN
	FOR v IN TABLE key_values LOOP
		FOREACH flag IN ARRAY ARRAY[v.type, 'text', 'varchar'] LOOP
			EXECUTE resets;
			CALL make_keyed(v.type, flag);
			EXECUTE format('INSERT INTO keyed (k, body) VALUES (%L, ''a text of several words'')', v.first);
			EXECUTE session.settings;
			EXECUTE format('INSERT INTO regress_lshsim.keyed (k, body) VALUES (%L, ''a text of several words'')', v.second);
			EXECUTE resets;
			EXECUTE format('SELECT f::%1$s = (SELECT k FROM keyed WHERE f IS NULL), f::text FROM keyed
				WHERE f IS NOT NULL', v.type) INTO names_first, f;
			INSERT INTO flags VALUES (session.n, v.n, CASE flag WHEN v.type THEN 'key' ELSE flag END, names_first, f);
		END LOOP;
	END LOOP;
END $$;
DO $$
DECLARE
	s sessions;
BEGIN
	FOR s IN TABLE sessions LOOP
		CALL compare(s);
	END LOOP;
END $$;
\set ECHO all
SELECT flag_type, count(*) AS flags, count(*) FILTER (WHERE names_first) AS name_a_row FROM flags GROUP BY 1 ORDER BY 1;
-- text is the same in every session, and as it was written but for the form of some types
SELECT n, flag_type, array_agg(DISTINCT f) FROM flags GROUP BY 1, 2 HAVING count(DISTINCT f) <> 1;
SELECT type, first, f FROM key_values JOIN flags USING (n) WHERE session = 2 AND flag_type = 'text' AND f <> first ORDER BY n;

-- Keys of several columns, and the detail of a refusal.
CREATE TABLE several (day date, at timestamptz, share float8, body text, f text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED, PRIMARY KEY (day, at, share));
CREATE TRIGGER c BEFORE INSERT ON several FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'f');
SET DateStyle = 'German';
SET TimeZone = 'Asia/Shanghai';
SET extra_float_digits = 0;
INSERT INTO several VALUES ('2026-02-01', '2026-07-01 22:30:00+00', 0.30000000000000004, 'a text of several words'), ('2026-02-02', '2026-07-01 22:30:00+00', 0, 'a text of several words');
SELECT f, f = (SELECT ROW(day, at, share)::text FROM several WHERE f IS NULL) AS same_here FROM several WHERE f IS NOT NULL;
DROP TRIGGER c ON several;
CREATE TRIGGER c BEFORE INSERT ON several FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'reject');
INSERT INTO several VALUES ('2026-02-03', '2026-07-01 22:30:00+00', 0, 'a text of several words');
SHOW DateStyle;
RESET DateStyle;
RESET TimeZone;
RESET extra_float_digits;

-- Columns that hold a key of another type: those that keep every value are accepted, here with the values that are written in
-- another form or refused by a domain; the others are refused at the first row.
SELECT k, f, r FROM (VALUES ('smallint', 'int', '-1', '2'), ('smallint', 'bigint', '-1', '2'), ('int', 'bigint', '-1', '2'),
	('int', 'numeric', '-1', '2'), ('bigint', 'numeric', '12345678901', '2'), ('int', '"My even"', '4', '3'),
	('int', '"My even"', '3', '4'), ('"My even"', 'bigint', '4', '2'), ('text', 'varchar', 'k', 'l'), ('varchar(5)', 'text', 'k', 'l'),
	('varchar(5)', 'varchar(5)', 'k', 'l'), ('varchar(8)', 'short_code', 'h', 'z'), ('varchar(8)', 'long_code', 'k', 'l'),
	('varchar(8)', 'long_code', 'none', 'l'), ('numeric(10,2)', 'numeric(10,2)', '12.34', '99'),
	('timestamptz(3)', 'timestamptz', '2026-01-02 03:04:05.123Z', '2026-01-02Z'), ('char(5)', 'char(5)', 'k', 'l')) v (k, f, v, w),
	try(k, f, v, w) r WHERE r <> v || ', equal: t';
SELECT count(*), array_agg(r) FILTER (WHERE r NOT LIKE '42804 column "f" of type % cannot hold a key of type %') AS not_refused
FROM (VALUES ('bigint', 'int', '1', '2'), ('int', 'smallint', '1', '2'), ('int', 'real', '1', '2'), ('int', 'numeric(9)', '1', '2'),
	('numeric(10,2)', 'numeric(5,0)', '1', '2'), ('numeric', 'real', '1', '2'), ('numeric', 'bigint', '1', '2'),
	('timestamptz', 'date', '2026-01-02', '2027-01-01'), ('timestamptz', 'timestamptz(0)', '2026-01-02', '2027-01-01'),
	('timestamp', 'time', '2026-01-02', '2027-01-01'), ('date', 'timestamptz', '2026-01-02', '2027-01-01'),
	('timestamp', 'timestamptz', '2026-01-02', '2027-01-01'), ('text', '"char"', 'h', 'z'), ('text', 'name', 'h', 'z'),
	('text', 'varchar(3)', 'h', 'z'), ('text', 'char(3)', 'h', 'z'), ('varchar(9)', 'short_code', 'h', 'z'), ('char(5)', 'text', 'k', 'l'),
	('uuid', 'char(36)', '0a0b0c0d-0000-0000-0000-000000000001', '0a0b0c0d-0000-0000-0000-000000000002'), ('int', 'int[]', '1', '2'),
	('int', 'jsonb', '1', '2'), ('text', 'xml', 'h', 'z'), ('interval', 'interval day to minute', '1 day', '2 days')) v (k, f, v, w),
	try(k, f, v, w) r;

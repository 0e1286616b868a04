-- Settings and functions of the measurements of groups.
SET client_min_messages = warning;
SET jit = off;
\set ON_ERROR_STOP on
\pset format unaligned
\pset fieldsep ' | '
\pset tuples_only on
CREATE TABLE timed (subject text, what text, ms float8);

-- Milliseconds of processor time of this session.
-- The system updates it when the process waits.
CREATE FUNCTION used() RETURNS float8 VOLATILE LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_sleep(0.0002);
	RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e6;
END $$;
-- A document of 40 elements, of which 19 of 20 are the same in each family of three.
CREATE FUNCTION doc(i bigint) RETURNS minhash IMMUTABLE LANGUAGE sql AS
	'SELECT array_to_minhash(ARRAY(SELECT CASE WHEN j % 20 > 0 THEN -i / 3 ELSE i END * 1000 + j FROM generate_series(1, 40) j))';
-- Run a statement in a transaction of its own, and note its time.
CREATE PROCEDURE measure(subject text, what text, statement text) LANGUAGE plpgsql AS $$
DECLARE
	before float8;
BEGIN
	COMMIT;
	before := used();
	EXECUTE statement;
	COMMIT;
	INSERT INTO timed VALUES (subject, what, used() - before);
END $$;

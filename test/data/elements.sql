-- Elements of every type that can be hashed: for each an expression of i, of
-- which so many values differ, and another that gives equal values by other
-- ways.  The regression test and the test of dump and restore load this, with
-- the schema of the extension in the search_path.

CREATE DOMAIN share AS numeric CHECK (VALUE IS NOT NULL);
DO $$ BEGIN EXECUTE 'CREATE TYPE mood AS ENUM (' || (SELECT string_agg(quote_literal('mood ' || i), ',') FROM generate_series(1, 200) i) || ')'; END $$;
CREATE DOMAIN feeling AS mood;

-- Numbers of both signs, of 50 sequences of digits, times powers of 10,000.
CREATE FUNCTION number_of(i int) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE i WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN 0
		ELSE format('%s%se%s', CASE i % 2 WHEN 0 THEN '' ELSE '-' END, 1001 + i / 20, i / 2 % 10 * 4 - 20)::numeric END
$$;
-- The same with other zeros behind it.
CREATE FUNCTION spelled(number numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN number IN ('NaN', 'Infinity', '-Infinity') THEN number ELSE round(number, 20 + abs(number % 7)::int) END
$$;
-- Floating-point numbers likewise; 0 has a sign, and NaN bits that differ.
CREATE FUNCTION float_of(i int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE i WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN 0 WHEN 5 THEN 1e-45 ELSE (i - 500.5) * 2.0 ^ (i % 40 - 20) END
$$;
CREATE FUNCTION other_float_of(i int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE i WHEN 1 THEN 'Infinity'::float8 - 'Infinity'::float8 WHEN 4 THEN '-0' ELSE float_of(i) END
$$;

CREATE TABLE kinds (type text, size int, value text, other text);
INSERT INTO kinds VALUES
	('smallint', 1000, '(i - 500)::int2', NULL),
	('integer', 1000, 'i - 500', NULL),
	('bigint', 1000, '(i - 500) * 10000000000', NULL),
	('text', 1000, $$'x' || i$$, NULL),
	('varchar', 1000, $$('x' || i)::varchar$$, NULL),
	('character', 1000, $$('x' || i)::char(9)$$, $$('x' || i)::char(20)$$),
	('name', 1000, $$('x' || i)::name$$, NULL),
	('mood', 200, $$('mood ' || i)::mood$$, NULL),
	('feeling', 200, $$('mood ' || i)::feeling$$, NULL),
	('boolean', 2, 'i = 1', NULL),
	('"char"', 255, '(i - 128)::"char"', NULL),
	('real', 1000, 'float_of(i)::float4', 'other_float_of(i)::float4'),
	('float8', 1000, 'float_of(i)', 'other_float_of(i)'),
	('numeric', 1000, 'number_of(i)', 'spelled(number_of(i))'),
	('share', 1000, 'number_of(i)::share', 'spelled(number_of(i))::share'),
	('money', 1000, '((i - 500) / 100.0)::money', NULL),
	('bytea', 1000, $$decode(repeat('00', i % 500) || CASE WHEN i > 500 THEN 'ff' ELSE '' END, 'hex')$$, NULL),
	('uuid', 1000, 'md5(i::text)::uuid', 'upper(md5(i::text))::uuid'),
	('date', 1000, $$CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE date '2000-01-01' + (i - 500) END$$, NULL),
	('time', 1000, $$CASE i WHEN 1 THEN '24:00' ELSE time '00:00' + i * interval '43 seconds' END$$, NULL),
	('timestamp', 1000, $$CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE timestamp '2000-01-01' + (i - 500) * interval '1 week 1 second' END$$, NULL),
	('timestamptz', 1000, $$CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE timestamptz '2000-01-01 00:00+00' + (i - 500) * interval '1 hour' END$$,
		$$CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE timestamptz '2000-01-01 05:30+05:30' + (i - 500) * interval '1 hour' END$$),
	('macaddr', 1000, $$lpad(to_hex(i), 12, '0')::macaddr$$, $$upper(lpad(to_hex(i), 12, '0'))::macaddr$$),
	('macaddr8', 1000, $$lpad(to_hex(i), 16, '0')::macaddr8$$, NULL),
	('oid', 1000, $$(4294967296 - i)::oid$$, NULL),
	('xid', 1000, 'i::text::xid', NULL),
	('xid8', 1000, '(i::bigint * 10000000000)::text::xid8', NULL),
	('cid', 1000, 'i::text::cid', NULL),
	('pg_lsn', 1000, $$pg_lsn '7/0' + i$$, NULL);

-- Make an array of the values of an expression for numbers from and to.
CREATE FUNCTION set_of(value text, first int, last int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT format('ARRAY(SELECT %s FROM generate_series(%s, %s, %s) i)', value, first, last, sign(last - first + 0.1)::int)
$$;

-- Compare signatures with what is known of the sets, and with the exact similarity; count the slots that one
-- element falls into under 50 seeds.
CREATE FUNCTION check_kind(kind kinds, OUT count float8, OUT error float8, OUT disjoint float8, OUT half float8, OUT exact float8, OUT same bool, OUT slots int, OUT failure text)
LANGUAGE plpgsql AS $$
DECLARE
	k CONSTANT int := 1024;
	c CONSTANT float8 := kind.size / 1024.0;
	middle CONSTANT int := kind.size / 2;
BEGIN
	EXECUTE format('SELECT cardinality(array_to_minhash(%1$s, %5$s)), jaccard(array_to_minhash(%2$s, %5$s), array_to_minhash(%3$s, %5$s)),
		jaccard(array_to_minhash(%1$s, %5$s), array_to_minhash(%3$s, %5$s)), jaccard(%1$s, %3$s), array_to_minhash(%1$s, %5$s) = array_to_minhash(%4$s, %5$s)
		AND weighted_to_minhash(%1$s, array_fill(1.0, ARRAY[%6$s])) = weighted_to_minhash(%4$s, array_fill(1.0, ARRAY[%6$s]))
		AND array_to_minhash(%1$s) = (SELECT minhash_agg(%7$s) FROM generate_series(1, %6$s) i)
		AND jaccard(%1$s, %4$s) = 1',
		set_of(kind.value, 1, kind.size), set_of(kind.value, 1, middle), set_of(kind.value, middle + 1, kind.size),
		set_of(coalesce(kind.other, kind.value), kind.size, 1), k, kind.size, coalesce(kind.other, kind.value))
	INTO count, disjoint, half, exact, same;
	EXECUTE format('SELECT count(DISTINCT slot) FROM generate_series(1, 50) seed, unnest(minhash_slots(array_to_minhash(%s, 16, seed))) WITH ORDINALITY u(code, slot)
		WHERE code IS NOT NULL', set_of(kind.value, least(4, kind.size), least(4, kind.size))) INTO slots;
	error := (count / kind.size - 1) / sqrt((1 / (1 - exp(-c)) - 1 / c) / k);
EXCEPTION WHEN OTHERS THEN
	failure := sqlerrm;
END $$;

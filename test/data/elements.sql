-- Elements of every type that can be hashed: for each an expression of i, of
-- which so many values differ, and another that gives equal values by other
-- ways.  The regression test and the test of dump and restore load this, with
-- the schema of the extension in the search_path.

CREATE DOMAIN share AS numeric CHECK (VALUE IS NOT NULL);
CREATE DOMAIN bits AS int[];
CREATE TYPE pair AS (a numeric, b text);
CREATE TYPE nested AS (first pair, gone int, list numeric[], also jsonb, "when" daterange);
ALTER TYPE nested DROP ATTRIBUTE gone;
CREATE TYPE numbers AS RANGE (subtype = numeric, multirange_type_name = sets_of_numbers);
CREATE TYPE words AS RANGE (subtype = text, collation = "C");
DO $$ BEGIN EXECUTE 'CREATE TYPE mood AS ENUM (' || (SELECT string_agg(quote_literal('mood ' || i), ',') FROM generate_series(1, 200) i) || ')'; END $$;
CREATE TYPE colored AS (mood mood, moods mood[]);

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
	('boolean', 2, 'i = 1', NULL),
	('"char"', 255, '(i - 128)::"char"', NULL),
	('real', 1000, 'float_of(i)::float4', 'other_float_of(i)::float4'),
	('float8', 1000, 'float_of(i)', 'other_float_of(i)'),
	('numeric', 1000, 'number_of(i)', 'spelled(number_of(i))'),
	('share', 1000, 'number_of(i)::share', 'spelled(number_of(i))::share'),
	('money', 1000, '((i - 500) / 100.0)::money', NULL),
	('bytea', 1000, $$decode(repeat('00', i % 500) || CASE WHEN i > 500 THEN 'ff' ELSE '' END, 'hex')$$, NULL),
	('bit', 1000, 'i::bit(20)', NULL),
	('varbit', 1000, $$(repeat('0', i % 500) || CASE WHEN i > 500 THEN '1' ELSE '' END)::varbit$$, NULL),
	('uuid', 1000, 'md5(i::text)::uuid', 'upper(md5(i::text))::uuid'),
	('date', 1000, $$CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE date '2000-01-01' + (i - 500) END$$, NULL),
	('time', 1000, $$CASE i WHEN 1 THEN '24:00' ELSE time '00:00' + i * interval '43 seconds' END$$, NULL),
	('timetz', 1000, $$CASE WHEN i > 500 THEN timetz '12:00+00' + i * interval '1 second' ELSE timetz '12:00+01' + i * interval '1 second' END$$, NULL),
	('timestamp', 1000, $$CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE timestamp '2000-01-01' + (i - 500) * interval '1 week 1 second' END$$, NULL),
	('timestamptz', 1000, $$CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE timestamptz '2000-01-01 00:00+00' + (i - 500) * interval '1 hour' END$$,
		$$CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE timestamptz '2000-01-01 05:30+05:30' + (i - 500) * interval '1 hour' END$$),
	('interval', 1000, $$(i - 500) * interval '1000 hours'$$, $$justify_interval((i - 500) * interval '1000 hours')$$),
	('inet', 1000, $$CASE i % 3 WHEN 0 THEN inet '10.0.0.0' + i WHEN 1 THEN inet '::ffff:10.0.0.0' + i ELSE set_masklen(inet '10.0.0.0' + i / 30, 2 + i % 30) END$$, NULL),
	('cidr', 1000, $$CASE i % 2 WHEN 0 THEN network(inet '10.0.0.0' + i) ELSE network(set_masklen(inet '2001:db8::' + i::bigint * 1048576, 108)) END$$, NULL),
	('macaddr', 1000, $$lpad(to_hex(i), 12, '0')::macaddr$$, $$upper(lpad(to_hex(i), 12, '0'))::macaddr$$),
	('macaddr8', 1000, $$lpad(to_hex(i), 16, '0')::macaddr8$$, NULL),
	('oid', 1000, $$(4294967296 - i)::oid$$, NULL),
	('xid', 1000, 'i::text::xid', NULL),
	('xid8', 1000, '(i::bigint * 10000000000)::text::xid8', NULL),
	('cid', 1000, 'i::text::cid', NULL),
	('tid', 1000, $$format('(%s,%s)', i / 100, i % 100)::tid$$, NULL),
	('pg_lsn', 1000, $$pg_lsn '7/0' + i$$, NULL),
	('oidvector', 1000, $$format('%s %s', i / 100, i % 100)::oidvector$$, NULL),
	('int2vector', 1000, $$format('%s %s', i / 100, i % 100)::int2vector$$, NULL),
	('bits', 1000, 'CASE i % 3 WHEN 0 THEN ARRAY[i, NULL] WHEN 1 THEN ARRAY[[i - 1, NULL]] ELSE ARRAY[i - 2] END::bits', NULL),
	('jsonb', 1000, $$CASE i WHEN 1 THEN 'null' WHEN 2 THEN '[]' WHEN 3 THEN '{}' WHEN 4 THEN '[[]]' WHEN 5 THEN '""' WHEN 6 THEN 'true'
		ELSE CASE i % 5 WHEN 0 THEN format('{"a": %s, "bb": [null, {"c": false}], "É": -0.0}', i) WHEN 1 THEN format('[%s, "%s"]', i, i) WHEN 2 THEN i::text
			WHEN 3 THEN format('{"É": {"x%s": 1}, "abc": 2, "ab": 0}', i) ELSE format('[[%s], [%s]]', i, -i) END END::jsonb$$,
		$$CASE i WHEN 1 THEN 'null' WHEN 2 THEN '[]' WHEN 3 THEN '{}' WHEN 4 THEN '[[]]' WHEN 5 THEN '""' WHEN 6 THEN 'true'
		ELSE CASE i % 5 WHEN 0 THEN format('{"\u00c9": 0, "bb": [null, {"c": false}], "a": 1, "a": %s.000}', i) WHEN 1 THEN format('[%s.0, "%s"]', i, i) WHEN 2 THEN i || '.00'
			WHEN 3 THEN format('{"ab":0e5, "abc" : 0.2e1, "\u00c9": {"x%s": 1.0}}', i) ELSE format('[[%s], [%s.0]]', i, -i) END END::jsonb$$),
	('int4range', 1000, $$CASE i WHEN 1 THEN 'empty' WHEN 2 THEN '(,)' WHEN 3 THEN '(,7)' WHEN 4 THEN '[7,)' ELSE int4range(i, i + i % 9 + 1) END$$,
		$$CASE i WHEN 1 THEN '[1,1)' WHEN 2 THEN '(,)' WHEN 3 THEN '(,6]' WHEN 4 THEN '(6,)' ELSE int4range(i, i + i % 9, '[]') END$$),
	('int8range', 1000, 'int8range(i, i + i % 9 + 1)', $$int8range(i, i + i % 9, '[]')$$),
	('numrange', 1000, $$numrange(i / 4, i / 4 + 1, CASE i % 4 WHEN 0 THEN '[)' WHEN 1 THEN '(]' WHEN 2 THEN '[]' ELSE '()' END)$$,
		$$numrange(spelled(i / 4), spelled(i / 4 + 1), CASE i % 4 WHEN 0 THEN '[)' WHEN 1 THEN '(]' WHEN 2 THEN '[]' ELSE '()' END)$$),
	('daterange', 1000, $$daterange(date '2000-01-01' + i, date '2000-01-02' + i)$$, $$daterange(date '1999-12-31' + i, date '2000-01-01' + i, '(]')$$),
	('tsrange', 1000, $$tsrange(timestamp '2000-01-01' + i * interval '1 second', NULL)$$, NULL),
	('tstzrange', 1000, $$tstzrange(NULL, timestamptz '2000-01-01' + i * interval '1 second')$$, NULL),
	('numbers', 1000, 'numbers(number_of(i + 10), NULL)', 'numbers(spelled(number_of(i + 10)), NULL)'),
	('words', 1000, $$words('x' || i, 'y')$$, NULL),
	('int4multirange', 1000, $$CASE i WHEN 1 THEN '{}' ELSE int4multirange(int4range(i, i + 5), int4range(5000, NULL)) END$$,
		$$CASE i WHEN 1 THEN '{empty}' ELSE int4multirange(int4range(i, i + 3), int4range(4999, NULL, '(]'), int4range(i + 3, i + 5)) END$$),
	('int8multirange', 1000, 'int8multirange(int8range(i, i + 5))', NULL),
	('nummultirange', 1000, 'nummultirange(numrange(i, i + 5))', 'nummultirange(numrange(spelled(i), spelled(i + 5)))'),
	('datemultirange', 1000, $$datemultirange(daterange(date '2000-01-01' + i, NULL))$$, NULL),
	('tsmultirange', 1000, $$tsmultirange(tsrange(timestamp '2000-01-01' + i * interval '1 second', NULL))$$, NULL),
	('tstzmultirange', 1000, $$tstzmultirange(tstzrange(timestamptz '2000-01-01' + i * interval '1 second', NULL))$$, NULL),
	('sets_of_numbers', 1000, 'sets_of_numbers(numbers(number_of(i + 10), NULL))', 'sets_of_numbers(numbers(spelled(number_of(i + 10)), NULL))'),
	('pair', 1000, $$CASE i % 3 WHEN 0 THEN ROW(number_of(i), NULL)::pair WHEN 1 THEN ROW(NULL, i - 1)::pair ELSE ROW(i / 3, '')::pair END$$,
		$$CASE i % 3 WHEN 0 THEN ROW(spelled(number_of(i)), NULL)::pair WHEN 1 THEN ROW(NULL, i - 1)::pair ELSE ROW(spelled(i / 3), '')::pair END$$),
	('nested', 1000, $$ROW(ROW(i / 2, NULL), ARRAY[1, i % 2], jsonb_build_object('i', i), daterange(NULL, date '2000-01-01' + i))::nested$$,
		$$ROW(ROW(spelled(i / 2), NULL), ARRAY[1.0, spelled(i % 2)], jsonb_build_object('i', i::numeric(9, 2)), daterange(NULL, date '1999-12-31' + i, '(]'))::nested$$),
	('colored', 200, $$ROW('mood ' || (i + 1) / 2, ARRAY['mood ' || (i + 1) / 2, NULL, 'mood ' || i % 2 + 1])::colored$$, NULL),
	('record', 1000, 'ROW(i / 2, (i % 2)::numeric, number_of(i))', 'ROW((i / 2)::int8, spelled(i % 2), spelled(number_of(i)))');

-- Make an array of the values of an expression for numbers from and to; of vectors,
-- which PostgreSQL 14 would make a matrix of numbers, by way of text.
CREATE FUNCTION set_of(value text, first int, last int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT format(CASE WHEN value LIKE '%vector' THEN 'ARRAY(SELECT (%s)::text FROM generate_series(%s, %s, %s) i)::%s[]'
		ELSE 'ARRAY(SELECT %s FROM generate_series(%s, %s, %s) i)' END,
		value, first, last, sign(last - first + 0.1)::int, substring(value FROM '\w+$'))
$$;

-- Compare signatures with what is known of the sets, and with the exact similarity; count the slots that one
-- element falls into under 50 seeds.  (The aggregate takes an array's elements.)
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
		AND (%8$L OR array_to_minhash(%1$s) = (SELECT minhash_agg(%7$s) FROM generate_series(1, %6$s) i))
		AND jaccard(%1$s, %4$s) = 1',
		set_of(kind.value, 1, kind.size), set_of(kind.value, 1, middle), set_of(kind.value, middle + 1, kind.size),
		set_of(coalesce(kind.other, kind.value), kind.size, 1), k, kind.size, coalesce(kind.other, kind.value), kind.type IN ('bits', 'oidvector', 'int2vector'))
	INTO count, disjoint, half, exact, same;
	EXECUTE format('SELECT count(DISTINCT slot) FROM generate_series(1, 50) seed, unnest(minhash_slots(array_to_minhash(%s, 16, seed))) WITH ORDINALITY u(code, slot)
		WHERE code IS NOT NULL', set_of(kind.value, least(4, kind.size), least(4, kind.size))) INTO slots;
	error := (count / kind.size - 1) / sqrt((1 / (1 - exp(-c)) - 1 / c) / k);
EXCEPTION WHEN OTHERS THEN
	failure := sqlerrm;
END $$;

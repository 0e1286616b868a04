--
-- Elements of every type: what a type calls equal is one element, anything else is another.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
CREATE SCHEMA elements;
SET search_path = elements, public;
RESET client_min_messages;
\set ECHO none
\i test/data/elements.sql
\set ECHO all

-- Every type that the server can hash is tried here, or is one of these, which are refused.
SELECT t.oid::regtype::text COLLATE "C" AS refused FROM pg_type t
WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype <> 'p' AND EXISTS (
	SELECT FROM pg_opclass o JOIN pg_am a ON a.oid = o.opcmethod
	WHERE amname = 'hash' AND opcdefault AND (opcintype = t.oid OR opcintype = 'anyrange'::regtype AND typtype = 'r' OR
		opcintype = 'anymultirange'::regtype AND typtype = 'm' OR
		EXISTS (SELECT FROM pg_cast WHERE castsource = t.oid AND casttarget = opcintype AND castmethod = 'b' AND castcontext = 'i')))
	AND NOT EXISTS (SELECT FROM kinds WHERE type::regtype = t.oid)
	AND typname NOT IN ('oid8', 'regdatabase')	-- of PostgreSQL 19; these are refused, too
ORDER BY refused;

CREATE TABLE checked AS SELECT type, c.*, abs(error) < 5 AND disjoint < 0.01 AND abs(half - 0.5) < 0.1 AND abs(exact - 0.5) < 0.003 AND same AND slots > 10 AS ok
FROM kinds, check_kind(kinds) c;
-- As many elements as there are, within 5 standard errors; disjoint sets have nothing in common; half of
-- a set is half of it; and equal sets have equal signatures in any order and spelling.
SELECT count(*) FILTER (WHERE ok) AS good, count(*) AS of FROM checked;
SELECT type, round(count::numeric, 1) AS count, round(error::numeric, 2) AS error, round(disjoint::numeric, 4) AS disjoint, round(half::numeric, 3) AS half, round(exact::numeric, 3) AS exact, same, slots, failure
FROM checked WHERE ok IS NOT TRUE ORDER BY type COLLATE "C";

-- Equal and different elements.
SELECT left(a::text, 30) AS a, left(b::text, 30) AS b, jaccard(array_to_minhash(a), array_to_minhash(b)) AS estimated, jaccard(a, b) AS exact FROM (VALUES
	('{1,2,3,4.5}'::numeric[], '{-1,-2,-3,-4.5}'::numeric[]), ('{1,2,3,4.5}', '{10000,20000,30000,45000}'), ('{1,2,3,4.5}', '{4.500,3,2.0,1}'),
	('{NaN,Infinity,-Infinity,0}', '{NaN}'), ('{0,0.000}', '{-0.0}'), ('{1e130000}', '{1e-16000}'), ('{1e130000}', '{1.000e130000}')) v(a, b);
SELECT a, b, jaccard(array_to_minhash(a), array_to_minhash(b)) AS estimated, jaccard(a, b) AS exact FROM (VALUES
	('{{1,2}}'::bits, '{1,2}'::bits), ('[0:1]={1,2}', '{1,2}'), ('{1,NULL}', '{1}'), ('{}', '{NULL}'), ('{1,NULL}', '{1,NULL}')) v(x, y),
	LATERAL (SELECT ARRAY(SELECT x::bits) AS a, ARRAY(SELECT y::bits) AS b) s;
SELECT a, b, jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS estimated, jaccard(ARRAY[a], ARRAY[b]) AS exact FROM (VALUES
	('null'::jsonb, '"null"'::jsonb), ('1', '1.0'), ('1', '[1]'), ('1', '"1"'), ('1', 'true'), ('[]', '{}'), ('[]', '[[]]'), ('[1,2]', '[2,1]'), ('{"a":1,"b":2}', '{"b":2,"a":1}'),
	('{"a":"b"}', '{"b":"a"}'), ('{"a":{}}', '{"a":[]}'), ('[null]', '[]'), ('{"a":null}', '{}'), ('["a","b"]', '{"a":"b"}'), ('0', '-0')) v(a, b);
SELECT a, b, jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS estimated, jaccard(ARRAY[a], ARRAY[b]) AS exact FROM (VALUES
	(ROW(1, 'a')::pair, ROW(1.00, 'a')::pair), ('(1,)', '(1,"")'), ('(,NULL)', '(,)'), ('(-1,a)', '(1,a)'), ('(1,"a ")', '(1,a)')) v(a, b);
SELECT a, b, jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS estimated, jaccard(ARRAY[a], ARRAY[b]) AS exact FROM (VALUES
	(interval '1 month', interval '30 days'), ('1 day', '24:00'), ('-1 day +24:00', '0'), ('1 month -30 days', '-1 month +720:00'), ('-1 second', '-1 day +23:59:59'),
	('1 year', '365 days'), ('1 second', '-1 second'), ('178000000 years', '178000000 years -1 second')) v(a, b);
SELECT jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS offsets, jaccard(ARRAY[a], ARRAY[b]) AS exact FROM (VALUES (timetz '12:00+00', timetz '13:00+01')) v(a, b);
SELECT jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS masks, jaccard(ARRAY[a], ARRAY[b]) AS exact FROM (VALUES (inet '10.0.0.1/24', inet '10.0.0.1')) v(a, b);
SELECT jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS lengths, jaccard(ARRAY[a], ARRAY[b]) AS exact FROM (VALUES (varbit '0', varbit '00')) v(a, b);

-- Types that are equal to one another are one; others are never equal, though their bytes may be.
SELECT array_to_minhash('{1.5,-0}'::float4[]) = array_to_minhash('{1.5,0}'::float8[]) AS floats, array_to_minhash('{10.0.0.0/8}'::cidr[]) = array_to_minhash('{10.0.0.0/8}'::inet[]) AS addresses,
	array_to_minhash('{1.0,2}'::share[]) = array_to_minhash('{1,2.0}'::numeric[]) AS domain, array_to_minhash(ARRAY[ROW(1, 'a')::pair]) = array_to_minhash(ARRAY[ROW(1::numeric, 'a'::text)]) AS names,
	array_to_minhash(ARRAY[ROW(1::int2, 'a'::name)]) = array_to_minhash(ARRAY[ROW(1::int8, 'a'::char(7))]) AS widths,
	array_to_minhash(ARRAY[ROW('mood 1'::mood)]) = array_to_minhash(ARRAY[ROW('mood 1'::text)]) AS labels;
WITH sigs AS (SELECT row_number() OVER () AS n, sig FROM unnest(ARRAY[
	array_to_minhash('{0}'::numeric[]), array_to_minhash('{0}'::float8[]), array_to_minhash('{2000-01-01}'::date[]), array_to_minhash('{2000-01-01}'::timestamp[]), array_to_minhash('{2000-01-01 00:00+00}'::timestamptz[]),
	array_to_minhash('{00:00}'::time[]), array_to_minhash('{00:00+00}'::timetz[]), array_to_minhash('{0}'::interval[]), array_to_minhash('{0}'::oid[]), array_to_minhash('{0}'::xid[]), array_to_minhash('{0}'::xid8[]), array_to_minhash('{0}'::cid[]),
	array_to_minhash('{"(0,0)"}'::tid[]), array_to_minhash('{0/0}'::pg_lsn[]), array_to_minhash('{0}'::money[]), array_to_minhash('{f}'::bool[]), array_to_minhash(ARRAY[0::"char"]), array_to_minhash('{0}'::bit(64)[]),
	array_to_minhash(ARRAY['\x00'::bytea]), array_to_minhash('{0000000000000000}'::macaddr8[]), array_to_minhash('{00000000-0000-0000-0000-000000000000}'::uuid[]), array_to_minhash('{0}'::jsonb[]), array_to_minhash(ARRAY[ROW(0)]),
	array_to_minhash(ARRAY[ROW(0::numeric)]), array_to_minhash(ARRAY[ROW('0'::text)]), array_to_minhash('{"{0}"}'::bits[])]) sig)
SELECT jaccard(a.sig, b.sig), count(*) FROM sigs a JOIN sigs b ON a.n < b.n GROUP BY 1;

-- An enum value within another is its label; columns that were dropped do not count; nor do names.
SELECT array_to_minhash(ARRAY[ROW('mood 1', '{mood 2}')::colored]) AS before \gset
SELECT array_to_minhash(ARRAY[ROW(ROW(1, 'a')::pair, '{2}', '{}', 'empty')::nested]) AS before_drop \gset
ALTER TYPE mood RENAME VALUE 'mood 2' TO 'fine';
ALTER TYPE nested RENAME ATTRIBUTE list TO items;
SELECT array_to_minhash(ARRAY[ROW('mood 1', '{fine}')::colored]) <> :'before' AS differs,
	array_to_minhash(ARRAY[ROW(ROW(1, 'a')::pair, '{2}', '{}', 'empty')::nested]) = :'before_drop' AS same,
	array_to_minhash(ARRAY[ROW(ROW(1, 'a')::pair, '{2}'::numeric[], '{}'::jsonb, 'empty'::daterange)]) = :'before_drop' AS named;

-- Large values and deep ones; those that are longer than a buffer.
SELECT count(DISTINCT sig) FROM generate_series(0, 4200, 7) i, array_to_minhash(ARRAY[repeat('x', i)::bytea], 16) sig;
SELECT jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS estimated, jaccard(ARRAY[a], ARRAY[b]) AS exact
FROM (SELECT jsonb_agg(i) AS a, jsonb_agg(i + 0.0) AS b FROM generate_series(1, 100000) i) s;
SELECT jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS estimated, jaccard(ARRAY[a], ARRAY[b]) AS exact
FROM (SELECT (repeat('[', 1000) || '1' || repeat(']', 1000))::jsonb AS a, (repeat('[', 1000) || '1.0' || repeat(']', 1000))::jsonb AS b) s;
SELECT jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS estimated, jaccard(ARRAY[a], ARRAY[b]) AS exact
FROM (SELECT ('1' || repeat('0', 100000))::numeric AS a, ('1' || repeat('0', 100000) || '.' || repeat('0', 10000))::numeric AS b) s;

-- Types without a form that is the same everywhere are refused, wherever they are, and whether there are values or not.
SELECT array_to_minhash('{}'::json[]);
SELECT array_to_minhash('{}'::regclass[]);
SELECT array_to_minhash('{}'::aclitem[]);
SELECT array_to_minhash('{}'::point[]);
SELECT array_to_minhash('{}'::tsvector[]);
SELECT array_to_minhash('{}'::shingling[]);
SELECT array_to_minhash('{}'::minhash[]);
CREATE DOMAIN document AS json;
CREATE TYPE with_json AS (a int, b document[]);
SELECT array_to_minhash('{}'::with_json[]);
SELECT array_to_minhash(ARRAY[ROW(1, NULL::json)]);
SELECT array_to_minhash(ARRAY[ROW(1, 'unknown')]);
SELECT array_to_minhash(ARRAY[ROW(1, NULL)::with_json, ROW(2, 3)]::record[]);
SELECT jaccard('{}'::point[], '{}');
SELECT minhash_agg('(1,2)'::point);
SELECT weighted_to_minhash('{}'::point[], '{}'::float8[]);
-- So is one with an equality of its own.
CREATE FUNCTION pair_compare(pair, pair) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT sign(($1).a - ($2).a)::int';
CREATE FUNCTION pair_equal(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT ($1).a = ($2).a';
CREATE OPERATOR === (FUNCTION = pair_equal, LEFTARG = pair, RIGHTARG = pair);
CREATE FUNCTION pair_less(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT ($1).a < ($2).a';
CREATE OPERATOR <<< (FUNCTION = pair_less, LEFTARG = pair, RIGHTARG = pair);
CREATE OPERATOR CLASS pair_ops DEFAULT FOR TYPE pair USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===, FUNCTION 1 pair_compare(pair, pair);
SELECT array_to_minhash('{}'::pair[]);
SELECT jaccard(ARRAY[ROW(1, 'a')]::pair[], ARRAY[ROW(1, 'b')]::pair[]);
SELECT array_to_minhash('{}'::nested[]);
SELECT array_to_minhash(ARRAY[ROW(1, 'a')::pair]::record[]);
CREATE FUNCTION text_compare(text, text) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT bttextcmp(lower($1), lower($2))';
CREATE OPERATOR CLASS text_without_case FOR TYPE text USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 text_compare(text, text);
CREATE TYPE same_case AS RANGE (subtype = text, subtype_opclass = text_without_case, collation = "C");
SELECT array_to_minhash('{}'::same_case[]);

-- A type may change after its first value has come.  What a composite type gains is refused as if it had always been there, also where it is null.
CREATE TYPE changing AS (a int, b text);
CREATE TYPE changing_range AS RANGE (subtype = changing);
CREATE FUNCTION at_third(i int, command text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN IF i = 3 THEN EXECUTE command; END IF; RETURN true; END $$;
CREATE FUNCTION error_of(call text, value text, command text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	EXECUTE format('SELECT count(x) FROM (SELECT %s AS x FROM (SELECT CASE WHEN at_third(i, %L) THEN %s END AS v FROM generate_series(1, 4) i) t) s', call, command, value);
	RAISE 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN CASE SQLSTATE WHEN 'XX000' THEN left(SQLERRM, 28) ELSE SQLERRM END;
END $$;
SELECT gained, error_of('minhash_agg(v)', $$'(1,a)'::changing$$, 'ALTER TYPE changing ADD ATTRIBUTE c ' || gained) AS error
FROM (VALUES (1, 'point'), (2, 'regclass'), (3, 'point[]'), (4, 'document'), (5, 'with_json'), (6, 'same_case'), (7, 'numbers')) g(n, gained) ORDER BY n;
SELECT call, value, error_of(call, value, 'ALTER TYPE changing ADD ATTRIBUTE c point') AS error
FROM (VALUES (1, 'minhash_agg(v)'), (2, 'array_to_minhash(ARRAY[v])'), (3, $$weighted_to_minhash(ARRAY[v], '{1}')$$), (4, 'jaccard(ARRAY[v], ARRAY[v])'), (5, 'containment(ARRAY[v], ARRAY[v])')) c(n, call),
	(VALUES (1, $$'(1,a)'::changing$$), (2, $$ROW('(1,a)'::changing)$$), (3, $$'["(1,a)","(1,b)"]'::changing_range$$)) v(m, value) ORDER BY n, m;
-- One that has been dropped is an error.
SELECT value, error_of('minhash_agg(v)', value, 'DROP TYPE changing, changing_range') AS error
FROM (VALUES (1, $$'(1,a)'::changing$$), (2, $$'{"(1,a)"}'::changing[]$$), (3, $$'["(1,a)","(1,b)"]'::changing_range$$), (4, $$ROW('(1,a)'::changing)$$)) v(m, value) ORDER BY m;
-- Values are what their type makes of them now: with a column that it has gained, without one that it has lost.
CREATE TABLE kept AS SELECT '{"(1,a)","(1,b)"}'::changing[] AS list;
SELECT array_to_minhash(list) AS before FROM kept \gset
ALTER TYPE changing ADD ATTRIBUTE c int;
SELECT array_to_minhash(list) = array_to_minhash(ARRAY[ROW(1, 'a'::text, NULL::int), ROW(1, 'b'::text, NULL::int)]) AS gained, jaccard(array_to_minhash(list), :'before') AS before FROM kept;
ALTER TYPE changing DROP ATTRIBUTE c, DROP ATTRIBUTE b;
SELECT array_to_minhash(list) = array_to_minhash(ARRAY[ROW(1)]) AS lost, list[1] = list[2] AS same, jaccard(list, list[:1]) AS exact FROM kept;

-- The cast that the hint names.
SELECT array_to_minhash('{pg_class,pg_type}'::regclass[]::text[]) = array_to_minhash('{pg_type,pg_class}'::text[]) AS same, array_to_minhash(ARRAY['{"a": 1}', '[]']::json[]::text[]) = array_to_minhash(ARRAY['[]', '{"a": 1}']) AS same;

SET client_min_messages = warning;
DROP SCHEMA elements CASCADE;
RESET client_min_messages;

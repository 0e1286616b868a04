--
-- Elements of every type: what a type calls equal is one element, anything else is another.
--
\set ECHO none \i test/data/setup.sql \i test/data/elements.sql \set ECHO all

-- Every type that the server can hash is tried here, or is one of these, which are refused.
SELECT array_agg(t.oid::regtype::text ORDER BY t.oid::regtype::text COLLATE "C") AS refused FROM pg_type t
WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype <> 'p' AND EXISTS (
	SELECT FROM pg_opclass o JOIN pg_am a ON a.oid = o.opcmethod
	WHERE amname = 'hash' AND opcdefault AND (opcintype = t.oid OR opcintype = 'anyrange'::regtype AND typtype = 'r' OR
		opcintype = 'anymultirange'::regtype AND typtype = 'm' OR
		EXISTS (SELECT FROM pg_cast WHERE castsource = t.oid AND casttarget = opcintype AND castmethod = 'b' AND castcontext = 'i')))
	AND NOT EXISTS (SELECT FROM kinds WHERE type::regtype = t.oid)
	AND typname NOT IN ('oid8', 'regdatabase');	-- of PostgreSQL 19; these are refused, too

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
-- NULLs do not count, nor do dimensions.
SELECT a, b, jaccard(array_to_minhash(a), array_to_minhash(b)) AS estimated, jaccard(a, b) AS exact, containment(a, b) FROM (VALUES
	('{2000-01-01,NULL}'::date[], '{NULL,2000-01-01,NULL}'::date[]), ('{NULL}', '{NULL}'), ('{{2000-01-01},{2000-01-02}}', '{2000-01-02,2000-01-01}'), ('[0:1]={2000-01-01,NULL}', '{2000-01-02,2000-01-01}')) v(a, b);

-- Types that are equal to one another are one; others are never equal, though their bytes may be.
SELECT array_to_minhash('{1.5,-0}'::float4[]) = array_to_minhash('{1.5,0}'::float8[]) AS floats,
	array_to_minhash('{1.0,2}'::share[]) = array_to_minhash('{1,2.0}'::numeric[]) AS domain,
	array_to_minhash('{mood 1}'::feeling[]) = array_to_minhash('{mood 1}'::text[]) AS labels;
WITH sigs AS (SELECT row_number() OVER () AS n, sig FROM unnest(ARRAY[
	array_to_minhash('{0}'::numeric[]), array_to_minhash('{0}'::float8[]), array_to_minhash('{2000-01-01}'::date[]), array_to_minhash('{2000-01-01}'::timestamp[]), array_to_minhash('{2000-01-01 00:00+00}'::timestamptz[]),
	array_to_minhash('{00:00}'::time[]), array_to_minhash('{0}'::oid[]), array_to_minhash('{0}'::xid[]), array_to_minhash('{0}'::xid8[]), array_to_minhash('{0}'::cid[]),
	array_to_minhash('{0/0}'::pg_lsn[]), array_to_minhash('{0}'::money[]), array_to_minhash('{f}'::bool[]), array_to_minhash(ARRAY[0::"char"]),
	array_to_minhash(ARRAY['\x00'::bytea]), array_to_minhash('{0000000000000000}'::macaddr8[]), array_to_minhash('{00000000-0000-0000-0000-000000000000}'::uuid[])]) sig)
SELECT jaccard(a.sig, b.sig), count(*) FROM sigs a JOIN sigs b ON a.n < b.n GROUP BY 1;

-- An enum value is its label, also within a domain.
SELECT array_to_minhash('{mood 1,mood 2}'::feeling[]) AS before \gset
ALTER TYPE mood RENAME VALUE 'mood 2' TO 'fine';
SELECT array_to_minhash('{mood 1,fine}'::feeling[]) <> :'before' AS differs, array_to_minhash('{mood 1,fine}'::feeling[]) = array_to_minhash('{mood 1,fine}'::text[]) AS same;

-- Large values.
SELECT count(DISTINCT sig) FROM generate_series(0, 4200, 7) i, array_to_minhash(ARRAY[repeat('x', i)::bytea], 16) sig;
SELECT jaccard(array_to_minhash(ARRAY[a]), array_to_minhash(ARRAY[b])) AS estimated, jaccard(ARRAY[a], ARRAY[b]) AS exact
FROM (SELECT ('1' || repeat('0', 100000))::numeric AS a, ('1' || repeat('0', 100000) || '.' || repeat('0', 10000))::numeric AS b) s;

-- Other types are refused, whether there are values or not; the error names the type of the values.
\set ECHO none
CREATE DOMAIN document AS jsonb;
CREATE DOMAIN list AS int[];
CREATE TYPE pair AS (a int, b text);
CREATE TYPE numbers AS RANGE (subtype = numeric);
CREATE FUNCTION error_of(call text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	EXECUTE 'SELECT ' || call;
	RETURN 'none';
EXCEPTION WHEN feature_not_supported THEN
	RETURN sqlerrm;
END $$;
\set ECHO all
SELECT array_to_minhash('{}'::jsonb[]);
SELECT count(*), array_agg(type || ': ' || error) FILTER (WHERE error <> format('elements of type %s cannot be hashed', type::regtype)) AS of_the_base_type
FROM unnest('{json,document,xml,pair,int4range,int4multirange,numbers,list,oidvector,int2vector,inet,cidr,interval,timetz,bit,varbit,tid,regclass,aclitem,point,tsvector,shingling,minhash}'::text[]) AS type, error_of(format('array_to_minhash(%L::%s[])', '{}', type)) AS error;
SELECT call, error_of(call) AS error FROM (VALUES (1, $$array_to_minhash(ARRAY[ROW(1)])$$), (2, $$weighted_to_minhash('{}'::inet[], '{}')$$), (3, $$minhash_agg('1 day'::interval)$$), (4, $$minhash_agg(NULL::list)$$),
	(5, $$jaccard('{}'::jsonb[], '{}')$$), (6, $$containment('{}'::jsonb[], '{}')$$), (7, $$jaccard(ARRAY[ROW(1, 'a')]::pair[], '{}')$$)) c(n, call) ORDER BY n;

-- The remedies that the hint names: texts, also in a generated column by way of an IMMUTABLE function.
CREATE FUNCTION texts_of(jsonb[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS 'SELECT ARRAY(SELECT unnest($1)::text)';
CREATE TABLE kept (list jsonb[], sig minhash GENERATED ALWAYS AS (array_to_minhash(texts_of(list))) STORED);
INSERT INTO kept VALUES (ARRAY['{"a": 1}', '[]']::jsonb[]), (ARRAY['[]', '{"a":1}']::jsonb[]);
SELECT count(DISTINCT sig) FROM kept;
SELECT array_to_minhash('{pg_class,pg_type}'::regclass[]::text[]) = array_to_minhash('{pg_type,pg_class}'::text[]) AS same;

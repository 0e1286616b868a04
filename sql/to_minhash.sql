--
-- Signatures of texts, arrays and tsvectors.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

-- Defaults, by position and by name.
SELECT to_minhash('some text') = to_minhash('some text', 'char:5', 128, 0, 'one-permutation') AS same,
	to_minhash('some text', method => 'one-permutation', seed => 0) = to_minhash('some text') AS same,
	array_to_minhash('{1,2}'::int[]) = array_to_minhash('{1,2}'::int[], num_hashes => 128, seed => 0, method => 'one-permutation') AS same,
	tsvector_to_minhash('a b'::tsvector) = tsvector_to_minhash('a b'::tsvector, 128, 0, 'one-permutation') AS same;
-- The parameters of a signature.
SELECT input, (minhash_info(sig)).*
FROM (VALUES ('text', to_minhash('a few words', 'word:1')),
	('text', to_minhash('a few words', 'char:3 raw bag', 4096, -7, 'k-permutation')),
	('integers', array_to_minhash('{1,2,3}'::int[], 16)),
	('strings', array_to_minhash('{one,two,three}'::text[], 16, 1)),
	('tsvector', tsvector_to_minhash(to_tsvector('simple', 'a few words'), 16)),
	('dates', array_to_minhash('{2024-02-29}'::date[], 16))) v(input, sig);
-- An element is in one slot with one permutation, in every slot with k.
SELECT count(*), bool_and(cardinality(array_remove(minhash_slots(array_to_minhash(ARRAY[i], k, 0, method)), NULL)) = CASE method WHEN 'k-permutation' THEN k ELSE 1 END) AS filled
FROM unnest('{one-permutation,k-permutation}'::text[]) method, unnest('{16,100,4096}'::int[]) k, generate_series(1, 50) i;

-- NULL gives NULL, whichever argument it is.
SELECT to_minhash(NULL::text) IS NULL, to_minhash('x', NULL) IS NULL, to_minhash('x', 'char:5', NULL) IS NULL,
	to_minhash('x', 'char:5', 16, NULL::int) IS NULL, to_minhash('x', 'char:5', 16, 0, NULL) IS NULL,
	array_to_minhash(NULL::int[]) IS NULL, array_to_minhash('{1}'::int[], NULL) IS NULL, tsvector_to_minhash(NULL::tsvector) IS NULL;

-- The number of hashes is 16 to 4096.
SELECT k, (minhash_info(to_minhash('x', 'char:5', k))).num_hashes, cardinality(minhash_slots(to_minhash('x', 'char:5', k)))
FROM unnest('{16,17,4095,4096}'::int[]) k;
SELECT * FROM pg_temp.errors_of(
	$$to_minhash('x', 'char:5', 15)$$, $$to_minhash('x', 'char:5', 4097)$$, $$to_minhash('x', 'char:5', 0)$$,
	$$to_minhash('x', 'char:5', -16)$$, $$array_to_minhash('{1}'::int[], 15)$$,
	$$array_to_minhash('{1}'::int[], 4097)$$, $$tsvector_to_minhash(''::tsvector, 0)$$,
	-- There are two methods.
	$$to_minhash('x', method => 'minwise')$$, $$to_minhash('x', method => '')$$,
	$$to_minhash('x', method => 'One-Permutation')$$, $$array_to_minhash('{1}'::int[], method => 'k permutation')$$,
	-- The shingling is one of texts.
	$$to_minhash('x', 'integer')$$, $$to_minhash('x', 'lexeme')$$, $$to_minhash('x', 'sentence:3')$$,
	$$to_minhash('x', 'char:0')$$, $$to_minhash('x', 'char:300')$$);

-- Every seed gives other signatures of the same set.
SELECT method, count(DISTINCT minhash_slots(array_to_minhash('{1,2,3,4,5,6,7,8,9,10}'::int[], 128, seed, method)))
FROM unnest('{one-permutation,k-permutation}'::text[]) method, unnest('{0,1,2,3,-1,-2,65536,2147483647,-2147483648}'::int[]) seed
GROUP BY method ORDER BY method;

-- Texts: equal where their sets of shingles are.
SELECT to_minhash('The  quick brown FOX') = to_minhash(E' the quick\nbrown fox ') AS same,
	to_minhash('The  quick brown FOX', 'char:5 raw') <> to_minhash(E' the quick\nbrown fox ', 'char:5 raw') AS differs,
	to_minhash('quick, brown; fox!', 'word:2') = to_minhash('quick brown fox', 'word:2') AS same,
	to_minhash('abababababab', 'char:2') = to_minhash('ababa', 'char:2') AS same,
	to_minhash('abababababab', 'char:2 bag') <> to_minhash('ababa', 'char:2 bag') AS differs,
	to_minhash('caf' || chr(233)) = to_minhash('cafe' || chr(769)) AS same;
-- of every string type; trailing blanks of char(n) do not count
SELECT to_minhash('some text'::varchar) = to_minhash('some text') AS varchar, to_minhash('some text'::char(20)) = to_minhash('some text') AS char,
	to_minhash('some text'::name) = to_minhash('some text') AS name;
-- empty and almost
SELECT d, (minhash_info(to_minhash(d, 'char:5', 16))).empty_slots AS "char:5", (minhash_info(to_minhash(d, 'char:5 raw', 16))).empty_slots AS "char:5 raw",
	(minhash_info(to_minhash(d, 'word:2', 16))).empty_slots AS "word:2"
FROM unnest('{"","   ",x,"...","x y"}'::text[]) d;
-- A text that is too short is one shingle, and differs from others so.
SELECT to_minhash('ab') = to_minhash('ab ') AS same, to_minhash('ab') <> to_minhash('ba') AS differs,
	to_minhash('one', 'word:3') <> to_minhash('one', 'word:2') AS differs;

-- A text's char shingles, given as an array of strings, have the same slots: long texts and short ones, of all scripts.
CREATE TEMP TABLE docs AS
	SELECT i, string_agg(substr(E'abcdefghij  .,ABC\u00E9\u00DF\u0301\u4E2D\u6587\u3042\u0E01\U0001F600\uFB01\u0130', (i * j + j * j + j / 7) % 28 + 1, 1), ''
		ORDER BY j) AS doc
	FROM unnest('{1,2,3,4,5,6,7,10,50,100,1000,2730,2731,2732,5000,20000}'::int[]) i, generate_series(1, i) j GROUP BY i;
SELECT count(*), max(length(doc)) FROM docs;
SELECT count(*), count(*) FILTER (WHERE
	minhash_slots(to_minhash(doc, s, 128, 5, method)) = minhash_slots(array_to_minhash(shingles(doc, s), 128, 5, method))) AS same
FROM docs, unnest('{char:1,char:5,char:255,char:5 raw}'::shingling[]) s, unnest('{one-permutation,k-permutation}'::text[]) method;
-- Word shingles: any other text with these words has the same signature.  Words longer than the buffer, too.
CREATE TEMP VIEW worded AS
	SELECT i, doc, s, array_to_string(shingles(doc, 'word:1 bag'), ' - ') AS respaced FROM docs, unnest('{word:1,word:3,word:3 bag,word:40}'::shingling[]) s
	UNION ALL SELECT -len, repeat('x', len) || ' y', s, E'(x' || repeat('x', len - 1) || E')\n\ny '
	FROM unnest('{4095,4096,4097,8191,8192,8193,30000}'::int[]) len,
		unnest('{word:1,word:2}'::shingling[]) s;
SELECT s::text AS shingling, count(*) AS docs, count(*) FILTER (WHERE to_minhash(doc, s) = to_minhash(respaced, s)) AS same,
	count(DISTINCT to_minhash(doc, s)) AS signatures,
	count(DISTINCT ARRAY(SELECT unnest(shingles(doc, s)) ORDER BY 1)) AS sets
FROM worded GROUP BY s::text ORDER BY s::text COLLATE "C";
-- In a bag, a shingle's second occurrence is another element: n times "a" fill n slots of many.
SELECT n, 4096 - (minhash_info(to_minhash(repeat('a', n), 'char:1', 4096))).empty_slots AS "set",
	4096 - (minhash_info(to_minhash(repeat('a', n), 'char:1 bag', 4096))).empty_slots AS bag,
	4096 - (minhash_info(to_minhash(repeat('a ', n), 'word:1 bag', 4096))).empty_slots AS bag
FROM unnest('{0,1,2,5,10}'::int[]) n;

-- Integers are hashed by value, regardless of their width.
SELECT count(*), count(*) FILTER (WHERE a = b AND b = c AND d = c) AS same
FROM generate_series(1, 50) i, LATERAL (
	SELECT array_agg((j * i * 7919 % 65536) - 32768) AS list FROM generate_series(1, i) j) l, LATERAL (
	SELECT array_to_minhash(list::int2[]) AS a, array_to_minhash(list::int4[]) AS b, array_to_minhash(list::int8[]) AS c, array_to_minhash(list::text[]::int8[]) AS d) s;
SELECT array_to_minhash('{-9223372036854775808,9223372036854775807,0,-1}'::int8[]) = array_to_minhash('{-1,0,9223372036854775807,-9223372036854775808}'::int8[]) AS same;
-- Strings are hashed by their bytes, regardless of their type; the blanks that pad char(n) do not count.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN word AS text CHECK (VALUE <> '');
CREATE DOMAIN small AS int2;
CREATE DOMAIN numbers AS int[];
SELECT array_to_minhash('{sad,ok}'::varchar[]) = t AS varchar, array_to_minhash('{sad,ok}'::char(10)[]) = t AS char, array_to_minhash('{sad,ok}'::name[]) = t AS name,
	array_to_minhash('{sad,ok}'::mood[]) = t AS enum, array_to_minhash('{sad,ok}'::word[]) = t AS domain, array_to_minhash('{Sad,ok}'::text[]) <> t AS differs
FROM array_to_minhash('{sad,ok}'::text[]) t;
SELECT array_to_minhash('{"a ",b}'::text[]) <> array_to_minhash('{a,b}'::text[]) AS differs, array_to_minhash('{"a ",b}'::char(5)[]) = array_to_minhash('{a,b}'::text[]) AS same;
SELECT array_to_minhash('{5,6}'::small[]) = array_to_minhash('{5,6}'::int[]) AS same, array_to_minhash('{5,6}'::numbers) = array_to_minhash('{5,6}'::int[]) AS same;
-- An enum value is its label, which may change.
SELECT array_to_minhash('{sad,ok}'::mood[]) AS before \gset
ALTER TYPE mood RENAME VALUE 'ok' TO 'fine';
SELECT array_to_minhash('{sad,fine}'::mood[]) = array_to_minhash('{sad,fine}'::text[]) AS same, array_to_minhash('{sad,fine}'::mood[]) <> :'before' AS differs;
DROP DOMAIN word, small, numbers;
-- Other types by their own idea of equality.
SELECT array_to_minhash('{1.0,2}'::numeric[]) = array_to_minhash('{1,2.000}'::numeric[]) AS numeric,
	array_to_minhash('{0,NaN}'::float8[]) = array_to_minhash('{-0,NaN}'::float8[]) AS float8,
	array_to_minhash('{2024-02-29}'::date[]) = array_to_minhash(ARRAY[DATE '2024-02-28' + 1]) AS date,
	array_to_minhash('{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}'::uuid[]) = array_to_minhash('{a0eebc999c0b4ef8bb6d6bb9bd380a11}'::uuid[]) AS uuid,
	array_to_minhash('{t,f}'::bool[]) = array_to_minhash('{f,t,t}'::bool[]) AS bool;
SELECT array_to_minhash('{1.5,2}'::numeric[]) <> array_to_minhash('{1.5,3}'::numeric[]) AS numeric,
	array_to_minhash('{1.5}'::float8[]) <> array_to_minhash('{2.5}'::float8[]) AS float8,
	array_to_minhash('{2024-02-28}'::date[]) <> array_to_minhash('{2024-02-29}'::date[]) AS date,
	array_to_minhash('{t}'::bool[]) <> array_to_minhash('{f}'::bool[]) AS bool,
	minhash_slots(array_to_minhash('{1.5}'::numeric[], 16, 1)) <> minhash_slots(array_to_minhash('{1.5}'::numeric[], 16, 2)) AS seed;
-- Types without a canonical form have none.
SELECT * FROM pg_temp.errors_of(
	$$array_to_minhash(ARRAY['{}']::json[])$$, $$array_to_minhash(ARRAY[point '(1,2)'])$$,
	$$array_to_minhash('{}'::json[])$$);
-- One place in a query may see arrays of different types.
SELECT (minhash_info(CASE i WHEN 1 THEN array_to_minhash('{1}'::int[]) WHEN 2 THEN array_to_minhash('{1}'::text[]) ELSE array_to_minhash('{1}'::numeric[]) END)).shingling
FROM generate_series(1, 3) i;

-- NULLs, order, repetitions, dimensions and bounds of an array do not matter.
SELECT array_to_minhash('{1,NULL,2,NULL}'::int[]) = t AS nulls, array_to_minhash('{2,1}'::int[]) = t AS "order", array_to_minhash('{1,2,2,1,1}'::int[]) = t AS repeated,
	array_to_minhash('{{1,2},{2,NULL}}'::int[]) = t AS dimensions, array_to_minhash('{{{1}},{{2}}}'::int[]) = t AS dimensions, array_to_minhash('[5:6]={1,2}'::int[]) = t AS bounds
FROM array_to_minhash('{1,2}'::int[]) t;
-- An array of nothing but NULLs is the empty set.
SELECT array_to_minhash('{NULL,NULL}'::int[]) = e AS same, array_to_minhash('{{NULL}}'::int[]) = e AS same, (minhash_info(e)).empty_slots,
	(minhash_info(array_to_minhash('{}'::int[], 128, 0, 'k-permutation'))).empty_slots, array_to_minhash('{""}'::text[]) <> array_to_minhash('{}'::text[]) AS differs
FROM array_to_minhash('{}'::int[]) e;
-- Longer than a batch of hashes
SELECT bool_and(array_to_minhash(ARRAY(SELECT generate_series(1, n))) = array_to_minhash(ARRAY(SELECT generate_series(n, 1, -1)) || NULL)) AS same
FROM unnest('{1023,1024,1025,5000}'::int[]) n;

-- tsvectors: positions and weights are ignored.
SELECT tsvector_to_minhash('fat:2A,7 rat:3'::tsvector) = t AS same, tsvector_to_minhash('rat fat rat'::tsvector) = t AS same,
	tsvector_to_minhash(to_tsvector('simple', 'Fat, fat RAT')) = t AS same, tsvector_to_minhash('cat fat'::tsvector) <> t AS differs,
	(minhash_info(tsvector_to_minhash(''::tsvector, 16))).empty_slots
FROM tsvector_to_minhash('fat rat'::tsvector) t;
-- They have the slots of the array of their lexemes, but are not comparable with it.
SELECT count(*), count(*) FILTER (WHERE minhash_slots(tsvector_to_minhash(v, 64, 9, method)) = minhash_slots(array_to_minhash(tsvector_to_array(v), 64, 9, method))) AS same,
	count(*) FILTER (WHERE tsvector_to_minhash(v, 64, 9, method) = array_to_minhash(tsvector_to_array(v), 64, 9, method)) AS equal
FROM docs, to_tsvector('simple', doc) v, unnest('{one-permutation,k-permutation}'::text[]) method;

-- The signature of a union of sets is the slot-wise minimum, bit for bit.
\set ECHO none
CREATE FUNCTION rnd(i bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT (x * x + i) % 2147483647 FROM (SELECT (i + 1) * 48271 % 2147483647) AS v(x)
$$;
CREATE FUNCTION least_slots(minhash, minhash) RETURNS int[] LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(least(a, b) ORDER BY slot) FROM unnest(minhash_slots($1), minhash_slots($2)) WITH ORDINALITY u(a, b, slot)
$$;
CREATE TEMP TABLE pairs AS
	SELECT i, coalesce((SELECT array_agg(rnd(i * 1000 + j) % 500) FROM generate_series(1, rnd(i) % (i + 1)) j), '{}') AS a,
		coalesce((SELECT array_agg(rnd(i * 1000 + 500 + j) % 500) FROM generate_series(1, rnd(-i - 2) % (i + 1)) j), '{}') AS b
	FROM generate_series(0, 300) i;
\set ECHO all
SELECT count(*), min(cardinality(a)), max(cardinality(a)), min(cardinality(b)), max(cardinality(b)) FROM pairs;
SELECT count(*), count(*) FILTER (WHERE minhash_slots(array_to_minhash(a || b, k, i, method)) =
	least_slots(array_to_minhash(a, k, i, method), array_to_minhash(b, k, i, method))) AS same
FROM pairs, unnest('{one-permutation,k-permutation}'::text[]) method, unnest('{16,100,128}'::int[]) k;
SELECT method, count(*), count(*) FILTER (WHERE minhash_slots(array_to_minhash((a || b)::text[], 128, i, method)) =
	least_slots(array_to_minhash(a::text[], 128, i, method), array_to_minhash(b::text[], 128, i, method))) AS same
FROM pairs, unnest('{one-permutation,k-permutation}'::text[]) method GROUP BY method ORDER BY method;
SELECT count(*), count(*) FILTER (WHERE minhash_slots(tsvector_to_minhash(v || w)) = least_slots(tsvector_to_minhash(v), tsvector_to_minhash(w))) AS same
FROM pairs, array_to_tsvector(a::text[]) v, array_to_tsvector(b::text[]) w;
-- Two texts of words with a separator between them and a window of one word
SELECT count(*), count(*) FILTER (WHERE minhash_slots(to_minhash(t || '; ' || u, 'word:1')) =
	least_slots(to_minhash(t, 'word:1'), to_minhash(u, 'word:1'))) AS same
FROM pairs, array_to_string(a, ' ') t, array_to_string(b, ' ') u;

-- Generated columns keep signatures up to date.
CREATE TABLE articles (id int, body text, tags text[], sig minhash(64) GENERATED ALWAYS AS (to_minhash(body, 'word:2', 64)) STORED,
	tag_sig minhash GENERATED ALWAYS AS (array_to_minhash(tags, 16)) STORED);
INSERT INTO articles (id, body, tags) VALUES (1, 'one two three', '{a,b}'), (2, NULL, NULL), (3, '', '{}');
UPDATE articles SET body = 'three two one' WHERE id = 3;
SELECT id, sig = to_minhash(body, 'word:2', 64) AS sig, tag_sig = array_to_minhash(tags, 16) AS tag_sig, (minhash_info(sig)).empty_slots,
	(minhash_info(tag_sig)).empty_slots
FROM articles ORDER BY id;
-- Bytes that are not UTF-8 do not get so far.
CREATE TABLE bodies (body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
\copy bodies (body) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\2\303\251\377\377"' (FORMAT binary)
\copy bodies (body) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\2a\377\377\377"' (FORMAT binary)
SELECT body, sig = to_minhash('é') AS same FROM bodies;

-- A shingling may be a text: a parameter, a column.
CREATE TABLE config (t text, v varchar(20), s shingling);
INSERT INTO config VALUES ('word:3', 'word:3', 'word:3');
SELECT to_minhash('a b c d', t) = to_minhash('a b c d', s) AS text, to_minhash('a b c d'::varchar, v, 64) = to_minhash('a b c d', s, 64) AS varchar,
	shingles('a b c d', t) = shingles('a b c d', v) AS same, jaccard('a b c'::varchar, 'a b'::varchar, v) = jaccard('a b c', 'a b', s) AS same,
	containment('a b c'::varchar, 'a b'::varchar, v) = containment('a b c', 'a b', s) AS same, s = t AS equal FROM config;
PREPARE signature(varchar, varchar) AS SELECT to_minhash($1, $2) = to_minhash('a b c d', 'word:3') AS same;
EXECUTE signature('a b c d', 'word:3');
EXECUTE signature('a b c d', 'words');
DEALLOCATE signature;
-- a generated column and an index may take it from a column
ALTER TABLE config ADD sig minhash GENERATED ALWAYS AS (to_minhash('a b c d', v)) STORED;
CREATE INDEX ON config USING gin (to_minhash('a b c d', t));
INSERT INTO config (t, v) VALUES ('word:2', 'word:1');
SELECT t, (minhash_info(sig)).shingling FROM config;

-- Calls that say something else: of what has no type, an error, or a text.
SELECT statement, message FROM pg_temp.errors_of(
	$$to_minhash('some text', '64')$$, $$to_minhash('some text', 64)$$, $$to_minhash('some text'::text, 64)$$,
	$$to_minhash(ARRAY['some', 'text'])$$, $$to_minhash('some text'::tsvector)$$, $$array_to_minhash('{1,2}')$$,
	$$array_to_minhash('some text'::text)$$, $$weighted_to_minhash('{1,2}'::text[], '64')$$);
SELECT array_to_minhash('{1,2}'::int[], '64') = array_to_minhash('{1,2}'::int[], 64) AS same,
	weighted_to_minhash('{1,2}'::text[], '{1,2}') = weighted_to_minhash('{1,2}'::text[], '{1,2}'::float8[]) AS same;
SELECT minhash_info(to_minhash('{1,2}')), minhash_info(tsvector_to_minhash('some text'));

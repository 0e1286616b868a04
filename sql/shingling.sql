--
-- The type shingling: how a document becomes a set.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

-- Every shingling has one printed form: of these, five are written in another one.
SELECT input, input::shingling AS printed
FROM unnest(ARRAY['char:5', 'word:3', 'char:9 raw', 'word:2 bag', 'char:1 raw bag', 'char:1 bag raw', 'word:255',
	'  char:5  ', 'word:2   bag raw', 'char:005', 'char:5 raw raw', 'integer', 'text', 'lexeme', 'other']) AS input
WHERE input::shingling::text <> input;

-- Invalid shinglings, by the detail of the error.
SELECT detail, hint, sql_error_code, array_agg(statement ORDER BY statement COLLATE "C") AS statements, count(*) FILTER (WHERE message
	<> format('invalid input syntax for type shingling: "%s"', substr(statement, 2, length(statement) - 13))) AS not_named
FROM pg_temp.errors_of(
	$$''::shingling$$, $$'  '::shingling$$, $$'char'::shingling$$, $$'char:'::shingling$$, $$'char:0'::shingling$$,
	$$'char:256'::shingling$$, $$'word:300'::shingling$$, $$'char:-1'::shingling$$, $$'char:+5'::shingling$$,
	$$'char:5.0'::shingling$$, $$'char: 5'::shingling$$, $$'char :5'::shingling$$,
	$$'char:99999999999999999999'::shingling$$, $$'Char:5'::shingling$$, $$'sentence:5'::shingling$$,
	$$'cha:5'::shingling$$, $$'5'::shingling$$, $$'raw char:5'::shingling$$, $$'char:5 RAW'::shingling$$,
	$$'char:5,raw'::shingling$$, $$'char:5 word:3'::shingling$$) GROUP BY 1, 2, 3 ORDER BY 1 DESC;
SELECT E'char:5\traw'::shingling;

-- Sets whose elements are given have no size and no options.
SELECT * FROM pg_temp.errors_of(
	$$'integer:1'::shingling$$, $$'lexeme:0'::shingling$$, $$'text raw'::shingling$$);

-- Binary form: unit in the lowest byte, then n, then the options.
SELECT s, shingling_send(s)
FROM unnest('{char:5,word:3,char:9 raw,word:2 bag,word:255 raw bag,integer,text,lexeme,other}'::shingling[]) s;

-- Binary input takes these bytes and no others.
CREATE TABLE shinglings (s shingling);
\copy shinglings FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\0\0\5\1\377\377"' (FORMAT binary)
SELECT s FROM shinglings;
-- no unit
\copy shinglings FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\0\0\5\0\377\377"' (FORMAT binary)
-- an unknown unit
\copy shinglings FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\0\0\0\7\377\377"' (FORMAT binary)
-- char without a size
\copy shinglings FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\0\0\0\1\377\377"' (FORMAT binary)
-- integer with a size
\copy shinglings FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\0\0\1\3\377\377"' (FORMAT binary)
-- an unknown option
\copy shinglings FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\0\4\5\1\377\377"' (FORMAT binary)
-- something in the top byte
\copy shinglings FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\1\0\5\1\377\377"' (FORMAT binary)
-- three bytes
\copy shinglings FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\3\0\5\1\377\377"' (FORMAT binary)

-- Equality.
SELECT 'char:5' = 'char:5'::shingling AS same, 'word:2 raw bag' = 'word:2 bag raw'::shingling AS same,
	'char:5' <> 'char:5'::shingling AS different;
SELECT array_agg(s = 'char:5') AS equal, array_agg(s <> 'char:5') AS different FROM unnest('{char:5,char:6,word:5,char:5 raw,char:5 bag}'::shingling[]) s;
SELECT s FROM shinglings WHERE s IN ('word:3', 'char:5');
SELECT 'char:5' = ANY ('{word:3,char:5}'::shingling[]) AS found;

-- Rows can be spread by shingling.
CREATE TABLE by_shingling (s shingling) PARTITION BY HASH (s);
CREATE TABLE by_shingling_0 PARTITION OF by_shingling FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_shingling_1 PARTITION OF by_shingling FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_shingling SELECT ('char:' || n)::shingling FROM generate_series(1, 255) AS n;
SELECT count(*) BETWEEN 90 AND 165 AS about_half FROM by_shingling_0;
SELECT count(*) FROM by_shingling WHERE s = 'char:7';

-- GROUP BY and joins hash shinglings.
INSERT INTO shinglings VALUES ('word:3'), ('char:5 raw'), ('char:5'), ('word:3'), (NULL);
SELECT s, count(*) FROM shinglings GROUP BY s ORDER BY s::text COLLATE "C";
-- There is no order but that of the text.
SELECT s FROM shinglings ORDER BY s;
SET enable_nestloop = off;
SELECT a.s, count(*) FROM shinglings a JOIN shinglings b USING (s) GROUP BY a.s ORDER BY a.s::text COLLATE "C";
RESET enable_nestloop;

-- From and to other types by name only.
SELECT ('word:3'::text)::shingling, 'word:3'::shingling::text;
SELECT pg_typeof('word:3'::shingling::varchar);

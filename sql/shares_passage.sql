--
-- shares_passage(), passage_keys() and the operator &&~.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

-- Twelve words in a row by default, in any form that the shingles of a signature have.
SELECT shares_passage('It was the best of times, it was the worst of times, it was the age of wisdom',
		E'> it was THE best of\n> times, it was the\n> worst of times. And so on.') AS shared,
	shares_passage('one two three four five six seven eight nine ten eleven twelve',
		'zero one two three four five six seven eight nine ten eleven') AS too_few;
SELECT a, b, run, shares_passage(a, b, run) FROM (VALUES
	('The Cat sat', 'the cat ran', 'char:8'::shingling), ('The Cat sat', 'the cat ran', 'char:8 raw'), ('The Cat sat', 'the cat ran', 'char:9'),
	('日本語の文章です', '英語の文章', 'word:4'), ('日本語の文章です', '英語の文章', 'word:5'),
	-- A text shorter than the run is a single shingle: it matches an equal text only.
	('Short text', 'short  TEXT!', 'word:12'), ('short text', 'a short text', 'word:12'),
	-- Nothing is shared with a text of no units; NULL is unknown.
	('', '', 'word:12'), ('', 'abc', 'word:12'), ('?!', '?!', 'word:12'), (' ', E'\t', 'char:1'),
	(NULL, 'abc', 'word:12'), ('abc', NULL, 'word:12'), ('abc', 'abc', NULL)) v (a, b, run);

-- Errors.
SELECT * FROM pg_temp.errors_of(
	$$shares_passage('abc', 'abc', 'word:3 bag')$$, $$shares_passage('abc', 'abc', 'integer')$$,
	$$passage_keys('abc', 'lexeme')$$, $$passage_keys('abc', 'char:5 bag')$$, $$passage_query('abc', 'char:5 bag')$$,
	$$'abc' &&~ '(abc,char:5 bag,0,0)'$$);

-- The operator says the same; a query without a text or a run is unknown.
SELECT 'a short text' &&~ passage_query('short text', 'word:2'), 'a short text' &&~ passage_query('short text');
SELECT 'abc' &&~ '(,word:12,0,0)', 'abc' &&~ '(abc,,0,0)', 'abc' &&~ '(abc,char:3,,0)', 'abc' &&~ '(abc,char:3,0,)', 'abc' &&~ '(abc,char:3,0,0)', NULL &&~ passage_query('abc');
SELECT passage_query('a "quoted", text'), (passage_query('abc', 'char:20 raw')).run, passage_query(NULL);

-- Keys: sorted, all different, none for an empty text.
SELECT passage_keys('It was the best of times, it was the worst of times, it was the age of wisdom');
SELECT passage_keys(''), passage_keys('...'), passage_keys(NULL), passage_keys('abc', NULL);
SELECT cardinality(passage_keys(repeat('a', 1000), 'char:50')), cardinality(passage_keys(repeat('ab', 1000), 'char:50')) <= 2 AS few;

-- Vectors that an independent program computed (test/passage_keys.py): those that come out differently, none.
CREATE TABLE vectors (id text PRIMARY KEY, input text, run shingling, keys int[]);
\copy vectors FROM 'test/data/passage_keys.tsv' (ENCODING 'UTF8')
SELECT count(*) > 300 AS many, count(DISTINCT run::text) AS runs FROM vectors;
SELECT id FROM vectors WHERE keys IS DISTINCT FROM passage_keys(input, run) ORDER BY id COLLATE "C";

-- Against jaccard(), with either text kept from call to call and with none: no difference.
CREATE TABLE texts AS
	SELECT i, string_agg(substr('ab c', 1 + (get_byte(decode(md5(i || '/' || j), 'hex'), 0) & 3), 1), '') AS t
	FROM generate_series(1, 60) i, generate_series(1, 6 + i % 25) j GROUP BY i
	UNION ALL SELECT 0, '' UNION ALL SELECT -1, ' !' UNION ALL SELECT -2, repeat('a', 50) UNION ALL SELECT -3, repeat('ab', 30);
WITH pairs AS (
	SELECT a.t AS a, b.t AS b, s::shingling AS s
	FROM texts a, texts b, unnest('{char:1,char:2,char:5,char:9,char:18,char:20,word:1,word:2,word:3,word:5,word:6,char:4 raw,word:2 raw}'::text[]) s
)
SELECT count(*) AS pairs, count(*) FILTER (WHERE shares_passage(a, b, s)) AS shared,
	count(*) FILTER (WHERE shares_passage(a, b, s) <> coalesce(jaccard(a, b, s) > 0, false)) AS different,
	count(*) FILTER (WHERE shares_passage(a, b, s) <> (a &&~ passage_query(b, s))) AS different_operator,
	count(*) FILTER (WHERE shares_passage(a, b, s) AND NOT passage_keys(a, s) && passage_keys(b, s)) AS without_key
FROM pairs;

-- Passages from everywhere in longer texts, of short, long and other words: none missed.
CREATE TABLE tales AS
	SELECT i, ARRAY(SELECT (ARRAY['a', 'cat', 'Straße', '日本', 'x_1', '--', 'e' || U&'\0301', repeat('long', 17), 'word'])[1 + get_byte(digest, 0) % 9] || left(digest::text, 6)
		FROM generate_series(1, CASE WHEN i < 4 THEN 100 ELSE 4000 END) j, LATERAL sha256(convert_to(i || '/' || j, 'UTF8')) digest ORDER BY j) AS w
	FROM generate_series(1, 4) i;
SELECT length(t) > 65536 AS long, count(*) AS pairs, count(*) FILTER (WHERE NOT shares_passage(t, array_to_string(w[p:p + 11], ' ') || ' and so on', s)) AS missed
FROM tales, LATERAL array_to_string(w, ' ') t, unnest('{char:20,char:20 raw,word:8}'::shingling[]) s,
	generate_series(1, cardinality(w) - 11, CASE WHEN i < 4 THEN 1 ELSE 100 END) p
GROUP BY 1 ORDER BY 1;

-- A word longer than a buffer after the passage leaves nothing behind for the next text.
CREATE TABLE leftovers AS SELECT n, 'a b c d e f g h i j k l' || CASE n WHEN 1 THEN ' ' || repeat('x', 20000) ELSE '' END AS t FROM generate_series(1, 2) n;
SELECT n, shares_passage(t, 'a b c d e f g h i j k l') AS shared FROM leftovers ORDER BY n;

-- The kept text changes with the parameters of a function, and between runs of one query.
CREATE FUNCTION shares(a text, b text, run shingling) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN shares_passage(a, b, run); END';
SELECT count(*) FILTER (WHERE shares(a.t, b.t, s::shingling) <> coalesce(jaccard(a.t, b.t, s::shingling) > 0, false)) AS different
FROM texts a, texts b, unnest('{char:5,word:2}'::text[]) s WHERE a.i % 4 = 0;

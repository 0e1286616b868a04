--
-- common_passages(): why two texts are similar.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

SELECT v.*, p.start_a, p.length_a, p.start_b, p.length_b, p.passage, p.edits, p.equal_units FROM (VALUES
	-- The example of align_local() in the manual of R's textreuse.
	('The answer is blowin'' in the wind.', 'As the Bob Dylan song says, the answer is blowing in the wind.', 'word:2'::shingling),
	('The answer is blowin'' in the wind.', 'As the Bob Dylan song says, the answer is blowing in the wind.', 'char:5'),
	-- The longest first, so that the run in the middle is not cut into; shown from left to right.
	('abcdefghijklm', 'abcde -- defghijk -- jklm', 'char:2'),
	-- Each position of the first text is in one passage at most; the second may serve again.
	('banana banana', 'banana', 'char:3'), ('banana', 'banana banana', 'char:3'),
	-- Of equal runs the leftmost is taken, at the first place of the second text.
	('abXcd', 'cd ab cd ab', 'char:2'),
	-- Two passages never claim one character, even if it became two of which each is in one.
	(E'of\uFB01ce', 'of--off--ice', 'char:2 raw'), (E'abc\uFB01def', 'abcf idef', 'char:2'),
	-- Words of their own.
	('日本語の文章です', '英語の文章', 'word:2'),
	-- Raw, and bag, which makes no difference here.
	('The Cat', 'the cat', 'char:3'), ('The Cat', 'the cat', 'char:3 raw'), ('a a a a', 'a a', 'word:2 bag'),
	-- A text shorter than a shingle is one shingle, all of it.
	('Abc', 'abc', 'char:5'), ('abc', 'abcdef', 'char:5'), ('one', 'ONE', 'word:3'),
	-- Nothing.
	('', '', 'char:5'), ('   ', ' ', 'char:5'), ('', 'abcdef', 'char:5'), ('abcdef', 'ghijkl', 'char:5'), (NULL, 'abc', 'char:5'),
	('abc', NULL, 'char:5'), ('abc', 'abc', NULL)) AS v (a, b, run) LEFT JOIN common_passages(a, b, run) p ON true;
SELECT count(*) AS by_default FROM common_passages('abcdef', 'abcdef') UNION ALL SELECT count(*) FROM common_passages('', '');
-- Positions are characters of the texts as they came.
SELECT run, p.*, substr(b, start_b, length_b) AS passage_b
FROM (VALUES ('char:5'::shingling, E'FUSSBALLLA\u0308NDERSPIEL,  Final!'), ('word:1', E'FUSSBALLLA\u0308NDERSPIEL;  Final!')) v (run, b),
	common_passages(E'  Fu\u00DFballl\u00E4nderspiel,\t\n  \uFB01nal', b, run) p;

-- Errors.
SELECT * FROM common_passages('abc', 'abc', 'lines:3');

-- It covers what jaccard counts: there is a passage if and only if a shingle is common.
WITH texts AS (
	SELECT i, string_agg(substr('ab c', 1 + (get_byte(decode(md5(i || '/' || j), 'hex'), 0) & 3), 1), '') AS t
	FROM generate_series(1, 60) i, generate_series(1, 6 + i % 5) j GROUP BY i
), pairs AS (
	SELECT a.t AS a, b.t AS b, s::shingling AS s
	FROM texts a, texts b, unnest('{char:2,char:5,char:9,word:1,word:2,word:3,char:4 raw}'::text[]) s
)
SELECT count(*) AS pairs, count(*) FILTER (WHERE jaccard(a, b, s) > 0) AS similar,
	count(*) FILTER (WHERE (coalesce(jaccard(a, b, s), 0) > 0) <> EXISTS (SELECT FROM common_passages(a, b, s))) AS different
FROM pairs;

-- A text with itself is one passage, without the white space around it.
SELECT count(*) AS wrong FROM generate_series(1, 200) i, repeat(md5(i::text) || ' ', 1 + i % 7) t
WHERE (SELECT array_agg((start_a, length_a, start_b, length_b)::text) FROM common_passages(t, t, 'char:5'))
	IS DISTINCT FROM ARRAY[(1, length(t) - 1, 1, length(t) - 1)::text];

-- No quadratic case.
SELECT start_a, length_a, start_b, length_b FROM common_passages(repeat('ab', 100000), repeat('ba', 100000) || 'x', 'char:5');
SELECT start_a, length_a, start_b, length_b FROM common_passages(repeat('a', 100000) || 'b', repeat('a', 99000) || 'c', 'char:5');

--
-- text_without(): a text without the passages that it shares with another.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

-- All occurrences of the other text go; the rest keeps its characters, case and marks.
SELECT text_without(a, b, run) AS rest FROM (VALUES
	('Name: Ida  Lind. Please fill in the form! Age: 41. PLEASE, fill in  the form; Town: Malmö', 'please fill in the form', 'word:3'),
	('xbananay bananabanana', 'banana', 'char:6'), ('aXYZb', 'XYZ', 'char:3'),
	-- where the other text is shorter than the run, an equal text goes
	('One!', 'ONE', 'word:3'), ('One more', 'ONE', 'word:3'),
	-- other characters, and what normalization makes of them
	('日本語の文章です。私の意見', '日本語の文章です', 'char:4'), (E'of \uFB01nal STRASSE x', 'final Straße', 'word:2')) v (a, b, run);
-- The pieces are joined by a line break if there was one between them, in or next to the passage, or else by a space.
SELECT replace(text_without(a, 'one two three', 'word:3'), E'\n', '|') AS rest FROM unnest(ARRAY[
	'x one two three y', E'x\none two three y', E'x one two three\n\n\ny', E'x one two\nthree y', E'x (one two three) y',
	E'x one two three, one two three\ny', E'x one two three one two three y', E' \n x\t one two three \n', E'\n one two three  y \n ',
	E'x one two three.\r\ny', E'one two three', E'>> one two three!', '']) AS a;
-- Nothing shared: the text as it came.
SELECT text_without(E' \tx  y\n', 'one two three', 'word:3') = E' \tx  y\n' AS same;
-- NULL and empty.
SELECT text_without(NULL, 'a') IS NULL AND text_without('a', NULL) IS NULL AND text_without('a', 'a', NULL) IS NULL
	AND text_without('a', 'a', 'word:1', NULL) IS NULL AND text_without('a', 'a', 'word:1', 0, NULL) IS NULL AS null,
	text_without('', '') = '' AND text_without('', 'a', 'word:1') = '' AND text_without('a', '', 'word:1') = 'a' AS empty;
-- Edits, and a length.
SELECT text_without('Dear all, please return this form before Friday. I cannot come.', 'Please return that form before Monday', 'word:2', 4, 1) AS one,
	text_without('Dear all, please return this form before Friday. I cannot come.', 'Please return that form before Monday', 'word:2', 5, 1) AS none;
-- Errors.
SELECT * FROM pg_temp.errors_of(
	$$text_without('a', 'a', 'lines:3')$$, $$text_without('a', 'a', 'word:3', 2)$$,
	$$text_without('a', 'a', 'word:3', 0, 17)$$);
-- In a generated column with a constant template.
CREATE TABLE reports (id int PRIMARY KEY, body text,
	own text GENERATED ALWAYS AS (text_without(body, 'Describe what you saw in your own words. Then state the time and the place.', 'word:4')) STORED,
	sig minhash GENERATED ALWAYS AS (to_minhash(text_without(body, 'Describe what you saw in your own words. Then state the time and the place.', 'word:4'))) STORED);
INSERT INTO reports VALUES (1, E'Describe what you saw in your own words.\nA grey heron.\nThen state the time and the place.\nAt noon, at the pond.'),
	(2, E'Describe what you saw in your own words.\nTwo foxes.\nThen state the time and the place.\nMidnight, behind the mill.');
SELECT id, replace(own, E'\n', '|') AS own, sig = to_minhash(own) AS same FROM reports ORDER BY id;
-- Random texts are in 070_passages.
-- Long texts are quick.
SELECT length(text_without(repeat('ab', 1000000), repeat('ba', 100000), 'char:255')), length(text_without(repeat('a b ', 500000) || 'c', repeat('b a ', 20), 'word:20'));

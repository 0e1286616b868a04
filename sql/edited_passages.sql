--
-- Passages with edits: shares_passage(), &&~ and common_passages() with a length and a number of edits.
--
\set ECHO none \i test/data/setup.sql \i test/data/passages.sql
-- Words of a text, and a text with every change-th word replaced or left out.
CREATE FUNCTION word(i int, j int) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$ SELECT 'w' || get_byte(decode(md5(i || '.' || j), 'hex'), 0) $$;
CREATE FUNCTION quotation(i int, words int, change int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(CASE WHEN j % change = 0 AND i % 3 = 0 THEN 'x y' WHEN j % change = 0 AND i % 3 = 1 THEN '' ELSE word(i, j) END,
		' ' ORDER BY j) FROM generate_series(1, words) j
$$;
-- The index of a plan that also has another condition, and the estimated rows without it.
CREATE FUNCTION chosen(words text, rule text, rows int) RETURNS TABLE (index_used text, estimated text) LANGUAGE sql AS $$
	SELECT (SELECT string_agg(m[1], ', ' ORDER BY m[1])
			FROM regexp_matches(pg_temp.explain(query || ' AND id <= ' || rows)::text, '"Index Name": "(\w+)"', 'g') m),
		pg_temp.explain(query)->'Plan'->>'Plan Rows'
	FROM format('SELECT FROM replies WHERE shares_passage(body, %L, %s)', words, rule) query
$$;
\set ECHO all

-- A replaced word is one edit, and so is a word left out of either text: all but one word are equal.
CREATE VIEW variants AS SELECT * FROM (VALUES ('replaced', 'a b c d x f g h', 7), ('left out', 'a b c d f g h', 7), ('put in', 'a b c d x e f g h', 8)) v(edit, b, equal);
SELECT edit, shares_passage('a b c d e f g h', b, 'word:4', equal, 1) AS one, shares_passage(b, 'a b c d e f g h', 'word:4', equal, 1) AS other_way,
	shares_passage('a b c d e f g h', b, 'word:4', equal, 0) AS none, shares_passage('a b c d e f g h', b, 'word:4', equal + 1, 1) AS longer
FROM variants;
SELECT edit, p.* FROM variants, common_passages('a b c d e f g h', b, 'word:4', equal, 1) p;
-- Both sides of the run share the edits.
SELECT e, shares_passage('1 2 3 4 5 6 7 8 9', '1 2 x 4 5 6 x 8 9', 'word:3', 7, e) AS seven, shares_passage('1 2 3 4 5 6 7 8 9', '1 2 x 4 5 6 x 8 9', 'word:3', 5, e) AS five
FROM generate_series(0, 2) e;
-- No edit interrupts the run, though enough words are equal around it.
SELECT shares_passage('1 2 3 4 5 6', '1 2 3 x 4 5 6', 'word:3', 6, 1) AS three, shares_passage('1 2 3 4 5 6', '1 2 3 x 4 5 6', 'word:4', 6, 1) AS four;
-- The run can be at either end, and edits after the last equal word do not count.
SELECT shares_passage('1 2 3 4 5 6', '1 2 x 4 5 6', 'word:3', 5, 1) AS at_the_end, shares_passage('1 2 3 4 5 6', '1 2 3 x 5 6', 'word:3', 5, 1) AS at_the_start;

-- The passages of these pairs, by the number of the pair.
SELECT n, p.* FROM (VALUES
	-- the run can be in the middle
	(1, 'x 1 2 3 4 5 6 y', 'z 1 2 3 4 w 6', 'word:3', 0, 4),
	-- a quotation with a typo, another word and a word left out
	(2, 'It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife.',
		'He wrote: "it is a trutb universally acknowledged that a married man in possession of good fortune must be in want of a wife".', 'word:5', 12, 5),
	-- passages do not overlap in the first text; the longest run comes first, here with few edits left for the others
	(3, 'a b c d e f X g h i j k l m Y n o p q', 'a b c d e f g h i j k l m n o p q', 'word:3', 5, 1),
	(4, 'a b c d e f X g h i j k l m Y n o p q', 'a b c d e f g h i j k l m n o p q', 'word:3', 5, 2),
	(5, 'a b c d e f', 'a b c X d e f a b c d e Y f', 'word:3', 6, 1),
	-- only the longest seed from a place counts: cacb, whose rest is in no passage when bbacac is taken, not the cac that bcac
	-- would contain with an edit
	(6, 'bcacbbacac', 'bbacacacbaba', 'char:1', 4, 2),
	-- characters without spaces, and from right to left
	(7, '日本語の文章です', '日本語と文章です', 'char:3', 7, 1),
	(8, 'في البدء خلق الله السماوات والأرض', 'في البدا خلق اله السماوات والارض', 'char:5', 25, 5)
) v (n, a, b, run, length, edits), common_passages(a, b, run::shingling, length, v.edits) p;

-- Characters: without spaces, from right to left, composed or not, and as they are.
SELECT shares_passage('日本語の文章です', '日本語と文章です', 'char:3', 7, 0), shares_passage('日本語の文章です', '日本語と文章です', 'word:3', 7, 1);
SELECT shares_passage(U&'le caf\00E9 ferm\00E9 du port', U&'le cafe\0301 ouvert du port', 'char:6', 8, 0),
	shares_passage(U&'le caf\00E9 ferm\00E9 du port', U&'le cafe\0301 ferme du port', 'char:6', 20, 1),
	shares_passage(U&'le caf\00E9 ferm\00E9 du port', U&'le cafe\0301 ferme du port', 'char:6 raw', 20, 1),
	shares_passage(U&'le caf\00E9 ferm\00E9 du port', U&'le cafe\0301 ferme du port', 'char:6 raw', 19, 3);

-- Texts shorter than the run are equal or not, with any edits; a text shorter than the length shares nothing.
SELECT shares_passage('one two', 'ONE, two!', 'word:3', 5, 2), shares_passage('one two', 'one three', 'word:3', 5, 2), shares_passage('one two', 'one two three', 'word:3', 5, 2),
	shares_passage('one two three', 'one two three', 'word:3', 5, 2), shares_passage('', '', 'word:3', 5, 2);

-- A length of 0 is that of the run.  NULL is unknown.  Errors name the argument and its range.
SELECT shares_passage('a b c d', 'a b x d', 'word:2', 0, 1), shares_passage('a b c d', 'a b x d', 'word:2', 2, 1), shares_passage('a b c d', 'a b x d', 'word:2', edits => 1);
SELECT shares_passage(NULL, 'a', 'word:2', 2, 1), shares_passage('a', NULL, 'word:2', 2, 1), shares_passage('a', 'a', 'word:2', NULL, 1), shares_passage('a', 'a', 'word:2', 2, NULL);
SELECT passage_query(NULL, 'word:2', 2, 1), passage_query('a', 'word:2', NULL, 1), 'a' &&~ '(a,word:2,2,)', (passage_query('a', 'word:2', 7, 3)).*;
SELECT * FROM common_passages('a', 'a', 'word:1', NULL, 1);
SELECT shares_passage('a', 'a', 'word:1', 10000, 16);
SELECT * FROM pg_temp.errors_of(
	$$shares_passage('a', 'a', 'word:12', 11)$$, $$shares_passage('a', 'a', 'word:12', 10001)$$,
	$$passage_query('a', 'word:12', -1)$$, $$shares_passage('a', 'a', 'word:12', 12, -1)$$,
	$$passage_query('a', 'word:12', 12, 17)$$, $$'a' &&~ '(a,word:12,12,17)'$$,
	$$SELECT * FROM common_passages('a', 'a', 'word:12', 5)$$);

-- Documents that quote each other with changes.
\set ECHO none
CREATE TABLE docs (id int, body text);
INSERT INTO docs SELECT i, essay(i, 30) || ' ' || quotation(i % 60, 24, 5 + i % 4) || ' ' || quotation(i % 7, 9, 20)
FROM generate_series(1, 240) i;
INSERT INTO docs VALUES (1001, NULL), (1002, ''), (1003, 'Two words'), (1004, repeat('no! ', 300));
CREATE TABLE rules (run shingling, length int, edits int);
INSERT INTO rules VALUES ('word:5', 12, 3), ('word:5', 0, 5), ('word:6', 14, 2), ('word:2', 14, 2), ('char:12', 40, 6);
CREATE FUNCTION found(condition text) RETURNS TABLE (rule text, pairs bigint, ids text) LANGUAGE plpgsql AS $$
DECLARE
	r rules;
BEGIN
	FOR r IN SELECT * FROM rules ORDER BY run::text COLLATE "C", length, edits LOOP
		EXECUTE format('SELECT %L::text, count(*), md5(string_agg(a.id || ''-'' || b.id, '','' ORDER BY a.id, b.id))
			FROM docs a JOIN docs b ON %s WHERE a.id %% 5 = 0 OR a.id > 1000', format('%s %s %s', r.run, r.length, r.edits),
			replace(condition, 'RULE', format('%L, %s, %s', r.run, r.length, r.edits))) INTO rule, pairs, ids;
		RETURN NEXT;
	END LOOP;
END $$;
\set ECHO all
CREATE TABLE plain AS SELECT * FROM found('shares_passage(a.body, b.body, RULE)');
SELECT rule, pairs FROM plain;

-- An index serves a rule if its run is not longer than the longest run that the rule implies, here of 14 / 3 words.
CREATE FUNCTION differences() RETURNS numeric LANGUAGE sql AS $$
	SELECT sum((SELECT count(*) FROM found(condition) f FULL JOIN plain p USING (rule, pairs, ids) WHERE f IS NULL OR p IS NULL))
	FROM unnest(ARRAY['shares_passage(a.body, b.body, RULE)', 'shares_passage(b.body, a.body, RULE)', 'b.body &&~ passage_query(a.body, RULE)']) condition
$$;
SET enable_seqscan = off;
CREATE INDEX docs_words ON docs USING gin (body passage_ops (run = 'word:5'));
CREATE INDEX docs_chars ON docs USING gin (body passage_ops (run = 'char:12'));
VACUUM ANALYZE docs;
SELECT plan_of(q) FROM unnest(ARRAY[
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:5', 12, 5)$$,
	$$SELECT id FROM docs WHERE shares_passage('some text', body, 'word:2', 14, 2)$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:2', 12, 2)$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:2', 8000, 2)$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:4', 10000, 17)$$,
	$$SELECT a.id FROM docs a JOIN docs b ON shares_passage(b.body, a.body, 'word:5', 12, 5) WHERE a.id < 10$$]) q;
SELECT differences();
DROP INDEX docs_words, docs_chars;
CREATE INDEX docs_words ON docs USING lsh (body passage_ops (run = 'word:5'));
CREATE INDEX docs_chars ON docs USING lsh (body passage_ops (run = 'char:12'));
VACUUM docs;
SELECT plan_of($$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:2', 14, 2)$$);
SELECT differences();
SET enable_indexscan = off;
SELECT differences();
RESET enable_indexscan;

-- After changes.
DELETE FROM docs WHERE id % 6 = 0;
VACUUM docs;
INSERT INTO docs SELECT i, quotation(i % 60, 30, 7) || ' ' || essay(i, 10) FROM generate_series(300, 330) i;
SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_seqscan = on;
TRUNCATE plain;
INSERT INTO plain SELECT * FROM found('shares_passage(a.body, b.body, RULE)');
RESET enable_indexscan; RESET enable_bitmapscan; SET enable_seqscan = off;
SELECT differences();
REINDEX TABLE docs;
SELECT differences();

-- Generic plans, with the rule as constants; a run as a parameter cannot be looked up.
PREPARE search(text) AS SELECT count(*) FROM docs WHERE shares_passage(body, $1, 'word:5', 12, 3);
PREPARE edited(text, int, int) AS SELECT count(*) FROM docs WHERE shares_passage(body, $1, 'word:5', $2, $3);
PREPARE by_run(text, shingling) AS SELECT count(*) FROM docs WHERE shares_passage(body, $1, $2, 12, 3);
SET plan_cache_mode = force_generic_plan;
SELECT plan_of(q) FROM unnest(ARRAY[
	$$EXECUTE search('x')$$,
	$$EXECUTE edited('x', 12, 3)$$,
	$$EXECUTE by_run('x', 'word:5')$$]) q;
EXECUTE search(quotation(9, 24, 6));
EXECUTE edited(quotation(9, 24, 6), 12, 3);
EXECUTE by_run(quotation(9, 24, 6), 'word:5');
EXECUTE edited(quotation(9, 24, 6), 4, 3);
EXECUTE edited(quotation(9, 24, 6), 12, 17);
RESET plan_cache_mode;

-- Partitions, each with an index of another kind.
CREATE TABLE parts (id int, body text) PARTITION BY HASH (id);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE INDEX ON parts_0 USING gin (body passage_ops (run = 'word:5'));
CREATE INDEX ON parts_1 USING lsh (body passage_ops (run = 'word:4'));
INSERT INTO parts SELECT * FROM docs;
SELECT count(*) AS parts, (SELECT count(*) FROM docs WHERE shares_passage(body, quotation(9, 24, 6), 'word:5', 12, 3)) AS whole
FROM parts WHERE shares_passage(body, quotation(9, 24, 6), 'word:5', 12, 3);

-- Costs: half of the rows have the run, which makes them candidates, but four rows have the passage.  So a filter is better than the index, unless the run is rare.
CREATE TABLE replies AS
SELECT i AS id, concat_ws(' ', essay(i, 20), CASE WHEN i % 2 = 0 THEN essay(-1, 6) END, CASE WHEN i % 1000 = 0 THEN essay(-2, 12) END, essay(i + 10000, 20)) AS body FROM generate_series(1, 4000) i;
ALTER TABLE replies ADD PRIMARY KEY (id);
RESET enable_seqscan; RESET enable_indexscan;
CREATE INDEX replies_lsh ON replies USING lsh (body passage_ops (run = 'word:5'));
VACUUM ANALYZE replies;
CREATE TABLE searches AS SELECT * FROM (VALUES
	('often', essay(-1, 6) || ' ' || essay(-2, 12), $$'word:5', 12, 5$$), ('rare', 'rare ' || essay(-2, 12), $$'word:5', 12, 5$$), ('often', essay(-1, 6) || ' ' || essay(-2, 12), $$'word:12'$$)) v (run_is, words, rule);
SELECT run_is, rule, c.* FROM searches, chosen(words, rule, 100) c;
DROP INDEX replies_lsh;
CREATE INDEX replies_gin ON replies USING gin (body passage_ops (run = 'word:5'));
SELECT run_is, rule, c.* FROM searches, chosen(words, rule, 200) c;
SET enable_seqscan = off;

-- Texts of a megabyte: a passage at the start and at the end; no time to speak of where lines repeat, with equal and with different fillings.
CREATE TABLE long AS SELECT repeat('lorem ipsum dolor ', 60000) AS t;
SELECT shares_passage(t || ' one two three four X six seven', 'one two three four five six seven', 'word:4', 6, 1), shares_passage('one two three four X six seven ' || t, 'one two three four five six seven', 'word:4', 6, 1),
	shares_passage(t || ' one two three four X six seven', 'one two three four five six seven', 'word:4', 7, 1) FROM long;
SELECT shares_passage(t, t || ' and more', 'word:5', 10000, 5), (SELECT (length_a, edits, equal_units) FROM common_passages(t, t || ' and more', 'word:5', 10000, 5)) FROM long;
SELECT shares_passage(repeat('a', 1000000), repeat('a', 600) || 'b' || repeat('a', 600), 'char:100', 1200, 0), shares_passage(repeat('a', 1000000), repeat('a', 600) || 'b' || repeat('a', 600), 'char:100', 1200, 1);
SELECT shares_passage(a, b, 'word:5', 40, 2), (SELECT count(*) FROM common_passages(a, b, 'word:5', 10, 5))
FROM (SELECT string_agg('the same ten words are in each of these lines ' || i, E'\n') AS a, string_agg('the same ten words are in each of these lines ' || -i || 'b', E'\n') AS b FROM generate_series(1, 10000) i) s;

-- A scan and a list can be cancelled where many lines are equal and their surroundings are not, all of words that both have.
CREATE TABLE shuffled AS SELECT string_agg(line || x || ' ' || y || ' ' || i, ' ' ORDER BY x) AS a, string_agg(line || i || ' ' || x || ' ' || y, ' ' ORDER BY y) AS b
FROM (SELECT i, i * 7919::bigint % 30011 AS x, i * 104729::bigint % 30011 AS y, 'these words are all in each line so that many runs are to be compared ' AS line FROM generate_series(1, 30010) i) n;
BEGIN; SET LOCAL statement_timeout = '500ms';
SELECT shares_passage(a, b, 'word:5', 130, 16) FROM shuffled;
ROLLBACK;
BEGIN; SET LOCAL statement_timeout = '500ms';
SELECT count(*) FROM shuffled, common_passages(a, b, 'word:5', 100, 16);
ROLLBACK;
-- So can be one extension of long texts.
BEGIN; SET LOCAL statement_timeout = '100ms';
SELECT count(*) FROM common_passages(repeat('a', 10000000), repeat('a', 9000000) || 'b' || repeat('a', 5000000), 'char:100', 100, 16);
ROLLBACK;

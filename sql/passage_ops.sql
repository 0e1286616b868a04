--
-- The GIN operator class passage_ops: searches for shared passages by index.
--
\set ECHO none \i test/data/setup.sql \i test/data/passages.sql
-- Compare what a join finds for each run with the truth.
CREATE FUNCTION compare() RETURNS TABLE (searched shingling, pairs bigint, missed bigint, wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	FOR searched IN SELECT run FROM runs ORDER BY run::text COLLATE "C" LOOP
		EXECUTE format('WITH f AS (SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b ON shares_passage(b.body, a.body, %L)),
			t AS (SELECT a, b FROM truth JOIN docs x ON x.id = a JOIN docs y ON y.id = b WHERE run = %1$L)
			SELECT count(f), count(*) FILTER (WHERE f IS NULL), count(*) FILTER (WHERE t IS NULL) FROM f FULL JOIN t USING (a, b)', searched)
			INTO pairs, missed, wrong;
		RETURN NEXT;
	END LOOP;
END $$;
CREATE FUNCTION estimated_rows(query text) RETURNS numeric LANGUAGE sql AS
	$$ SELECT (pg_temp.explain(query)->'Plan'->>'Plan Rows')::numeric $$;
-- The rows of a condition, and its estimate.
CREATE FUNCTION compare_estimate(condition text, OUT matching bigint, OUT estimate text) LANGUAGE plpgsql AS $$
DECLARE
	estimated numeric := estimated_rows('SELECT FROM quotes WHERE ' || condition);
BEGIN
	EXECUTE 'SELECT count(*) FROM quotes WHERE ' || condition INTO matching;
	estimate := CASE WHEN estimated = 10 THEN 'ten rows' WHEN estimated BETWEEN matching / 2.0 AND matching * 2.0 THEN 'near'
		ELSE estimated::text END;
END $$;
\set ECHO all
SET enable_seqscan = off;

-- Documents that quote each other: words of a small vocabulary, and a passage of a neighbour.
\set ECHO none
CREATE TABLE docs (id int PRIMARY KEY, body text, kind int);
INSERT INTO docs SELECT i, essay(i, 20 + i % 60) || ' ' || essay(i / 5, 10 + i % 8), i % 3 FROM generate_series(1, 300) i;
INSERT INTO docs VALUES (1001, NULL), (1002, ''), (1003, '?!'), (1004, 'Two words'), (1005, repeat('a', 300)), (1006, repeat('no! ', 300));

-- The expected matches: texts that have a shingle in common.
CREATE TABLE runs AS SELECT unnest('{word:12,word:14,word:8,char:60,char:100,word:12 raw}'::text[])::shingling AS run;
CREATE TABLE all_shingles AS SELECT run, id, shingle FROM runs, docs, LATERAL unnest(shingles(body, run)) shingle;
CREATE TABLE truth AS SELECT DISTINCT run, a.id AS a, b.id AS b FROM all_shingles a JOIN all_shingles b USING (run, shingle);
\set ECHO all

-- Options.
CREATE INDEX docs_default ON docs USING gin (body passage_ops);
CREATE INDEX docs_char ON docs USING gin (body passage_ops (run = 'char:60'));
CREATE INDEX docs_raw ON docs USING gin (body passage_ops (run = 'word:8 raw')) WITH (fastupdate = off);
SELECT * FROM pg_temp.errors_of(
	$$CREATE INDEX docs_wrong ON docs USING gin (body passage_ops (run = 'char:60 bag'))$$,
	$$CREATE INDEX docs_wrong ON docs USING gin (body passage_ops (run = 'integer'))$$,
	$$CREATE INDEX docs_wrong ON docs USING gin (body passage_ops (run = 'char:0'))$$,
	$$CREATE INDEX docs_wrong ON docs USING gin (body passage_ops (length = 5))$$);
SELECT pg_get_indexdef('docs_char'::regclass);

-- Which indexes a query uses, and for what.

-- Constants, on either side; a run that the index covers; the same unit.
SELECT plan_of(q) FROM unnest(ARRAY[
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text')$$,
	$$SELECT id FROM docs WHERE shares_passage('some text', body, 'word:20')$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'char:60')$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:12 raw')$$,
	$$SELECT id FROM docs WHERE body &&~ passage_query('some text')$$,
	-- No index has these.
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:11')$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'char:59')$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'char:60 raw')$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:7 raw')$$,
	$$SELECT id FROM docs WHERE shares_passage(body, body)$$,
	$$SELECT id FROM docs WHERE shares_passage(body, random()::text)$$,
	$$SELECT id FROM docs WHERE passage_match(body, passage_query('some text'))$$]) q;
-- Parameters, joins in either direction, subqueries.
PREPARE search(text) AS SELECT id FROM docs WHERE shares_passage(body, $1) ORDER BY id;
SET plan_cache_mode = force_generic_plan;
SELECT plan_of($$EXECUTE search('x')$$);
EXECUTE search('two WORDS');
RESET plan_cache_mode;
SELECT plan_of(q) FROM unnest(ARRAY[
	$$SELECT a.id, b.id FROM docs a JOIN docs b ON shares_passage(a.body, b.body) WHERE a.id < 10$$,
	$$SELECT a.id, b.id FROM docs a JOIN docs b ON shares_passage(b.body, a.body, 'word:13') WHERE a.id < 10$$]) q;
SELECT array_agg(id ORDER BY id) FROM docs WHERE shares_passage(body, (SELECT body FROM docs WHERE id = 5));
SELECT id FROM docs WHERE shares_passage(body, 'two words', NULL);

-- Every run by join, word:8 without an index: none missed, none false, before and after changes, a flush of the pending list, VACUUM and REINDEX.
CREATE VIEW compared AS SELECT count(*) AS runs, sum(pairs) AS pairs, sum(missed) AS missed, sum(wrong) AS wrong FROM compare();
TABLE compared;
DELETE FROM runs WHERE run = 'word:8';
DELETE FROM docs WHERE id % 7 = 0;
TABLE compared;
VACUUM docs;
TABLE compared;
INSERT INTO docs SELECT i, essay(i, 20 + i % 60) || ' ' || essay(i / 5, 10 + i % 8), i % 3 FROM generate_series(7, 300, 7) i;
TABLE compared;
SELECT gin_clean_pending_list('docs_default') > 0 AS flushed;
REINDEX INDEX docs_char;
TABLE compared;

-- The operator is right for runs that the index does not cover, if slow.
SELECT (SELECT count(*) FROM docs WHERE body &&~ passage_query(essay(20, 40), 'word:3')) AS found, (SELECT count(*) FROM docs WHERE jaccard(body, essay(20, 40), 'word:3') > 0) AS right;
SELECT id FROM docs WHERE body &&~ passage_query('aaaaa', 'char:5 raw') ORDER BY id;
SELECT id FROM docs WHERE body &&~ passage_query(NULL, 'word:12') OR body &&~ '(abc,,0,0)' OR shares_passage(body, '') OR shares_passage(body, '?!');
-- So it is for texts of more keys than are looked up.
SELECT plan_of($$SELECT id FROM docs WHERE body &&~ passage_query(essay(1, 1), 'word:12')$$);
SELECT array_agg(id ORDER BY id) FROM docs WHERE shares_passage(body, essay(20, 40) || (SELECT string_agg(' x' || i, '') FROM generate_series(1, 80000) i), 'word:12')
	AND jaccard(body, essay(20, 40), 'word:12') > 0;
SELECT array_agg(id ORDER BY id) FROM docs WHERE jaccard(body, essay(20, 40), 'word:12') > 0;

-- Expressions, partial and multicolumn indexes, varchar and domains, collations; partitions are in 050_partitions.
CREATE TABLE pages (id int, title text, body varchar(2000) COLLATE "C", t text COLLATE "C", kind int);
CREATE DOMAIN sentence AS text;
ALTER TABLE pages ADD said sentence;
INSERT INTO pages SELECT i, 'page ' || i, essay(i, 30), essay(i, 30), i % 10, essay(i, 30) FROM generate_series(1, 200) i;
CREATE INDEX pages_expression ON pages USING gin ((title || ' ' || body) passage_ops (run = 'word:6'));
CREATE INDEX pages_partial ON pages USING gin (t passage_ops (run = 'word:7')) WHERE kind = 3;
CREATE INDEX pages_varchar ON pages USING gin (body passage_ops (run = 'word:5'));
CREATE INDEX pages_domain ON pages USING gin (said passage_ops (run = 'char:20'));
SELECT plan_of('SELECT id FROM pages WHERE ' || q) FROM unnest(ARRAY[
	$$shares_passage(title || ' ' || body, 'page 17 ' || essay(17, 5), 'word:6')$$, $$shares_passage(t, 'abc', 'word:8') AND kind = 3$$,
	$$shares_passage(body, 'abc', 'word:5')$$, $$shares_passage(said, 'abc', 'char:20')$$]) q;
SELECT id FROM pages WHERE shares_passage(title || ' ' || body, 'page 17 ' || essay(17, 5), 'word:6');
SELECT id FROM pages WHERE shares_passage(t, essay(23, 9), 'word:8') AND kind = 3;
SELECT id FROM pages WHERE shares_passage(body, essay(24, 5), 'word:5');
SELECT id FROM pages WHERE shares_passage(said, essay(25, 9), 'char:20');

-- With another column.
ALTER TABLE docs ADD tags text[];
UPDATE docs SET tags = ARRAY['t' || id % 10, 'k' || kind];
CREATE INDEX docs_both ON docs USING gin (tags, body passage_ops (run = 'word:9'));
SELECT plan_of($$SELECT id FROM docs WHERE shares_passage(body, 'abc', 'word:9') AND tags @> '{t3}'$$);
SELECT (SELECT array_agg(id ORDER BY id) FROM docs WHERE shares_passage(body, essay(20, 40), 'word:9') AND tags @> '{t3}') AS found,
	(SELECT array_agg(id ORDER BY id) FROM docs WHERE jaccard(body, essay(20, 40), 'word:9') > 0 AND id % 10 = 3) AS right;

-- Estimates: ten rows of a table, each text ten partners; half of the rows have one.
ANALYZE docs;
SELECT estimated_rows($$SELECT FROM docs WHERE shares_passage(body, 'abc')$$) AS function,
	estimated_rows($$SELECT FROM docs WHERE body &&~ passage_query('abc')$$) AS operator,
	estimated_rows($$SELECT FROM docs WHERE shares_passage(body, 'abc', 'char:5')$$) AS without_index,
	estimated_rows($$SELECT FROM docs a JOIN docs b ON shares_passage(a.body, b.body)$$) / count(*) AS join,
	round(estimated_rows($$SELECT FROM docs a WHERE EXISTS (SELECT FROM docs b WHERE shares_passage(a.body, b.body))$$) / count(*), 1) AS semi_join,
	estimated_rows($$SELECT FROM generate_series(1, 10) i WHERE shares_passage('abc' || i, 'abc')$$) AS no_table
FROM docs;
-- An invalid constant is no error in a branch that never runs.
SELECT count(*) FROM docs WHERE NOT (SELECT true) AND body &&~ '(abc,word:9,5,0)';
SELECT count(*) FROM docs WHERE NOT (SELECT true) AND (body &&~ '(abc,word:9,0,17)' OR body &&~ '(abc,word:9 bag,0,0)' OR body &&~ '(abc,integer,0,0)');
SELECT count(*) FROM docs WHERE NOT (SELECT true) AND shares_passage(body, 'abc', 'word:9', 5);
SELECT id FROM docs WHERE body &&~ '(abc,word:9,5,0)';
SELECT id FROM docs WHERE shares_passage(body, 'abc', 'word:9', 5);

-- A known text is compared with statistics.  In body, passage 1 is in half of the rows, 2 in a quarter and 3 in one; in copied, nearly all values are common; in repeated, 109 values of a little less than 1 % of the rows.
\set ECHO none
CREATE TABLE quotes AS
SELECT i AS id, concat_ws(' ', essay(i, 20), CASE WHEN i % 2 = 0 THEN essay(-1, 15) END, CASE WHEN i % 4 = 1 THEN essay(-2, 15) END, CASE WHEN i = 7 THEN essay(-3, 15) END) AS body,
	CASE WHEN i % 2 = 0 THEN essay(-1, 15) WHEN i % 100 <> 7 THEN essay(-2, 15) ELSE essay(i, 15) END AS copied,
	CASE WHEN i % 5 > 0 THEN essay(i, 20) || ' ' || essay(-1, 15) END AS holes, essay(i, 20) || ' ' || essay(-1, 15) || repeat(' long', 300) AS long,
	essay(CASE WHEN i % 19 > 0 THEN i % 109 ELSE i END, 20) || ' ' || essay(-1, 15) AS repeated
FROM generate_series(1, 3000) i;
ALTER TABLE quotes ADD short varchar(1000), ADD said sentence;
UPDATE quotes SET short = body, said = body;
CREATE INDEX quotes_expression ON quotes USING gin ((id || ': ' || body) passage_ops);
ANALYZE quotes;
CREATE FUNCTION compare_estimates() RETURNS TABLE (search text, matching bigint, estimate text) LANGUAGE sql AS $$
	SELECT search, c.* FROM unnest('{"body, p1","p1, body","body, p2","body, p3","body, p1, ''word:15''","body, p1, ''char:40''","body, p1, NULL",
		"body, p1 || repeat('' é'', 9000)","body, repeat('' é'', 9000) || p1","copied, p1","copied, p2","holes, p1","long, p1","short, p1","said, p1","repeated, p1","id || '': '' || body, p1","lower(body), p1"}'::text[]) search,
		LATERAL compare_estimate(format('shares_passage(%s)', replace(replace(replace(search, 'p1', quote_literal(essay(-1, 15))), 'p2', quote_literal(essay(-2, 15))), 'p3', quote_literal(essay(-3, 15))))) c
$$;
\set ECHO all
SELECT estimate, array_agg(search || ': ' || matching ORDER BY search COLLATE "C") AS rows FROM compare_estimates() GROUP BY 1 ORDER BY 1;
SELECT * FROM compare_estimate(format('body &&~ passage_query(%L)', essay(-1, 15)));
-- An unknown text, and a run that is an error if the query is executed.
PREPARE quoted(text) AS SELECT FROM quotes WHERE shares_passage(body, $1);
SET plan_cache_mode = force_custom_plan;
SELECT estimated_rows(format('EXECUTE quoted(%L)', essay(-1, 15))) > 500 AS known;
SET plan_cache_mode = force_generic_plan;
SELECT estimated_rows(format('EXECUTE quoted(%L)', essay(-1, 15))) AS unknown;
RESET plan_cache_mode;
SELECT estimated_rows($$SELECT FROM quotes WHERE shares_passage(body, 'abc', 'char:5 bag')$$) AS wrong_run;
-- So the first row of a frequent passage is found without the index.
RESET enable_seqscan;
CREATE INDEX quotes_body ON quotes USING gin (body passage_ops);
SELECT plan_of(format('SELECT id FROM quotes WHERE shares_passage(body, %L) LIMIT 1', essay(-1, 15)));
SELECT plan_of(format('SELECT id FROM quotes WHERE shares_passage(body, %L)', 'abc'));
SET enable_seqscan = off;
-- New statistics replace the old ones.
UPDATE quotes SET body = essay(id, 20);
ANALYZE quotes;
SELECT * FROM compare_estimates() WHERE search = 'body, p1';
-- The estimators of other operators.
CREATE FUNCTION never(anyelement, anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN false; END';
CREATE FUNCTION never(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN false; END';
CREATE OPERATOR !~~! (LEFTARG = anyelement, RIGHTARG = anyelement, FUNCTION = never, RESTRICT = passage_sel, JOIN = passage_joinsel);
CREATE OPERATOR !~~! (RIGHTARG = anyelement, FUNCTION = never, RESTRICT = passage_sel);
SELECT estimated_rows('SELECT FROM quotes WHERE id !~~! 5') AS numbers, estimated_rows($$SELECT FROM quotes WHERE body !~~! 'abc'$$) AS texts,
	estimated_rows('SELECT FROM quotes WHERE !~~! body') AS prefix;

-- A type that was altered is refused, unless it has only got more columns.
ALTER TYPE passage_query ADD ATTRIBUTE more int;
SELECT 'abc' &&~ ROW('abc', 'char:3', 0, 0, 1)::passage_query, 'abc' &&~ passage_query('abc'), passage_query('abc');
ALTER TYPE passage_query DROP ATTRIBUTE more;
SELECT 'abc' &&~ ROW('abc', 'char:3', 0, 0)::passage_query, passage_query('abc');
ALTER TYPE passage_query ALTER ATTRIBUTE document TYPE int;
SELECT 'abc' &&~ ROW(1, 'char:3', 0, 0)::passage_query;
SELECT passage_query('abc');
ALTER TYPE passage_query ALTER ATTRIBUTE document TYPE text;
SELECT passage_query('abc');

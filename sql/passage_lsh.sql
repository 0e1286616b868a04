--
-- The operator class passage_ops of lsh: searches for shared passages, with a list of common k-grams.
--
\set ECHO none \i test/data/setup.sql \i test/data/passages.sql
-- Documents that quote each other, most of them below one of two notices; some are NULL, empty, short or periodic.
CREATE FUNCTION body_of(i int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT essay(-(i % 3), 8 * (i % 3)) || ' ' || essay(i, 20 + i % 40) || ' ' || essay(i / 5, 10 + i % 8)
$$;
-- Compare what a join finds for each run with the truth.
CREATE FUNCTION compare() RETURNS TABLE (searched shingling, pairs bigint, missed bigint, wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE expected AS SELECT * FROM truth;
	FOR searched IN SELECT run FROM runs ORDER BY run::text COLLATE "C" LOOP
		EXECUTE format('WITH f AS (SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b ON shares_passage(b.body, a.body, %L)),
			t AS (SELECT a, b FROM expected WHERE run = %1$L)
			SELECT count(f), count(*) FILTER (WHERE f IS NULL), count(*) FILTER (WHERE t IS NULL) FROM f FULL JOIN t USING (a, b)', searched)
			INTO pairs, missed, wrong;
		RETURN NEXT;
	END LOOP;
	DROP TABLE expected;
END $$;
\set ECHO all
SET enable_seqscan = off;

\set ECHO none
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs SELECT i, body_of(i) FROM generate_series(1, 120) i;
INSERT INTO docs VALUES (1001, NULL), (1002, ''), (1003, '?!'), (1004, 'Two words'), (1005, repeat('a', 300)), (1006, repeat('no! ', 300));

-- The expected matches: texts that have a shingle in common.
CREATE TABLE runs AS SELECT unnest('{word:12,word:14,char:60,word:8 raw}'::text[])::shingling AS run;
CREATE VIEW all_shingles AS SELECT run, id, shingle FROM runs, docs, LATERAL unnest(shingles(body, run)) shingle;
CREATE VIEW truth AS WITH s AS MATERIALIZED (SELECT DISTINCT run, id, md5(shingle) AS shingle FROM all_shingles)
	SELECT DISTINCT run, a.id AS a, b.id AS b FROM s a JOIN s b USING (run, shingle);
\set ECHO all

-- Options.
CREATE INDEX docs_words ON docs USING lsh (body passage_ops);
CREATE INDEX docs_chars ON docs USING lsh (body passage_ops (run = 'char:60')) WITH (fillfactor = 50);
CREATE INDEX docs_raw ON docs USING lsh (body passage_ops (run = 'word:8 raw'));
SELECT * FROM pg_temp.errors_of(
	$$CREATE INDEX docs_wrong ON docs USING lsh (body passage_ops (run = 'word:12 bag'))$$,
	$$CREATE INDEX docs_wrong ON docs USING lsh (body passage_ops (length = 5))$$,
	$$CREATE INDEX docs_wrong ON docs USING lsh (body)$$,
	$$CREATE INDEX docs_wrong ON docs USING lsh (body passage_ops, id)$$,
	$$CREATE UNIQUE INDEX docs_wrong ON docs USING lsh (body passage_ops)$$);
-- PostgreSQL 19 has another detail and hint.
\set VERBOSITY terse
ALTER TABLE docs ADD EXCLUDE USING lsh (body passage_ops WITH &&~);
\set VERBOSITY default
SELECT pg_get_indexdef(i::regclass) FROM unnest('{docs_words,docs_chars}'::text[]) i;
SELECT pg_index_column_has_property(i::regclass, 1, 'distance_orderable') FROM unnest('{docs_words}'::text[]) i;

-- Which indexes a query uses.  Without autovacuum, CREATE INDEX of PostgreSQL 18 does not store the size of the table.
VACUUM docs;
SELECT plan_of(q) FROM unnest(ARRAY[
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text')$$,
	$$SELECT id FROM docs WHERE shares_passage('some text', body, 'char:61')$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:8 raw')$$,
	$$SELECT a.id, b.id FROM docs a JOIN docs b ON shares_passage(b.body, a.body, 'word:13') WHERE a.id < 10$$,
	$$SELECT id FROM docs WHERE shares_passage(body, 'some text', 'word:11')$$,
	$$SELECT id FROM docs ORDER BY id$$]) q;
SET enable_indexscan = off;
SELECT plan_of($$SELECT id FROM docs WHERE shares_passage(body, 'some text')$$);
RESET enable_indexscan;
PREPARE search(text) AS SELECT id FROM docs WHERE shares_passage(body, $1) ORDER BY id;
SET plan_cache_mode = force_generic_plan;
SELECT plan_of($$EXECUTE search('x')$$);
EXECUTE search('two WORDS');
EXECUTE search(NULL);
RESET plan_cache_mode;

-- Every run by join and both kinds of scan: none missed, none false, before and after changes, VACUUM and REINDEX.
CREATE VIEW compared AS SELECT count(*) AS runs, sum(pairs) AS pairs, sum(missed) AS missed, sum(wrong) AS wrong FROM compare();
TABLE compared;
DELETE FROM docs WHERE id % 7 = 0;
VACUUM docs;
SET enable_indexscan = off;
TABLE compared;
RESET enable_indexscan;
SELECT lsh_index_check(i, true) FROM unnest('{docs_words,docs_chars,docs_raw}'::regclass[]) i \g /dev/null
SELECT pg_relation_size('docs_raw') AS size \gset
INSERT INTO docs SELECT i, body_of(i) FROM generate_series(7, 120, 7) i;
SELECT pg_relation_size('docs_raw') = :size AS room_is_used_again;
INSERT INTO docs SELECT i, body_of(i) FROM generate_series(121, 150) i;
TABLE compared;
SELECT lsh_index_check(i, true) FROM unnest('{docs_words,docs_chars,docs_raw}'::regclass[]) i \g /dev/null
REINDEX TABLE docs;
TABLE compared;

-- The operator is right for runs that the index does not cover, and for conditions together.
SELECT array_agg(id ORDER BY id) FROM docs WHERE body &&~ passage_query('no, no; no NO', 'word:4');
SELECT array_agg(id ORDER BY id) FROM docs WHERE jaccard(body, 'no, no; no NO', 'word:4') > 0;
SELECT array_agg(id ORDER BY id) FROM docs WHERE shares_passage(body, essay(20, 40)) AND shares_passage(body, essay(4, 12));
SELECT array_agg(id ORDER BY id) FROM docs WHERE jaccard(body, essay(20, 40), 'word:12') > 0 AND jaccard(body, essay(4, 12), 'word:12') > 0;
SELECT id FROM docs WHERE body &&~ NULL OR body &&~ passage_query(NULL, 'word:12') OR body &&~ '(abc,,0,0)' OR shares_passage(body, '');

-- Contents: the fingerprints of passage_keys() where no k-gram is listed, and fewer pairs of rows with a common one where some are.
CREATE TABLE few AS SELECT i AS id, essay(i, 100) AS body FROM generate_series(1, 100) i;
CREATE INDEX few_body ON few USING lsh (body passage_ops (run = 'char:50'));
SELECT distinct_keys = n AS keys, entries = e AS entries, largest_bucket = l AS largest, common_grams
FROM lsh_index_stats('few_body'),
	(SELECT count(*) AS n, sum(c) AS e, max(c) AS l FROM (SELECT count(*) AS c FROM few, unnest(passage_keys(body, 'char:50')) k GROUP BY k) k) k;
SELECT common_grams > 10 AS listed FROM lsh_index_stats('docs_words');
SELECT lsh_index_pairs('docs_words', 0.8);
-- A run of 5 words makes windows of two k-grams.  If those of eight rows were listed, many rows would get the k-gram of all rows as a key.
CREATE TABLE replies AS SELECT i AS id, concat_ws(' ', essay(i, 10), 'x' || i % 300, 'on monday you wrote y' || i) AS body FROM generate_series(1, 2400) i;
CREATE INDEX replies_body ON replies USING lsh (body passage_ops (run = 'word:5'));
SELECT common_grams, largest_bucket FROM lsh_index_stats('replies_body');

-- An index on an empty table lists nothing until REINDEX, also after TRUNCATE; unlogged tables.
CREATE UNLOGGED TABLE later (id int, body text);
CREATE INDEX later_body ON later USING lsh (body passage_ops (run = 'word:5'));
SELECT id FROM later WHERE shares_passage(body, 'a b c d e', 'word:5');
INSERT INTO later SELECT i, 'Now is the time for all good ' || essay(i, 30) FROM generate_series(1, 50) i;
SELECT entries > 100 AS entries, largest_bucket, common_grams FROM lsh_index_stats('later_body');
SELECT count(*) FROM later WHERE shares_passage(body, 'it is the time for all good parties', 'word:5');
REINDEX INDEX later_body;
SELECT largest_bucket, common_grams FROM lsh_index_stats('later_body');
SELECT count(*) FROM later WHERE shares_passage(body, 'it is the time for all good parties', 'word:5');
BEGIN;
TRUNCATE later;
INSERT INTO later SELECT i, essay(i, 30) FROM generate_series(1, 50) i;
SELECT lsh_index_check('later_body', true), common_grams FROM lsh_index_stats('later_body');
SELECT id FROM later WHERE shares_passage(body, essay(7, 9), 'word:5');
ROLLBACK;
SELECT lsh_index_check('later_body', true), common_grams FROM lsh_index_stats('later_body');
DELETE FROM later;
VACUUM later;
INSERT INTO later VALUES (1, 'all that is gold does not glitter');
SELECT lsh_index_check('later_body', true), entries FROM lsh_index_stats('later_body');
SELECT id FROM later WHERE shares_passage(body, 'All that is gold does NOT!', 'word:5');

-- Splits: 3,000 rows of the same text, and long texts, whose entries are made through files.
CREATE TABLE many (id int, body text);
CREATE INDEX many_body ON many USING lsh (body passage_ops (run = 'char:20'));
INSERT INTO many SELECT i, 'the same short text, many times' FROM generate_series(1, 3000) i;
INSERT INTO many SELECT i, string_agg(md5(i || '.' || j), ' ') FROM generate_series(3001, 3003) i, generate_series(1, 5000) j GROUP BY i;
SELECT lsh_index_check('many_body', true) \g /dev/null
SELECT count(*) FROM many WHERE shares_passage(body, 'a short text; many times', 'char:20');
SELECT count(*) FROM many WHERE shares_passage(body, 'THE SAME SHORT TEXT, MANY', 'char:20');
SELECT id FROM many WHERE shares_passage(body, md5('3002.4999'), 'char:20');
SET maintenance_work_mem = '1MB';
REINDEX INDEX many_body;
RESET maintenance_work_mem;
SELECT lsh_index_check('many_body', true) \g /dev/null
SELECT id FROM many WHERE shares_passage(body, md5('3003.17'), 'char:20');

-- Texts with more k-grams than bytes, since normalization makes 18 characters of one.
CREATE TABLE longer AS SELECT i AS id, repeat(U&'\FDFA', 1365) || i AS body FROM generate_series(1, 100) i;
CREATE INDEX longer_body ON longer USING lsh (body passage_ops (run = 'char:100'));
SELECT lsh_index_check('longer_body', true) \g /dev/null
SELECT count(*) FROM longer WHERE shares_passage(body, repeat(U&'\FDFA', 6), 'char:100');

-- Rows that are NULL, of which a search reads none.
INSERT INTO longer SELECT i FROM generate_series(101, 200) i;
SET enable_indexscan = off;
SELECT condition, (jsonb_path_query_first(pg_temp.explain('SELECT FROM longer WHERE ' || condition, 'ANALYZE')::jsonb,
	'$.**?(@."Node Type" == "Bitmap Index Scan")')->>'Actual Rows')::float8 AS read
FROM unnest(ARRAY[$$shares_passage(body, 'another text', 'char:100')$$, $$body &&~ passage_query('another text', 'char:50')$$]) condition;
RESET enable_indexscan;

-- Expressions, partial indexes, varchar and domains.
CREATE DOMAIN sentence AS text;
CREATE TABLE pages (id int, title text, body varchar(2000) COLLATE "C", said sentence);
INSERT INTO pages SELECT i, 'page ' || i, essay(i, 30), essay(i, 30) FROM generate_series(1, 200) i;
CREATE INDEX pages_expression ON pages USING lsh ((title || ' ' || body) passage_ops (run = 'word:6')) WHERE id < 100;
CREATE INDEX pages_varchar ON pages USING lsh (body passage_ops (run = 'word:5'));
CREATE INDEX pages_domain ON pages USING lsh (said passage_ops (run = 'char:20'));
SELECT plan_of($$SELECT id FROM pages WHERE shares_passage(title || ' ' || body, 'page 17', 'word:6') AND id < 50$$);
SELECT id FROM pages WHERE shares_passage(title || ' ' || body, 'page 17 ' || essay(17, 5), 'word:6') AND id < 50;
SELECT id FROM pages WHERE shares_passage(body, essay(24, 5), 'word:5');
SELECT id FROM pages WHERE shares_passage(said, essay(25, 9), 'char:20');

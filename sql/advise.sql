--
-- minhash_advise and related functions: shingling, thresholds, examples, a bisection.
--
\set ECHO none \i test/data/setup.sql 
-- A table whose pairs are known: 100 texts of 60 letters; 20 of them are repeated with one other letter, 10 unchanged.
CREATE TABLE letters AS
SELECT i AS id, (SELECT string_agg(chr(97 + get_byte(decode(md5(i || '/' || j), 'hex'), 0) % 26), '' ORDER BY j)
	FROM generate_series(1, 60) j) AS body
FROM generate_series(1, 100) i;
ALTER TABLE letters ADD PRIMARY KEY (id);
INSERT INTO letters SELECT id + 100, overlay(body PLACING '*' FROM 20) FROM letters WHERE id <= 20;
INSERT INTO letters SELECT id + 200, body FROM letters WHERE id BETWEEN 21 AND 30;
INSERT INTO letters VALUES (301, NULL), (302, ''), (303, '   ');
\set ECHO all

SELECT * FROM minhash_advise_shingling('letters', 'body');

-- Texts of few letters repeat all short runs of them: a longer shingling is taken, by which the pairs are found; so of long texts without words.
\set ECHO none
CREATE TABLE few_letters AS
SELECT i AS id, (SELECT string_agg(translate(md5(i || '/' || j), '0123456789abcdef', 'ACGTACGTACGTACGT'), '' ORDER BY j)
	FROM generate_series(1, 10) j) AS dna,
	(SELECT string_agg(md5(i || '/' || j), '' ORDER BY j) FROM generate_series(1, 150) j) AS hex
FROM generate_series(1, 40) i;
INSERT INTO few_letters SELECT id + 100, overlay(dna PLACING 'ACGT' FROM 50), overlay(hex PLACING '0123' FROM 50) FROM few_letters WHERE id <= 10;
ALTER TABLE few_letters ADD short text, ADD long text, ADD code text;
UPDATE few_letters SET short = substr(dna, 40, 30), long = translate(hex, '0123456789abcdef', 'ACGTACGTACGTACGT'),
	code = 'ACME-GMBH-INV-2026-' || substr(hex, 48, 6);
\set ECHO all
SELECT c, shingling, remark, (SELECT pairs FROM minhash_advise('few_letters', c) WHERE threshold = 0.5),
	(SELECT count(*) FROM few_letters x, few_letters y WHERE x.id < y.id AND jaccard(to_jsonb(x)->>c, to_jsonb(y)->>c, shingling) >= 0.5) AS exact
FROM unnest('{dna,hex,short,long}'::name[]) c, minhash_advise_shingling('few_letters', c) WHERE recommended ORDER BY c;
-- Of two tables; no text is said to be short.
SELECT shingling, remark FROM minhash_advise_shingling('few_letters', 'hex', 'few_letters', 'hex') WHERE shingling::text ~ 'word|char:5';
-- A prefix makes texts alike under long shinglings, too, so that these are no better.
SELECT shingling, remark, (SELECT count(*) > 600 FROM few_letters x, few_letters y WHERE x.id < y.id AND jaccard(x.code, y.code, 'char:2') > 0.5) AS alike
FROM minhash_advise_shingling('few_letters', 'code') WHERE recommended;
-- Copies, of which most pairs are here, change nothing, and five texts suffice.
CREATE VIEW copies AS SELECT CASE WHEN id <= 12 THEN dna ELSE min(dna) OVER () END AS dna FROM few_letters;
CREATE VIEW few_dna AS SELECT dna FROM few_letters WHERE id <= 5;
SELECT shingling, remark FROM minhash_advise_shingling('copies', 'dna') WHERE recommended;
SELECT shingling, remark FROM minhash_advise_shingling('few_dna', 'dna') WHERE recommended;

-- All rows are in the sample, so that the numbers are exact: 30 pairs, of them 10 copies, 60 rows with one match each.
SELECT shingling::text, min(threshold), max(threshold), pairs, copies, matched_rows, mean_matches, most_matches, array_agg(candidates ORDER BY threshold) AS candidates,
	bool_and((a.bands, a.band_rows) IS NOT DISTINCT FROM (p.bands, p.band_rows)) AS planned,
	bool_and(pairs = (SELECT count(*) FROM letters x, letters y WHERE x.id < y.id AND jaccard(x.body, y.body, 'char:3') >= threshold - 1e-9)) AS exact
FROM minhash_advise('letters', 'body') a, lsh_plan(threshold) p GROUP BY 1, 4, 5, 6, 7, 8 ORDER BY 2;
SELECT threshold, pairs, copies, matched_rows FROM minhash_advise('letters', 'body', shingling => 'char:2') WHERE threshold > 0.85;

-- Pairs just above a threshold, keys and texts.
SELECT threshold, matches, count(*), count(DISTINCT least(key_a::int, key_b::int)) AS different, bool_and(abs(key_a::int - key_b::int) = 100) AS edited,
	bool_and(similarity::numeric = round(jaccard(a.body, b.body, 'char:3')::numeric, 3) AND text_a = a.body AND text_b = b.body) AS exact
FROM minhash_advise_pairs('letters', 'body', 0.75, pairs => 100), letters a, letters b WHERE a.id = key_a::int AND b.id = key_b::int GROUP BY 1, 2;
-- Without one: above each step.
SELECT count(DISTINCT threshold), count(*) FROM minhash_advise_pairs('letters', 'body', pairs => 2);

-- Two tables: only pairs between them count.
CREATE TABLE "Other ""one""" ("a ""text""" varchar(100), id int);
INSERT INTO "Other ""one""" SELECT overlay(body PLACING '*' FROM 10), id FROM letters WHERE id <= 5;
SELECT min(threshold), max(threshold), pairs, copies, matched_rows, mean_matches, most_matches
FROM minhash_advise('letters', 'body', '"Other ""one"""', 'a "text"') WHERE threshold > 0.5 GROUP BY 3, 4, 5, 6, 7 ORDER BY 1;
SELECT * FROM minhash_advise_pairs('"Other ""one"""', 'a "text"', 0.9, 'letters', 'body') WHERE key_b = '1';
SELECT shingling, median_shingles FROM minhash_advise_shingling('"Other ""one"""', 'a "text"', 'letters', 'body') WHERE recommended;

-- Six texts on a line, each similar to the next.
CREATE TABLE chain AS SELECT i AS id, substr(repeat(md5('a') || md5('b') || md5('c'), 3), 1 + 8 * i, 40) AS body FROM generate_series(1, 6) i;
SELECT threshold, pairs, matched_rows, most_matches FROM minhash_advise('chain', 'body', shingling => 'char:3') WHERE threshold IN (0.2, 0.4, 0.6, 0.7);
SELECT sum(pairs) = (SELECT count(*) FROM chain a, chain b WHERE a.id < b.id AND jaccard(a.body, b.body, 'char:3') >= 0.2) AS pairs FROM minhash_advise('chain', 'body', shingling => 'char:3') WHERE threshold = 0.2;

-- Nothing to go by.
CREATE TABLE nothing (id int, body text);
SELECT recommended, median_shingles, p10_shingles, after_one_edit, remark, array_agg(shingling::text ORDER BY shingling::text COLLATE "C") FROM minhash_advise_shingling('nothing', 'body') GROUP BY 1, 2, 3, 4, 5 ORDER BY 1;
SELECT threshold, pairs, copies, matched_rows, mean_matches, most_matches, candidates FROM minhash_advise('nothing', 'body') WHERE threshold = 0.5;
SELECT * FROM minhash_advise_pairs('nothing', 'body');
INSERT INTO nothing VALUES (1, NULL), (2, NULL);
SELECT threshold, pairs, copies, matched_rows, mean_matches, most_matches, candidates FROM minhash_advise('nothing', 'body') WHERE threshold = 0.5;
INSERT INTO nothing VALUES (3, 'one row');
SELECT threshold, pairs, copies, matched_rows, mean_matches, most_matches, candidates FROM minhash_advise('nothing', 'body') WHERE threshold = 0.5;
SELECT * FROM minhash_advise_pairs('nothing', 'body');
INSERT INTO nothing VALUES (4, 'one row');
SELECT threshold, pairs, copies, matched_rows FROM minhash_advise('nothing', 'body') WHERE threshold = 0.5;

-- Candidates of a few rows, and of many with copies at regular intervals: a row
-- in eight has 500 candidates, the others themselves.
INSERT INTO nothing VALUES (5, 'something else entirely, which shares no words');
SELECT threshold, candidates FROM minhash_advise('nothing', 'body') WHERE threshold IN (0.5, 0.8);
CREATE TABLE periodic AS
	SELECT i AS id, CASE i % 8 WHEN 0 THEN 'the same words' ELSE md5(i::text) END AS body FROM generate_series(1, 4000) AS i;
SELECT threshold, candidates BETWEEN 50 AND 77 AS near_63 FROM minhash_advise('periodic', 'body', shingling => 'char:5') WHERE threshold = 0.8;

-- Other relations: a view, a materialized one, partitions; keys of several columns.
CREATE VIEW letters_view AS SELECT coalesce(left(body, 30), '') || substr(body, 31) AS body FROM letters;		-- of two expressions
CREATE MATERIALIZED VIEW letters_stored AS SELECT body FROM letters;
CREATE TABLE parts (id int, site text, body text, PRIMARY KEY (site, id)) PARTITION BY LIST (site);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a');
CREATE TABLE parts_b PARTITION OF parts FOR VALUES IN ('b');
INSERT INTO parts SELECT id, chr(97 + id % 2), body FROM letters;
SELECT r, (SELECT pairs FROM minhash_advise(r, 'body') WHERE threshold = 0.75)
FROM unnest('{letters,letters_view,letters_stored,parts}'::regclass[]) r;
SELECT count(*), count(key_a), min(key_a) FROM minhash_advise_pairs('letters_view', 'body', 0.75);
SELECT key_a ~ '^\(\d+,\d+\)$' AS place FROM minhash_advise_pairs('letters_stored', 'body', 0.75, pairs => 1);
SELECT key_a ~ '^\(\d+,[ab]\)$' AS key FROM minhash_advise_pairs('parts', 'body', 0.75, pairs => 1);

-- Errors.
SELECT * FROM pg_temp.errors_of(
	$$minhash_advise(NULL, 'body')$$, $$minhash_advise('letters', NULL)$$, $$minhash_advise('letters', 'text')$$,
	$$minhash_advise('letters', 'id')$$, $$minhash_advise('letters_pkey', 'id')$$,
	$$minhash_advise('letters', 'lower(body)')$$, $$minhash_advise(1::oid::regclass, 'id')$$, $$minhash_advise('letters', 'body', 'parts')$$,
	$$minhash_advise('letters', 'body', NULL, 'body')$$, $$minhash_advise('letters', 'body', shingling => 'char:0')$$,
	$$minhash_advise('letters', 'body', sample_rows => 0)$$, $$minhash_advise_pairs('letters', 'body', 0)$$, $$minhash_advise_pairs('letters', 'body', 1.5)$$,
	$$minhash_advise_pairs('letters', 'body', 0.5, pairs => 101)$$, $$minhash_advise_shingling('letters', 'id')$$);

-- With the rights of the caller, as any query; 062_bad_input has users without rights, and hidden rows.  A column suffices, but its keys do not show.
CREATE ROLE advise_reader;
GRANT SELECT (body) ON letters TO advise_reader;
SET ROLE advise_reader;
SELECT pairs FROM minhash_advise('letters', 'body') WHERE threshold = 0.75;
SELECT key_a FROM minhash_advise_pairs('letters', 'body', 0.75, pairs => 1) LIMIT 1;
RESET ROLE;
DROP OWNED BY advise_reader;
DROP ROLE advise_reader;

-- It can be cancelled.
CREATE VIEW endless AS SELECT md5(i::text) AS body FROM generate_series(1, 100000000) i;
\set VERBOSITY terse
BEGIN; SET LOCAL statement_timeout = '10ms';
SELECT count(*) FROM minhash_advise('letters_view', 'body', sample_rows => 100), generate_series(1, 1000000);
ROLLBACK;
BEGIN; SET LOCAL statement_timeout = '10ms';
SELECT minhash_advise_shingling('endless', 'body');
ROLLBACK;

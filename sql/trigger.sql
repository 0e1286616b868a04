--
-- minhash_trigger: keep a column of signatures up to date.
--
\set ECHO none \i test/data/setup.sql \i test/data/triggers.sql
CREATE TABLE docs (id int PRIMARY KEY, title text, body varchar, sig minhash(64), note text);
CREATE TRIGGER keep_sig BEFORE INSERT OR UPDATE ON docs
	FOR EACH ROW EXECUTE FUNCTION minhash_trigger('sig', 'word:2', 64, 'title', 'body');
CREATE VIEW wrong AS
	SELECT id FROM docs WHERE sig IS DISTINCT FROM
		CASE WHEN num_nulls(title, body) < 2 THEN to_minhash(concat_ws(E'\n', title, body), 'word:2', 64) END;
\set ECHO all

-- Several texts are joined by newlines, nulls left out.
INSERT INTO docs VALUES (1, 'A title', 'and a longer body of it'), (2, NULL, 'a body without a title'),
	(3, 'a title without a body', NULL), (4, NULL, NULL), (5, '', 'an empty title'), (6, '', '');
TABLE wrong;
SELECT id, sig IS NULL AS is_null, (minhash_info(sig)).* FROM docs ORDER BY id;
SELECT id, sig = to_minhash(title || E'\n' || body, 'word:2', 64) AS joined, sig = to_minhash(body, 'word:2', 64) AS body_only FROM docs ORDER BY id;

-- Every way to change a row.
UPDATE docs SET title = 'Another title' WHERE id = 1;
UPDATE docs SET body = NULL WHERE id = 2;
UPDATE docs SET title = body, body = title WHERE id = 5;
INSERT INTO docs VALUES (3, 'x', 'y') ON CONFLICT (id) DO UPDATE SET body = 'now there is one';
COPY docs (id, title, body) FROM stdin;
7	a copied	row of text
8	\N	\N
\.
TABLE wrong;
-- The trigger replaces a signature given on insert.
INSERT INTO docs VALUES (9, 'truth', 'about it', to_minhash('something else', 'word:2', 64));
TABLE wrong;

-- Nor is one that is given by an update.
UPDATE docs SET sig = to_minhash('something else', 'word:2', 64) WHERE id = 1;
TABLE wrong;

-- An update that changes no source does nothing ...
UPDATE docs SET note = 'seen', title = title;
TABLE wrong;
ALTER TABLE docs DISABLE TRIGGER keep_sig;
UPDATE docs SET sig = to_minhash('something else', 'word:2', 64) WHERE id = 1;
ALTER TABLE docs ENABLE TRIGGER keep_sig;
UPDATE docs SET note = 'seen again', title = title;
TABLE wrong;
-- ... but for a row without a signature.
ALTER TABLE docs DISABLE TRIGGER keep_sig;
UPDATE docs SET sig = NULL;
ALTER TABLE docs ENABLE TRIGGER keep_sig;
UPDATE docs SET note = NULL;
TABLE wrong;

-- Large values, stored out of line, are compared as values.
ALTER TABLE docs ALTER body SET STORAGE external;
INSERT INTO docs SELECT 10, 'large', string_agg('word' || i, ' ') FROM generate_series(1, 2000) i;
UPDATE docs SET body = body || '' WHERE id = 10;
TABLE wrong;
UPDATE docs SET body = body || ' and more' WHERE id = 10;
TABLE wrong;
-- Once the trigger makes other signatures, every update does.
DROP TRIGGER keep_sig ON docs;
CREATE TRIGGER keep_sig BEFORE INSERT OR UPDATE ON docs FOR EACH ROW
	EXECUTE FUNCTION minhash_trigger('sig', 'word:1', 64, 'title', 'body');
UPDATE docs SET note = 'another shingling';
SELECT DISTINCT (minhash_info(sig)).shingling FROM docs WHERE sig IS NOT NULL;

-- One text column gives the same bytes as to_minhash of it.
CREATE DOMAIN phrase AS varchar(100);
CREATE TABLE one (t text, v varchar(50), c char(50), p phrase, t_sig minhash, v_sig minhash, c_sig minhash, p_sig minhash);
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON one FOR EACH ROW EXECUTE FUNCTION minhash_trigger('t_sig', 'char:5 raw', 128, 't');
CREATE TRIGGER v BEFORE INSERT OR UPDATE ON one FOR EACH ROW EXECUTE FUNCTION minhash_trigger('v_sig', 'char:3 bag', '100', 'v');
CREATE TRIGGER c BEFORE INSERT OR UPDATE ON one FOR EACH ROW EXECUTE FUNCTION minhash_trigger('c_sig', 'word:1', 16, 'c');
CREATE TRIGGER p BEFORE INSERT OR UPDATE ON one FOR EACH ROW EXECUTE FUNCTION minhash_trigger('p_sig', 'char:5', 16, 'p');
INSERT INTO one SELECT s, s, s, s FROM unnest(ARRAY['', 'short', '  with blanks  ', 'Grüße aus Köln', '相似的句子', repeat('ab', 20), NULL]) s;
SELECT count(*), count(t_sig), count(*) FILTER (WHERE t_sig = to_minhash(t, 'char:5 raw')) AS t, count(*) FILTER (WHERE v_sig = to_minhash(v, 'char:3 bag', 100)) AS v,
	count(*) FILTER (WHERE c_sig = to_minhash(c, 'word:1', 16)) AS c, count(*) FILTER (WHERE p_sig = to_minhash(p, 'char:5', 16)) AS p
FROM one;

-- Arrays and tsvectors, on a partitioned table whose partition has another order of columns.
\set ECHO none
CREATE TABLE sets (k int, i int[], i_sig minhash, t text[], t_sig minhash, n numeric[], n_sig minhash, v tsvector, v_sig minhash) PARTITION BY LIST (k);
CREATE TABLE sets_1 (v_sig minhash, gone int, v tsvector, n_sig minhash, n numeric[], t_sig minhash, t text[], i_sig minhash, i int[], k int);
ALTER TABLE sets_1 DROP gone;
ALTER TABLE sets ATTACH PARTITION sets_1 FOR VALUES IN (1);
CREATE TABLE sets_2 PARTITION OF sets DEFAULT;
CREATE TRIGGER i BEFORE INSERT OR UPDATE ON sets FOR EACH ROW EXECUTE FUNCTION minhash_trigger('i_sig', 'integer', 128, 'i');
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON sets FOR EACH ROW EXECUTE FUNCTION minhash_trigger('t_sig', 'text', 128, 't');
CREATE TRIGGER n BEFORE INSERT OR UPDATE ON sets FOR EACH ROW EXECUTE FUNCTION minhash_trigger('n_sig', 'other', 128, 'n');
CREATE TRIGGER v BEFORE INSERT OR UPDATE ON sets FOR EACH ROW EXECUTE FUNCTION minhash_trigger('v_sig', 'lexeme', 128, 'v');
\set ECHO all
INSERT INTO sets (k, i, t, n, v) SELECT k, ARRAY[k, 2, NULL], ARRAY['a', 'b', NULL], ARRAY[1.5, k], to_tsvector('simple', 'a b c') FROM generate_series(1, 2) k;
INSERT INTO sets (k, i, t, n, v) VALUES (1, '{}', '{}', '{}', ''), (2, NULL, NULL, NULL, NULL);
UPDATE sets SET i = i || 7 WHERE i IS NOT NULL;
SELECT k, i_sig IS NOT DISTINCT FROM array_to_minhash(i) AS i, t_sig IS NOT DISTINCT FROM array_to_minhash(t) AS t,
	n_sig IS NOT DISTINCT FROM array_to_minhash(n) AS n, v_sig IS NOT DISTINCT FROM tsvector_to_minhash(v) AS v FROM sets ORDER BY k, i;

-- Invalid tables and arguments.
CREATE TABLE bad (id int, body text, tags text[], other text, sig minhash, short minhash(16), made minhash GENERATED ALWAYS AS (to_minhash(body)) STORED,
	folded text GENERATED ALWAYS AS (lower(body)) STORED);
SELECT arguments, trigger_error('minhash_trigger', arguments) FROM unnest(ARRAY[
	$$'sig', 'word:2', 128, 'body'$$, '', $$'sig', 'word:2', 128$$, $$'signature', 'word:2', 128, 'body'$$,
	$$'ctid', 'word:2', 128, 'body'$$, $$'sig', 'word:2', 128, 'text'$$, $$'sig', 'word:2', 128, 'body', 'Other'$$,
	$$'body', 'word:2', 128, 'other'$$, $$'made', 'word:2', 128, 'other'$$, $$'short', 'word:2', 128, 'body'$$,
	$$'short', 'word:2', 16, 'body'$$, $$'sig', 'word', 128, 'body'$$, $$'sig', 'integer', 128, 'body'$$,
	$$'sig', 'word:2', 'many', 'body'$$, $$'sig', 'word:2', '128x', 'body'$$, $$'sig', 'word:2', 15, 'body'$$,
	$$'sig', 'word:2', 99999999999, 'body'$$, $$'sig', 'word:2', 128, 'id'$$, $$'sig', 'word:2', 128, 'body', 'id'$$,
	$$'sig', 'word:2', 128, 'body', 'tags'$$, $$'sig', 'text', 128, 'tags', 'tags'$$, $$'sig', 'word:2', 128, 'tags'$$,
	$$'sig', 'word:2', 128, 'folded'$$, $$'sig', 'word:2', 128, 'sig'$$]) arguments;
SELECT timing, level, trigger_error('minhash_trigger', $$'sig', 'word:2', 128, 'body'$$, timing, level)
FROM (VALUES ('AFTER INSERT', 'ROW'), ('BEFORE INSERT', 'STATEMENT'), ('BEFORE DELETE', 'ROW')) v (timing, level);
SELECT minhash_trigger();

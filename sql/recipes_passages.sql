--
-- Recipes for parts of texts: each problem with its known answer.
--
\set ECHO none \i test/data/setup.sql \set ECHO all
SET client_min_messages = warning;

-- Test items in training data, not their instruction.  Item 1 is in texts 1 and 2, item 3 in 8; item 4 has fewer words than a run of 12.
\set ECHO none
CREATE TABLE training (id int PRIMARY KEY, body text);
CREATE TABLE items (id int PRIMARY KEY, body text);
INSERT INTO items VALUES (1, 'A farmer has 48 apples and packs them into boxes of six. He sells three boxes at the market and gives one box to a neighbour. How many apples remain?'),
	(2, 'Construct a complete truth table for the following argument. Then, using the truth table, determine whether the argument is valid or invalid. P or Q; not P; therefore Q.'),
	(3, 'Four score and seven years ago our fathers brought forth on this continent a new nation. Who gave this speech?'), (4, 'How much is 7 times 8?');
INSERT INTO training VALUES
	(1, 'Welcome to our weekly puzzle column. Last week we asked the following. A farmer has 48 apples and packs them into boxes of six. He sells three boxes at the market and gives one box to a neighbour. How many apples remain? Many of you wrote in with the right answer.'),
	(2, E'A farmer has 48 apples\nand packs them\ninto boxes of six.\nHe sells three boxes\nat the market\nand gives one box\nto a neighbour.\nHow many apples remain?'),
	(8, 'On this day the president said: Four score and seven years ago our fathers brought forth on this continent a new nation, conceived in liberty.'),
	(9, 'Tables for children: how much is 7 times 8? It is 56.'), (10, 'The library opens at nine.');
INSERT INTO training SELECT 10 + i, format('Construct a complete truth table for the following argument. Then, using the truth table, determine whether the argument is valid or invalid. Premise number %s concerns %s; therefore the conclusion is %s.', i, md5(i::text), md5((i * 7)::text)) FROM generate_series(1, 40) i;
\set ECHO all
SELECT i.id, array_agg(t.id ORDER BY t.id) FILTER (WHERE t.id < 11) AS texts, count(*) FROM items i JOIN training t ON shares_passage(t.body, i.body) GROUP BY i.id ORDER BY 1;
CREATE FUNCTION own_item(body text) RETURNS text LANGUAGE sql IMMUTABLE
	RETURN text_without(body, 'Construct a complete truth table for the following argument. Then, using the truth table, determine whether the argument is valid or invalid.');
SELECT id FROM items i WHERE EXISTS (SELECT FROM training t WHERE shares_passage(own_item(t.body), own_item(i.body))) ORDER BY id;
-- with a run as long as the shortest item, which has 6 words
SELECT min(cardinality(shingles(body, 'word:1 bag'))) AS shortest FROM items;
SELECT i.id, array_agg(t.id ORDER BY t.id) AS texts FROM items i JOIN training t ON shares_passage(own_item(t.body), own_item(i.body), 'word:5') GROUP BY i.id ORDER BY 1;
DROP FUNCTION own_item;

-- The same, larger: of 300 items, a third with an instruction that a tenth of 3,000 texts have, 30 leaked.
TRUNCATE items, training;
CREATE FUNCTION words(seed int, n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(substr(md5((seed * 7919 + i)::text), 1, 3 + i % 5), ' ') FROM generate_series(1, n) i $$;
CREATE FUNCTION own_item(body text) RETURNS text LANGUAGE sql IMMUTABLE
	RETURN text_without(body, 'Read the passage below and choose the best answer to the question that follows, giving your reasons step by step.');
INSERT INTO items SELECT i, CASE WHEN i % 3 = 0 THEN 'Read the passage below and choose the best answer to the question that follows, giving your reasons step by step. ' ELSE '' END
	|| words(i, 40) FROM generate_series(1, 300) i;
INSERT INTO training SELECT i, words(100000 + i, 20) || ' ' || CASE WHEN i % 10 = 0 THEN 'Read the passage below and choose the best answer to the question that follows, giving your reasons step by step. ' ELSE '' END
	|| CASE WHEN i % 100 = 1 THEN words(i / 100 + 1, 40) ELSE '' END || ' ' || words(200000 + i, 20) FROM generate_series(1, 3000) i;
CREATE INDEX ON training USING lsh (body passage_ops);
CREATE INDEX ON training USING lsh (own_item(body) passage_ops);
ANALYZE training;
SELECT count(*) AS flagged, count(*) FILTER (WHERE id <= 30) AS leaked FROM items i WHERE EXISTS (SELECT FROM training t WHERE shares_passage(t.body, i.body));
SELECT count(*) AS flagged, count(*) FILTER (WHERE id <= 30) AS leaked FROM items i WHERE EXISTS (SELECT FROM training t WHERE shares_passage(own_item(t.body), own_item(i.body)));

-- Answers without the teacher's code: 1 and 2 are copies, all other pairs are not.
CREATE FUNCTION exercise() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT E'import java.util.List;\n/** Exercise three. Fill in the method sort below and do not change the class header. */\npublic class Exercise {\n  private List<Integer> values;\n  public Exercise(List<Integer> values) { this.values = values; }\n  public void sort() {\n    // TODO your code here\n  }\n  public static void main(String[] args) { Exercise e = new Exercise(List.of(3, 1, 2)); e.sort(); System.out.println(e.values); }\n}' $$;
CREATE TABLE answers (id int PRIMARY KEY, body text, own text GENERATED ALWAYS AS (text_without(body, exercise(), 'word:5')) STORED,
	sig minhash GENERATED ALWAYS AS (to_minhash(text_without(body, exercise(), 'word:5'), 'word:3')) STORED);
INSERT INTO answers (id, body) SELECT i, replace(exercise(), '// TODO your code here', code) FROM (VALUES
	(1, 'for (int i = 0; i < values.size(); i++) for (int j = 0; j + 1 < values.size() - i; j++) if (values.get(j) > values.get(j + 1)) { int t = values.get(j); values.set(j, values.get(j + 1)); values.set(j + 1, t); }'),
	(2, 'for (int i = 0; i < values.size(); i++) for (int j = 0; j + 1 < values.size() - i; j++) if (values.get(j) > values.get(j + 1)) { int t = values.get(j); values.set(j, values.get(j + 1)); values.set(j + 1, t); } // done'),
	(3, 'values.sort(null);'),
	(4, 'int n = values.size(); while (n > 0) { int max = 0; for (int k = 1; k < n; k++) if (values.get(k) > values.get(max)) max = k; Integer x = values.remove(max); values.add(n - 1, x); n--; }')) v(i, code);
SELECT a.id, b.id AS other, round(jaccard(a.own, b.own, 'word:3')::numeric, 2) AS own FROM answers a JOIN answers b ON a.id < b.id ORDER BY 1, 2;
SELECT a.id, b.id AS copy FROM answers a JOIN answers b ON minhash_similar(a.sig, b.sig, 0.6) AND a.id < b.id;
SELECT own FROM answers WHERE id > 2 ORDER BY id;

-- 500 reports on one form: every fiftieth is a copy of the one before it, but for one word.
\set ECHO none
CREATE FUNCTION form(a text, b text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT format(E'Report on an inspection\nPlease answer all questions in whole sentences.\nWhat did you inspect, and in which state was it?\n%s\nWhat has to be done, by when and by whom?\n%s\nSigned by the inspector on the day of the inspection.', a, b) $$;
CREATE FUNCTION sentence(seed int, n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT initcap(string_agg(translate(left(md5((seed * 7919 + i)::text), 2 + i % 5), '0123456789abcdef', 'aeioubdgklmnprst'), ' ')) || '.' FROM generate_series(1, n) i $$;
CREATE TABLE reports (id int PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:2')) STORED,
	own text GENERATED ALWAYS AS (text_without(body, form('', ''), 'word:4')) STORED,
	own_sig minhash GENERATED ALWAYS AS (to_minhash(text_without(body, form('', ''), 'word:4'), 'word:2')) STORED);
INSERT INTO reports (id, body) SELECT i, form(sentence(n, 15), sentence(10000 + n, 12) || CASE WHEN i % 50 = 0 THEN ' Urgent.' ELSE '' END)
FROM generate_series(1, 500) i, LATERAL (SELECT CASE WHEN i % 50 = 0 THEN i - 1 ELSE i END) AS m(n);
\set ECHO all
SELECT count(*) FILTER (WHERE own ~* 'please answer|has to be done|signed by') AS left_of_form, count(DISTINCT own) FROM reports;
SELECT count(*) FILTER (WHERE own = sentence(id, 15) || E'\n' || sentence(10000 + id, 12)) AS exact FROM reports WHERE id % 50 <> 0;
SELECT count(*) > 100000 AS most_similar FROM reports a JOIN reports b ON minhash_similar(a.sig, b.sig, 0.3) AND a.id < b.id;
SELECT count(*), count(*) FILTER (WHERE b.id % 50 = 0 AND a.id = b.id - 1) AS copies FROM reports a JOIN reports b ON minhash_similar(a.own_sig, b.own_sig, 0.5) AND a.id < b.id;
DROP TABLE reports; DROP FUNCTION form, sentence;

-- New in a mail are the sentences of its author.  The mail that it quotes is 1.
CREATE TABLE mails (id int PRIMARY KEY, thread int, body text);
INSERT INTO mails VALUES
	(1, 1, E'Hello all,\n\nI propose that the working group adopts the second draft as the baseline, because it keeps the header\ncompatible with old routers and needs no new option numbers.\n\nRegards\nA'),
	(2, 1, E'I propose that the working group adopts the second draft as the\nbaseline, because it keeps the header compatible with old\nrouters and needs no new option numbers.\n\nI disagree. The third draft is shorter.'),
	(3, 1, E'b said he disagrees. I think that both drafts are fine.\n\nFrom: A\nSent: Monday\nI propose that the working group adopts the second draft as the baseline , because it keeps the header compatible\nwith old routers and needs no new option numbers.'),
	(4, 2, E'Meeting on Thursday at nine, bring your slides.');
CREATE INDEX ON mails USING gin (body passage_ops);
SELECT b.id, min(a.id) AS quoted FROM mails b JOIN mails a ON a.thread = b.thread AND a.id < b.id AND shares_passage(a.body, b.body) GROUP BY b.id ORDER BY 1;
SELECT m.id, replace(coalesce(text_without(m.body, (SELECT string_agg(e.body, E'\n' ORDER BY id) FROM mails e WHERE e.thread = m.thread AND e.id < m.id)), m.body), E'\n', '|') AS own
FROM mails m WHERE m.id > 1 ORDER BY m.id;

-- Licenses: each file has one, with a clause more or less, inside code or not; file 4 has none.
\set ECHO none
CREATE TABLE licenses (id text PRIMARY KEY, body text);
INSERT INTO licenses VALUES
	('plain', 'You may copy and change this work and give it to others, in source or binary form, if these three conditions are met. Copies of the source must keep the notice of copyright above and this list. Copies in binary form must repeat the notice in the documents that go with them. The names of the authors may not be used to advertise works made from it without written leave. The work comes as it is, without warranty of any kind, and the authors are not liable for any damage.'),
	('phrase', 'This work may not be modified by the user.');
INSERT INTO licenses SELECT 'no-nuclear', body || ' You agree that the work is not designed, licensed or intended for use in the building, running or care of any nuclear plant.' FROM licenses WHERE id = 'plain';
CREATE TABLE files (id int PRIMARY KEY, body text);
INSERT INTO files SELECT 1, body FROM licenses WHERE id = 'plain';
INSERT INTO files SELECT 2, replace(replace(body, 'licensed', 'licenced'), 'nuclear plant', 'nuclear facility') FROM licenses WHERE id = 'no-nuclear';
INSERT INTO files SELECT 3, repeat('int counter_' || 'x = 0; call(counter); ', 3) || (SELECT string_agg('value_' || i || ' = compute(' || md5(i::text) || ');', E'\n') FROM generate_series(1, 400) i)
	|| regexp_replace(body, '(.{60}\S*) ', E'\\1\n * ', 'g') FROM licenses WHERE id = 'plain';
INSERT INTO files VALUES (4, 'Returns an immutable view. Changes to the graph (if the graph is mutable) show in the view, but it may not be modified by the user.');
CREATE TABLE file_keys AS SELECT id, unnest(passage_keys(body, 'word:4')) AS key FROM files;
CREATE INDEX ON file_keys (key);
\set ECHO all
SELECT DISTINCT ON (f.id) f.id, l.id AS license
FROM licenses l, LATERAL (SELECT id, count(*) AS common FROM file_keys WHERE key = ANY (passage_keys(l.body, 'word:4')) GROUP BY id) k JOIN files f USING (id)
WHERE common >= 0.6 * cardinality(passage_keys(l.body, 'word:4')) AND containment(l.body, f.body, 'word:3') >= 0.85 ORDER BY f.id, length(l.body) DESC;

-- The share of the keys estimates the containment.
CREATE TABLE texts AS SELECT i, t, passage_keys(t, 'word:5') AS keys FROM generate_series(1, 200) i, LATERAL (
	SELECT string_agg('w' || abs(hashint4(i / 10 * 1000 + w * CASE WHEN w % 100 < i % 10 * 11 THEN i ELSE 1 END)) % 5000, ' ' ORDER BY w) AS t FROM generate_series(1, 300) w) s;
SELECT count(*), corr(exact, estimate) > 0.95 AS correlated, avg(abs(exact - estimate)) < 0.06 AS close, stddev(exact) > 0.1 AS varied
FROM (SELECT containment(a.t, b.t, 'word:5') AS exact, (SELECT count(*) FROM unnest(a.keys) AS key WHERE key = ANY (b.keys)) / cardinality(a.keys)::float8 AS estimate
	FROM texts a JOIN texts b ON a.i / 10 = b.i / 10 AND a.i <> b.i) shares;

-- Chain messages in Chinese: the pairs of 1, 2 and 3, and 5 with 6, and no other.
WITH m(id, t) AS (VALUES (1, '台電節電獎勵金，撥打電話告訴服務人員你家的電號就可以完成登陸了！晚上也有服務哦！'),
	(2, '轉傳：台電節電獎勵金~撥打電話告訴服務人員你家的「電號」就可以完成登陸了!晚上也有服務哦~請大家多多分享給親朋好友，好康不要錯過'),
	(3, '早安！台電公司的節電獎勵金 https://example.org/a1 撥打電話告訴服務人員您家的電號，就可以完成登錄，晚上也有服務'),
	(4, '台電公司提醒您，颱風期間請勿靠近電線，如有停電請撥打電話通知服務人員。'),
	(5, '永久限定貼圖限時下載👇👇點網址就能套用主題了'), (6, '超可愛 快點網址下載 不是詐騙 我下載到了 點網址就能套用主題了'))
SELECT a.id, b.id AS other FROM m a JOIN m b ON a.id < b.id AND shares_passage(a.t, b.t, 'word:8') ORDER BY 1, 2;

-- A mail without its signature, a quoted one, and the line above the quotation, with both kinds of line ends.
CREATE FUNCTION own_text(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT regexp_replace(body, '\r?\n-- \r?\n.*|\r?\n>[> ]*-- \r?(\n>[^\n]*)*|On \w+ you wrote:', '', 'g') $$;
SELECT n, to_json(own_text(body)) AS own, to_json(own_text(replace(body, E'\n', E'\r\n'))) AS with_crlf FROM (VALUES (1, E'See you.\n-- \nIda Berg\n12 Harbour Street'),
	(2, E'On Monday you wrote:\n> See you.\n> -- \n> Ida Berg\n> 12 Harbour Street\nI agree.\n-- \nBob'), (3, E'> > See you.\n> > -- \n> > Ida Berg\n\nI agree -- \nas always.')) v(n, body) ORDER BY n;

-- Replies and originals: 1 quotes 2, 4 and 5 quote a third mail, and of 2 and 6, which have no marks, neither is known to be the reply.
CREATE TABLE inbox (id int PRIMARY KEY, body text);
INSERT INTO inbox VALUES
	(1, E'Ida wrote:\n> Please note that the waranty covers neither damage by\n> water nor any parts that were opened by the buyer.\nI have not opened it!'),
	(2, 'Please note that the warranty covers neither damage by water nor parts that were opened by the buyer.'),
	(4, E'> The ferry to the islands leaves every morning and every evening\n> from pier two, and on Sundays at noon.\nFine.'),
	(5, E'Too early!\n>> The ferry to the islands leaves every morning and every evening from pier two, and on Sundays at noon.'),
	(6, 'I repeat: the warranty covers neither damage by water nor parts that were opened by the buyer!');
CREATE FUNCTION is_quoted(body text, start int, length int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT split_part(left(body, start - 1), E'\n', -1) || substr(body, start, length) ~ '(^|\n)\s*>' $$;
SELECT x.id, y.id AS other, quoted_x, quoted_y, CASE WHEN quoted_x <> quoted_y THEN CASE WHEN quoted_x THEN x.id ELSE y.id END END AS reply
FROM inbox x JOIN inbox y ON x.id < y.id, common_passages(x.body, y.body, 'word:5', 12, 5),
	is_quoted(x.body, start_a, length_a) AS quoted_x, is_quoted(y.body, start_b, length_b) AS quoted_y ORDER BY x.id, y.id;

-- Sources stored with a row: 7 borrows from 2 and 6, 8 from none.
ALTER TABLE inbox ADD reuses int[];
CREATE FUNCTION note_reuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.reuses := ARRAY(SELECT id FROM inbox WHERE shares_passage(body, NEW.body) AND id <> NEW.id ORDER BY id);
	RETURN NEW;
END $$;
CREATE TRIGGER note_reuse BEFORE INSERT OR UPDATE OF body ON inbox FOR EACH ROW EXECUTE FUNCTION note_reuse();
INSERT INTO inbox VALUES (7, 'No, the warranty covers neither damage by water nor parts that were opened by the buyer.'),
	(8, 'The parts have arrived.') RETURNING id, reuses;

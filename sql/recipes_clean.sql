--
-- Recipes that clean texts or choose a shingling: each problem with its known answer.
--
\set ECHO none \i test/data/setup.sql \set ECHO all
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

-- The functions of the cookbook.
-- accents, and the vowel marks of Arabic and Hebrew: what is left when combining marks go
\set ECHO none
CREATE FUNCTION without_marks(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT regexp_replace(normalize(body, NFKD), U&'[\0300-\036F\0591-\05C7\0610-\061A\064B-\065F\0670\06D6-\06ED\0640]', '', 'g')
$$;
-- tags and entities of HTML
CREATE FUNCTION without_html(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT replace(replace(replace(replace(replace(regexp_replace(regexp_replace(body, '(?:<!--.*?-->|<(script|style)\M.*?</\1\s*>){1,1}?', ' ', 'gi'), '<[^<>]+>', ' ', 'g'),
		'&nbsp;', ' '), '&quot;', '"'), '&lt;', '<'), '&gt;', '>'), '&amp;', '&')
$$;
-- typographic quotes, dashes and the ellipsis
CREATE FUNCTION plain_marks(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT replace(translate(body, U&'\2018\2019\201A\201C\201D\201E\00AB\00BB\2010\2011\2012\2013\2014', '''''''"""""-----'), U&'\2026', '...')
$$;
-- Cyrillic and Greek letters that look like Latin ones, in words that also have Latin letters
CREATE FUNCTION latin_look(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT string_agg(CASE WHEN word ~ '[a-zA-Z]'
		THEN translate(word, 'аеорсухіјԁѕАВЕКМНОРСТХІЈЅαοΑΒΕΗΙΚΜΝΟΡΤΥΧ', 'aeopcyxijdsABEKMHOPCTXIJSaoABEHIKMNOPTYX') ELSE word END, '' ORDER BY n)
	FROM regexp_matches(body, '\s+|\S+', 'g') WITH ORDINALITY AS m(words, n), unnest(words) AS word
$$;
-- legal forms of companies, and marks; the name itself if no other word is left
CREATE FUNCTION company(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT coalesce(string_agg(word, ' ' ORDER BY n), name)
	FROM unnest(shingles(regexp_replace(name, '\m(\w)\.\s*(?=\w\M)', '\1', 'g'), 'word:1')) WITH ORDINALITY AS w(word, n)
	WHERE word <> ALL ('{sc,srl,sa,spa,gmbh,mbh,ag,kg,and,und,ltd,limited,llc,inc,incorporated,corp,corporation,co,company,plc,bv,nv,pt,tbk,ооо,оао,зао,пао,công,ty,cổ,phần}')
$$;
-- words with digits in lines of a log: times, ids, versions
CREATE FUNCTION log_template(line text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT regexp_replace(line, '[^\s]*\d[^\s]*', '#', 'g')
$$;
\set ECHO all

-- Company names: the legal form does not count, so "S.C. Dacia S.R.L." is "Dacia", not "S.C. Petrom S.R.L.".
CREATE TABLE org (id int PRIMARY KEY, name text, sig minhash GENERATED ALWAYS AS (to_minhash(company(name), 'char:2')) STORED);
INSERT INTO org VALUES (1, 'S.C. Dacia S.R.L.'), (2, 'S.C. Petrom S.R.L.'), (3, 'Dacia'), (4, 'ООО Ромашка'), (5, 'ООО Василёк'), (6, 'ООО «Ромашка»'),
	(7, 'PT Astra International Tbk'), (8, 'PT Telkom Indonesia Tbk'), (16, 'CÔNG TY CỔ PHẦN SỮA VIỆT NAM'), (17, 'CÔNG TY CỔ PHẦN TẬP ĐOÀN HÒA PHÁT'), (18, 'Vinamilk');
SELECT a.id, b.id AS same FROM org a JOIN org b ON minhash_similar(a.sig, b.sig, 0.55) AND a.id < b.id ORDER BY 1, 2;
SELECT round(max(jaccard(company(a.name), company(b.name), 'char:2'))::numeric, 2) AS most_similar_others
FROM org a JOIN org b ON a.id < b.id AND (a.id, b.id) NOT IN ((1, 3), (4, 6));
SELECT company(name) FROM (VALUES ('S. p. A. Rossi'), ('Foo Co.Ltd.'), ('Meier GmbH & Co. KG'), ('Booking.com'), ('J.P. Morgan'), ('L.L.C.'), ('Dacia G.m.b.H.')) v(name);

-- Publishers: the first three and "Francis Taylor" are one, "Taylor and Fransen" is another.
SELECT a.n, b.n AS other, jaccard(to_tsvector('english', a.n), to_tsvector('english', b.n)) >= 0.5 AS same
FROM (VALUES (1, 'Taylor Francis'), (2, 'Taylor & Francis'), (3, 'Taylor and Francis'), (4, 'Francis Taylor'), (5, 'Taylor and Fransen')) a(i, n)
	JOIN (VALUES (1, 'Taylor Francis'), (2, 'Taylor & Francis'), (3, 'Taylor and Francis'), (4, 'Francis Taylor'), (5, 'Taylor and Fransen')) b(i, n) ON a.i < b.i ORDER BY a.i, b.i;

-- Lines of OCR: 1, 2, 3, 5 and 7 are in the list, 4 and 6 are not.
WITH known(line) AS (VALUES ('NO REPRODUCTIONS'), ('MAY BE REPRODUCED.'), ('CREDIT LINE IMPERATIVE'), ('CREDIT LINE IMPERATIVE ON ALL REPRODUCTIONS.')),
scans(id, line) AS (VALUES (1, 'MAY 8E REPnOuUCEl'), (2, 'MAY BE REE ODUCED.'), (3, 'CRDIT LINE IMPERATIVE ON ALL REPRODUCTIONS'), (4, 'View north from the bridge in May.'),
	(5, 'NO REPR0DUCT1ONS'), (6, 'Reproduction furniture store, Main Street'), (7, 'N0 REPRODUCTIONS'))
SELECT s.id, round(max(jaccard(s.line, k.line, 'char:2'))::numeric, 2) AS jaccard, round(min(edits), 2) AS edits, min(edits) <= 0.4 AS is_known
FROM scans s JOIN known k ON minhash_similar(to_minhash(k.line, 'char:2'), to_minhash(s.line, 'char:2'), 0.1),
	LATERAL (SELECT levenshtein(lower(s.line), lower(k.line))::numeric / greatest(length(s.line), length(k.line))) e(edits)
GROUP BY s.id ORDER BY s.id;

-- Templates of log lines: {1,2,3}, {4,5} and {6} are one each.
CREATE TABLE logs (id int PRIMARY KEY, line text);
INSERT INTO logs VALUES (1, '2026-06-21T10:30:01 worker 4821 processing job a3f2'),
	(2, '2026-06-21T10:30:02 worker 4822 processing job b1c9'), (3, '2026-06-21T10:30:03 worker 4823 processing job d7e0'),
	(4, '2026-06-21T10:30:05 upgraded parser v1.24.0 to v1.25.0'), (5, '2026-06-21T10:30:06 upgraded lexer v2.0.0 to v2.1.0'),
	(6, '2026-06-21T10:30:09 worker 4823 failed job d7e0');
SELECT array_agg(id ORDER BY id) AS lines FROM (
	SELECT id, minhash_cluster(to_minhash(log_template(line), 'char:3'), 0.5) OVER (ORDER BY id) AS c FROM logs) g GROUP BY c ORDER BY 1;

-- Spam: 1 to 5 are one text, with a tail of letters, look-alike letters, bold letters and invisible characters; 6 is another.
SELECT id, round(jaccard(latin_look(body), 'Earn 500 a day from home, message me on the app now!', 'char:3')::numeric, 2) AS similarity
FROM (VALUES (1, 'Earn 500 a day from home, message me on the app now! xq7'), (2, 'Earn 500 a day from home, message me on the app now! 9fkz'),
	(3, 'Eаrn 500 a dаy frоm hоme, message me on the app now!'), (4, '𝐄𝐚𝐫𝐧 𝟓𝟎𝟎 𝐚 𝐝𝐚𝐲 𝐟𝐫𝐨𝐦 𝐡𝐨𝐦𝐞, message me on the app now!'),
	(5, U&'E\200Barn 500 a d\200Bay from home, mes\200Bsage me on the app now!'), (6, 'I earn 500 a day from my shop, which is nice.')) s(id, body) ORDER BY id;

-- A text pasted six times has few of its shingles once.
SELECT id, cardinality(shingles(t, 'word:3')) <= cardinality(shingles(t, 'word:3 bag')) / 2 AS repeats FROM (VALUES (1, repeat('Best prices on tablets call now. ', 6)),
	(2, 'A post of ordinary length that says something once and never says it again, as most posts do, even when they are long.')) r(id, t);

-- Hotels: 1 is 2, not 3.  Repeated words count in a bag.
SELECT a.id, b.id AS other, jaccard(a.n, b.n, 'char:2') >= 0.6 AS same FROM (VALUES (1, '上海浦东四季酒店'), (2, '浦东四季酒店'), (3, '上海浦东全季酒店')) a(id, n)
	JOIN (VALUES (1, '上海浦东四季酒店'), (2, '浦东四季酒店'), (3, '上海浦东全季酒店')) b(id, n) ON a.id < b.id ORDER BY 1, 2;
SELECT round(jaccard(repeat('test ', 10), repeat('test ', 7), 'word:1 bag')::numeric, 2) AS bag,
	round(jaccard(repeat('apple ', 40) || repeat('banana ', 2), repeat('apple ', 2) || repeat('banana ', 40), 'word:1 bag')::numeric, 2) AS other_bag,
	jaccard('cat', 'dog', 'word:5') AS short, minhash_similar(to_minhash('cat', 'word:5'), to_minhash('cat', 'word:5'), 0.8) AS equal,
	minhash_similar(to_minhash('', 'word:5'), to_minhash('', 'word:5'), 0.8) AS empty;

-- Code: "<" is not ">", and text_without() and passages take words.
SELECT jaccard('if (i < n) x++;', 'if (i > n) x--;', 'word:3') AS by_words, jaccard('if (i < n) x++;', 'if (i > n) x--;', 'char:5') < 0.2 AS by_characters;

-- Product names in one word or two, and token lists that are too short to be copies.
SELECT a.t, b.t AS other, round(jaccard(replace(a.t, ' ', ''), replace(b.t, ' ', ''), 'char:2')::numeric, 2) AS similarity
FROM (VALUES ('LemonSqueezy', 'Lemon Squeezy'), ('Arize AI', 'Arize AX'), ('Lemon Squeezy', 'Lemon Aid')) AS p(x, y), LATERAL (SELECT x) a(t), LATERAL (SELECT y) b(t);
-- short forms, without the word that many names have
SELECT a, b, round(containment(a, b, 'char:3')::numeric, 2) AS contained FROM (VALUES ('colab', 'colaboratory'), ('collage', 'colaboratory')) AS p(a, b);
CREATE FUNCTION grams(t text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(t[i] || ' ' || t[i + 1] || ' ' || t[i + 2]) FROM generate_series(1, greatest(cardinality(t) - 2, 1)) i $$;
CREATE TABLE snippets (name text PRIMARY KEY, tokens text[],
	sig minhash(128) GENERATED ALWAYS AS (CASE WHEN cardinality(tokens) >= 20 THEN array_to_minhash(grams(tokens)) END) STORED);
INSERT INTO snippets (name, tokens) SELECT name, string_to_array(t, ' ') FROM (VALUES ('isInteractive', 'return ID = = = STR | | ID = = = STR ; }'), ('isPaid', 'return ID = = = STR | | ID = = = STR ; }'),
	('sum', 'let ID = NUM ; for ( let ID of ID ) { ID += ID . ID * ID . ID ; if ( ID > NUM ) break ; } return ID ; }'),
	('sum2', 'let ID = NUM ; for ( let ID of ID ) { ID += ID . ID * ID . ID ; if ( ID >= NUM ) break ; } return ID ; }')) f(name, t);
SELECT a.name, b.name AS copy FROM snippets a JOIN snippets b ON a.name < b.name AND minhash_similar(a.sig, b.sig, 0.6);

-- The nearest older string of a translator, in one language.
CREATE TABLE memory (id int PRIMARY KEY, lang text, source text, sig minhash(128) GENERATED ALWAYS AS (to_minhash(source, 'char:3')) STORED);
INSERT INTO memory VALUES (1, 'cs', 'This setting enables you to export the document as a .pdf file containing two file formats: PDF and ODF.'),
	(2, 'cs', 'This setting enables you to export the document as a .txt file.'), (4, 'cs', 'We are sorry, but we cannot find what you are looking for.'),
	(5, 'cs', 'Log in with the web site'), (6, 'de', 'This setting enables you to export the document as a .pdf file containing two file formats: PDF and ODF.');
CREATE INDEX ON memory USING lsh (sig);
SELECT n, (SELECT id FROM memory WHERE lang = 'cs' ORDER BY sig <-> to_minhash(t, 'char:3') LIMIT 1) AS nearest FROM (VALUES
	(1, 'This setting enables you to export the document as a .pdf file containing two file formats: PDF and ODF and to sign it digitally.'), (2, 'Continue with the web site')) v(n, t);

-- All pairs of many short names: each second name is a copy, and half of them have another letter at the end.
CREATE TABLE items AS SELECT g AS id, (ARRAY['washer', 'bolt', 'hinge', 'pump', 'valve', 'filter', 'cable', 'plug'])[1 + g / 2 % 8] || ' ' ||
	(ARRAY['steel', 'brass', 'black', 'white', 'long'])[1 + g / 2 % 5] || ' ' || substr(md5((g / 2)::text), 1, 8) || CASE WHEN g % 4 = 1 THEN 'x' ELSE '' END AS name FROM generate_series(2, 20001) g;
ALTER TABLE items ADD sig minhash(128) GENERATED ALWAYS AS (to_minhash(name, 'char:3')) STORED;
CREATE INDEX items_sig ON items USING lsh (sig);
SELECT count(*) FILTER (WHERE x.id / 2 = y.id / 2) >= 9900 AS copies, count(*) FILTER (WHERE x.id / 2 <> y.id / 2 AND jaccard(x.name, y.name, 'char:3') < 0.5) < 100 AS few_others
FROM lsh_index_pairs('items_sig', 0.6) p JOIN items x ON x.ctid = ctid_a JOIN items y ON y.ctid = ctid_b;

-- Tokens that two translations share: words in capitals, numbers and codes, not the first letters of names and German nouns.
SELECT array_remove(regexp_split_to_array(regexp_replace(body, '[[:upper:]]?[[:lower:]]+', ' ', 'g'), '[^0-9A-Z]+'), '') AS tokens
FROM (VALUES (1, 'The new K12 kettle of Acme boils 1.7 l for 40 EUR.'), (2, 'Der neue Wasserkocher K12 von Acme kocht 1,7 l für 40 EUR.')) v(n, body) ORDER BY n;

-- The text between two scripts, styles or comments stays.
SELECT without_html('<script src=a></script>one<script>if (a < b && c > d) x()</script >two<STYLE>p { }</style>three<!-- a > b -->four<!-- c -->five') AS between;

-- Accents, vowel marks of Arabic, HTML and typographic marks.
SELECT jaccard('كِتَاب', 'كتاب', 'char:3') AS before, jaccard(without_marks('كِتَاب'), without_marks('كتاب'), 'char:3') AS after,
	without_marks('Crème brûlée, Ångström') AS marks, without_html('<p class="x">a&lt;b<br>c &amp;amp; d</p><script>x()</script>') AS html, plain_marks('“a” ‘b’ – c…') AS plain,
	latin_look('Eаrn мир a frоm') AS latin, company('GmbH') AS only_form, log_template('at 10:30 job a3f2 done') AS template;

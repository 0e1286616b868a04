--
-- The recipe for several fields: people with gaps, typing errors and couples at one address, in one table and in two, and
-- a case with a known answer.
--
\set ECHO none \i test/data/setup.sql
SET client_min_messages = warning;

-- People in six fields: every third in two or three rows with typing errors, cells missing, and couples at one address.
CREATE FUNCTION pick(list text[], seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$ SELECT list[1 + (('x' || left(md5(seed), 6))::bit(24)::int % cardinality(list))] $$;
CREATE FUNCTION chance(seed text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
	$$ SELECT ('x' || left(md5(seed), 6))::bit(24)::int / 16777216.0 $$;
-- a typing error: a letter left out or doubled
CREATE FUNCTION typo(word text, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN chance(seed) < .15 THEN overlay(word PLACING '' FROM at FOR 1) WHEN chance(seed) < .3 THEN overlay(word PLACING substr(word, at, 1) || substr(word, at, 1) FROM at FOR 1) ELSE word END
	FROM (SELECT 1 + (chance('at' || seed) * length(word))::int AS at) a $$;
CREATE TABLE persons AS
SELECT p AS person, pick('{Anna,Bertha,Carla,Dora,Elsa,Frida,Greta,Hanna,Ida,Jonas,Karl,Ludwig,Moritz,Nils,Otto,Paul,Rolf,Simon,Theo,Ulrich}', 'first' || p)
	AS first, s.last, s.street, to_char(date '1940-01-01' + floor(chance('born' || p) * 25000)::int, 'YYYY-MM-DD') AS born, '0' || (100000 + floor(chance('phone' || p) * 899999))::text AS phone,
	lower(left(pick('{a,b,c,d,e}', 'm' || p), 1)) || '.' || lower(s.last) || p % 97 || '@' || pick('{post,mail,web}', 'host' || p) || '.test' AS mail
FROM generate_series(1, 600) p, LATERAL (SELECT (CASE WHEN p % 5 = 1 THEN p - 1 ELSE p END)::text AS house) h,
	LATERAL (SELECT initcap(pick('{bar,ber,dal,fal,gro,hol,kar,lin,mor,nor,ost,rei,sol,tal,wal}', 'l1' || house) || pick('{d,k,m,n,s,t}', 'l2' || house) || pick('{berg,feld,gren,holm,lund,mann,qvist,ström}', 'l3' || house)) AS last,
		pick('{Alder,Birch,Cedar,Dock,Elm,Forge,Garden,Harbour,Ivy,Mill,North,Orchard}', 's' || house) || ' ' || pick('{Street,Lane,Road}', 's2' || house) || ' ' || 1 + floor(chance('no' || house) * 80)::int AS street) s;
CREATE TABLE people AS
SELECT row_number() OVER (ORDER BY md5(person || 'x' || n))::int AS id, person,
	CASE WHEN chance('a' || person || n) > .05 THEN typo(first, 'f' || person || n) END AS first, CASE WHEN chance('l' || person || n) > .05 THEN typo(last, 'l' || person || n) END AS last,
	CASE WHEN chance('b' || person || n) > .3 THEN phone END AS phone, CASE WHEN chance('c' || person || n) > .4 THEN mail END AS mail,
	CASE WHEN chance('d' || person || n) > .3 THEN typo(street, 's' || person || n) END AS street, CASE WHEN chance('e' || person || n) > .3 THEN born END AS born
FROM persons, LATERAL generate_series(1, CASE WHEN person % 3 = 0 THEN 2 + person % 2 ELSE 1 END) n;
ALTER TABLE people ADD PRIMARY KEY (id);
-- {2001, 2002, 2003} are one person, {2004, 2005}, {2008, 2009}; 2006 is the twin of 2004, 2007 has the name of 2001,
-- 2010 and 2011 have a name and no more.
INSERT INTO people (id, first, last, born, mail, street) VALUES
(2001, 'Marta', 'Kowalczyk', '1984-03-09', 'marta.k@mail.test', 'Lindenweg 4'),
(2002, 'Marta', 'Kowalczyk', NULL, 'marta.k@mail.test', NULL),
(2003, 'Martha', 'Kowalczyk', '1984-03-09', NULL, NULL),
(2004, 'Jonas', 'Everling', '1991-11-30', NULL, 'Uferstr. 18'),
(2005, 'Jonas', 'Everling', NULL, 'j.everling@post.test', 'Uferstraße 18'),
(2006, 'Lukas', 'Everling', '1991-11-30', NULL, 'Uferstr. 18'),
(2007, 'Marta', 'Kowalczyk', '1961-07-22', NULL, 'Am Markt 1'),
(2008, 'Oluwaseun', 'Adeyemi', '2001-01-15', 'seun@web.test', 'Gartenweg 77'),
(2009, 'Oluwaseun', 'Adeyemi', '2001-01-15', NULL, NULL),
(2010, 'Anna', 'Schmidt', NULL, NULL, NULL),
(2011, 'Anna', 'Schmidt', NULL, NULL, 'Hauptstr. 2');
\set ECHO all

-- The recipe.
CREATE TABLE people_fields AS
SELECT id, field, value FROM people p, jsonb_each_text(to_jsonb(p) - '{id,person}'::text[]) AS f(field, value) WHERE value ~ '[[:alnum:]]';
SELECT field, sum(n) AS filled, max(n) AS most_frequent FROM (SELECT field, count(*) AS n FROM people_fields GROUP BY field, value) AS v GROUP BY field ORDER BY 3;
ALTER TABLE people_fields ADD PRIMARY KEY (id, field), ADD sig minhash GENERATED ALWAYS AS (to_minhash(value, 'char:2')) STORED;
CREATE INDEX ON people_fields USING lsh (sig) WHERE field IN ('last', 'phone', 'mail');
ANALYZE people_fields;
CREATE VIEW people_compared AS
SELECT a, b, x.field, floor(10 * jaccard(x.value, y.value, 'char:2')) AS level
FROM (SELECT DISTINCT a.id AS a, b.id AS b FROM people_fields a JOIN people_fields b ON minhash_similar(b.sig, a.sig, 0.4) AND b.field = a.field AND a.id < b.id
	WHERE a.field IN ('last', 'phone', 'mail') AND b.field IN ('last', 'phone', 'mail')) AS candidates
JOIN people_fields x ON x.id = a JOIN people_fields y ON y.id = b AND y.field = x.field;
CREATE TABLE people_levels AS SELECT * FROM people_compared;
CREATE TABLE people_pairs AS SELECT a, b, avg(level) >= 6 AS same, 0::float8 AS score FROM people_levels GROUP BY a, b;
ANALYZE people_levels, people_pairs;
CREATE VIEW people_scores AS
WITH weights AS (
	SELECT field, level, ln((count(*) FILTER (WHERE same) + 0.5) / (sum(count(*) FILTER (WHERE same)) OVER f + 5))
		- ln((count(*) FILTER (WHERE NOT same) + 0.5) / (sum(count(*) FILTER (WHERE NOT same)) OVER f + 5)) AS weight
	FROM people_levels JOIN people_pairs USING (a, b) GROUP BY field, level WINDOW f AS (PARTITION BY field))
SELECT a, b, sum(weight) + (SELECT ln((count(*) FILTER (WHERE same) + 0.5) / (count(*) FILTER (WHERE NOT same) + 0.5)) FROM people_pairs) AS score
FROM people_levels JOIN weights USING (field, level) GROUP BY a, b;
UPDATE people_pairs p SET score = s.score, same = s.score >= 0 FROM people_scores s WHERE p.a = s.a AND p.b = s.b;
UPDATE people_pairs p SET score = s.score, same = s.score >= 0 FROM people_scores s WHERE p.a = s.a AND p.b = s.b;
UPDATE people_pairs p SET score = s.score, same = s.score >= 0 FROM people_scores s WHERE p.a = s.a AND p.b = s.b;

-- F1 of the pairs, and of the columns joined at their best threshold; the number of candidates.
CREATE VIEW truth AS SELECT a.id AS a, b.id AS b FROM people a JOIN people b ON a.person = b.person AND a.id < b.id;
SELECT round(2.0 * count(t.a) / (count(*) + (SELECT count(*) FROM truth)), 2) AS f1, (SELECT count(*) FROM people_pairs) AS candidates
FROM people_pairs LEFT JOIN truth t USING (a, b) WHERE same AND a <= 2000;
CREATE TABLE joined AS SELECT id, person, concat_ws(' ', first, last, born, phone, mail, street) AS words FROM people WHERE id <= 2000;
CREATE TABLE similarities AS
SELECT a.id AS a, b.id AS b, jaccard(a.words, b.words, 'char:2') AS similarity, a.person = b.person AS same FROM joined a JOIN joined b ON a.id < b.id;
SELECT round(max(2.0 * correct / (found + (SELECT count(*) FROM truth))), 2) AS f1_joined FROM (
	SELECT sum(count(*)) OVER (ORDER BY level DESC) AS found, sum(count(*) FILTER (WHERE same)) OVER (ORDER BY level DESC) AS correct
	FROM similarities, floor(20 * similarity) AS level GROUP BY level) l;

-- Groups by judgments alone, with the rule for first names.  Judgments that are replaced by the same ones change no id.
ALTER TABLE people ADD no_sig minhash;
SELECT minhash_groups_create('people', 'no_sig', 1);
CREATE VIEW accepted AS SELECT a, b FROM people_pairs WHERE score >= 3 EXCEPT SELECT a, b FROM people_levels WHERE field = 'first' AND level < 2;
INSERT INTO people_groups_judged (id_a, id_b, same) SELECT a, b, true FROM accepted;
SELECT * FROM minhash_groups_refresh('people_groups');
SELECT array_agg(id ORDER BY id) AS ids FROM people_groups WHERE id > 2000 GROUP BY grp ORDER BY 1;
SELECT round(2.0 * sum(n * (n - 1) / 2) FILTER (WHERE person IS NOT NULL) / (sum(n * (n - 1) / 2) FILTER (WHERE person IS NULL) + (SELECT count(*) FROM truth)), 2) AS f1_of_groups
FROM (SELECT grp, person, count(*) AS n FROM people_groups JOIN people USING (id) WHERE id <= 2000 GROUP BY GROUPING SETS ((grp), (grp, person))) g;
CREATE TABLE groups_before AS TABLE people_groups;
BEGIN;
DELETE FROM people_groups_judged;
INSERT INTO people_groups_judged (id_a, id_b, same) SELECT a, b, true FROM accepted;
SELECT changed_rows FROM minhash_groups_refresh('people_groups');
COMMIT;
-- a pair that is not accepted any more divides its group, whose larger part keeps the id
DELETE FROM people_groups_judged WHERE 2003 IN (id_a, id_b);
SELECT changed_rows FROM minhash_groups_refresh('people_groups');
SELECT id, g.grp = b.grp AS same_id FROM people_groups g JOIN groups_before b USING (id) WHERE id BETWEEN 2001 AND 2003 ORDER BY id;

-- Rare words: the level is the mean of both similarities.  The rows of people_fields get their words, each repeated by its rarity.
CREATE TABLE people_words AS SELECT field, word, greatest(1, round(ln((SELECT count(*) FROM people)::numeric / count(*))))::int AS weight
FROM people_fields, unnest(shingles(value, 'word:1')) AS word GROUP BY field, word;
ALTER TABLE people_words ADD PRIMARY KEY (field, word);
ANALYZE people_words;
ALTER TABLE people_fields ADD rare text[];
UPDATE people_fields f SET rare = (SELECT array_agg(word || '/' || i) FROM unnest(shingles(value, 'word:1')) AS v(word)
	JOIN people_words w USING (word), generate_series(1, weight) AS i WHERE w.field = f.field);
SELECT count(*) AS without_words FROM people_fields WHERE rare IS NULL;
SELECT value, rare FROM people_fields WHERE id = 2004 AND field IN ('last', 'street') ORDER BY field;
UPDATE people_levels l SET level = floor(5 * (jaccard(x.value, y.value, 'char:2') + jaccard(x.rare, y.rare)))
FROM people_fields x, people_fields y WHERE x.id = a AND x.field = l.field AND y.id = b AND y.field = l.field;
UPDATE people_pairs p SET same = m.same FROM (SELECT a, b, avg(level) >= 6 AS same FROM people_levels GROUP BY a, b) m WHERE p.a = m.a AND p.b = m.b;
UPDATE people_pairs p SET score = s.score, same = s.score >= 0 FROM people_scores s WHERE p.a = s.a AND p.b = s.b;
UPDATE people_pairs p SET score = s.score, same = s.score >= 0 FROM people_scores s WHERE p.a = s.a AND p.b = s.b;
UPDATE people_pairs p SET score = s.score, same = s.score >= 0 FROM people_scores s WHERE p.a = s.a AND p.b = s.b;
SELECT round(2.0 * count(t.a) / (count(*) + (SELECT count(*) FROM truth)), 2) AS f1_with_rare_words
FROM people_pairs LEFT JOIN truth t USING (a, b) WHERE same AND a <= 2000;

-- Two tables: guests are second rows of persons, a third of whom have no first row here.
\set ECHO none
CREATE TABLE guests AS SELECT id, person, first, last, phone, mail, street, born
FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY id) AS n FROM people WHERE id <= 2000) p WHERE n = 2;
DELETE FROM people_fields WHERE id IN (SELECT id FROM people WHERE person % 9 = 0 OR id IN (SELECT id FROM guests) OR id > 2000);
INSERT INTO people_fields (id, field, value)
SELECT -id, field, value FROM guests g, jsonb_each_text(to_jsonb(g) - '{id,person}'::text[]) AS f(field, value) WHERE value ~ '[[:alnum:]]';
\set ECHO all
TRUNCATE people_levels, people_pairs;
INSERT INTO people_levels SELECT * FROM people_compared WHERE a < 0 AND b > 0;
INSERT INTO people_pairs SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY avg(level) DESC, b) + row_number() OVER (PARTITION BY b ORDER BY avg(level) DESC, a) = 2, 0
FROM people_levels GROUP BY a, b;
UPDATE people_pairs p SET score = s.score FROM people_scores s WHERE p.a = s.a AND p.b = s.b;
CREATE TABLE matches AS SELECT -a AS guest, b AS person FROM (
	SELECT *, row_number() OVER (PARTITION BY a ORDER BY score DESC, b) + row_number() OVER (PARTITION BY b ORDER BY score DESC, a) AS ranks FROM people_pairs) r
WHERE ranks = 2 AND score >= 0;
-- a person may have a third row in people, which is as right as the first
SELECT count(*) AS matches, count(*) FILTER (WHERE p.person = g.person) AS correct,
	(SELECT count(*) FROM guests WHERE person IN (SELECT person FROM people JOIN people_fields USING (id))) AS guests_with_a_partner
FROM matches m JOIN people p ON p.id = m.person JOIN guests g ON g.id = m.guest;
-- the columns joined: mutual best matches at the best threshold
CREATE TABLE best AS SELECT similarity, same FROM (
	SELECT similarity, same, row_number() OVER (PARTITION BY a ORDER BY similarity DESC, b) + row_number() OVER (PARTITION BY b ORDER BY similarity DESC, a) AS ranks
	FROM (SELECT a, b, similarity, same FROM similarities UNION ALL SELECT b, a, similarity, same FROM similarities) s
	WHERE a IN (SELECT id FROM people_fields) AND b IN (SELECT id FROM guests)) r WHERE ranks = 2;
SELECT round(max(2.0 * correct / (found + partners)), 2) AS f1_joined FROM (
	SELECT count(*) OVER w AS found, count(*) FILTER (WHERE same) OVER w AS correct FROM best WINDOW w AS (ORDER BY similarity DESC)) l,
	(SELECT count(*) AS partners FROM guests WHERE person IN (SELECT person FROM people JOIN people_fields USING (id))) p;

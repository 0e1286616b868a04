--
-- Recipes for values that must be equal: each problem with its known answer.
--
\set ECHO none \i test/data/setup.sql \set ECHO all
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

-- Restated facts are copies; contradictions, other times and other agents are not.
\set ECHO none
CREATE FUNCTION decides(fact text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(string_agg(DISTINCT word, ' ' ORDER BY word), '')
	FROM regexp_matches(regexp_replace(fact, '(\d),(?=\d{3})', '\1', 'g'), $regex$(?x)		# 7,000 is 7000
			( (?: [<>≤≥] =? \s? )?  (?: (?<! [\w)] ) [-−] )?  (?: [$€£¥] \s? )?				# a number: comparison, sign, currency,
				\d+ (?: [.:] \d+ )*  (?: \s? (?! (?: on|in|at|of|to|by|and|or|with|for|the|is|are ) \M ) [[:alpha:]%]+ )?	# digits, unit
			| (?<= . ) \m (?! (?: The|An?|It|He|She|They|This|That|We|You|His|Her|Their|I ) \M ) [[:upper:]] \w*	# a name inside the sentence
			| \m (?: one|two|three|four|five|six|seven|eight|nine|ten|half|least|most|more|less|fewer|over|under|above|below|before|after
				|without|day|week|month|year|daily|weekly|monthly|morning|noon|afternoon|evening|night ) \M )$regex$, 'g') AS m,
		lower(replace(m[1], ' ', '')) AS word $$;
\set ECHO all
CREATE TABLE facts (id int PRIMARY KEY, agent text, fact text, copy_of int,
	decides text GENERATED ALWAYS AS (decides(fact)) STORED,
	negated boolean GENERATED ALWAYS AS (fact ~* '[[:<:]](not|no|never|cannot)[[:>:]]|n[''’]t[[:>:]]') STORED,
	sig minhash(128) GENERATED ALWAYS AS (to_minhash(fact, 'char:4')) STORED);
CREATE INDEX ON facts USING lsh (sig);
CREATE TRIGGER check_facts BEFORE INSERT OR UPDATE ON facts
	FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.6, 'flag', 'copy_of', 'scope', 'agent', 'decides', 'negated');
INSERT INTO facts (id, agent, fact) VALUES
	(1, 'a', 'The user prefers short answers without bullet lists.'), (2, 'a', 'User prefers short answers without bullet lists'),
	(3, 'a', 'The user prefers short answers, without any bullet lists.'), (4, 'a', 'The user does not prefer short answers without bullet lists.'),
	(5, 'b', 'The user prefers short answers without bullet lists.'), (6, 'a', 'The nightly backup job runs at 03:00 on the second server.'),
	(7, 'a', 'The nightly backup job runs at 05:00 on the second server.'), (8, 'a', 'Nightly backup runs at 03:00 on the second server');
SELECT array_agg(id ORDER BY id) AS by_trigger FROM facts GROUP BY coalesce(copy_of, id) ORDER BY 1;
SELECT minhash_groups_create('facts', 'sig', 0.6, scope => '{agent,decides,negated}');
SELECT array_agg(id ORDER BY id) AS by_groups FROM facts_groups GROUP BY grp ORDER BY 1;
SELECT array_agg(id ORDER BY id) AS by_representative FROM (
	SELECT id, minhash_representative(sig, 0.6, id) OVER (PARTITION BY agent, decides, negated ORDER BY id) AS stays FROM facts) r GROUP BY stays ORDER BY 1;
SELECT min(minhash_groups_drop('facts_groups')::text) AS dropped;
-- values that decide: thousands, units with and without a space, words
SELECT decides(a) = decides(b) AS same, count(*), array_agg(a ORDER BY a COLLATE "C") AS a FROM (VALUES ('pays 7,000 EUR by 7 am', 'pays by 7am 7000 EUR.'), ('5 GB', '5 MB'), ('at 7 am', 'at 7 pm'),
	('3 children on Monday', 'on Friday, 3 children'), ('at least two', 'at most two'), ('version 1.2.3', 'version 1.2.4'), ('meets at 03:00', 'at 03:00 in town'), ('She lives in Cork', 'She lives in Lyon'),
	('kept at -18 C', 'kept at 18 C'), ('load > 80 percent', 'load < 80 percent'), ('costs $50', 'costs EUR50'), ('tea without sugar', 'tea with sugar'), ('She moved north. Rome is home.', 'She moved north. Oslo is home.'),
	('takes 3-5 days', 'takes 3 - 5 days'), ('It is late. The shop stays open', 'It is late: this shop stays open'), ('2 boxes to Bonn and 3 boxes to Kiel', '2 boxes to Kiel and 3 boxes to Bonn')) v(a, b) GROUP BY 1;

-- Of six addresses only 3, a copy of 1, goes; without the numbers, other houses would.
CREATE TABLE addresses (id int PRIMARY KEY, address text, numbers text GENERATED ALWAYS AS (trim(regexp_replace(lower(address), '([^[:word:]]|[[:<:]][[:alpha:]]+[[:>:]])+', ' ', 'g'))) STORED,
	sig minhash(128) GENERATED ALWAYS AS (to_minhash(address, 'char:2')) STORED);
INSERT INTO addresses VALUES (1, 'Anna Berg, 12 Mill Lane, Oldtown'), (2, 'Anna Berg, 14 Mill Lane, Oldtown'), (3, 'Ana Berg, 12 Mill Ln, Oldtown'),
	(4, '5136 S Tripple Ave'), (5, '5135 S Tripple Ave'), (6, 'Anna Berg, 12A Mill Lane, Oldtown');
SELECT array_agg(id ORDER BY id) AS lost FROM (SELECT id, minhash_representative(sig, 0.55, id) OVER (ORDER BY id) AS stays FROM addresses) r WHERE stays <> id;
DELETE FROM addresses p
USING (SELECT id, minhash_representative(sig, 0.55, id) OVER (PARTITION BY numbers ORDER BY id) AS stays FROM addresses) r
WHERE p.id = r.id AND r.stays <> r.id RETURNING p.id AS deleted, r.stays;

-- People at one address: 2, 4 and 6 are copies; a number in the name of a street, a flat and another house are not the same.
CREATE TABLE residents (id int PRIMARY KEY, name text, street text,
	numbers text GENERATED ALWAYS AS (trim(regexp_replace(lower(street), '([^[:word:]]|[[:<:]][[:alpha:]]+[[:>:]])+', ' ', 'g'))) STORED,
	sig minhash GENERATED ALWAYS AS (to_minhash(name || ', ' || street, 'char:2')) STORED);
INSERT INTO residents VALUES (1, 'Anna Lindberg', '12A Mill Lane'), (2, 'Ana Lindberg', '12a Mill Ln'), (3, 'Eva Holm', 'Mill Cottage'), (4, 'Eva Holm', 'Mill Cottage'),
	(5, 'Olaf Berger', 'Straße des 17. Juni 135'), (6, 'Olaf Berger', 'Strasse des 17. Juni 135'), (7, 'Olaf Berger', 'Straße des 17. Juni 12'),
	(8, 'Ida Moss', 'Flat 3, 12 Mill Lane'), (9, 'Ida Moss', 'Flat 3, 14 Mill Lane'), (10, 'Anna Lindberg', '12B Mill Lane'), (11, 'Bob Lindberg', '12A Mill Lane');
SELECT DISTINCT ON (b.id) b.id AS goes, a.id AS stays
FROM residents a JOIN residents b ON minhash_similar(a.sig, b.sig, 0.55) AND a.numbers = b.numbers AND a.id < b.id
	AND levenshtein(lower(a.name), lower(b.name)) <= 2 ORDER BY b.id, a.id;
DROP TABLE residents;

-- 20,000 addresses: every fifth is a copy of another with two edits, in a part without digits; the rest differ in house or street.
TRUNCATE addresses;
CREATE FUNCTION word_of(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT initcap(translate(left(md5('w' || n), 4 + n % 5), '0123456789abcdef', 'aeioubdgklmnprst')) $$;
INSERT INTO addresses
SELECT i, concat_ws(' ', word_of(i % 97), word_of(1000 + i % 389) || ',', 1 + i % 40, word_of(2000 + i % 211), 'Street,', word_of(3000 + i % 13)) FROM generate_series(1, 16000) i;
INSERT INTO addresses
SELECT 16000 + i, overlay(replace(address, 'Street', 'St') PLACING 'x' FROM 3 FOR 1) FROM addresses, (SELECT i, i * 4 - i % 3 AS n FROM generate_series(1, 4000) i) c WHERE id = n;
SELECT count(*), count(DISTINCT address) FROM addresses WHERE id <= 16000;
CREATE TABLE decided AS
SELECT id, minhash_representative(sig, 0.55, id) OVER (PARTITION BY numbers ORDER BY id) AS stays,
	CASE WHEN id > 16000 THEN (id - 16000) * 4 - (id - 16000) % 3 END AS original FROM addresses;
SELECT count(*) FILTER (WHERE original IS NOT NULL AND stays = original) >= 0.97 * 4000 AS recall,
	count(*) FILTER (WHERE stays <> id AND stays IS DISTINCT FROM original) < 40 AS few_wrong,
	(SELECT count(*) > 0 FROM decided d JOIN addresses a ON a.id = d.id JOIN addresses b ON b.id = d.stays WHERE a.numbers <> b.numbers) AS across_numbers
FROM decided;
-- a recheck by the texts leaves only deletions that are exact
SELECT count(*) > 3000 AS many, count(*) FILTER (WHERE jaccard(p.address, k.address, 'char:2') < 0.55) AS below
FROM addresses p JOIN decided r ON p.id = r.id JOIN addresses k ON k.id = r.stays
WHERE r.stays <> r.id AND jaccard(p.address, k.address, 'char:2') >= 0.55;
-- The recipes need no backslashes, which some schema tools drop when they copy an expression; results are those with them:
-- on texts of words, digits and most characters, in several collations.
CREATE TABLE texts AS SELECT address AS body FROM addresses WHERE id % 7 = 0 UNION ALL
SELECT string_agg(chr(i) || 'b' || chr(i) || '1 ' || chr(i) || CASE WHEN i % 3 = 0 THEN ' Not ' ELSE 'don’t_' END, CASE WHEN i % 2 = 0 THEN 'c' ELSE '-' END ORDER BY i)
FROM generate_series(1, 131071) i WHERE i < 12544 OR i BETWEEN 63744 AND 66688 OR i > 119808 GROUP BY i / 32;
\set ECHO none
CREATE FUNCTION differences(collation_name name) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format($e$SELECT count(*) FROM (SELECT body COLLATE %I AS body FROM texts) t
		WHERE regexp_replace(lower(body), '([^[:word:]]|[[:<:]][[:alpha:]]+[[:>:]])+', ' ', 'g') <> regexp_replace(lower(body), '(\W|\m[[:alpha:]]+\M)+', ' ', 'g')
			OR regexp_replace(body, '[^[:digit:]]+', ' ', 'g') <> regexp_replace(body, '\D+', ' ', 'g')
			OR body ~* '[[:<:]](not|no|never|cannot)[[:>:]]|n[''’]t[[:>:]]' <> body ~* '\m(not|no|never|cannot)\M|n[''’]t\M'
			OR regexp_replace(body, '[^[:word:]].*', '') <> regexp_replace(body, '\W.*', '')$e$, collation_name) INTO n;
	RETURN n;
END $$;
\set ECHO all
SELECT count(*) > 3500 AS many, (SELECT sum(differences(collname)) FROM pg_collation WHERE collname IN ('C', 'C.utf8', 'und-x-icu') AND collencoding IN (-1, 6)) AS differences FROM texts;
SELECT count(*) > 2000 AS without_them FROM texts WHERE regexp_replace(lower(body), '(W|m[[:alpha:]]+M)+', ' ', 'g') <> regexp_replace(lower(body), '(\W|\m[[:alpha:]]+\M)+', ' ', 'g');

-- The best match within a postcode, or none: A1 is 2, A3 is the flat 179 A, A4 is 25; A2 has no match, nor has A5, whose similarity is 17/43.
\set ECHO none
CREATE TABLE register (id int PRIMARY KEY, postcode text, address text, sig minhash GENERATED ALWAYS AS (to_minhash(address, 'char:2')) STORED,
	numbers text GENERATED ALWAYS AS (trim(regexp_replace(address, '[^[:digit:]]+', ' ', 'g'))) STORED);
CREATE TABLE letters (id text PRIMARY KEY, postcode text, address text, sig minhash GENERATED ALWAYS AS (to_minhash(address, 'char:2')) STORED,
	numbers text GENERATED ALWAYS AS (trim(regexp_replace(address, '[^[:digit:]]+', ' ', 'g'))) STORED);
INSERT INTO register (id, postcode, address) VALUES
	(1, 'AB1 2QY', 'UNIT 8 GOLDEN PARK MAYFIELDS ROAD BLACKTOWN'), (2, 'AB1 2QY', 'UNIT 9 GOLDEN PARK MAYFIELDS ROAD BLACKTOWN'), (3, 'AB1 2QY', 'UNIT 9 GOLDEN OTHER ROAD BLACKTOWN'),
	(11, 'P1 1AA', 'BRICKYARD KILNHURST ROAD FLOWERHILL SOMETOWN'), (12, 'P1 1AA', 'NORTH WAREHOUSE TULIP BUSINESS PARK GLASSHOUSE LANE COWSFIELD SOMETOWN'),
	(13, 'P1 1AA', 'SOUTH WAREHOUSE TULIP BUSINESS PARK GLASSHOUSE LANE COWSFIELD SOMETOWN'),
	(21, 'E8 3NJ', 'FLAT A 179 RAVENHILL ROAD HACKTOWN'), (22, 'E8 3NJ', 'BASEMENT FLAT A 179 RAVENHILL ROAD HACKTOWN'), (23, 'E8 3NJ', 'FLAT C 179 RAVENHILL ROAD HACKTOWN'),
	(24, 'E8 3NJ', 'FLAT 14A MILL COURT HACKTOWN'), (25, 'E8 3NJ', 'FLAT 14C MILL COURT HACKTOWN'), (31, 'X1 1AA', 'ABCDEFGHIJKLMNOPQRTVXZACEGIKMOQ');
INSERT INTO letters (id, postcode, address) VALUES ('A1', 'AB1 2QY', 'UNIT 9, GOLDEN BUSINESS PARK, MAYFIELDS ROAD, BLACKTOWN'), ('A2', 'P1 1AA', 'KILNHURST ROAD TULIP BUSINESS PARK SOMETOWN'),
	('A3', 'E8 3NJ', '179A RAVENHILL ROAD LONDON'), ('A4', 'E8 3NJ', 'FLAT 14C, MILL COURT'), ('A5', 'X1 1AA', 'ABCDEFGHIJKLMNOPQRUWYBDFHJLNPRS');
\set ECHO all
CREATE INDEX ON register USING lsh (sig);
SELECT letter, address, round(similarity::numeric, 2) AS similarity, round(margin::numeric, 2) AS margin, similarity >= 0.4 AND margin >= 0.03 AS is_match FROM (
	SELECT l.id AS letter, r.id AS address, s.similarity, s.similarity - coalesce(lead(s.similarity) OVER best, 0) AS margin, row_number() OVER best AS rank
	FROM letters l JOIN register r ON minhash_similar(r.sig, l.sig, 0.15) AND r.postcode = l.postcode AND r.numbers = l.numbers,
		jaccard(l.address, r.address, 'char:2') AS s(similarity)
	WINDOW best AS (PARTITION BY l.id ORDER BY s.similarity DESC, r.id)) ranked
WHERE rank = 1 ORDER BY letter;
-- 3,600 addresses and 327 letters, a third of them to streets that are not in the register: with the town, which the postcode says
-- already, and with words of streets in several forms, no threshold separates them.
TRUNCATE register, letters;
\set ECHO none
CREATE FUNCTION street(address text) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$ SELECT replace(replace(replace(lower(address), ', oldtown', ''), 'street', 'st'), 'road', 'rd') $$;
INSERT INTO register (id, postcode, address) SELECT i, 'P' || i % 60, 1 + (i * 7) % 50 || ' ' ||
	(ARRAY['Mill', 'Oak', 'Hill', 'River', 'Church', 'King', 'Queen', 'Station', 'Market', 'Abbey'])[1 + i / 3 % 10] || (ARRAY['field', 'gate', 'side', 'wood', 'view', 'bridge'])[1 + i / 30 % 6]
	|| ' ' || (ARRAY['Street', 'Road', 'Lane', 'Avenue'])[1 + i / 180 % 4] || ', Oldtown' FROM generate_series(1, 3600) i;
INSERT INTO letters (id, postcode, address) SELECT id::text, postcode, CASE id % 3 WHEN 0 THEN overlay(address PLACING 'x' FROM 7 FOR 1)
	WHEN 1 THEN replace(replace(replace(address, 'Street', 'St'), 'Road', 'Rd'), ', Oldtown', '') ELSE upper(address) END FROM register WHERE id % 11 = 0;
DELETE FROM register WHERE id % 33 = 0;
\set ECHO all
ANALYZE register;
CREATE TABLE ranked AS
SELECT form, letter = address::text AS correct, similarity FROM (
	SELECT form, l.id AS letter, r.id AS address, similarity, similarity - coalesce(lead(similarity) OVER best, 0) AS margin, row_number() OVER best AS rank
	FROM letters l JOIN register r ON r.postcode = l.postcode AND r.numbers = l.numbers,
		LATERAL (VALUES ('as they are', jaccard(l.address, r.address, 'char:2')), ('in one form', jaccard(street(l.address), street(r.address), 'char:2'))) AS v(form, similarity)
	WINDOW best AS (PARTITION BY form, l.id ORDER BY similarity DESC, r.id)) r WHERE rank = 1 AND margin >= 0.03;
SELECT form, threshold, count(*) AS matches, count(*) FILTER (WHERE correct) AS correct, (SELECT count(*) FROM letters WHERE id::int % 33 <> 0) AS partners
FROM ranked, unnest('{.4,.5,.6,.7}'::numeric[]) AS threshold WHERE similarity >= threshold GROUP BY form, threshold ORDER BY form, threshold;

-- One citation in two spellings: 1 and 2; not 3 and 4, 5 and 6, 7 and 8, which differ in the year.
CREATE TABLE citations (id int PRIMARY KEY, title text, year int, sig minhash GENERATED ALWAYS AS (to_minhash(title, 'char:3')) STORED);
INSERT INTO citations (id, title, year) VALUES (1, 'Boolean quantifier elimination for automotive configuration--a case study', 2013),
	(2, 'Boolean Quantifier Elimination for Automotive Configuration—A Case Study', NULL),
	(3, 'Focusing of a vortex carrying beam with Gaussian background by a lens in the presence of spherical aberration and defocusing', 2007),
	(4, 'Focusing of a vortex carrying beam with Gaussian background by an apertured system in presence of coma', 2008),
	(5, 'Deep Learning', 2016), (6, 'Deep learning', 2015), (7, 'Principles of Algebra, second edition', 1999), (8, 'Principles of Algebra, third edition', 2004);
SELECT a.id, b.id AS same FROM citations a JOIN citations b ON minhash_similar(a.sig, b.sig, 0.4) AND coalesce(a.year = b.year, true) AND a.id < b.id;

-- A paper that a person has judged to be another one stays apart: 2 from 1 and 3.
CREATE TABLE papers (id int PRIMARY KEY, title text, apart text, sig minhash(128) GENERATED ALWAYS AS (to_minhash(title, 'char:3')) STORED);
INSERT INTO papers (id, title) VALUES (1, 'Focusing of a vortex beam with a background by a lens'), (2, 'Focusing of a vortex beam with a background by an aperture'),
	(3, 'Focusing of a vortex beam with background by a lens'), (4, 'Deep sea fishing');
SELECT minhash_groups_create('papers', 'sig', 0.5, scope => '{apart}');
SELECT array_agg(id ORDER BY id) AS before FROM papers_groups GROUP BY grp ORDER BY 1;
UPDATE papers SET apart = '2' WHERE id = 2;
SELECT rows FROM minhash_groups_refresh('papers_groups');
SELECT array_agg(id ORDER BY id) AS after FROM papers_groups GROUP BY grp ORDER BY 1;
SELECT min(minhash_groups_drop('papers_groups')::text) AS dropped;

-- The original of each row through other rows, also a deleted one: 2 and 3 lead to 4 through 1, 6 to 5.
CREATE TABLE notices (id int PRIMARY KEY, copy_of int);
INSERT INTO notices VALUES (1, 4), (2, 1), (3, 1), (4, NULL), (6, 5), (7, NULL);
WITH RECURSIVE up AS (SELECT id, copy_of, id AS original FROM notices
	UNION ALL SELECT up.id, n.copy_of, up.copy_of FROM up LEFT JOIN notices n ON n.id = up.copy_of WHERE up.copy_of IS NOT NULL)
SELECT original, array_agg(id ORDER BY id) AS copies FROM up WHERE copy_of IS NULL AND id <> original GROUP BY original ORDER BY original;

-- A notice is a copy only of one of its source within seven days: 2, 3 and 7 of 1, 5 of 4; 4 comes weeks later, 6 is another source's, 8 and 9 have no time.
CREATE TABLE news (id int PRIMARY KEY, source text, published timestamptz, body text, copy_of int, sig minhash(128) GENERATED ALWAYS AS (to_minhash(body)) STORED);
CREATE INDEX ON news USING lsh (sig) WHERE copy_of IS NULL;
CREATE TRIGGER check_copies BEFORE INSERT OR UPDATE ON news FOR EACH ROW
	EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of', 'scope', 'source', 'within', 'published', '7 days');
CREATE FUNCTION notice(remark text, rest text) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$ SELECT remark || 'The water works will flush the mains of the lower town tonight between ten and four' || rest || ' during that time.' $$;
\set ECHO none
INSERT INTO news (id, source, published, body) VALUES
	(1, 'coast', '2026-03-01 08:00Z', notice('', ', and residents should not run washing machines')), (6, 'herald', '2026-03-02 08:00Z', notice('', ', and residents should not run washing machines')),
	(2, 'coast', '2026-03-03 08:00Z', notice('', ', so residents should not run washing machines')), (3, 'coast', '2026-03-07 08:00Z', notice('Reminder: ', ', and residents should not run washing machines')),
	(7, 'coast', '2026-03-08 07:00Z', notice('', ', and residents should not run any washing machines')), (4, 'coast', '2026-03-27 08:00Z', notice('', ', and residents should not run washing machines')),
	(5, 'coast', '2026-03-28 08:00Z', notice('', '; residents should not run washing machines')),
	(8, 'coast', NULL, notice('', '; residents should not run washing machines')), (9, 'coast', NULL, notice('', '; residents should not run washing machines'));
\set ECHO all
SELECT id, copy_of FROM news WHERE copy_of IS NOT NULL ORDER BY id;
SELECT source, array_agg(id ORDER BY id) AS stay FROM (SELECT id, source, minhash_representative(sig, 0.8, id)
	OVER (PARTITION BY source, CASE WHEN published IS NULL THEN id END ORDER BY published RANGE '7 days' PRECEDING) AS stays FROM news) r WHERE stays = id GROUP BY source ORDER BY 1;

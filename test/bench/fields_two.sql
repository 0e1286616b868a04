-- See test/bench/fields: records of two tables.  Variables: name, gaps, and parts of the recipe.
-- The recipe needs keys from 1 on; the set has keys from 0 on.
ALTER TABLE people ALTER id TYPE int USING id + 1;
ALTER TABLE guests ALTER id TYPE int USING id + 1;
CREATE TABLE truth AS SELECT DISTINCT a + 1 AS a, b + 1 AS b FROM labels;
\ir fields_common.sql
:fields
DELETE FROM people_fields WHERE missing(id - 1, field, :gaps);
:index
:guests
DELETE FROM people_fields WHERE id < 0 AND missing(999999 - id, field, :gaps);

CREATE FUNCTION joined(side int) RETURNS TABLE (id int, words text, sig minhash) LANGUAGE sql AS $$
	SELECT abs(id), words, to_minhash(words, 'char:3', 512)
	FROM (SELECT id, string_agg(value, ' ' ORDER BY field) AS words FROM people_fields WHERE sign(id) = side GROUP BY id) AS w $$;
CREATE TABLE joined_people AS SELECT * FROM joined(1);
CREATE TABLE joined_guests AS SELECT * FROM joined(-1);
CREATE INDEX ON joined_guests USING lsh (sig);
ANALYZE people_fields, joined_people, joined_guests;
INSERT INTO scored SELECT 'joined', a.id, b.id, jaccard(a.words, b.words, 'char:3') FROM joined_people AS a JOIN joined_guests AS b ON minhash_similar(b.sig, a.sig, 0.15);
INSERT INTO scored SELECT * FROM mutual_best('joined');

-- The recipe.
:compared
CREATE TABLE people_levels (a int, b int, field text, level float8);
CREATE TABLE people_pairs (a int, b int, same bool, score float8);
:matches
ANALYZE people_levels, people_pairs;
:scores
CREATE PROCEDURE add_scores(method text) LANGUAGE sql AS $$
	UPDATE people_pairs p SET score = s.score FROM people_scores s WHERE p.a = s.a AND p.b = s.b;
	INSERT INTO scored SELECT method, b, -a, score FROM people_pairs;
	INSERT INTO scored SELECT * FROM mutual_best(method);
$$;
CALL add_scores('recipe');

-- The same with rare words, whose weights come from both tables.
CREATE TABLE people_words AS SELECT field, word,
	greatest(1, round(ln(((SELECT count(*) FROM people) + (SELECT count(*) FROM guests))::numeric / count(*))))::int AS weight
FROM people_fields, unnest(shingles(value, 'word:1')) AS word GROUP BY field, word;
ALTER TABLE people_words ADD PRIMARY KEY (field, word);
ALTER TABLE people_fields ADD rare text[];
UPDATE people_fields f SET rare = (SELECT array_agg(word || '/' || i) FROM unnest(shingles(value, 'word:1')) AS v(word)
	JOIN people_words w USING (word), generate_series(1, weight) AS i WHERE w.field = f.field);
UPDATE people_levels l SET level = floor(5 * (jaccard(x.value, y.value, 'char:2') + jaccard(x.rare, y.rare)))
FROM people_fields x, people_fields y WHERE x.id = a AND x.field = l.field AND y.id = b AND y.field = l.field;
UPDATE people_pairs p SET same = m.same FROM (
	SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY avg(level) DESC, b) + row_number() OVER (PARTITION BY b ORDER BY avg(level) DESC, a) = 2 AS same
	FROM people_levels GROUP BY a, b) m WHERE p.a = m.a AND p.b = m.b;
CALL add_scores('rare');

SELECT concat_ws(' | ', :'title', (SELECT count(*) FROM people) + (SELECT count(*) FROM guests), (SELECT count(*) FROM people_pairs),
	(SELECT round(count(*)::numeric / (SELECT count(*) FROM truth), 3) FROM truth t JOIN people_pairs p ON t.a = p.b AND t.b = -p.a), f1('joined, mutual best'),
	f1('recipe, mutual best', 0), f1('recipe, mutual best'), f1('recipe, mutual best', '-infinity'),
	f1('rare, mutual best', 0), f1('rare, mutual best'), f1('rare, mutual best', '-infinity'));

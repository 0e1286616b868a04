-- See test/bench/fields: records of one table.  Variables: name, gaps, and parts of the recipe.
CREATE TABLE truth AS SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b FROM labels;
\ir fields_common.sql
:fields
DELETE FROM people_fields WHERE missing(id, field, :gaps);

CREATE TABLE joined AS SELECT id, string_agg(value, ' ' ORDER BY field) AS words, to_minhash(string_agg(value, ' ' ORDER BY field), 'char:3', 512) AS sig
	FROM people_fields GROUP BY id;
CREATE INDEX ON joined USING lsh (sig);
ANALYZE joined;
INSERT INTO scored SELECT 'joined', a.id, b.id, jaccard(a.words, b.words, 'char:3') FROM joined AS a JOIN joined AS b ON minhash_similar(b.sig, a.sig, 0.2) AND a.id < b.id;

-- The recipe.
:index
:compared
:levels
ANALYZE people_levels, people_pairs;
:scores
CREATE PROCEDURE add_scores(method text) LANGUAGE plpgsql AS $$
BEGIN
	FOR round IN 1 .. 3 LOOP
		UPDATE people_pairs p SET score = s.score, same = s.score >= 0 FROM people_scores s WHERE p.a = s.a AND p.b = s.b;
	END LOOP;
	INSERT INTO scored SELECT method, a, b, score FROM people_pairs;
END $$;
CALL add_scores('recipe');

-- Groups of the pairs of a score, by judgments alone.
ALTER TABLE people ADD no_sig minhash;
CREATE FUNCTION groups_f1(lowest float8) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	f1 numeric;
BEGIN
	PERFORM minhash_groups_create('people', 'no_sig', 1);
	INSERT INTO people_groups_judged (id_a, id_b, same) SELECT a, b, true FROM people_pairs WHERE score >= lowest;
	PERFORM minhash_groups_refresh('people_groups');
	SELECT round(2.0 * (SELECT count(*) FROM truth JOIN people_groups AS x ON x.id = a JOIN people_groups AS y ON y.id = b AND y.grp = x.grp)
		/ ((SELECT sum(n * (n - 1) / 2) FROM (SELECT count(*) AS n FROM people_groups GROUP BY grp) AS g) + (SELECT count(*) FROM truth)), 3) INTO f1;
	PERFORM minhash_groups_drop('people_groups');
	RETURN f1;
END $$;
CREATE TABLE grouped AS SELECT groups_f1(0) AS at_0, groups_f1(3) AS at_3;

-- The same with rare words.
:words
UPDATE people_levels l SET level = floor(5 * (jaccard(x.value, y.value, 'char:2') + jaccard(x.rare, y.rare)))
FROM people_fields x, people_fields y WHERE x.id = a AND x.field = l.field AND y.id = b AND y.field = l.field;
UPDATE people_pairs p SET same = m.same FROM (SELECT a, b, avg(level) >= 6 AS same FROM people_levels GROUP BY a, b) m WHERE p.a = m.a AND p.b = m.b;
CALL add_scores('rare');

SELECT concat_ws(' | ', :'title', (SELECT count(*) FROM people), (SELECT count(*) FROM people_pairs),
	(SELECT round(count(*)::numeric / (SELECT count(*) FROM truth), 3) FROM truth JOIN people_pairs USING (a, b)),
	f1('joined'), f1('recipe', 0), f1('recipe'), f1('rare', 0), f1('rare'), at_0, at_3) FROM grouped;

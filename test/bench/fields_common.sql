-- See test/bench/fields: what the scripts for one table and for two begin with, after the table truth.
CREATE TABLE scored (method text, a int, b int, score float8);

-- The F1 of the pairs of a method: at the best threshold, or at a given one.
CREATE FUNCTION f1(wanted text, threshold float8 = NULL) RETURNS numeric LANGUAGE sql AS $$
	WITH found AS (SELECT score, count(*) OVER w AS n, count(t.a) OVER w AS correct
		FROM scored LEFT JOIN truth AS t USING (a, b) WHERE method = wanted WINDOW w AS (ORDER BY score DESC))
	SELECT round(max(2.0 * correct / (n + (SELECT count(*) FROM truth))) FILTER (WHERE threshold IS NULL OR score = lowest), 3)
	FROM found, (SELECT min(score) AS lowest FROM found WHERE score >= threshold) AS l $$;

-- Scored pairs that are each other's best.
CREATE FUNCTION mutual_best(wanted text) RETURNS SETOF scored LANGUAGE sql AS $$
	SELECT wanted || ', mutual best', a, b, score FROM (
		SELECT *, row_number() OVER (PARTITION BY a ORDER BY score DESC, b) + row_number() OVER (PARTITION BY b ORDER BY score DESC, a) AS ranks
		FROM scored WHERE method = wanted) AS r WHERE ranks = 2 $$;

-- Return true for the share of the cells that are missing.
CREATE FUNCTION missing(id int, field text, gaps int) RETURNS bool LANGUAGE sql IMMUTABLE AS
	$$ SELECT ('x' || left(md5(id || field), 7))::bit(28)::int % 100 < gaps $$;
-- The name of a set, with its gaps.
SELECT :'name' || CASE :gaps WHEN 0 THEN '' ELSE ' with gaps' END AS title \gset

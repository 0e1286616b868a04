-- See test/bench/fields: products of two tables with numbers of models in their names.  Variables: name, gaps, models.
CREATE TABLE truth AS SELECT DISTINCT a, b FROM labels;
\ir fields_common.sql
:models
CREATE FUNCTION with_hyphens(title text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$ SELECT model_numbers(replace(title, '-', ' ')) $$;

CREATE TABLE ours AS SELECT id, name, to_minhash(name, 'char:3') AS sig, model_numbers(name) AS models, with_hyphens(name) AS parts FROM people;
CREATE TABLE theirs AS SELECT id, name, to_minhash(name, 'char:3') AS sig, model_numbers(name) AS models, with_hyphens(name) AS parts FROM guests;
CREATE INDEX ON theirs USING lsh (sig);
CREATE INDEX ON theirs USING gin (models);
CREATE INDEX ON theirs USING gin (parts);
ANALYZE ours, theirs;

CREATE TABLE similar_names AS SELECT o.id AS a, t.id AS b FROM ours AS o JOIN theirs AS t ON minhash_similar(t.sig, o.sig, 0.15);
CREATE TABLE candidates AS
SELECT 'names' AS method, a, b, NULL::text[] AS x, NULL::text[] AS y FROM similar_names
UNION SELECT 'models', a, b, o.models, t.models FROM similar_names JOIN ours AS o ON o.id = a JOIN theirs AS t ON t.id = b
UNION SELECT 'models', o.id, t.id, o.models, t.models FROM ours AS o JOIN theirs AS t ON t.models && o.models
UNION SELECT 'parts', a, b, o.parts, t.parts FROM similar_names JOIN ours AS o ON o.id = a JOIN theirs AS t ON t.id = b
UNION SELECT 'parts', o.id, t.id, o.parts, t.parts FROM ours AS o JOIN theirs AS t ON t.parts && o.parts;
INSERT INTO scored SELECT method, a, b,
	jaccard(o.name, t.name, 'char:3') + CASE WHEN x && y THEN 0.2 WHEN x <> '{}' AND y <> '{}' THEN -0.2 ELSE 0 END
FROM candidates JOIN ours AS o ON o.id = a JOIN theirs AS t ON t.id = b;
INSERT INTO scored SELECT m.* FROM unnest('{names,models,parts}'::text[]) AS method, mutual_best(method) AS m;
SELECT concat_ws(' | ', :'title', f1('names, mutual best'), f1('models, mutual best'), f1('parts, mutual best'));

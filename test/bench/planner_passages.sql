-- Time the plan that the planner chooses for searches of shared passages, and
-- the other one: with the index or without it.
--
-- In: table source (id, body).  psql variables: corpus, a name for the table and
-- its index; kind, the access method; probes, runs.
\ir planner_common.sql

-- Passages that are put into 1, 10, ... rows, and into all; frequency 0 stands
-- for whole texts as they are.
CREATE TEMP TABLE planted AS
SELECT frequency, probe, (SELECT string_agg(substr(md5(concat_ws('/', frequency, probe, i)), 1, 6), ' ') FROM generate_series(1, 14) AS i) AS q
FROM (SELECT (10 ^ power)::int FROM generate_series(0, 4) AS power WHERE 10 ^ power < (SELECT count(*) FROM source)
	UNION SELECT count(*)::int FROM source) AS f (frequency), generate_series(1, :probes) AS probe;
DROP TABLE IF EXISTS texts, probes, sought;
CREATE TABLE texts AS
SELECT n, grp, body || coalesce((SELECT string_agg(E'\n' || q, '') FROM planted
	WHERE (n + probe) % (rows / frequency) = 0 AND (n + probe) / (rows / frequency) <= frequency), '') AS body
FROM (SELECT (row_number() OVER (ORDER BY id))::int AS n, row_number() OVER (ORDER BY id) * 7919 % 1000 AS grp, body, count(*) OVER () AS rows FROM source) AS s;
ALTER TABLE texts ADD PRIMARY KEY (n);
CREATE INDEX texts_grp ON texts (grp);
CREATE INDEX texts_passages ON texts USING :kind (body passage_ops);
VACUUM ANALYZE texts;
CREATE TABLE probes AS TABLE planted
UNION ALL (SELECT 0, row_number() OVER ()::int, body FROM (SELECT body FROM source ORDER BY md5(id::text) LIMIT :probes) AS t);
CREATE TABLE sought AS SELECT frequency, probe, q || ' ' || i AS q FROM probes, generate_series(1, 5) AS i;
ANALYZE probes;
ANALYZE sought;

-- The forms of a query; PROBE is the text to search for.
CREATE TEMP TABLE forms (form text, query text);
INSERT INTO forms VALUES
('constant', 'SELECT count(*) FROM texts WHERE shares_passage(body, PROBE)'),
('constant, reversed', 'SELECT count(*) FROM texts WHERE shares_passage(PROBE, body)'),
('parameter', 'SELECT count(*) FROM texts WHERE shares_passage(body, PROBE)'),
('subquery', 'SELECT count(*) FROM texts WHERE shares_passage(body, PROBE)'),
('LIMIT 1', 'SELECT count(*) FROM (SELECT n FROM texts WHERE shares_passage(body, PROBE) LIMIT 1) AS found'),
('LIMIT 10', 'SELECT count(*) FROM (SELECT n FROM texts WHERE shares_passage(body, PROBE) LIMIT 10) AS found'),
('ORDER BY key LIMIT 10', 'SELECT count(*) FROM (SELECT n FROM texts WHERE shares_passage(body, PROBE) ORDER BY n LIMIT 10) AS found'),
('EXISTS (constant)', 'SELECT EXISTS (SELECT FROM texts WHERE shares_passage(body, PROBE))'),
('filter, 1 row', 'SELECT count(*) FROM texts WHERE shares_passage(body, PROBE) AND n = 77'),
('filter, 1 row in 1000', 'SELECT count(*) FROM texts WHERE shares_passage(body, PROBE) AND grp = 5'),
('filter, 1 row in 100', 'SELECT count(*) FROM texts WHERE shares_passage(body, PROBE) AND grp < 10'),
('filter, 1 row in 10', 'SELECT count(*) FROM texts WHERE shares_passage(body, PROBE) AND grp < 100'),
('join', 'SELECT count(*) FROM sought AS s JOIN texts AS t ON shares_passage(t.body, s.q) WHERE SOUGHT'),
('join, reversed', 'SELECT count(*) FROM texts AS t JOIN sought AS s ON shares_passage(s.q, t.body) WHERE SOUGHT'),
('LEFT JOIN', 'SELECT count(*) FROM sought AS s LEFT JOIN texts AS t ON shares_passage(t.body, s.q) WHERE SOUGHT'),
('EXISTS', 'SELECT count(*) FROM sought AS s WHERE EXISTS (SELECT FROM texts AS t WHERE shares_passage(t.body, s.q)) AND SOUGHT'),
('NOT EXISTS', 'SELECT count(*) FROM sought AS s WHERE NOT EXISTS (SELECT FROM texts AS t WHERE shares_passage(t.body, s.q)) AND SOUGHT'),
('join, 1 row in 100', 'SELECT count(*) FROM sought AS s JOIN texts AS t ON shares_passage(t.body, s.q) WHERE SOUGHT AND grp < 10'),
('join of the table', 'SELECT count(*) FROM texts AS s JOIN texts AS t ON shares_passage(t.body, s.body) WHERE s.n < 5 AND s.n <> t.n');

-- Return the statement that runs a query; prepare it first if its form requires it.
CREATE FUNCTION pg_temp.statement(form text, query text, p probes) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	query := replace(query, 'SOUGHT', format('s.frequency = %s AND s.probe = %s', p.frequency, p.probe));
	IF form = 'subquery' THEN
		RETURN replace(query, 'PROBE', format('(SELECT q FROM probes WHERE frequency = %s AND probe = %s)', p.frequency, p.probe));
	ELSIF form <> 'parameter' THEN
		RETURN replace(query, 'PROBE', quote_literal(p.q));
	END IF;
	IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'search') THEN
		DEALLOCATE search;
	END IF;
	EXECUTE 'PREPARE search (text) AS ' || replace(query, 'PROBE', '$1');
	RETURN format('EXECUTE search (%L)', p.q);
END $$;

-- Hide indexes from the planner, and show all others.
CREATE FUNCTION pg_temp.hide(hidden text[]) RETURNS void LANGUAGE sql AS $$
	UPDATE pg_index SET indisvalid = indexrelid::regclass::text <> ALL (hidden)
	WHERE indrelid = 'texts'::regclass AND indisvalid <> (indexrelid::regclass::text <> ALL (hidden))
$$;

-- Time the chosen plan of a query, and the other one: the best without the
-- index, or one with it, without scans of the table and its other indexes.
CREATE FUNCTION pg_temp.compare(corpus text, form text, query text, p probes, runs int) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = on AS $$
DECLARE
	statement text;
	other text;					-- the other plan, or NULL
BEGIN
	FOREACH other IN ARRAY ARRAY[NULL, CASE (pg_temp.plan_of(pg_temp.statement(form, query, p))).plan WHEN 'scan' THEN 'index' ELSE 'scan' END] LOOP
		PERFORM set_config('enable_seqscan', (other IS DISTINCT FROM 'index')::text, true),
			pg_temp.hide(CASE other WHEN 'scan' THEN '{texts_passages}' WHEN 'index' THEN '{texts_pkey,texts_grp}' ELSE '{}' END::text[]);
		-- prepare the statement again, so that it is planned with these indexes
		statement := pg_temp.statement(form, query, p);
		INSERT INTO timed SELECT corpus, p.frequency, form, p.probe, e.plan, other IS NULL, e.cost, pg_temp.time_of(statement, runs)
		FROM pg_temp.plan_of(statement) AS e;
	END LOOP;
	PERFORM pg_temp.hide('{}');
END $$;
SELECT count(pg_temp.compare(:'corpus', form, query, p, :runs)) FROM forms, probes AS p
WHERE query LIKE '%PROBE%' OR query LIKE '%SOUGHT%' OR p.frequency = 0;

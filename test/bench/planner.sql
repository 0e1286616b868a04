-- Time the plan that the planner chooses, and the other one, for one table of
-- signatures, sigs: searches at eight thresholds, in every form, and rows in
-- the order of a distance, with two settings of work_mem.
--
-- psql variables: corpus, a name for the table and its index; what, which of
-- "searches" and "orders" to time; probes, runs.

\ir planner_common.sql

-- Signatures to search for: rows of the table.
CREATE FUNCTION pg_temp.draw_probes(n int) RETURNS void LANGUAGE sql AS $$
	DROP TABLE IF EXISTS probes;
	CREATE TABLE probes AS SELECT row_number() OVER ()::int AS probe, sig
	FROM (SELECT sig FROM sigs ORDER BY md5(id::text) LIMIT $1) AS s;
	ANALYZE probes;
$$;

-- The forms of a query; PROBE is the signature, and T the threshold.  A search
-- has a form for each operator and for each kind of value.
CREATE TEMP TABLE forms (what text, form text, memory text, query text);
INSERT INTO forms
SELECT 'searches', format('%s, %s', how, known), NULL, 'SELECT count(*) FROM sigs WHERE ' || condition
FROM (VALUES ('%', 'sig % PROBE'), ('@@', 'sig @@ minhash_query(PROBE, T)'), ('minhash_similar', 'minhash_similar(sig, PROBE, T)')) AS w (how, condition),
	unnest(ARRAY['constant', 'parameter', 'subquery']) AS known;
INSERT INTO forms
SELECT 'orders', format('%s, %s', form, memory), memory, format('SELECT count(*) FROM (SELECT id FROM sigs %s LIMIT 10) AS nearest', replace(rest, 'ORDER', 'ORDER BY sig <-> PROBE'))
FROM (VALUES ('order', 'ORDER'),
	('order, two columns', 'ORDER, n'),
	('order, 1 row in 10', 'WHERE grp < 100 ORDER'),
	('order, 1 row in 100', 'WHERE grp < 10 ORDER'),
	('order, 1 row in 1000', 'WHERE grp = 5 ORDER'),
	('order, no row', 'WHERE grp % 1000 = 1001 ORDER'),
	('order, two columns, 1 row in 1000', 'WHERE grp = 5 ORDER, n'),
	('order, join with all rows', 'JOIN partners USING (n) ORDER'),
	('order, join with 100 rows', 'JOIN few_partners USING (n) ORDER'),
	('order, EXISTS in all rows', 'WHERE EXISTS (SELECT FROM partners AS p WHERE p.n = sigs.n) ORDER'),
	('order, EXISTS in 100 rows', 'WHERE EXISTS (SELECT FROM few_partners AS p WHERE p.n = sigs.n) ORDER')) AS o (form, rest),
	unnest(ARRAY['64kB', '4MB']) AS memory;

-- Return the statement that runs a query; prepare it first if its form requires it.
CREATE FUNCTION pg_temp.statement(form text, query text, t float8, probe int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	sig text := (SELECT format('%L::minhash', p.sig) FROM probes AS p WHERE p.probe = statement.probe);
BEGIN
	query := replace(query, 'T)', coalesce(t::text, '') || ')');
	IF form LIKE '%subquery' THEN
		RETURN replace(query, 'PROBE', format('(SELECT sig FROM probes WHERE probe = %s)', probe));
	ELSIF form NOT LIKE '%parameter' THEN
		RETURN replace(query, 'PROBE', sig);
	END IF;
	IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'search') THEN
		DEALLOCATE search;
	END IF;
	EXECUTE 'PREPARE search (minhash) AS ' || replace(query, 'PROBE', '$1');
	RETURN format('EXECUTE search (%s)', sig);
END $$;

-- Time the chosen plan of a query, and the other one.  A join may use other
-- indexes, so only the other plan is forced.
CREATE FUNCTION pg_temp.compare(corpus text, t float8, form text, memory text, query text, probe int, runs int) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET work_mem FROM CURRENT
SET enable_seqscan = on SET enable_sort = on SET enable_bitmapscan = on SET enable_indexscan = on AS $$
DECLARE
	statement text;
	other text;					-- the other plan, or NULL
BEGIN
	PERFORM set_config('lshsim.similarity_threshold', coalesce(t, 0.8)::text, true),
		set_config('work_mem', coalesce(memory, current_setting('work_mem')), true);
	FOREACH other IN ARRAY ARRAY[NULL, CASE (pg_temp.plan_of(pg_temp.statement(form, query, t, probe))).plan WHEN 'scan' THEN 'index' ELSE 'scan' END] LOOP
		PERFORM set_config('enable_' || setting, (other IS DISTINCT FROM forbids)::text, true)
		FROM (VALUES ('seqscan', 'index'), ('sort', 'index'), ('bitmapscan', 'scan'), ('indexscan', 'scan')) AS s (setting, forbids);
		-- prepare the statement again, so that it is planned under these settings
		statement := pg_temp.statement(form, query, t, probe);
		INSERT INTO timed SELECT corpus, t, form, probe, p.plan, other IS NULL, p.cost, pg_temp.time_of(statement, runs)
		FROM pg_temp.plan_of(statement) AS p;
	END LOOP;
END $$;

SELECT pg_temp.draw_probes(:probes);
SELECT count(pg_temp.compare(:'corpus', t, form, memory, query, probe, :runs))
FROM forms, unnest(CASE WHEN what = 'searches' THEN ARRAY[0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8] ELSE ARRAY[NULL::float8] END) AS t,
	generate_series(1, :probes) AS probe
WHERE what = ANY (string_to_array(:'what', ' '));

-- The plan is the one that an expert would choose: shapes, not costs.
\set ECHO none \i test/data/setup.sql
-- One line for a plan: its nodes from the top, with what they read.
CREATE FUNCTION shape(plan json) RETURNS text LANGUAGE sql STRICT AS $$
	SELECT plan->>'Node Type'
		|| coalesce(' ' || coalesce(plan->>'Index Name', plan->>'Alias'), '')
		|| coalesce(' (' || string_agg(shape(child), ', ' ORDER BY n) || ')', '')
	FROM json_array_elements(plan->'Plans') WITH ORDINALITY AS c (child, n)
$$;
CREATE FUNCTION shape_of(query text) RETURNS text LANGUAGE sql AS $$ SELECT shape(pg_temp.explain(query)->'Plan') $$;
-- Whether a query reads the index in the order of distances.
CREATE FUNCTION uses_order(query text, memory text) RETURNS boolean LANGUAGE sql AS $$
	SELECT set_config('work_mem', memory, true);
	SELECT shape_of(query) ~ 'items_order'
$$;
-- The pages of the index that a query reads.
CREATE FUNCTION index_buffers(query text) RETURNS int LANGUAGE sql SET enable_seqscan = off AS $$
	SELECT (child->>'Shared Hit Blocks')::int + (child->>'Shared Read Blocks')::int
	FROM json_array_elements(pg_temp.explain(query, 'ANALYZE, BUFFERS')->'Plan'->'Plans') child WHERE child->>'Node Type' = 'Bitmap Index Scan'
$$;
CREATE FUNCTION estimated_rows(query text) RETURNS float8 LANGUAGE sql AS $$ SELECT (pg_temp.explain(query)->'Plan'->>'Plan Rows')::float8 $$;
-- The estimates of the rows that match and of candidates, and the rows that the index returns.
CREATE FUNCTION index_rows(query text, OUT matches float8, OUT candidates float8, OUT actual float8) LANGUAGE sql SET enable_seqscan = off AS $$
	SELECT (plan->>'Plan Rows')::float8, (child->>'Plan Rows')::float8, (child->>'Actual Rows')::float8
	FROM (SELECT pg_temp.explain(query, 'ANALYZE, TIMING off')->'Plan' AS plan) p, json_array_elements(plan->'Plans') AS child
	WHERE child->>'Node Type' = 'Bitmap Index Scan'
$$;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET enable_memoize = off;
SET enable_material = off;

-- 20,000 rows; every tenth is a near-duplicate of the one before it; the last
-- 1,600 are variants of one template; 50 tenants.
CREATE TABLE items AS
SELECT id, id % 50 AS tenant,
	array_to_minhash(ARRAY(
		SELECT CASE
			WHEN id > 18400 AND j <= 90 THEN j
			WHEN id % 10 = 0 AND j <= 95 THEN (id - 1) * 1000 + j
			ELSE id * 1000 + j
		END FROM generate_series(1, 100) AS j)) AS sig
FROM generate_series(1, 20000) AS id;
CREATE INDEX items_sig ON items USING gin (sig);
CREATE INDEX items_tenant ON items (tenant);
CREATE TABLE few AS SELECT id, sig FROM items WHERE id % 40 = 0;
CREATE TABLE parted (id int, tenant int, sig minhash) PARTITION BY RANGE (tenant);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (25);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (25) TO (50);
INSERT INTO parted SELECT * FROM items WHERE id % 2 = 1;
CREATE INDEX ON parted USING gin (sig);
-- every row is in the sample, so that plans are the same in every run
SET default_statistics_target = 200;
VACUUM ANALYZE items;
ANALYZE few;
ANALYZE parted;
\set ECHO all

SELECT sig AS probe FROM items WHERE id = 4711 \gset
SELECT sig AS template FROM items WHERE id = 19999 \gset

-- a constant probe, in every form and either order
SELECT shape_of(format(q, :'probe')), count(*) FROM unnest(ARRAY[
	'SELECT * FROM items WHERE sig %% %L',
	'SELECT * FROM items WHERE %L %% sig',
	'SELECT * FROM items WHERE minhash_similar(sig, %L, 0.9)',
	'SELECT * FROM items WHERE minhash_similar(%L, sig, 0.9)',
	'SELECT * FROM items WHERE minhash_similar(sig, %L, 0.5, 0.9)',
	'SELECT * FROM items WHERE sig @@ minhash_query(%L, 0.9)',
	'SELECT * FROM items WHERE minhash_query(%L, 0.9, 0.99) @@ sig']) AS q GROUP BY 1 ORDER BY 2 DESC;

-- a probe that comes from a subquery or a parameter
SET plan_cache_mode = force_generic_plan;
PREPARE by_operator(minhash) AS SELECT * FROM items WHERE sig % $1;
PREPARE by_function(minhash, float8) AS SELECT * FROM items WHERE minhash_similar(sig, $1, $2);
PREPARE by_query(minhash_query) AS SELECT * FROM items WHERE sig @@ $1;
SELECT shape_of(q), count(*) FROM unnest(ARRAY[
	'SELECT * FROM items WHERE sig % (SELECT sig FROM few WHERE id = 100)',
	'SELECT * FROM items WHERE minhash_similar(sig, (SELECT sig FROM few WHERE id = 100), 0.9)',
	format('EXECUTE by_operator(%L)', :'probe'),
	format('EXECUTE by_function(%L, 0.9)', :'probe'),
	format('EXECUTE by_query(%L)', minhash_query(:'probe', 0.9))]) AS q GROUP BY 1 ORDER BY 2 DESC;
RESET plan_cache_mode;

-- joins, either way round, whichever side is larger
SELECT shape_of(q), count(*) FROM unnest(ARRAY[
	'SELECT * FROM few JOIN items ON few.sig % items.sig',
	'SELECT * FROM few JOIN items ON items.sig % few.sig',
	'SELECT * FROM items JOIN few ON items.sig % few.sig',
	'SELECT * FROM few JOIN items ON minhash_similar(few.sig, items.sig, 0.9)',
	'SELECT * FROM few JOIN items ON minhash_similar(items.sig, few.sig, 0.9)',
	'SELECT * FROM few JOIN items ON items.sig @@ minhash_query(few.sig, 0.9)',
	'SELECT * FROM items a JOIN items b ON a.sig % b.sig AND a.id < b.id']) AS q GROUP BY 1 ORDER BY 2 DESC;
-- only the smaller side has an index
CREATE INDEX few_sig ON few USING gin (sig);
BEGIN;
DROP INDEX items_sig;
SELECT shape_of('SELECT * FROM few JOIN items ON few.sig % items.sig');
ROLLBACK;
DROP INDEX few_sig;

-- thresholds that need every row compared
SET lshsim.similarity_threshold = 0.1;
SELECT shape_of(format(q, :'probe')), count(*) FROM unnest(ARRAY[
	'SELECT * FROM items WHERE sig %% %L',
	'SELECT * FROM items WHERE minhash_similar(sig, %L, 0.1)',
	'SELECT * FROM items WHERE minhash_similar(sig, %L, 0.8, 1)',
	'SELECT * FROM items WHERE sig @@ minhash_query(%L, 0.1)']) AS q GROUP BY 1 ORDER BY 2 DESC;
-- a GIN index compares them, too, if there is no other way
SET enable_seqscan = off;
SELECT shape_of(format(q, :'probe')), count(*) FROM unnest(ARRAY[
	'SELECT * FROM items WHERE sig %% %L',
	'SELECT * FROM items WHERE minhash_similar(sig, %L, 0.1)',
	'SELECT * FROM items WHERE sig @@ minhash_query(%L, 0.1)']) AS q GROUP BY 1 ORDER BY 2 DESC;
RESET enable_seqscan;
RESET lshsim.similarity_threshold;

-- filters: the smaller set decides; of two large ones, to combine them takes as
-- long as to take the one that is found faster
SELECT shape_of(format('SELECT * FROM items WHERE sig %% %L AND tenant = 7', :'probe'));
SELECT shape_of(format('SELECT * FROM items WHERE sig %% %L AND tenant = 7', :'template')) ~ 'Bitmap Index Scan items_tenant' AS by_tenant;

-- the survivors are sorted, not the table
SELECT shape_of(format(q, :'probe')) FROM unnest(ARRAY['SELECT * FROM items WHERE sig %% %1$L ORDER BY sig <-> %1$L LIMIT 10',
	'SELECT * FROM items WHERE sig %% %L LIMIT 1']) AS q;

-- the nearest rows, at two settings of work_mem: in the order of the index,
-- unless few or none of the rows that it returns are kept
CREATE INDEX items_order ON items USING lsh (sig);
CREATE TABLE partners AS SELECT id FROM items;
CREATE TABLE few_partners AS SELECT id FROM items WHERE id % 500 = 0;
ALTER TABLE partners ADD PRIMARY KEY (id);
ALTER TABLE few_partners ADD PRIMARY KEY (id);
ANALYZE partners;
ANALYZE few_partners;
SELECT n, rest, uses_order(q, '64kB') AS "64kB", uses_order(q, '4MB') AS "4MB"
FROM unnest(ARRAY['', 'WHERE tenant < 25', 'WHERE id % 1000 = 1001', 'WHERE EXISTS (SELECT FROM partners AS p WHERE p.id = items.id)',
	'WHERE EXISTS (SELECT FROM few_partners AS p WHERE p.id = items.id)', 'JOIN partners USING (id)', 'JOIN few_partners USING (id)']) WITH ORDINALITY AS f (rest, n),
	format('SELECT items.id FROM items %s ORDER BY sig <-> %L LIMIT 10', rest, :'probe') AS q ORDER BY n;
DROP INDEX items_order;

-- partitions
SELECT shape_of(format(q, :'probe')) FROM unnest(ARRAY['SELECT * FROM parted WHERE sig %% %L',
	'SELECT * FROM parted WHERE minhash_similar(sig, %L, 0.9) AND tenant < 25']) AS q;

-- a parallel sequential scan finds the same
SET lshsim.similarity_threshold = 0.19;
SELECT count(*), sum(id) FROM items WHERE sig % :'template';
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT shape_of(format('SELECT id FROM items WHERE sig %% %L', :'template'));
SELECT count(*), sum(id) FROM items WHERE sig % :'template';
RESET lshsim.similarity_threshold;
SET max_parallel_workers_per_gather = 0;

-- the setting is shown by EXPLAIN (SETTINGS)
SET lshsim.similarity_threshold = 0.9;
SELECT pg_temp.explain('SELECT 1', 'SETTINGS')->'Settings'->'lshsim.similarity_threshold';
RESET lshsim.similarity_threshold;

-- a higher threshold reads fewer pages of the index
SELECT bool_and((at_9 < at_8) IS TRUE) AS fewer, round(avg(at_8) / avg(at_9), 1) > 1.5 AS much_fewer
FROM (SELECT sig FROM items WHERE id % 1000 = 1) AS p,
	LATERAL (SELECT index_buffers(format('SELECT * FROM items WHERE minhash_similar(sig, %L, 0.8)', p.sig)) AS at_8,
		index_buffers(format('SELECT * FROM items WHERE minhash_similar(sig, %L, 0.9)', p.sig)) AS at_9) AS b;

-- row estimates: a few rows for most, the template's rows for the template
SELECT estimated_rows(format('SELECT * FROM items WHERE sig %% %L', :'probe')) BETWEEN 1 AND 10 AS usual,
	estimated_rows(format('SELECT * FROM items WHERE minhash_similar(sig, %L, 0.6)', :'template')) BETWEEN 160 AND 16000 AS template,
	estimated_rows('SELECT * FROM items a JOIN items b ON a.sig % b.sig') BETWEEN 1.9e5 AND 1.8e7 AS self_join,
	estimated_rows(format('SELECT * FROM items WHERE minhash_similar(sig, %L, 0.001)', :'probe')) AS everything,
	estimated_rows(format('SELECT * FROM items WHERE sig %% %L', array_to_minhash('{}'::int[]))) BETWEEN 1 AND 10 AS empty_set;
-- NULLs do not count
CREATE TABLE half AS SELECT CASE WHEN id % 2 = 0 THEN array_to_minhash(ARRAY[1, 2, 3]) END AS sig FROM generate_series(1, 10000) AS id;
ANALYZE half;
SELECT estimated_rows(format('SELECT * FROM half WHERE sig %% %L', array_to_minhash(ARRAY[1, 2, 3]))) BETWEEN 4500 AND 5500 AS half;
-- signatures of another kind among the statistics are no error
SELECT estimated_rows(format('SELECT * FROM half WHERE sig %% %L', array_to_minhash(ARRAY[1, 2, 3], 64))) BETWEEN 1 AND 100 AS other_kind;
-- semijoins
SELECT estimated_rows('SELECT * FROM few WHERE EXISTS (SELECT 1 FROM items WHERE items.sig % few.sig)') BETWEEN 100 AND 500 AS semi;
-- a join by arrays, of which each row matches few
CREATE TABLE lists AS SELECT array_agg(sig) AS sigs, array_agg(minhash_query(sig, 0.8)) AS queries FROM few GROUP BY id / 1000;
ANALYZE lists;
SELECT condition, estimated_rows('SELECT * FROM items, lists WHERE ' || condition) < 20000 AS few FROM unnest('{sig % ANY (sigs),sig @@ ANY (queries)}'::text[]) condition;
DROP TABLE lists;

-- ANALYZE keeps statistics of the same size for signatures of any size.  There are estimates for signatures that are
-- stored out of line, too.
CREATE TABLE large AS
SELECT id, array_to_minhash(ARRAY(SELECT CASE WHEN id <= 1000 THEN j WHEN id <= 1500 THEN 1000 + j ELSE id * 1000 + j END
	FROM generate_series(1, 60) AS j), 1024) AS sig
FROM generate_series(1, 3000) AS id;
CREATE INDEX ON large USING gin (sig);
ALTER TABLE large ALTER sig SET STATISTICS 10000;
ANALYZE large;
SELECT octet_length(kept::text) / 2 BETWEEN 16384 AND 16400 AS size, attstattarget AS target, stawidth < 30 AS out_of_line
FROM pg_statistic, unnest(ARRAY[stakind1, stakind2, stakind3, stakind4, stakind5],
		ARRAY[stavalues1::text, stavalues2::text, stavalues3::text, stavalues4::text, stavalues5::text]) AS s (kind, kept), pg_attribute
WHERE kind = 20817 AND starelid = 'large'::regclass AND (attrelid, attnum) = (starelid, staattnum);
SELECT (SELECT count(*) FROM large AS l WHERE l.sig % p.sig) AS rows,
	estimated_rows(format('SELECT * FROM large WHERE sig %% %L', p.sig)) AS estimate
INTO family FROM large AS p WHERE id IN (1, 1001, 2000);
SELECT rows, estimate BETWEEN rows * 0.25 AND rows * 4 AS good FROM family ORDER BY rows;

-- candidates are estimated apart from matching rows, for known and unknown search
-- values, and the index returns that number
CREATE TABLE mixed AS
SELECT id, array_to_minhash(ARRAY(SELECT CASE WHEN j <= id % 30 THEN j ELSE id * 1000 + j END FROM generate_series(1, 60) AS j)) AS sig
FROM generate_series(1, 4000) AS id;
CREATE INDEX ON mixed USING gin (sig);
ANALYZE mixed;
SET plan_cache_mode = force_generic_plan;
PREPARE mixed(minhash) AS SELECT * FROM mixed WHERE minhash_similar(sig, $1, 0.3);
SELECT sig AS mixed_probe FROM mixed WHERE id = 28 \gset
SELECT how, candidates > 10 * matches AS more, candidates BETWEEN actual / 2 AND actual * 2 AS good
FROM (VALUES ('constant', format('SELECT * FROM mixed WHERE minhash_similar(sig, %L, 0.3)', :'mixed_probe'))) AS q (how, query), index_rows(query);
-- An unknown query is estimated as an average row.
SELECT how, avg(candidates) > 5 * avg(matches) AS more, avg(candidates) BETWEEN avg(actual) / 2 AND avg(actual) * 2 AS good
FROM (SELECT 'parameter' AS how, format('EXECUTE mixed(%L)', sig) AS query FROM mixed WHERE id % 100 = 7
	UNION ALL SELECT 'subquery', format('SELECT * FROM mixed WHERE sig @@ minhash_query((SELECT sig FROM mixed WHERE id = %s), 0.3)', id) FROM mixed WHERE id % 100 = 7) AS q,
	index_rows(query) GROUP BY how ORDER BY how;
RESET plan_cache_mode;
-- EXPLAIN shows what is searched for
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT * FROM mixed JOIN unnest(ARRAY[array_to_minhash(ARRAY[1, 2, 3], 16)]) AS one(sig) ON mixed.sig % one.sig;
EXPLAIN (COSTS off) SELECT * FROM mixed WHERE minhash_similar(sig, array_to_minhash(ARRAY[1, 2, 3], 16), 0.7);
RESET enable_seqscan;

-- Conditions that compare texts run last, wherever they stand.
CREATE TABLE texts AS SELECT id, 'a text with the number ' || id AS body, to_minhash('a text with the number ' || id) AS sig
FROM generate_series(1, 1000) AS id;
EXPLAIN (COSTS off) SELECT * FROM texts
WHERE jaccard(body, 'a text', 'char:5') >= 0.8 AND minhash_similar(sig, sig, 0.7) AND id % 2 = 0;

-- the functions behind the operators, called by name, are served as the operators are
SELECT count(*), shape_of(format('SELECT * FROM items WHERE minhash_similar_op(sig, %L)', :'probe'))
FROM items WHERE minhash_similar_op(sig, :'probe');
SELECT count(*), shape_of(format('SELECT * FROM items WHERE minhash_query_match(sig, minhash_query(%L, 0.8))', :'probe'))
FROM items WHERE minhash_query_match(sig, minhash_query(:'probe', 0.8));

-- estimators that a user attaches to another operator
CREATE FUNCTION equals(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN $1 = $2; END';
CREATE OPERATOR === (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = equals, RESTRICT = minhash_sel);
CREATE TABLE numbers AS SELECT i::bigint AS a FROM generate_series(1, 1000) AS i;
ANALYZE numbers;
SELECT shape_of('SELECT * FROM numbers WHERE a === 5::bigint'), shape_of('SELECT * FROM numbers x JOIN numbers y ON x.a === y.a');

-- where many rows are copies of one, a search for a single row, and what has
-- no partner, must not look for it row by row
CREATE TABLE boilerplate AS
SELECT id, array_to_minhash(ARRAY(SELECT CASE WHEN id % 5 = 0 THEN j ELSE id * 1000 + j END FROM generate_series(1, 60) AS j)) AS sig
FROM generate_series(1, 10000) AS id;
CREATE INDEX boilerplate_sig ON boilerplate USING lsh (sig);
CREATE TABLE batch AS
SELECT id, array_to_minhash(ARRAY(SELECT CASE WHEN id % 2 = 0 THEN j ELSE -id * 1000 - j END FROM generate_series(1, 60) AS j)) AS sig
FROM generate_series(1, 300) AS id;
ANALYZE boilerplate, batch;
SET plan_cache_mode = force_generic_plan;
PREPARE is_there(minhash) AS SELECT EXISTS (SELECT FROM boilerplate WHERE minhash_similar(sig, $1, 0.8));
PREPARE first_one(minhash) AS SELECT id FROM boilerplate WHERE minhash_similar(sig, $1, 0.8) LIMIT 1;
SELECT n, shape_of(q) ~ 'boilerplate_sig' AS by_index FROM (VALUES
	(1, format('EXECUTE is_there(%L)', :'probe')),
	(2, format('EXECUTE first_one(%L)', :'probe')),
	(3, 'SELECT id FROM batch n WHERE NOT EXISTS (SELECT FROM boilerplate b WHERE minhash_similar(b.sig, n.sig, 0.8))'),
	(4, 'SELECT id FROM batch n WHERE EXISTS (SELECT FROM boilerplate b WHERE minhash_similar(b.sig, n.sig, 0.5))'),
	(5, 'SELECT n.id FROM batch n, LATERAL (SELECT id FROM boilerplate b WHERE minhash_similar(b.sig, n.sig, 0.8) LIMIT 1) x')) AS v (n, q) ORDER BY n;

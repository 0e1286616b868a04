-- All similar pairs of the table sigs (id, sig), or of its twin, which has an
-- index lsh, and its clusters, at 0.8: psql variables section, runs, and
-- searches, the section that has pg_trgm's searches.  What is found is judged by the pairs of bench.truth.
SET lshsim.similarity_threshold = 0.8;
SELECT to_regclass('bands') IS NULL AS missing \gset
\if :missing
CREATE TABLE bands AS SELECT unnest(lsh_band_keys(sig, 16, 6)) AS key, id FROM sigs;
CREATE INDEX ON bands (key, id);
VACUUM ANALYZE bands;
\endif
CREATE INDEX IF NOT EXISTS sigs_gin ON sigs USING gin (sig);
CREATE INDEX IF NOT EXISTS twin_lsh ON twin USING lsh (sig);

-- The pairs that each contender finds: a view, and a row of pairs_by.
CREATE OR REPLACE VIEW by_clusters AS
	WITH clustered AS MATERIALIZED (
		SELECT id, sig, minhash_cluster(sig, 0.8) OVER (ORDER BY id) AS cluster FROM sigs
	)
	SELECT a.id AS a, b.id AS b FROM clustered AS a JOIN clustered AS b USING (cluster)
	WHERE a.id < b.id AND a.sig % b.sig;
CREATE OR REPLACE VIEW by_lsh AS
	SELECT a.id AS a, b.id AS b FROM twin AS a JOIN twin AS b ON a.sig % b.sig AND a.id < b.id;
CREATE OR REPLACE VIEW by_lsh_index AS
	SELECT least(a.id, b.id) AS a, greatest(a.id, b.id) AS b FROM lsh_index_pairs('twin_lsh', 0.8, 0.99) AS p
	JOIN twin AS a ON a.ctid = ctid_a JOIN twin AS b ON b.ctid = ctid_b;
CREATE OR REPLACE VIEW by_gin AS
	SELECT a.id AS a, b.id AS b FROM sigs AS a JOIN sigs AS b ON a.sig % b.sig AND a.id < b.id;
CREATE OR REPLACE VIEW by_bands AS
	SELECT DISTINCT a.id AS a, b.id AS b FROM bands AS a JOIN bands AS b USING (key) WHERE a.id < b.id;
CREATE OR REPLACE VIEW by_bands_verified AS
	SELECT c.a, c.b FROM by_bands AS c JOIN sigs AS a ON a.id = c.a JOIN sigs AS b ON b.id = c.b
	WHERE jaccard(a.sig, b.sig) >= 0.8;
CREATE TEMP TABLE pairs_by (n int GENERATED ALWAYS AS IDENTITY, who text, pairs text);
INSERT INTO pairs_by (who, pairs) VALUES
	('lshsim, lsh_index_pairs', 'by_lsh_index'),
	('lshsim, minhash_cluster and join', 'by_clusters'),
	('band table, unverified', 'by_bands'),
	('band table, verified', 'by_bands_verified'),
	('lshsim, join by lsh', 'by_lsh'),
	('lshsim, join by GIN', 'by_gin');

-- A statement that keeps the pairs of a view, to be judged.
CREATE FUNCTION pg_temp.keep(pairs text) RETURNS text LANGUAGE sql AS $$
	SELECT format('DROP TABLE IF EXISTS found_%1$s --timed
		CREATE TEMP TABLE found_%1$s AS SELECT a, b FROM %1$I', pairs)
$$;
SELECT bench.race(:'section', 'all pairs at 0.8', (SELECT count(*) FROM sigs), 's', NULL, :runs,
	VARIADIC array_agg(part ORDER BY n, place))
FROM pairs_by, unnest(ARRAY[who, pg_temp.keep(pairs)]) WITH ORDINALITY AS p (part, place);

-- How good they were.
CREATE FUNCTION pg_temp.judge_pairs(this text, pairs text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	shares record;
BEGIN
	TRUNCATE bench.found;
	EXECUTE format('ALTER TABLE found_%s RENAME TO pairs', pairs);
	INSERT INTO bench.found SELECT this, 1, id, NULL, array_agg(other)
	FROM bench.judged LEFT JOIN (SELECT a, b FROM pairs UNION ALL SELECT b, a FROM pairs) AS p (id, other) USING (id)
	GROUP BY id;
	SELECT * INTO shares FROM bench.judge(this, 0.8);
	UPDATE bench.figures SET recall = shares.recall, precision = shares.precision, promise = shares.promise,
		note = format('%s pairs', (SELECT count(*) FROM pairs))
	WHERE figure = (SELECT max(figure) FROM bench.figures WHERE who = this AND task LIKE 'all pairs%');
	DROP TABLE pairs;
END $$;
SELECT pg_temp.judge_pairs(who, pairs) FROM pairs_by ORDER BY n;

-- Clusters.  What takes time besides is row_number()'s too.
SET bench.clock = 'processor';
SELECT bench.race(:'section', 'clusters at 0.8', count(*), 's', NULL, :runs,
	'lshsim', 'SELECT count(sig), sum(n) FROM (SELECT sig, minhash_cluster(sig, 0.8) OVER (ORDER BY id) AS n FROM sigs) AS s',
	'row_number() in its place', 'SELECT count(sig), sum(n) FROM (SELECT sig, row_number() OVER (ORDER BY id) AS n FROM sigs) AS s')
FROM sigs;
SET bench.clock = 'clock';

-- pg_trgm, by each of its indexes: as many searches as there are rows.
INSERT INTO bench.figures (section, task, rows, who, unit, median, low, high, runs, note)
SELECT :'section', 'all pairs at 0.8', count(*), f.who || ', extrapolated', 's',
	f.median / 1000 * count(*) * count(*) / f.rows, f.low / 1000 * count(*) * count(*) / f.rows,
	f.high / 1000 * count(*) * count(*) / f.rows, f.runs,
	format('not run: the mean search of %s rows, for each row%s', f.rows,
		CASE WHEN f.rows < count(*) THEN ', as much longer as there are more rows' ELSE '' END)
FROM sigs, (SELECT DISTINCT ON (who) * FROM bench.figures WHERE section = :'searches' AND who LIKE 'pg_trgm%'
		AND task = 'search at 0.8, mean' ORDER BY who, rows DESC) AS f
GROUP BY f.who, f.median, f.low, f.high, f.runs, f.rows ORDER BY f.who;
DROP VIEW by_clusters, by_lsh, by_lsh_index, by_gin, by_bands_verified, by_bands;

-- Indexes: what processor time they take to build, how large they are, and inserts.
SELECT count(*) AS rows, count(*) FILTER (WHERE id % 2 = 1) AS half, count(*) FILTER (WHERE id % 10 = 1) AS tenth
FROM sigs \gset

SET bench.clock = 'processor';
SELECT bench.race('index', 'build', :rows, 's', NULL, :runs,
	'lshsim, lsh', 'DROP INDEX IF EXISTS twin_lsh; CREATE INDEX twin_lsh ON twin USING lsh (sig)',
	'lshsim, GIN', 'DROP INDEX IF EXISTS sigs_gin; CREATE INDEX sigs_gin ON sigs USING gin (sig)',
	'band table, B-tree', 'DROP TABLE IF EXISTS bands;
		CREATE TABLE bands AS SELECT unnest(lsh_band_keys(sig, bands, band_rows)) AS key, id FROM sigs, lsh_plan(0.8);
		CREATE INDEX ON bands (key, id)',
	'pg_trgm, GIN', 'DROP INDEX IF EXISTS docs_gin; CREATE INDEX docs_gin ON docs USING gin (body gin_trgm_ops)',
	'pg_trgm, GiST', 'DROP INDEX IF EXISTS docs_gist_gist;
		CREATE INDEX docs_gist_gist ON docs_gist USING gist (body gist_trgm_ops (siglen = 256))');
SET bench.clock = 'clock';
SELECT bench.note('index', 'size', :rows, who, 'bytes per row', ARRAY[size::float8 / :rows])
FROM (VALUES (1, 'lshsim, lsh', pg_relation_size('twin_lsh')),
	(2, 'lshsim, GIN', pg_relation_size('sigs_gin')),
	(3, 'lshsim, the signatures', (SELECT sum(pg_column_size(sig)) FROM sigs)),
	(4, 'band table, B-tree', pg_total_relation_size('bands')),
	(5, 'pg_trgm, GIN', pg_relation_size('docs_gin')),
	(6, 'pg_trgm, GiST', pg_relation_size('docs_gist_gist')),
	(7, 'the texts', (SELECT sum(octet_length(body)) FROM docs))) AS v (n, who, size)
ORDER BY n;
DROP TABLE bands;

-- Inserts, one statement, of rows that have their signatures, into tables that
-- hold the other half.
CREATE FUNCTION bench.insert(columns text, index text) RETURNS text LANGUAGE sql AS $$
	SELECT format('DROP TABLE IF EXISTS target; CREATE TABLE target AS SELECT %1$s FROM sigs WHERE id %% 2 = 0; %2$s
		--timed
		INSERT INTO target SELECT %1$s FROM sigs WHERE id %% 2 = 1', columns, index)
$$;
SELECT bench.race('index', 'insert in one statement', :half, 'rows/s', :half, :runs,
	'lshsim, lsh', bench.insert('id, sig', 'CREATE INDEX ON target USING lsh (sig)'),
	'lshsim, GIN, fastupdate on', bench.insert('id, sig', 'CREATE INDEX ON target USING gin (sig)'),
	'lshsim, GIN, fastupdate off', bench.insert('id, sig', 'CREATE INDEX ON target USING gin (sig) WITH (fastupdate = off)'),
	'no index', bench.insert('id, sig', ''),
	'band table, B-tree', bench.insert('unnest(lsh_band_keys(sig, 16, 6)) AS key, id', 'CREATE INDEX ON target (key, id)'));
-- pg_trgm is given fewer rows: it is slow
SELECT bench.race('index', 'insert in one statement', :tenth, 'rows/s', :tenth, :runs,
	'pg_trgm, fastupdate on', 'DROP TABLE IF EXISTS target; CREATE TABLE target AS SELECT id, body FROM docs WHERE id % 2 = 0;
		CREATE INDEX ON target USING gin (body gin_trgm_ops)
		--timed
		INSERT INTO target SELECT id, body FROM docs WHERE id % 10 = 1');
DROP TABLE target;

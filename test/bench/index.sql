-- Indexes: what processor time they take to build, how large they are, and what
-- they write to the log.
SELECT count(*) AS rows, count(*) FILTER (WHERE id % 2 = 1) AS half, count(*) FILTER (WHERE id % 10 = 1) AS tenth
FROM sigs \gset
SET bench.wal = :rows;

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
SELECT bench.note('index', 'keys', :rows, 'lshsim, lsh', 'a row', ARRAY[entries::float8 / :rows])
FROM lsh_index_stats('twin_lsh');
DROP TABLE bands;

-- Inserts, one statement, of rows that have their signatures, into tables that
-- hold the other half.
CREATE FUNCTION bench.insert(columns text, index text) RETURNS text LANGUAGE sql AS $$
	SELECT format('DROP TABLE IF EXISTS target; CREATE TABLE target AS SELECT %1$s FROM sigs WHERE id %% 2 = 0; %2$s
		--timed
		INSERT INTO target SELECT %1$s FROM sigs WHERE id %% 2 = 1', columns, index)
$$;
SET bench.wal = :half;
SELECT bench.race('index', 'insert in one statement', :half, 'rows/s', :half, :runs,
	'lshsim, lsh', bench.insert('id, sig', 'CREATE INDEX ON target USING lsh (sig)'),
	'lshsim, GIN, fastupdate on', bench.insert('id, sig', 'CREATE INDEX ON target USING gin (sig)'),
	'lshsim, GIN, fastupdate off', bench.insert('id, sig', 'CREATE INDEX ON target USING gin (sig) WITH (fastupdate = off)'),
	'no index', bench.insert('id, sig', ''),
	'band table, B-tree', bench.insert('unnest(lsh_band_keys(sig, 16, 6)) AS key, id', 'CREATE INDEX ON target (key, id)'));
-- pg_trgm is given fewer rows: it is slow
SET bench.wal = :tenth;
SELECT bench.race('index', 'insert in one statement', :tenth, 'rows/s', :tenth, :runs,
	'pg_trgm, fastupdate on', 'DROP TABLE IF EXISTS target; CREATE TABLE target AS SELECT id, body FROM docs WHERE id % 2 = 0;
		CREATE INDEX ON target USING gin (body gin_trgm_ops)
		--timed
		INSERT INTO target SELECT id, body FROM docs WHERE id % 10 = 1');

-- Texts with a generated column, with the trigger, and without signatures.
CREATE FUNCTION bench.insert_texts(columns text, trigger text) RETURNS text LANGUAGE sql AS $$
	SELECT format('DROP TABLE IF EXISTS target; CREATE TABLE target (id int, body text %s); %s
		--timed
		INSERT INTO target SELECT id, body FROM docs', columns, trigger)
$$;
SET bench.wal = :rows;
SELECT bench.race('index', 'insert texts, no index', :rows, 'rows/s', :rows, :runs,
	'lshsim, generated column', bench.insert_texts(', sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED', ''),
	'lshsim, trigger', bench.insert_texts(', sig minhash', 'CREATE TRIGGER keep_sig BEFORE INSERT OR UPDATE ON target
		FOR EACH ROW EXECUTE FUNCTION minhash_trigger(''sig'', ''char:5'', 128, ''body'')'),
	'texts only', bench.insert_texts('', ''));
DROP TABLE target;

-- How the index was filled: by one batch, by batches of what fits into
-- maintenance_work_mem, by inserts one after the other in random order.
SET bench.wal = '';
CREATE FUNCTION bench.fill(name text, memory text, index text, later boolean) RETURNS text LANGUAGE sql AS $$
	SELECT format('SET maintenance_work_mem = %1$L; DROP TABLE IF EXISTS %2$I;
		CREATE TABLE %2$I AS SELECT id, sig FROM sigs %3$s; CREATE INDEX %4$I ON %2$I USING %5$s; %6$s',
		memory, name, CASE WHEN later THEN 'LIMIT 0' ELSE '' END, name || '_index', index,
		CASE WHEN later THEN format('INSERT INTO %I SELECT id, sig FROM sigs ORDER BY hashint4(id)', name) ELSE '' END)
$$;
CREATE TABLE fills (n int GENERATED ALWAYS AS IDENTITY, who text, name text, memory text, index text, later boolean);
INSERT INTO fills (who, name, memory, index, later) VALUES
	('lshsim, lsh, built', 'fill_lsh', '64MB', 'lsh (sig)', false),
	('lshsim, lsh, inserts', 'fill_lsh_insert', '64MB', 'lsh (sig)', true),
	('lshsim, GIN, one batch (1 GB)', 'fill_1gb', '1GB', 'gin (sig)', false),
	('lshsim, GIN, batches of 64 MB', 'fill_64mb', '64MB', 'gin (sig)', false),
	('lshsim, GIN, batches of 16 MB', 'fill_16mb', '16MB', 'gin (sig)', false),
	('lshsim, GIN, batches of 4 MB', 'fill_4mb', '4MB', 'gin (sig)', false),
	('lshsim, GIN, inserts, fastupdate on', 'fill_pending', '64MB', 'gin (sig)', true),
	('lshsim, GIN, inserts, fastupdate off', 'fill_insert', '64MB', 'gin (sig) WITH (fastupdate = off)', true);
SELECT bench.race('index', 'build, by how it is filled', :rows, 's', NULL, 1, VARIADIC array_agg(part ORDER BY n, place))
FROM fills, unnest(ARRAY[who, bench.fill(name, memory, index, later)]) WITH ORDINALITY AS p (part, place);
SELECT bench.note('index', 'size, by how it is filled', :rows, who, 'bytes per row',
	ARRAY[pg_relation_size(name || '_index')::float8 / :rows])
FROM fills ORDER BY n;
SET lshsim.similarity_threshold = 0.8;
SELECT bench.probe_race('index', 'search at 0.8', 0.8, :rows, :patience, VARIADIC array_agg(part ORDER BY n, place))
FROM fills, unnest(ARRAY[who, format('SELECT id FROM %I WHERE sig %% probe.sig', name)]) WITH ORDINALITY AS p (part, place);

-- Ten rounds of giving a tenth of the rows another row's signature, and VACUUM.
-- In the end all signatures are there again.
SELECT statement FROM generate_series(1, 10) AS round, fills, unnest(ARRAY[
	format('UPDATE %I AS t SET sig = s.sig FROM sigs AS s WHERE t.id %% 10 = %s AND s.id = %s - t.id', name, round - 1, :rows + 1),
	format('VACUUM %I', name),
	format('SELECT bench.note(''index'', ''size, after rounds of updates: %s'', %s, %L, ''bytes per row'',
		ARRAY[pg_relation_size(%L)::float8 / %s])', round, :rows, who, name || '_index', :rows)]) WITH ORDINALITY AS s (statement, step)
WHERE name IN ('fill_lsh_insert', 'fill_insert') ORDER BY round, n, step \gexec
SELECT format('DROP TABLE %I', name) FROM fills \gexec
DROP TABLE fills;

-- Rows for clients to insert, 20 in each batch.
CREATE TABLE batches AS
SELECT (row_number() OVER (ORDER BY id) - 1) / 20 AS batch, id, sig FROM sigs WHERE id % 4 = 1;
CREATE INDEX ON batches (batch);
VACUUM ANALYZE batches;
INSERT INTO bench.inserts
SELECT n, who, 'id, sig', 'CREATE TABLE target AS SELECT * FROM sigs WHERE id % 2 = 0; CREATE INDEX ON target USING ' || index
FROM (VALUES (1, 'lshsim, lsh', 'lsh (sig)'), (2, 'lshsim, GIN, fastupdate on', 'gin (sig)'),
	(3, 'lshsim, GIN, fastupdate off', 'gin (sig) WITH (fastupdate = off)')) AS v (n, who, index);

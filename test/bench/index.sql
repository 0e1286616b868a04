-- Indexes: how long they take to build, how large they are, and what they
-- write to the log.
SELECT count(*) AS rows, count(*) FILTER (WHERE id % 2 = 1) AS half, count(*) FILTER (WHERE id % 10 = 1) AS tenth
FROM sigs \gset
SET bench.wal = :rows;

SELECT bench.race('index', 'build', :rows, 's', NULL, :runs,
	'lshsim, GIN', 'DROP INDEX IF EXISTS sigs_gin; CREATE INDEX sigs_gin ON sigs USING gin (sig)',
	'band table, B-tree', 'DROP TABLE IF EXISTS bands;
		CREATE TABLE bands AS SELECT unnest(lsh_band_keys(sig, bands, rows)) AS key, id FROM sigs, lsh_plan(0.8);
		CREATE INDEX ON bands (key, id)',
	'pg_trgm, GIN', 'DROP INDEX IF EXISTS docs_gin; CREATE INDEX docs_gin ON docs USING gin (body gin_trgm_ops)',
	'pg_trgm, GiST', 'DROP INDEX IF EXISTS docs_gist_gist;
		CREATE INDEX docs_gist_gist ON docs_gist USING gist (body gist_trgm_ops (siglen = 256))');
SELECT bench.note('index', 'size', :rows, who, 'bytes per row', ARRAY[size::float8 / :rows])
FROM (VALUES ('lshsim, GIN', pg_relation_size('sigs_gin')),
	('lshsim, the signatures', (SELECT sum(pg_column_size(sig)) FROM sigs)),
	('band table, B-tree', pg_total_relation_size('bands')),
	('pg_trgm, GIN', pg_relation_size('docs_gin')),
	('pg_trgm, GiST', pg_relation_size('docs_gist_gist')),
	('the texts', (SELECT sum(octet_length(body)) FROM docs))) AS v (who, size)
ORDER BY who NOT LIKE 'lshsim%', who;
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
	'lshsim, fastupdate on', bench.insert('id, sig', 'CREATE INDEX ON target USING gin (sig)'),
	'lshsim, fastupdate off', bench.insert('id, sig', 'CREATE INDEX ON target USING gin (sig) WITH (fastupdate = off)'),
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
-- maintenance_work_mem, by inserts.
SET bench.wal = '';
CREATE FUNCTION bench.fill(name text, memory text, options text, later boolean) RETURNS text LANGUAGE sql AS $$
	SELECT format('SET maintenance_work_mem = %1$L; DROP TABLE IF EXISTS %2$I;
		CREATE TABLE %2$I AS SELECT id, sig FROM sigs %3$s; CREATE INDEX %4$I ON %2$I USING gin (sig) %5$s; %6$s',
		memory, name, CASE WHEN later THEN 'LIMIT 0' ELSE '' END, name || '_gin', options,
		CASE WHEN later THEN format('INSERT INTO %I SELECT id, sig FROM sigs', name) ELSE '' END)
$$;
SELECT bench.race('index', 'build, by how it is filled', :rows, 's', NULL, :runs,
	'lshsim, one batch (1 GB)', bench.fill('fill_1gb', '1GB', '', false),
	'lshsim, batches of 64 MB', bench.fill('fill_64mb', '64MB', '', false),
	'lshsim, batches of 16 MB', bench.fill('fill_16mb', '16MB', '', false),
	'lshsim, batches of 4 MB', bench.fill('fill_4mb', '4MB', '', false),
	'lshsim, inserts, fastupdate on', bench.fill('fill_pending', '64MB', '', true),
	'lshsim, inserts, fastupdate off', bench.fill('fill_insert', '64MB', 'WITH (fastupdate = off)', true));
SELECT bench.note('index', 'size, by how it is filled', :rows, who, 'bytes per row',
	ARRAY[pg_relation_size(name || '_gin')::float8 / :rows])
FROM (VALUES (1, 'lshsim, one batch (1 GB)', 'fill_1gb'), (2, 'lshsim, batches of 64 MB', 'fill_64mb'),
	(3, 'lshsim, batches of 16 MB', 'fill_16mb'), (4, 'lshsim, batches of 4 MB', 'fill_4mb'),
	(5, 'lshsim, inserts, fastupdate on', 'fill_pending'),
	(6, 'lshsim, inserts, fastupdate off', 'fill_insert')) AS v (n, who, name)
ORDER BY n;
SET lshsim.similarity_threshold = 0.8;
SELECT bench.probe_race('index', 0.8, :rows, :patience,
	'lshsim, one batch (1 GB)', 'SELECT id FROM fill_1gb WHERE sig % probe.sig',
	'lshsim, batches of 64 MB', 'SELECT id FROM fill_64mb WHERE sig % probe.sig',
	'lshsim, batches of 16 MB', 'SELECT id FROM fill_16mb WHERE sig % probe.sig',
	'lshsim, batches of 4 MB', 'SELECT id FROM fill_4mb WHERE sig % probe.sig',
	'lshsim, inserts, fastupdate off', 'SELECT id FROM fill_insert WHERE sig % probe.sig',
	'lshsim, inserts, pending list full', 'SELECT id FROM fill_pending WHERE sig % probe.sig');
DROP TABLE fill_1gb, fill_64mb, fill_16mb, fill_4mb, fill_pending, fill_insert;

-- One of several clients: insert every so many of a quarter of the rows, and
-- commit after every 20.
CREATE PROCEDURE bench.insert_in_steps(clients int, client int) LANGUAGE plpgsql AS $$
DECLARE
	ids int[] := ARRAY(SELECT id FROM sigs WHERE id % 4 = 1 AND id / 4 % clients = client ORDER BY id);
BEGIN
	FOR i IN 1 .. cardinality(ids) BY 20 LOOP
		INSERT INTO target SELECT * FROM sigs WHERE id = ANY (ids[i : i + 19]);
		COMMIT;
	END LOOP;
END $$;

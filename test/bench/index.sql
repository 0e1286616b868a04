-- Indexes: how long they take to build, how large they are, and what they
-- write to the log.
SET bench.wal = 'on';
SET maintenance_work_mem = '512MB';
SELECT count(*) AS rows, count(*) FILTER (WHERE id % 2 = 1) AS half, count(*) FILTER (WHERE id % 10 = 1) AS tenth
FROM sigs \gset

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
CREATE FUNCTION bench.inserts(source text, columns text, index text) RETURNS text LANGUAGE sql AS $$
	SELECT format('DROP TABLE IF EXISTS target; CREATE TABLE target AS SELECT %2$s FROM %1$s WHERE id %% 2 = 0; %3$s',
		source, columns, index)
$$;
CREATE FUNCTION bench.insert_race(runs int, rows bigint, VARIADIC contenders text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	rates jsonb := '{}';
	wal jsonb := '{}';
	began float8;
	lsn pg_lsn;
	who text;
BEGIN
	FOR run IN 1 .. runs LOOP
		FOR i IN 1 .. cardinality(contenders) / 3 LOOP
			who := contenders[3 * i - 2];
			EXECUTE contenders[3 * i - 1];
			lsn := pg_current_wal_insert_lsn();
			began := bench.now();
			EXECUTE contenders[3 * i];
			rates := bench.append(rates, who, rows / (bench.now() - began));
			wal := bench.append(wal, who, (pg_current_wal_insert_lsn() - lsn)::float8 / rows);
		END LOOP;
	END LOOP;
	FOR i IN 1 .. cardinality(contenders) / 3 LOOP
		who := contenders[3 * i - 2];
		PERFORM bench.note('index', 'insert in one statement', rows, who, 'rows/s', bench.numbers(rates->who));
		PERFORM bench.note('index', 'insert in one statement, WAL', rows, who, 'bytes per row', bench.numbers(wal->who));
	END LOOP;
END $$;
SELECT bench.insert_race(:runs, :half,
	'lshsim, fastupdate on', bench.inserts('sigs', 'id, sig', 'CREATE INDEX ON target USING gin (sig)'),
	'INSERT INTO target SELECT id, sig FROM sigs WHERE id % 2 = 1',
	'lshsim, fastupdate off', bench.inserts('sigs', 'id, sig', 'CREATE INDEX ON target USING gin (sig) WITH (fastupdate = off)'),
	'INSERT INTO target SELECT id, sig FROM sigs WHERE id % 2 = 1',
	'no index', bench.inserts('sigs', 'id, sig', ''),
	'INSERT INTO target SELECT id, sig FROM sigs WHERE id % 2 = 1',
	'band table, B-tree', bench.inserts('sigs', 'unnest(lsh_band_keys(sig, 16, 6)) AS key, id', 'CREATE INDEX ON target (key, id)'),
	'INSERT INTO target SELECT unnest(lsh_band_keys(sig, 16, 6)), id FROM sigs WHERE id % 2 = 1');
-- pg_trgm is given fewer rows: it is slow
SELECT bench.insert_race(:runs, :tenth,
	'pg_trgm, fastupdate on', bench.inserts('docs', 'id, body', 'CREATE INDEX ON target USING gin (body gin_trgm_ops)'),
	'INSERT INTO target SELECT id, body FROM docs WHERE id % 10 = 1');

-- Texts with a generated column, with the trigger, and without signatures.
SELECT bench.insert_race(:runs, :rows,
	'lshsim, generated column, no index', 'DROP TABLE IF EXISTS target; CREATE TABLE target
		(id int, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED)',
	'INSERT INTO target SELECT id, body FROM docs',
	'lshsim, trigger, no index', 'DROP TABLE IF EXISTS target; CREATE TABLE target (id int, body text, sig minhash);
		CREATE TRIGGER keep_sig BEFORE INSERT OR UPDATE ON target
		FOR EACH ROW EXECUTE FUNCTION minhash_trigger(''sig'', ''char:5'', 128, ''body'')',
	'INSERT INTO target SELECT id, body FROM docs',
	'texts only', 'DROP TABLE IF EXISTS target; CREATE TABLE target (id int, body text)',
	'INSERT INTO target SELECT id, body FROM docs');
UPDATE bench.figures SET task = replace(task, 'insert in', 'insert texts in')
WHERE section = 'index' AND task LIKE 'insert in%' AND (who LIKE '%, no index' OR who = 'texts only');
DROP TABLE target;

-- How the index was filled: by one batch, by batches of what fits into
-- maintenance_work_mem, by inserts.
SET bench.wal = 'off';
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

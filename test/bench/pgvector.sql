-- One corpus: an lsh index and HNSW indexes of one bit of each slot.
--
-- In: table docs (id, body).  Variables of psql: probes, runs, widths.  Out:
-- tables in Markdown.

DROP SCHEMA IF EXISTS bench CASCADE;
\ir common.sql
SET search_path = bench, public;

-- Do a statement; tell seconds of the processor and by the clock.
CREATE FUNCTION timed(statement text, OUT cpu float8, OUT clock float8) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz := clock_timestamp();
BEGIN
	PERFORM set_config('bench.clock', 'processor', false);
	cpu := (bench.measure(statement)).seconds;
	clock := extract(epoch FROM clock_timestamp() - began);
END $$;

-- The indexes: statement, time to compute the signatures and bits, and the time
-- of each build.
CREATE TABLE made (n int GENERATED ALWAYS AS IDENTITY, width int, index text, statement text, signed float8,
	taken float8, columns_size text DEFAULT '–', cpu float8[] DEFAULT '{}', clock float8[] DEFAULT '{}');
INSERT INTO made (index, statement, signed)
SELECT 'sigs_lsh', 'CREATE INDEX sigs_lsh ON sigs USING lsh (sig)', cpu
FROM timed('CREATE TABLE sigs AS SELECT id, to_minhash(body) AS sig FROM docs');
ALTER TABLE sigs ADD PRIMARY KEY (id);
SELECT count(*) AS rows FROM sigs \gset
INSERT INTO made (width, index, statement)
SELECT width, format('bits_%s_hnsw', width),
	format('CREATE INDEX bits_%1$s_hnsw ON bits_%1$s USING hnsw (bits bit_hamming_ops)', width)
FROM unnest(:'widths'::int[]) AS width;

-- Make a table of bits of a width, with the signatures that verify.  Of more
-- hashes than a short text has shingles, one permutation leaves slots empty,
-- which makes all such texts alike; k permutations do not.
CREATE PROCEDURE make_bits(this int) LANGUAGE plpgsql AS $$
DECLARE
	method text := CASE WHEN this > 128 THEN 'k-permutation' ELSE 'one-permutation' END;
	signing float8;
	taking float8;
	size text;
BEGIN
	signing := (timed(format('CREATE TABLE wide AS SELECT id, to_minhash(body, ''char:5'', %s, method => %L) AS sig FROM docs',
		this, method))).cpu;
	taking := (timed('CREATE TABLE narrow AS SELECT id, low_bits(sig) AS bits FROM wide')).cpu;
	EXECUTE format('CREATE TABLE bits_%1$s AS SELECT id, s.sig, bits::bit(%1$s), %1$s - (minhash_info(w.sig)).empty_slots AS filled
		FROM sigs AS s JOIN wide AS w USING (id) JOIN narrow USING (id);
		DROP TABLE wide, narrow', this);
	EXECUTE format('SELECT format(''%%s, and %%s to verify'', max(pg_column_size(bits)), max(pg_column_size(sig)))
		FROM bits_%s', this) INTO size;
	UPDATE made SET signed = signing, taken = taking, columns_size = size WHERE width = this;
END $$;
SELECT format('CALL make_bits(%s)', width) FROM made WHERE width IS NOT NULL ORDER BY n \gexec

-- Build every index in turn, but what takes half a minute once.
CREATE PROCEDURE build(runs int) LANGUAGE plpgsql AS $$
DECLARE
	this made;
	took record;
BEGIN
	FOR run IN 1 .. runs LOOP
		FOR this IN SELECT * FROM made WHERE cpu = '{}' OR clock[1] < 30 ORDER BY n LOOP
			EXECUTE format('DROP INDEX IF EXISTS %I', this.index);
			took := timed(this.statement);
			UPDATE made SET cpu = cpu || took.cpu, clock = clock || took.clock WHERE n = this.n;
			COMMIT;
		END LOOP;
	END LOOP;
END $$;
CALL build(:runs);
VACUUM ANALYZE;

-- Rows that have a similar one are searched for.  The recall with which they
-- are found here is so high that it favours neither side.
SELECT format('ALTER TABLE probes ADD bits_%1$s bit(%1$s), ADD filled_%1$s int', width) FROM made WHERE width IS NOT NULL \gexec
INSERT INTO probes (probe, id, sig)
SELECT row_number() OVER (ORDER BY md5(id::text)), id, sig
FROM sigs WHERE ctid IN (SELECT unnest(ARRAY[a, b]) FROM lsh_index_pairs('sigs_lsh', 0.8, 0.9999))
ORDER BY 1 LIMIT :probes;
SELECT format('UPDATE probes SET bits_%1$s = b.bits, filled_%1$s = b.filled FROM bits_%1$s AS b WHERE b.id = probes.id', width)
FROM made WHERE width IS NOT NULL \gexec

-- The truth, by comparing every row: the rows at .8, and the ten nearest.
SET enable_indexscan = off;
SET enable_bitmapscan = off;
INSERT INTO estimated SELECT p.id, s.id, jaccard(s.sig, p.sig)
FROM probes AS p JOIN sigs AS s ON s.id <> p.id AND jaccard(s.sig, p.sig) >= 0.8;
CREATE TABLE tenth AS
SELECT p.id AS a, (SELECT min(similarity) FROM (SELECT jaccard(sig, p.sig) AS similarity FROM sigs AS s
		WHERE s.id <> p.id ORDER BY sig <-> p.sig LIMIT 10) AS ten) AS similarity
FROM probes AS p;
RESET enable_indexscan;
RESET enable_bitmapscan;

-- The bits are those of the slots: they differ in no slot that does not.
DO $$ BEGIN
	ASSERT (SELECT bool_and((low_bits(a.sig) <~> low_bits(b.sig)) <= 128 * (1 - similarity) + 1e-6)
		FROM estimated AS e JOIN sigs AS a ON a.id = e.a JOIN sigs AS b ON b.id = e.b);
END $$;

-- The rows at .8 that are within a distance, read in its order as far as that:
-- three standard deviations beyond the mean at .8, where the similarity is
-- itself estimated by 128 slots.  Of the slots, those count that are filled in
-- either set: at most 1.25 times as many as in the one that is sought.
CREATE FUNCTION reach(width int, filled int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT n * (0.1 + 3 * sqrt(0.09 / n + 0.04 / 128)) FROM least(width, 1.25 * filled) AS n
$$;
SELECT format($make$CREATE FUNCTION within_%1$s(sought bit, filled int, probe minhash) RETURNS SETOF int LANGUAGE plpgsql AS $$
DECLARE
	this record;
	farthest float8 := reach(%1$s, filled);
BEGIN
	FOR this IN SELECT id, sig, bits <~> sought AS distance FROM bits_%1$s ORDER BY bits <~> sought LOOP
		EXIT WHEN this.distance > farthest;
		IF jaccard(this.sig, probe) >= 0.8 THEN
			RETURN NEXT this.id;
		END IF;
	END LOOP;
END $$ $make$, width) FROM made WHERE width IS NOT NULL \gexec

-- The ways to search: for "all" rows at .8 or the "ten" nearest.
CREATE TABLE ways (n int GENERATED ALWAYS AS IDENTITY, task text, name text, width int, ef int, iterative text DEFAULT 'off', query text,
	share float8, cpu float8[] DEFAULT '{}');
INSERT INTO ways (task, name, query) VALUES
	('all', 'primary key', 'SELECT id FROM sigs WHERE id = probe.id'),
	('all', '`lsh`', 'SELECT id FROM sigs WHERE minhash_similar(sig, probe.sig, 0.8)'),
	('ten', '`lsh`', 'SELECT id FROM sigs ORDER BY sig <-> probe.sig LIMIT 11');
INSERT INTO ways (task, name, width, ef, iterative, query)
SELECT task, format(name, width), width, ef, iterative, format(query, width, ef)
FROM made, (VALUES
	('all', '`bit(%s)`, the nearest', 'off', 'SELECT id FROM (SELECT id, sig FROM bits_%1$s
		ORDER BY bits <~> probe.bits_%1$s LIMIT %2$s) AS near WHERE jaccard(sig, probe.sig) >= 0.8'),
	('all', '`bit(%s)`, within a distance', 'strict_order', 'SELECT within_%1$s(probe.bits_%1$s, probe.filled_%1$s, probe.sig)'),
	('ten', '`bit(%s)`, the nearest', 'off', 'SELECT id FROM (SELECT id, sig FROM bits_%1$s
		ORDER BY bits <~> probe.bits_%1$s LIMIT %2$s) AS near ORDER BY sig <-> probe.sig LIMIT 11'))
	AS q (task, name, iterative, query), unnest(CASE task WHEN 'all' THEN ARRAY[40, 100, 200, 400, 1000] ELSE ARRAY[40, 200, 1000] END) AS ef
WHERE width IS NOT NULL ORDER BY task, name, width, ef;

-- The share of what is sought that a way has found.
CREATE FUNCTION share(way ways) RETURNS float8 LANGUAGE sql AS $$
	WITH hits AS (
		SELECT id AS a, b FROM found, unnest(ids) AS b WHERE who = way.n::text AND pass = 1 AND b <> id
	)
	SELECT CASE way.task WHEN 'all' THEN
		(SELECT count(*) FROM hits JOIN estimated USING (a, b))::float8 / (SELECT count(*) FROM estimated)
	ELSE
		(SELECT sum(least(near, 10)) / 10 FROM (SELECT count(*) AS near
			FROM hits JOIN tenth USING (a) JOIN probes AS p ON p.id = a JOIN sigs AS s ON s.id = b
			WHERE jaccard(s.sig, p.sig) >= similarity GROUP BY a) AS n)::float8 / (SELECT count(*) FROM probes)
	END
$$;

-- Milliseconds of this process on a processor, which Linux adds up when it
-- sleeps.
CREATE FUNCTION processor_ms() RETURNS float8 LANGUAGE sql AS $$
	SELECT set_config('bench.clock', 'processor', false), pg_sleep(0.001);
	SELECT 1000 * bench.now()
$$;

-- Search for all probes in a way: once for what it finds, and then as often as
-- takes a fifth of a second, for its processor time.
CREATE PROCEDURE search_by(way ways, pass int) LANGUAGE plpgsql AS $$
DECLARE
	began float8;
	rounds int := 0;
BEGIN
	PERFORM set_config('hnsw.ef_search', coalesce(way.ef, 40)::text, false),
		set_config('hnsw.iterative_scan', way.iterative, false);
	PERFORM make_prober(way.query);
	INSERT INTO found SELECT way.n::text, pass, s.* FROM bench.search(1e9) AS s;
	began := processor_ms();
	WHILE processor_ms() < began + 200 LOOP
		PERFORM FROM bench.search(1e9);
		rounds := rounds + 1;
	END LOOP;
	-- the first probe is searched for twice
	UPDATE ways SET cpu = cpu || (processor_ms() - began) / rounds / (SELECT count(*) + 1 FROM probes) WHERE n = way.n;
END $$;

-- Try every way in turn, some times, but those of 10 ms and more once; the
-- first time with a growing ef_search until it is enough.
CREATE PROCEDURE race(runs int) LANGUAGE plpgsql AS $$
DECLARE
	way ways;
BEGIN
	FOR pass IN 1 .. runs LOOP
		FOR way IN SELECT * FROM ways ORDER BY n LOOP
			CONTINUE WHEN way.cpu[1] > 10 OR NOT EXISTS (SELECT FROM ways AS w WHERE w.n = way.n);
			CALL search_by(way, pass);
			CONTINUE WHEN pass > 1;
			UPDATE ways SET share = bench.share(way) WHERE n = way.n;
			DELETE FROM ways AS more USING ways AS w WHERE w.n = way.n AND w.share >= 0.99
				AND more.task = w.task AND more.name = w.name AND more.ef > w.ef;
		END LOOP;
	END LOOP;
END $$;
LOAD 'vector';
CALL race(:runs);

-- The median over the passes of a percentile of milliseconds.
CREATE FUNCTION ms(way int, percentile float8) RETURNS float8 LANGUAGE sql AS $$
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)
	FROM (SELECT percentile_cont(percentile) WITHIN GROUP (ORDER BY ms) AS ms FROM found
		WHERE who = way::text GROUP BY pass) AS passes
$$;
CREATE FUNCTION median(numbers float8[]) RETURNS numeric LANGUAGE sql AS $$
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n)::numeric FROM unnest(numbers) AS n
$$;

SELECT format('%s rows. %s are searched for; %s others have an estimate of at least .8, at the median %s to one, at most %s.',
	:rows, count(*), sum(others), percentile_disc(0.5) WITHIN GROUP (ORDER BY others), max(others))
FROM (SELECT count(*) AS others FROM estimated GROUP BY a) AS e;

\echo
\echo 'Index | Signing, processor s | Bits of it, likewise | Built, likewise | by the clock | Runs | Index, bytes a row | Columns, bytes a row'
\echo '--- | --: | --: | --: | --: | --: | --: | --:'
SELECT format('%s | %s | %s | %s | %s | %s | %s | %s', CASE WHEN width IS NULL THEN '`lsh`' ELSE format('HNSW, `bit(%s)`', width) END,
	round(signed::numeric, 1), coalesce(round(taken::numeric, 1)::text, '–'), round(median(cpu), 2), round(median(clock), 2), cardinality(cpu),
	round(pg_relation_size(index::regclass)::numeric / :rows), columns_size)
FROM made ORDER BY n;

-- Print the ways of a task.
CREATE FUNCTION report(this text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s | %s | %s | %s | %s | %s | %s', name, coalesce(ef::text, '–'),
		CASE WHEN name = 'primary key' THEN '–' ELSE round(share::numeric, 4)::text END,
		round(median(cpu), 3), round((median(cpu) / (SELECT median(cpu) FROM ways WHERE task = this AND name = '`lsh`')), 1),
		round(ms(n, 0.5)::numeric, 3), round(ms(n, 0.95)::numeric, 3))
	FROM ways WHERE task = this ORDER BY n
$$;
\echo
\echo 'All rows at .8 | ef_search | Recall | Processor, ms | times `lsh` | Clock, ms: median | 95 %'
\echo '--- | --: | --: | --: | --: | --: | --:'
SELECT report('all');
\echo
\echo 'The ten nearest | ef_search | Share of the ten | Processor, ms | times `lsh` | Clock, ms: median | 95 %'
\echo '--- | --: | --: | --: | --: | --: | --:'
SELECT report('ten');
SELECT format('DROP TABLE bits_%s', width) FROM made WHERE width IS NOT NULL \gexec

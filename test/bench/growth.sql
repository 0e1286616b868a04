-- How things grow: the first :n of the generated documents (generated), which
-- are there with their near-duplicates.
DROP TABLE IF EXISTS sigs, twin, bands, docs;
CREATE TABLE docs (id int, body text);
SELECT bench.race('growth', 'signatures of texts', :n, 'rows/s', :n, 1,
	'lshsim', 'CREATE TABLE sigs AS SELECT id, to_minhash(body) AS sig FROM generated WHERE id <= ' || :n);
CREATE TABLE twin AS TABLE sigs;
CREATE INDEX ON sigs (id);
VACUUM ANALYZE sigs;
VACUUM ANALYZE twin;

-- Some near-duplicates, and all that they are similar to: the document that
-- they are made of and what else is made of it.
TRUNCATE bench.judged, bench.truth, bench.estimated, bench.probes;
INSERT INTO bench.judged
SELECT id FROM generated WHERE id <= :n AND id <> source ORDER BY hashint4(id), id LIMIT 4000;
INSERT INTO bench.truth
SELECT j.id, o.id, jaccard(a.body, o.body, 'char:5')
FROM bench.judged AS j JOIN generated AS a USING (id)
JOIN generated AS o ON o.source = a.source AND o.id <> a.id WHERE o.id <= :n;
-- No others are nearly as similar, so no others have such an estimate.
INSERT INTO bench.estimated
SELECT a, b, jaccard(x.sig, y.sig) FROM bench.truth JOIN sigs AS x ON x.id = a JOIN sigs AS y ON y.id = b;
INSERT INTO bench.probes
SELECT row_number() OVER (ORDER BY hashint4(id), id), id, body, sig
FROM bench.judged JOIN generated USING (id) JOIN sigs USING (id) ORDER BY hashint4(id), id LIMIT 200;

-- New sessions, to see their memory.
\c -
SET client_min_messages = warning;
SET bench.clock = 'processor';
SET bench.wal = :n;
SELECT bench.note('growth', 'memory of the server process', :n, 'an idle session', 'MB', ARRAY[bench.memory()]);
SELECT bench.race('growth', 'build', :n, 's', NULL, :runs,
	'lshsim, lsh', 'DROP INDEX IF EXISTS twin_lsh; CREATE INDEX twin_lsh ON twin USING lsh (sig)');
SELECT bench.note('growth', 'memory of the server process', :n, 'lshsim, lsh, build', 'MB', ARRAY[bench.memory()]);
SELECT bench.note('growth', 'size', :n, 'lshsim, lsh', 'bytes per row', ARRAY[pg_relation_size('twin_lsh')::float8 / :n]);

\c -
SET client_min_messages = warning;
SET bench.clock = 'processor';
SET bench.wal = :n;
SELECT bench.race('growth', 'build', :n, 's', NULL, :runs,
	'lshsim, GIN', 'DROP INDEX IF EXISTS sigs_gin; CREATE INDEX sigs_gin ON sigs USING gin (sig)');
SELECT bench.note('growth', 'memory of the server process', :n, 'lshsim, GIN, build', 'MB', ARRAY[bench.memory()]);
SELECT bench.note('growth', 'size', :n, 'lshsim, GIN', 'bytes per row', ARRAY[pg_relation_size('sigs_gin')::float8 / :n]);

\c -
SET client_min_messages = warning;
CREATE TABLE bands AS SELECT unnest(lsh_band_keys(sig, 16, 6)) AS key, id FROM sigs;
CREATE INDEX ON bands (key, id);
VACUUM ANALYZE bands;
SELECT set_config('lshsim.similarity_threshold', t::text, false),
	bench.probe_race('growth', format('search at %s', t), t, :n, :patience, VARIADIC ARRAY[
	'lshsim, lsh', 'SELECT id FROM twin WHERE sig % probe.sig',
	'lshsim, GIN', 'SELECT id FROM sigs WHERE sig % probe.sig',
	'primary key', 'SELECT id FROM sigs WHERE id = probe.id'] || CASE WHEN t = 0.8 THEN ARRAY[
	'band table, verified', 'SELECT s.id FROM (SELECT DISTINCT id FROM bands
		WHERE key = ANY (lsh_band_keys(probe.sig, 16, 6))) AS c JOIN sigs AS s USING (id)
		WHERE jaccard(s.sig, probe.sig) >= 0.8'] ELSE '{}' END)
FROM unnest(ARRAY[0.5, 0.7, 0.8, 0.9, 0.95]) AS t \g /dev/null
SELECT bench.note('growth', 'memory of the server process', :n, 'lshsim, searches', 'MB', ARRAY[bench.memory()]);

-- pg_trgm at the least size only.
SELECT :n = :least AS trgm \gset
\if :trgm
INSERT INTO docs SELECT id, body FROM generated WHERE id <= :n;
CREATE INDEX ON docs USING gin (body gin_trgm_ops);
VACUUM ANALYZE docs;
SELECT set_config('pg_trgm.similarity_threshold', bench.trgm_threshold(0.8), false) \g /dev/null
SELECT bench.probe_race('growth', 'search at 0.8', 0.8, :n, :patience, 'pg_trgm, GIN', 'SELECT id FROM docs WHERE body % probe.body');
\endif

\c -
SELECT count(cluster) FROM (SELECT minhash_cluster(sig, 0.8) OVER (ORDER BY id) AS cluster FROM sigs) AS s \g /dev/null
SELECT bench.note('growth', 'memory of the server process', :n, 'lshsim, minhash_cluster', 'MB', ARRAY[bench.memory()]);

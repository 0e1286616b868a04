-- Searches for 200 documents among the descriptions, by index, at a threshold:
-- psql variable t.
SELECT set_config('lshsim.similarity_threshold', :'t', false) \g /dev/null

SELECT bench.trgm_threshold(:t) AS trgm \gset
SELECT set_config('pg_trgm.similarity_threshold', :'trgm', false) \g /dev/null

-- A table of the same bands as lshsim would look up.
SELECT bands, band_rows FROM lsh_plan(:t) \gset
CREATE TABLE bands AS SELECT unnest(lsh_band_keys(sig, :bands, :band_rows)) AS key, id FROM sigs;
CREATE INDEX ON bands (key, id);
VACUUM ANALYZE bands;
CREATE INDEX IF NOT EXISTS sigs_gin ON sigs USING gin (sig);
CREATE INDEX IF NOT EXISTS twin_lsh ON twin USING lsh (sig);

SELECT format('search at %s', :t::float8) AS task \gset
SELECT bench.probe_race('probes', :'task', :t, count(*), :patience,
	'lshsim, lsh', 'SELECT id FROM twin WHERE sig % probe.sig',
	'lshsim, GIN', 'SELECT id FROM sigs WHERE sig % probe.sig',
	'primary key', 'SELECT id FROM sigs WHERE id = probe.id',
	'lshsim, lsh, from (SELECT to_minhash(text))', 'SELECT id FROM twin WHERE sig % (SELECT to_minhash(probe.body))',
	'lshsim, lsh, from to_minhash(text)', 'SELECT id FROM twin WHERE sig % to_minhash(probe.body)',
	'band table, unverified', format('SELECT DISTINCT id FROM bands WHERE key = ANY (lsh_band_keys(probe.sig, %s, %s))', :bands, :band_rows),
	'band table, verified', format('SELECT s.id FROM (SELECT DISTINCT id FROM bands
		WHERE key = ANY (lsh_band_keys(probe.sig, %s, %s))) AS c JOIN sigs AS s USING (id)
		WHERE jaccard(s.sig, probe.sig) >= %s', :bands, :band_rows, :t))
FROM sigs;
DROP TABLE bands;

-- pg_trgm, with as many searches as there is patience for; GiST at 0.8 only.
CREATE INDEX IF NOT EXISTS docs_gin ON docs USING gin (body gin_trgm_ops);
SELECT bench.probe_race('probes', :'task', :t, count(*), CASE WHEN :t = 0.8 THEN 5 ELSE 1 END * :patience,
	'pg_trgm, GIN', 'SELECT id FROM docs WHERE body % probe.body')
FROM docs;
SELECT :t = 0.8 AS gist \gset
\if :gist
CREATE INDEX IF NOT EXISTS docs_gist_gist ON docs_gist USING gist (body gist_trgm_ops (siglen = 256));
SELECT bench.probe_race('probes', :'task', :t, count(*), :patience,
	'pg_trgm, GiST', 'SELECT id FROM docs_gist WHERE body % probe.body')
FROM docs;
\endif
UPDATE bench.figures SET note = note || format('; its threshold %s', :trgm)
WHERE section = 'probes' AND who LIKE 'pg_trgm%' AND task = :'task' || ', median';
UPDATE bench.figures SET note = note || format('; without %s texts of more than 2,600 bytes',
	(SELECT count(*) FROM docs) - (SELECT count(*) FROM docs_gist))
WHERE section = 'probes' AND who = 'pg_trgm, GiST' AND task = :'task' || ', median';

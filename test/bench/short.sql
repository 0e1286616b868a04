-- Searches at low thresholds among short texts, names under char:3, where bands
-- visit most of the table: psql variable n, how many of the table names.
DROP TABLE IF EXISTS sigs, twin;
CREATE TABLE plain AS SELECT id, to_minhash(body, 'char:3') AS sig FROM names WHERE id <= :n ORDER BY id;
CREATE TABLE sigs AS TABLE plain;
CREATE TABLE twin AS TABLE plain;
CREATE INDEX ON plain (id);
CREATE INDEX ON sigs USING gin (sig);
CREATE INDEX ON twin USING lsh (sig);
VACUUM ANALYZE plain;
VACUUM ANALYZE sigs;
VACUUM ANALYZE twin;

TRUNCATE bench.judged, bench.truth, bench.estimated, bench.probes;
INSERT INTO bench.probes
SELECT row_number() OVER (ORDER BY hashint4(id), id), id, body, sig
FROM names JOIN plain USING (id) ORDER BY hashint4(id), id LIMIT 30;

SELECT bench.probe_race('short', task, threshold, :n, :patience,
	'lshsim, lsh', format(search, 'twin'), 'lshsim, GIN', format(search, 'sigs'),
	'sequential scan', format(search, 'plain'), 'primary key', 'SELECT id FROM plain WHERE id = probe.id')
FROM (VALUES (1, 'search at 0.3', 0.3, 0.99), (2, 'search at 0.4', 0.4, 0.99),
		(3, 'search at 0.5 with recall 1', 0.5, 1)) AS v (n, task, threshold, recall),
	format('SELECT id FROM %%I WHERE minhash_similar(sig, probe.sig, %s, %s)', threshold, recall) AS search
ORDER BY n;
DROP TABLE sigs, twin, plain;

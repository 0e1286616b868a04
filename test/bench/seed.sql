-- The measurements of the page that lshsim began with (Nick Grattan's class LSH
-- in C#): the signatures of 12,000 documents, 100 hashes, their buckets of 5 bands
-- of 20 rows, and the nearest document of each.  psql variable n, how many.
CREATE TABLE twelve AS SELECT id, body FROM docs ORDER BY hashint4(id), id LIMIT :n;
SELECT bench.race('seed', 'signatures', :n, 's', NULL, :runs,
	'lshsim', 'DROP TABLE IF EXISTS seed_sigs
	--timed
	CREATE TABLE seed_sigs AS SELECT id, to_minhash(body, num_hashes => 100) AS sig FROM twelve');
SELECT bench.race('seed', 'buckets', :n, 's', NULL, :runs,
	'lshsim, lsh', 'DROP INDEX IF EXISTS seed_lsh
	--timed
	CREATE INDEX seed_lsh ON seed_sigs USING lsh (sig)',
	'band table, 5 bands of 20', 'DROP TABLE IF EXISTS seed_bands
	--timed
	CREATE TABLE seed_bands AS SELECT unnest(lsh_band_keys(sig, 5, 20)) AS key, id, sig FROM seed_sigs');
ANALYZE seed_sigs;
ANALYZE seed_bands;
SET lshsim.similarity_threshold = 0.9;
SELECT bench.race('seed', 'nearest of all', :n, 's', NULL, :runs,
	'lshsim, lsh, among the similar (0.9)', 'CREATE TEMP TABLE IF NOT EXISTS nearest (id int, other int); TRUNCATE nearest
	--timed
	INSERT INTO nearest SELECT a.id, o.id FROM seed_sigs AS a, LATERAL (SELECT b.id FROM seed_sigs AS b
		WHERE b.sig % a.sig AND b.id <> a.id ORDER BY b.sig <-> a.sig LIMIT 1) AS o',
	'band table, 5 bands of 20', 'TRUNCATE nearest
	--timed
	INSERT INTO nearest SELECT DISTINCT ON (a.id) a.id, b.id FROM seed_bands AS a JOIN seed_bands AS b USING (key)
		WHERE a.id <> b.id ORDER BY a.id, jaccard(a.sig, b.sig) DESC');
SELECT bench.race('seed', 'nearest of all', :n, 's', NULL, 1,
	'lshsim, lsh, among all', 'TRUNCATE nearest
	--timed
	INSERT INTO nearest SELECT a.id, o.id FROM seed_sigs AS a, LATERAL (SELECT b.id FROM seed_sigs AS b
		WHERE b.id <> a.id ORDER BY b.sig <-> a.sig LIMIT 1) AS o');
DROP TABLE twelve, seed_sigs, seed_bands;

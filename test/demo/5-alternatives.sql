-- The same search in two other ways.  First pg_trgm: exact, on trigrams.
CREATE EXTENSION pg_trgm;
CREATE INDEX docs_trigrams ON docs USING gin (body gin_trgm_ops);
SET pg_trgm.similarity_threshold = 0.6;

SELECT count(*) AS "by pg_trgm"
  FROM docs d JOIN docs q ON d.body % q.body WHERE q.package = 'vim';

-- Then by hand: a table of the keys of bands, for one threshold, to be kept up
-- to date by yourself; what it finds has to be verified.
CREATE TABLE bands AS
SELECT package, unnest(lsh_band_keys(sig, 19, 3)) AS key FROM docs;
CREATE INDEX ON bands (key, package);
ANALYZE bands;

SELECT count(*) AS "by a table of bands"
  FROM (SELECT DISTINCT b.package, q.sig FROM docs q
          JOIN bands b ON b.key = ANY (lsh_band_keys(q.sig, 19, 3))
         WHERE q.package = 'vim') AS candidate
  JOIN docs d ON d.package = candidate.package
 WHERE jaccard(d.sig, candidate.sig) >= 0.6;

-- And with lshsim.
SELECT count(*) AS "by lshsim"
  FROM docs d JOIN docs q ON minhash_similar(d.sig, q.sig, 0.6)
 WHERE q.package = 'vim';

SELECT pg_size_pretty(pg_relation_size('docs_trigrams')) AS "index of pg_trgm",
       pg_size_pretty(pg_relation_size('bands') + pg_relation_size('bands_key_package_idx')) AS "table of bands",
       pg_size_pretty(pg_relation_size('docs_sig_idx')) AS "index of lshsim";

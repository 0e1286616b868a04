-- The package descriptions: docs (id, body) is there.  Makes signatures, and
-- chooses the documents that are searched for, at random but always the same.
-- An index lsh is made for "twin", and GIN for "sigs", so that a search has one
-- of them to choose.
CREATE TABLE sigs AS SELECT id, to_minhash(body) AS sig FROM docs ORDER BY id;
CREATE TABLE twin AS SELECT id, sig FROM sigs ORDER BY id;
-- Texts that pg_trgm can index by GiST: the distinct trigrams of a row must fit into a page.
CREATE TABLE docs_gist AS SELECT id, body FROM docs WHERE octet_length(body) <= 2600 ORDER BY id;
CREATE INDEX ON sigs (id);
VACUUM ANALYZE docs;
VACUUM ANALYZE sigs;
VACUUM ANALYZE twin;
VACUUM ANALYZE docs_gist;

INSERT INTO bench.probes
SELECT row_number() OVER (ORDER BY hashint4(id), id), id, body, sig
FROM docs JOIN sigs USING (id) ORDER BY hashint4(id), id LIMIT 200;

INSERT INTO bench.judged SELECT id FROM bench.probes;

-- The exact similarities from about 0.5 on.  Pairs are chosen by signatures of
-- another method and seed, which estimate less than 0.2 for one of 10^11 such.
CREATE TEMP TABLE others AS SELECT id, body, to_minhash(body, 'char:5', 128, 1, 'k-permutation') AS sig FROM docs;
INSERT INTO bench.truth
SELECT p.id, d.id, similarity FROM others AS p JOIN bench.judged USING (id)
JOIN others AS d ON d.id <> p.id AND jaccard(p.sig, d.sig) >= 0.2, jaccard(p.body, d.body, 'char:5') AS similarity
WHERE similarity >= 0.45;
ANALYZE bench.truth;

-- The pairs that searches must find at their recall, for all thresholds.
INSERT INTO bench.estimated
SELECT p.id, s.id, jaccard(p.sig, s.sig) FROM bench.probes AS p
JOIN sigs AS s ON s.id <> p.id AND jaccard(p.sig, s.sig) >= 0.5;

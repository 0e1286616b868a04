-- The package descriptions: docs (id, body) is there.  Makes signatures, and
-- chooses the documents that are searched for, at random but always the same.
-- An index lsh is made for "twin", and GIN for "sigs", so that a search has one
-- of them to choose.
CREATE TABLE sigs AS SELECT id, to_minhash(body) AS sig FROM docs ORDER BY id;
CREATE TABLE twin AS SELECT id, sig FROM sigs ORDER BY id;
-- The same bytes in a table of the same width, and texts that pg_trgm can
-- index by GiST: the distinct trigrams of a row must fit into a page.
CREATE TABLE bytes AS SELECT id, sig::bytea AS sig FROM sigs ORDER BY id;
CREATE TABLE docs_gist AS SELECT id, body FROM docs WHERE octet_length(body) <= 2600 ORDER BY id;
CREATE INDEX ON sigs (id);
VACUUM ANALYZE docs;
VACUUM ANALYZE sigs;
VACUUM ANALYZE twin;
VACUUM ANALYZE bytes;
VACUUM ANALYZE docs_gist;

INSERT INTO bench.probes
SELECT row_number() OVER (ORDER BY hashint4(id), id), id, body, sig
FROM docs JOIN sigs USING (id) ORDER BY hashint4(id), id LIMIT 200;

INSERT INTO bench.judged SELECT id FROM bench.probes;

-- The pairs that searches must find at their recall, for all thresholds.
INSERT INTO bench.estimated
SELECT p.id, s.id, jaccard(p.sig, s.sig) FROM bench.probes AS p
JOIN sigs AS s ON s.id <> p.id AND jaccard(p.sig, s.sig) >= 0.5;

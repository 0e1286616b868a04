-- Both rows of a similar pair are always in the same group, so comparing the rows
-- within each group finds all pairs.  lsh_index_pairs lists them from the index.
CREATE TABLE clustered AS
SELECT package, sig, minhash_cluster(sig, 0.8) OVER (ORDER BY package) AS cluster
  FROM docs;

CREATE TABLE pairs AS
SELECT a.package AS a, b.package AS b, jaccard(a.sig, b.sig) AS similarity
  FROM clustered a JOIN clustered b USING (cluster)
 WHERE a.package < b.package AND minhash_similar(a.sig, b.sig, 0.8);

SELECT (SELECT to_char(count(*) * (count(*) - 1) / 2, 'FM999,999,999,999')
          FROM docs) AS "possible pairs",
       to_char(count(*), 'FM999,999,999') AS "similar pairs",
       to_char(count(*) FILTER (WHERE similarity = 1), 'FM999,999,999')
         AS "of equal signature"
  FROM pairs;

SELECT count(*) AS "pairs from the index" FROM lsh_index_pairs('docs_sig_idx', 0.8);

CREATE INDEX ON docs USING lsh (sig);
VACUUM ANALYZE docs;
SELECT pg_size_pretty(sum(octet_length(body))) AS text,
       pg_size_pretty(sum(pg_column_size(sig))) AS signatures,
       pg_size_pretty(pg_relation_size('docs_sig_idx')) AS index
  FROM docs;

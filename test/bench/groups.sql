-- Refreshes of groups in turns with minhash_cluster over the same table: processor time of
-- the session.  test/bench/groups runs this, with ROWS.
\i src/test/bench/groups_common.sql
CREATE TABLE docs AS
	SELECT row_number() OVER () AS n, id, to_minhash(body) AS sig FROM texts
	UNION ALL SELECT i, i::text, doc(i) FROM generate_series(1::bigint, :rows) i WHERE NOT EXISTS (SELECT FROM texts);
ALTER TABLE docs ADD PRIMARY KEY (id), ADD tenant bigint;
UPDATE docs SET tenant = n % 100;
VACUUM FULL ANALYZE docs;
CREATE INDEX ON docs (n);

SELECT minhash_groups_create('docs', 'sig', 0.8), minhash_groups_create('docs', 'sig', 0.8, groups => 'scoped', scope => '{tenant}') \g /dev/null
VACUUM ANALYZE;
SELECT unnest(string_to_array(format('CALL measure(''%1$s'', ''minhash_cluster'', ''SELECT count(c) FROM (SELECT minhash_cluster(sig, 0.8, 0.99) OVER () AS c FROM docs) d'')~
	CALL measure(''%1$s'', ''refresh, nothing changed'', ''SELECT minhash_groups_refresh(''''docs_groups'''')'')~
	UPDATE docs SET sig = (SELECT d.sig FROM docs d WHERE d.n = docs.n + 1) WHERE n %% 100 = %1$s~
	CALL measure(''%1$s'', ''refresh, 1 %% of the rows changed'', ''SELECT minhash_groups_refresh(''''docs_groups'''')'')~
	CALL measure(''%1$s'', ''minhash_cluster, PARTITION BY tenant'', ''SELECT count(c) FROM (SELECT minhash_cluster(sig, 0.8, 0.99) OVER (PARTITION BY tenant) AS c FROM docs) d'')~
	CALL measure(''%1$s'', ''refresh, scope tenant'', ''SELECT minhash_groups_refresh(''''scoped'''')'')~
	CALL measure(''%1$s'', ''create'', ''SELECT minhash_groups_create(''''docs'''', ''''sig'''', 0.8, groups => ''''new'''')'')~
	DO $$BEGIN PERFORM minhash_groups_drop(''new''); END$$', r), '~'))
FROM generate_series(1, 7) r \gexec

\echo 'statement | ms (median) | by minhash_cluster (median)'
SELECT what, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t.ms)),
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t.ms / c.ms)::numeric, 2)
FROM timed t JOIN (SELECT subject, ms FROM timed WHERE what = 'minhash_cluster') c USING (subject) GROUP BY what ORDER BY min(t.ms);

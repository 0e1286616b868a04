-- Clusters of a table that is distributed over a Citus cluster, the same that
-- minhash_cluster finds on one node:
--
--	CALL distributed_clusters('docs', 0.8, 0.99);
--	SELECT id, cluster FROM docs_clusters;
--
-- The table needs the columns id bigint (distinct) and sig minhash.  The
-- result, a table that must not exist yet, is distributed by id; the cluster is
-- the least id of all rows that similar pairs connect.  Until the end there are
-- also the tables cluster_copies, cluster_bands, cluster_pairs, cluster_news.
--
--	1. Rows with the same signature meet by its hash, and count once.
--	2. Rows with a band in common meet by the key of the band.  There
--	   minhash_cluster finds their components, and each row forms a pair with
--	   the first row of its component.
--	3. Every row has a label, at first its own id.  In each round the rows whose
--	   label has changed tell it their partners, which keep the least; it ends
--	   when no label changes, after as many rounds as the longest way in a
--	   cluster has steps.
--
-- The pairs of step 2 connect the same rows as all similar pairs.  The keys are
-- those that an index looks up for this threshold and recall, so two similar
-- rows meet at one of them, are in one component there, and both are connected
-- with its first row.  Conversely, the rows of a component at one key are
-- connected by similar pairs.  So a family of n rows stores less than n pairs for
-- each band, where the similar pairs could be n (n - 1) / 2.
--
-- Load it where only those who are trusted may create functions and operators.
-- Any engine that joins by a key can do the same.  Nothing passes through the
-- coordinator.  What goes over the network: in step 2 a signature for each
-- band of the plan, elsewhere no more than one for each row.

-- Make an empty table distributed by its first column.
CREATE OR REPLACE FUNCTION make_distributed(name text, columns text, colocate_with text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I (%s)', name, columns);
	PERFORM create_distributed_table(format('%I', name), split_part(columns, ' ', 1), colocate_with => colocate_with);
END $$;

-- Refuse what minhash_cluster refuses, and plans without bands.
CREATE OR REPLACE FUNCTION check_signatures(docs text, threshold float8, recall float8)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	kinds bigint;
	hashes int;
BEGIN
	EXECUTE format('SELECT count(DISTINCT (shingling::text, method, num_hashes, seed)::text), max(num_hashes)
		FROM (SELECT (minhash_info(sig)).* FROM %s WHERE sig IS NOT NULL) i', docs) INTO kinds, hashes;
	IF threshold IS NULL OR recall IS NULL THEN
		RAISE 'threshold and recall must not be null';
	ELSIF kinds > 1 THEN
		RAISE 'the signatures of % are of % kinds', docs, kinds;
	ELSIF (lsh_plan(threshold, recall, hashes)).compare_all THEN
		RAISE 'at threshold % and recall % all rows must be compared', threshold, recall
			USING HINT = 'Use a higher threshold or a lower recall.';
	END IF;
END $$;

CREATE OR REPLACE PROCEDURE distributed_clusters(docs regclass, threshold float8, recall float8)
LANGUAGE plpgsql AS $$
DECLARE
	result text := (SELECT relname::text || '_clusters'::text FROM pg_class WHERE oid = docs);
	this_round int := 0;
	changed bigint;
BEGIN
	PERFORM check_signatures(docs::text, threshold, recall);
	PERFORM make_distributed('cluster_copies', 'hash bigint, id bigint, sig minhash', 'none');
	PERFORM make_distributed('cluster_bands', 'key bigint, id bigint, sig minhash', 'cluster_copies');
	PERFORM make_distributed('cluster_pairs', 'a bigint, b bigint, PRIMARY KEY (a, b)', 'cluster_copies');
	PERFORM make_distributed('cluster_news', 'id bigint, label bigint', 'cluster_copies');
	PERFORM make_distributed(result, 'id bigint PRIMARY KEY, cluster bigint, round int', 'cluster_copies');

	-- 1. the same signature; an empty set is similar to nothing
	EXECUTE format('INSERT INTO cluster_copies SELECT minhash_hash_extended(sig, 0::bigint), id, sig
		FROM %s WHERE jaccard(sig, sig) = 1::float8', docs);
	INSERT INTO cluster_pairs
		SELECT o.id, c.id FROM cluster_copies c
		JOIN (SELECT hash, sig, min(id) AS id FROM cluster_copies GROUP BY hash, sig) o USING (hash, sig)
		WHERE c.id <> o.id;

	-- 2. a band in common
	INSERT INTO cluster_bands
		SELECT unnest(lsh_plan_keys(sig, threshold, recall)), min(id), sig FROM cluster_copies GROUP BY hash, sig;
	ANALYZE cluster_bands;
	INSERT INTO cluster_pairs
		SELECT first, id FROM (
			SELECT min(id) OVER (PARTITION BY key, cluster) AS first, id FROM (
				SELECT key, minhash_cluster(sig, threshold, recall) OVER (PARTITION BY key) AS cluster, id
				FROM (SELECT *, count(*) OVER (PARTITION BY key) AS rows FROM cluster_bands) b WHERE rows > 1) c) f
		WHERE first <> id
		ON CONFLICT DO NOTHING;
	INSERT INTO cluster_pairs SELECT b, a FROM cluster_pairs;
	ANALYZE cluster_pairs;

	-- 3. labels in rounds
	EXECUTE format('INSERT INTO %I SELECT id, id, 0 FROM %s', result, docs);
	LOOP
		this_round := this_round + 1;
		TRUNCATE cluster_news;
		EXECUTE format('INSERT INTO cluster_news SELECT b, cluster FROM %I JOIN cluster_pairs ON a = id
			WHERE round = $1 - 1 AND cluster < b', result) USING this_round;
		EXECUTE format('UPDATE %I r SET cluster = n.label, round = $1
			FROM (SELECT id, min(label) AS label FROM cluster_news GROUP BY id) n
			WHERE r.id = n.id AND n.label < r.cluster', result) USING this_round;
		GET DIAGNOSTICS changed = ROW_COUNT;
		EXIT WHEN changed = 0;
	END LOOP;
	EXECUTE format('ALTER TABLE %I DROP COLUMN round', result);
	DROP TABLE cluster_copies, cluster_bands, cluster_pairs, cluster_news;
END $$;

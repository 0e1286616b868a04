--
-- Search: the operator % finds the same rows by every plan.
--
\set ECHO none \i test/data/setup.sql
-- Member m of family f.
CREATE FUNCTION members(f int, m int) RETURNS int[] LANGUAGE sql IMMUTABLE AS $$
	SELECT ARRAY(SELECT generate_series(f * 1000 + m % 5 * step, f * 1000 + m % 5 * step + n - 1))
	FROM (SELECT f * 7 % 300 + 1 AS n) a, LATERAL (SELECT n * (f % 25 + 1) / 100 AS step) b
$$;
-- The indexes that a plan uses.
CREATE FUNCTION indexes_of(query text) RETURNS text[] LANGUAGE sql AS $$
	SELECT coalesce(array_agg(m[1]), '{}') FROM regexp_matches(pg_temp.explain(query)::text, '"Index Name": "(\w+)"', 'g') m
$$;
-- All pairs that % finds, or at another recall minhash_similar, at seven thresholds, with the index docs_sig or without.
CREATE FUNCTION search(by_index boolean, recalls float8[]) RETURNS TABLE (threshold float8, recall float8, probe int, doc int)
LANGUAGE plpgsql AS $$
DECLARE
	query text = 'SELECT probes.id, docs.id FROM probes JOIN docs ON ';
BEGIN
	PERFORM set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_bitmapscan', by_index::text, true);
	ASSERT (indexes_of(query || 'docs.sig % probes.sig') = '{docs_sig}') = by_index, 'not the plan to be tested';
	FOREACH threshold IN ARRAY '{.5,.6,.7,.8,.9,.95,1}'::float8[] LOOP
		FOREACH recall IN ARRAY recalls LOOP
			PERFORM set_config('lshsim.similarity_threshold', threshold::text, true);
			RETURN QUERY EXECUTE 'SELECT $1, $2, * FROM (' || query || CASE recall WHEN .99 THEN 'docs.sig % probes.sig'
				ELSE 'minhash_similar(docs.sig, probes.sig, $1, $2)' END || ') q' USING threshold, recall;
		END LOOP;
	END LOOP;
END $$;
\set ECHO all
SET jit = off;	-- without a sequential scan, a plan seems to cost so much that it is compiled

-- 1500 sets in families of six, from near-duplicates to distant relatives: member m of family f holds n numbers from m * step on.
-- The sixth is a copy of the first.  n is 1 to 300 and step n / 100 to n / 4.
CREATE TABLE docs (id int, sig minhash) WITH (autovacuum_enabled = off);
CREATE TABLE source AS SELECT f * 6 + m AS id, array_to_minhash(members(f, m)) AS sig
FROM generate_series(0, 249) f, generate_series(0, 5) m;
SELECT count(*), min((minhash_info(sig)).empty_slots), max((minhash_info(sig)).empty_slots) FROM source;
-- Empty sets, and NULLs.
INSERT INTO source SELECT -i, CASE WHEN i <= 10 THEN array_to_minhash('{}'::int[]) END FROM generate_series(1, 20) i;
-- Probes: a sample of the rows, the empty set, NULL, and a set that is not in the table.
CREATE TABLE probes AS SELECT * FROM source WHERE id % 61 = 0 OR id IN (-1, -11)
UNION ALL SELECT 10000, array_to_minhash('{-1,-2,-3}'::int[]);
SELECT count(*) FROM probes;

-- Rows that only one of the two plans finds: none, after any change of the table and the index.
CREATE FUNCTION differences(recalls float8[], OUT by_scan bigint, OUT by_index bigint, OUT only_by_one bigint) LANGUAGE sql AS $$
	WITH scan AS MATERIALIZED (SELECT * FROM search(false, recalls)), indexed AS MATERIALIZED (SELECT * FROM search(true, recalls))
	SELECT (SELECT count(*) FROM scan), (SELECT count(*) FROM indexed),
		(SELECT count(*) FROM (SELECT * FROM scan EXCEPT SELECT * FROM indexed) a) + (SELECT count(*) FROM (SELECT * FROM indexed EXCEPT SELECT * FROM scan) b)
$$;

-- An index on two thirds of the rows.
INSERT INTO docs SELECT * FROM source WHERE id % 3 <> 0;
CREATE INDEX docs_sig ON docs USING gin (sig) WITH (fastupdate = on, gin_pending_list_limit = 4096);
ANALYZE docs;
SELECT * FROM differences('{.9,.99}');
-- The others come while it exists: they wait in its pending list,
INSERT INTO docs SELECT * FROM source WHERE id % 3 = 0;
SELECT * FROM differences('{.9,.99}');
-- until that is merged.
SELECT gin_clean_pending_list('docs_sig') > 0 AS was_pending;

-- With all rows: the rows found, by threshold and recall.
CREATE TABLE found AS SELECT * FROM search(true, '{.9,.99,1}');
SELECT threshold, array_agg(n ORDER BY recall) AS by_recall FROM (SELECT threshold, recall, count(*) AS n FROM found GROUP BY 1, 2) f GROUP BY 1 ORDER BY 1;
-- The same by scan, row for row.
SELECT * FROM differences('{.9,.99,1}');
SELECT count(*) - count(DISTINCT (threshold, recall, probe, doc)) AS twice FROM found;
-- Nothing is found whose estimate does not reach the threshold.
CREATE TABLE estimates AS SELECT probes.id AS probe, docs.id AS doc, jaccard(probes.sig, docs.sig) AS estimate, probes.sig AS a, docs.sig AS b
FROM probes, docs;
SELECT count(*) FROM found LEFT JOIN estimates USING (probe, doc) WHERE (estimate >= threshold) IS NOT TRUE;
-- Everything is found that has equal slots in enough bands of the plan, to its depth.
SELECT count(*) AS expected, count(*) FILTER (WHERE (threshold, recall, probe, doc) IN (SELECT * FROM found)) AS found
FROM estimates, unnest('{.5,.6,.7,.8,.9,.95,1}'::float8[]) threshold, unnest('{.9,.99}'::float8[]) recall, LATERAL lsh_plan(threshold, recall) plan
WHERE estimate >= threshold AND agreeing_bands <= (
	SELECT count(*) FROM generate_series(0, bands - 1) i, LATERAL (SELECT CASE WHEN band_rows > 3 THEN 6 ELSE 3 END * i AS slot) f,
		LATERAL (SELECT (minhash_slots(a))[slot + 1 : slot + band_rows] AS x, (minhash_slots(b))[slot + 1 : slot + band_rows] AS y) v
	WHERE x = y AND array_position(x, NULL) IS NULL);
-- With a recall of 1 everything is found whose estimate reaches the threshold, and otherwise at least that share of it.
SELECT count(*), sum(pairs) AS pairs, bool_and("recall 1") AS "recall 1", bool_and("recall .99") AS "recall .99", bool_and("recall .9") AS "recall .9"
FROM (SELECT count(*) / 3 AS pairs, count(*) FILTER (WHERE recall = 1 AND found.doc IS NOT NULL) = count(*) / 3 AS "recall 1",
	count(*) FILTER (WHERE recall = .99 AND found.doc IS NOT NULL) >= .99 * count(*) / 3 AS "recall .99",
	count(*) FILTER (WHERE recall = .9 AND found.doc IS NOT NULL) >= .9 * count(*) / 3 AS "recall .9"
FROM (estimates CROSS JOIN unnest('{.5,.6,.7,.8,.9,.95,1}'::float8[]) threshold CROSS JOIN unnest('{.9,.99,1}'::float8[]) recall)
	LEFT JOIN found USING (threshold, recall, probe, doc)
WHERE estimate >= threshold GROUP BY threshold) t;
-- Copies are found at every threshold and recall; the empty set and NULL find nothing, and nothing finds them.
SELECT count(*) FROM docs a JOIN docs b ON b.id = a.id + 5 WHERE a.id % 6 = 0 AND a.id >= 0 AND NOT a.sig % b.sig;
SELECT count(*) FROM found WHERE probe < 0 OR doc < 0 OR probe = 10000;

-- Rows go, change and come back; dead ones stay in the index until VACUUM.
DELETE FROM docs WHERE id % 4 = 1;
UPDATE docs SET id = id + 100000 WHERE id % 4 = 2;
UPDATE docs SET sig = (SELECT sig FROM source WHERE source.id = docs.id + 6) WHERE id % 12 = 3 AND id < 1400;
SELECT * FROM differences('{.9,.99}');
VACUUM docs;
SELECT * FROM differences('{.9,.99}');
INSERT INTO docs SELECT * FROM source WHERE id % 4 = 1;
SELECT * FROM differences('{.9,.99}');
BEGIN;
DELETE FROM docs;
ROLLBACK;
REINDEX INDEX docs_sig;
SELECT * FROM differences('{.9,.99}');
-- An index that was filled row by row, without a pending list.
DROP INDEX docs_sig;
TRUNCATE docs;
CREATE INDEX docs_sig ON docs USING gin (sig) WITH (fastupdate = off);
INSERT INTO docs SELECT * FROM source;
SELECT count(*) AS different FROM found FULL JOIN search(true, '{.9,.99,1}') again USING (threshold, recall, probe, doc) WHERE found IS NULL OR again IS NULL;

-- Other numbers of hashes, seeds and methods.
CREATE FUNCTION refill(k int, seed int, method text) RETURNS bigint LANGUAGE sql AS $$
	TRUNCATE docs, probes;
	INSERT INTO docs SELECT f * 6 + m, array_to_minhash(members(f, m), k, seed, method) FROM generate_series(0, 149) f, generate_series(0, 5) m;
	INSERT INTO probes SELECT * FROM docs WHERE id % 19 = 0;
	SELECT count(*) FROM docs
$$;
SELECT k, seed, method, d.* FROM (VALUES (16, 0, 'one-permutation'), (100, 7, 'one-permutation'), (64, -1, 'k-permutation'), (500, 0, 'one-permutation')) AS v (k, seed, method),
	LATERAL refill(k, seed, method) AS n, LATERAL differences(CASE WHEN n > 0 THEN '{.9,.99}'::float8[] END) AS d;
TRUNCATE docs, probes;
INSERT INTO docs SELECT * FROM source;

-- A very low threshold compares all; the empty set of row -1 is similar to nothing.
SET lshsim.similarity_threshold = 0.001;
SELECT source.id, count(docs), (SELECT count(*) FROM docs WHERE jaccard(docs.sig, source.sig) >= 0.001) AS expected
FROM source LEFT JOIN docs ON docs.sig % source.sig WHERE source.id IN (61, -1, -11) GROUP BY source.id, source.sig ORDER BY source.id;
SET enable_seqscan = off;
SELECT source.id, count(docs), (SELECT count(*) FROM docs WHERE jaccard(docs.sig, source.sig) >= 0.001) AS expected
FROM source LEFT JOIN docs ON docs.sig % source.sig WHERE source.id IN (61, -1, -11) GROUP BY source.id, source.sig ORDER BY source.id;
RESET enable_seqscan;
RESET lshsim.similarity_threshold;

-- The join of the table with itself, by scan and with the index on either side: each pair, and its mirror image.
ANALYZE docs;
SET enable_bitmapscan = off;
CREATE TABLE pairs AS SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b ON a.sig % b.sig;
RESET enable_bitmapscan;
SET enable_seqscan = off;
CREATE TABLE pairs_a AS SELECT a.id AS a, b.id AS b FROM docs a LEFT JOIN docs b ON a.sig % b.sig;
CREATE TABLE pairs_b AS SELECT a.id AS a, b.id AS b FROM docs a LEFT JOIN docs b ON b.sig % a.sig;
SELECT indexes_of('SELECT a.id AS a, b.id AS b FROM docs a LEFT JOIN docs b ON a.sig % b.sig'),
	indexes_of('SELECT a.id AS a, b.id AS b FROM docs a LEFT JOIN docs b ON b.sig % a.sig');
RESET enable_seqscan;
SELECT count(*), count(*) FILTER (WHERE p.a = p.b) AS with_itself, count(m) AS mirrored, count(x) AS by_a, count(y) AS by_b
FROM pairs p LEFT JOIN pairs m ON m.a = p.b AND m.b = p.a LEFT JOIN pairs_a x ON x.a = p.a AND x.b = p.b LEFT JOIN pairs_b y ON y.a = p.a AND y.b = p.b;
SELECT count(b) AS by_a, (SELECT count(b) FROM pairs_b) AS by_b FROM pairs_a;
-- rows that are not similar even to themselves: those without elements, and those that are NULL
SELECT count(*), min(a), max(a) FROM pairs_a WHERE b IS NULL;

-- The index uses the setting at execution time, not that at planning time.
SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE probe(minhash) AS SELECT count(*) FROM docs WHERE sig % $1;
SELECT sig AS probe FROM source WHERE id = 430 \gset
EXECUTE probe(:'probe');
SET lshsim.similarity_threshold = 0.5;
EXECUTE probe(:'probe');
SET lshsim.similarity_threshold = 1;
EXECUTE probe(:'probe');
RESET lshsim.similarity_threshold;
DEALLOCATE probe;
RESET plan_cache_mode;
RESET enable_seqscan;
SELECT count(*) FILTER (WHERE jaccard(sig, :'probe') >= 0.8), count(*) FILTER (WHERE jaccard(sig, :'probe') >= 0.5),
	count(*) FILTER (WHERE jaccard(sig, :'probe') >= 1)
FROM docs;

-- Indexes of expressions, of two columns and of a part of the rows.
SET enable_bitmapscan = off;
CREATE TABLE texts (id int, body text, tags text[]);
INSERT INTO texts SELECT f * 3 + m, (SELECT string_agg((f * 100 + w)::text, ' ' ORDER BY w) FROM generate_series(m, m + 60) w), ARRAY[f, -m]::text[]
FROM generate_series(1, 300) f, generate_series(0, 2) m;
CREATE INDEX texts_body_tags ON texts USING gin (to_minhash(body, 'word:1'), array_to_minhash(tags, 16)) WHERE id < 800;
ANALYZE texts;
SELECT body AS probe FROM texts WHERE id = 300 \gset
CREATE VIEW texts_found AS SELECT (SELECT array_agg(id ORDER BY id) FROM texts WHERE to_minhash(body, 'word:1') % to_minhash(:'probe', 'word:1') AND id < 800) AS by_body,
	(SELECT array_agg(id) FROM texts WHERE to_minhash(body, 'word:1') % to_minhash(:'probe', 'word:1') AND array_to_minhash(tags, 16) % array_to_minhash('{100,-1}'::text[], 16) AND id < 800) AS by_both,
	(SELECT array_agg(id) FROM texts WHERE array_to_minhash(tags, 16) % array_to_minhash('{100,-1}'::text[], 16) AND id < 800) AS by_tags;
TABLE texts_found;
RESET enable_bitmapscan;
SET enable_seqscan = off;
SELECT indexes_of('SELECT id FROM texts WHERE to_minhash(body, ''word:1'') % to_minhash(''x'', ''word:1'')
		AND array_to_minhash(tags, 16) % array_to_minhash(''{x}''::text[], 16) AND id < 800'),
	indexes_of('SELECT id FROM texts WHERE array_to_minhash(tags, 16) % array_to_minhash(''{x}''::text[], 16) AND id < 800'),
	indexes_of('SELECT id FROM texts WHERE to_minhash(body, ''word:1'') % to_minhash(''x'', ''word:1'')');
TABLE texts_found;
RESET enable_seqscan;

-- Signatures that cannot be compared are an error by every plan, as long as they are there.
CREATE TABLE mixed AS
	SELECT i AS id, to_minhash('text number ' || i, CASE WHEN i = 777 THEN 'word:1' ELSE 'char:5' END::shingling) AS sig
	FROM generate_series(1, 1000) AS i;
CREATE INDEX mixed_sig ON mixed USING gin (sig) WITH (fastupdate = on);
SET enable_seqscan = off;
SELECT * FROM pg_temp.errors_of(
	$$SELECT count(*) FROM mixed WHERE sig % to_minhash('text number 5')$$,
	$$SELECT count(*) FROM mixed WHERE sig % to_minhash('text number 5'::text, 'word:2')$$,
	$$SELECT count(*) FROM mixed WHERE sig % to_minhash('')$$);
DELETE FROM mixed WHERE id = 777;
SELECT count(*) > 0 AS found FROM mixed WHERE sig % to_minhash('text number 5');
INSERT INTO mixed VALUES (1001, to_minhash('text number 5', 'char:5', 64));
SELECT count(*) FROM mixed WHERE sig % to_minhash('text number 5');
RESET enable_seqscan;
SET enable_bitmapscan = off;
SELECT count(*) FROM mixed WHERE sig % to_minhash('text number 5');
SELECT count(*) FROM mixed WHERE sig % to_minhash('');
RESET enable_bitmapscan;

-- A key of a band can be 0: this pair agrees in that band only.
CREATE TABLE zero (sig minhash);
INSERT INTO zero VALUES ('char:5/one-permutation/128/0/AAAe7AK3AFkBwgAeAGoAawBsAG0AbgBvAHAAcQByAHMAdAB1AHYAdwB4AHkAegB7AHwAfQB+AH8AgACBAIIAgwCEAIUAhgCHAIgAiQCKAIsAjACNAI4AjwCQAJEAkgCTAJQAlQCWAJcAmACZAJoAmwCcAJ0AngCfAKAAoQCiAKMApAClAKYApwCoAKkAqgCrAKwArQCuAK8AsACxALIAswC0ALUAtgC3ALgAuQC6ALsAvAC9AL4AvwDAAMEAwgDDAMQAxQDGAMcAyADJAMoAywDMAM0AzgDPANAA0QDSANMA1ADVANYA1wDYANkA2gDbANwA3QDeAN8A4ADhAOIA4w==');
CREATE INDEX zero_sig ON zero USING gin (sig);
SELECT 0 = ANY (lsh_plan_keys(sig, 0.5, 0.99)) AS zero FROM zero;
SELECT 'char:5/one-permutation/128/0/AAAe7AK3AFlOJAAeAGpOJwBsAG1OKgBvAHBOLQByAHNOMAB1AHZOMwB4AHlONgB7AHxOOQB+AH9OPACBAIJOPwCEAIVOQgCHAIhORQCKAItOSACNAI5OSwCQAJFOTgCTAJROUQCWAJdOVACZAJpOVwCcAJ1OWgCfAKBOXQCiAKNOYAClAKZOYwCoAKlOZgCrAKxOaQCuAK9ObACxALJObwC0ALVOcgC3ALhOdQC6ALtOeAC9AL5OewDAAMFOfgDDAMROgQDGAMdOhADJAMpOhwDMAM1OigDPANBOjQDSANNOkADVANZOkwDYANlOlgDbANxOmQDeAN9OnADhAOJOnw==' AS query \gset
SET enable_seqscan = off;
SELECT round(jaccard(sig, :'query')::numeric, 4) FROM zero WHERE sig @@ minhash_query(:'query', 0.5, 0.99);
RESET enable_seqscan;
SET enable_bitmapscan = off;
SELECT round(jaccard(sig, :'query')::numeric, 4) FROM zero WHERE sig @@ minhash_query(:'query', 0.5, 0.99);
RESET enable_bitmapscan;

-- B-trees and hash indexes of signatures have other operators, also where nothing else will do;
-- and so may a GIN index with an operator class of a user.
CREATE OPERATOR CLASS equal_ops FOR TYPE minhash USING gin AS
	OPERATOR 1 =,
	FUNCTION 1 btint8cmp(bigint, bigint),
	FUNCTION 2 minhash_gin_extract_value(minhash, internal),
	FUNCTION 3 minhash_gin_extract_query(minhash, internal, smallint, internal, internal, internal, internal),
	FUNCTION 5 minhash_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 minhash_gin_triconsistent(internal, smallint, minhash, integer, internal, internal, internal),
	STORAGE bigint;
CREATE TABLE alike AS SELECT i AS id, array_to_minhash(ARRAY(SELECT generate_series(i / 4, i / 4 + 100))) AS sig FROM generate_series(1, 200) i;
CREATE INDEX ON alike USING btree (sig);
CREATE INDEX ON alike USING hash (sig);
CREATE INDEX ON alike USING gin (sig equal_ops);
SELECT sig AS probe FROM alike WHERE id = 100 \gset
SELECT count(*) > 4 AS found, count(*) AS rows FROM alike WHERE sig % :'probe' \gset scan_
SET enable_seqscan = off;
SELECT :'scan_found' AS found, count(*) = :scan_rows AS same FROM alike WHERE sig % :'probe';
SELECT count(*) = :scan_rows AS same FROM alike WHERE sig @@ minhash_query(:'probe', 0.8);
SELECT count(*) = :scan_rows AS same FROM alike WHERE minhash_similar(sig, :'probe', 0.8);
SELECT count(*) = :scan_rows AS same FROM alike a JOIN alike b ON a.sig % b.sig WHERE b.id = 100;

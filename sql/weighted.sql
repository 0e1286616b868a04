--
-- Weighted sets and multisets.
--
-- Bags: numbered occurrences, so the Jaccard similarity is sum of min / sum of max of the counts.
\set ECHO none \i test/data/setup.sql \set ECHO all
SELECT jaccard('a a a b', 'a b b c', 'word:1 bag') AS bag, (1 + 1 + 0) / (3 + 2 + 1)::float8 AS by_hand, jaccard('a a a b', 'a b b c', 'word:1') AS set;
\set ECHO none
CREATE TABLE texts AS SELECT i AS id, (SELECT string_agg(chr(97 + (j * j * i + j / 3) % 11), ' ') FROM generate_series(1, 20 + 17 * i % 60) j) AS t
	FROM generate_series(1, 40) i;
CREATE TABLE counts AS SELECT id, word, count(*) AS n FROM texts, regexp_split_to_table(t, ' ') word GROUP BY id, word;
CREATE VIEW truth AS
	SELECT a.id AS a, b.id AS b, sum(least(coalesce(x.n, 0), coalesce(y.n, 0)))::float8 / sum(greatest(coalesce(x.n, 0), coalesce(y.n, 0))) AS j
	FROM texts a JOIN texts b ON a.id < b.id CROSS JOIN (SELECT DISTINCT word FROM counts) w
		LEFT JOIN counts x ON x.id = a.id AND x.word = w.word LEFT JOIN counts y ON y.id = b.id AND y.word = w.word
	GROUP BY a.id, b.id;
\set ECHO all
SELECT count(*) AS pairs, count(*) FILTER (WHERE abs(jaccard(x.t, y.t, 'word:1 bag') - j) < 1e-12) AS exact
FROM truth JOIN texts x ON x.id = a JOIN texts y ON y.id = b;
-- Estimates of one permutation have at most the error of k independent slots.
SELECT avg((jaccard(to_minhash(x.t, 'word:1 bag', 128, s), to_minhash(y.t, 'word:1 bag', 128, s)) - j) ^ 2 * 128 / (j * (1 - j))) < 1.05 AS bag_estimates
FROM truth JOIN texts x ON x.id = a JOIN texts y ON y.id = b CROSS JOIN generate_series(1, 3) s WHERE j BETWEEN 0.01 AND 0.99;
-- So have those of weighted sets, the weight of a word being its count.
CREATE TABLE sigs AS SELECT id, s, weighted_to_minhash(array_agg(word ORDER BY n), array_agg(n ORDER BY n)::float8[], 128, s) AS sig
	FROM counts, generate_series(1, 3) s GROUP BY id, s;
SELECT avg((jaccard(x.sig, y.sig) - j) ^ 2 * 128 / (j * (1 - j))) < 1.1 AS weighted_estimates, abs(avg(jaccard(x.sig, y.sig) - j)) < 0.01 AS no_bias
FROM truth JOIN sigs x ON x.id = a JOIN sigs y ON y.id = b AND y.s = x.s WHERE j BETWEEN 0.01 AND 0.99;

-- The parameters of the signature.
SELECT (minhash_info(weighted_to_minhash(ARRAY['a', 'b'], ARRAY[1, 2.5]))).*;
SELECT (minhash_info(weighted_to_minhash(ARRAY[1, 2], '{1, 2}'::float4[], num_hashes => 64, seed => -3))).*;
SELECT (minhash_info(weighted_to_minhash(ARRAY[1.5], ARRAY[0]))).*;
-- These bytes never change.
SELECT weighted_to_minhash(ARRAY['a', 'b', 'c'], ARRAY[0.1, 2.5, 1e-3], 16, 42);
-- Weight 0 and null elements are not in the set; weights of equal elements add up; the order does not matter.
SELECT weighted_to_minhash(ARRAY['a', 'b', NULL, 'z'], ARRAY[1, 2, 3, 0]) = weighted_to_minhash(ARRAY['b', 'a'], ARRAY[2, 1]) AS zero,
	weighted_to_minhash(ARRAY['a', 'b', 'a'], ARRAY[0.25, 2, 0.75]) = weighted_to_minhash(ARRAY['a', 'b'], ARRAY[1, 2]) AS sum,
	weighted_to_minhash(ARRAY['a'], ARRAY[1]) <> weighted_to_minhash(ARRAY['a'], ARRAY[1.5]) AS weights_matter,
	weighted_to_minhash('{}'::text[], '{}'::float8[]) = weighted_to_minhash(ARRAY['a'], ARRAY[0]) AS empty, jaccard(weighted_to_minhash('{}'::text[], '{}'::float8[]), weighted_to_minhash(ARRAY['a'], ARRAY[0])) AS unknown,
	weighted_to_minhash(NULL::text[], ARRAY[1]) AS null_1, weighted_to_minhash(ARRAY[1], NULL::float8[]) AS null_2;
-- Multiplying all weights by the same number changes the signature, but not a similarity of two of them.
SELECT abs(jaccard(weighted_to_minhash(ARRAY['a', 'b', 'c'], ARRAY[1, 2, 3], 2048), weighted_to_minhash(ARRAY['a', 'b', 'd'], ARRAY[2, 2, 1], 2048)) - 3.0 / 8) < 0.04 AS once,
	abs(jaccard(weighted_to_minhash(ARRAY['a', 'b', 'c'], ARRAY[1e-200, 2e-200, 3e-200], 2048), weighted_to_minhash(ARRAY['a', 'b', 'd'], ARRAY[2e-200, 2e-200, 1e-200], 2048)) - 3.0 / 8) < 0.04 AS small,
	abs(jaccard(weighted_to_minhash(ARRAY['a', 'b', 'c'], ARRAY[1e300, 2e300, 3e300], 2048), weighted_to_minhash(ARRAY['a', 'b', 'd'], ARRAY[2e300, 2e300, 1e300], 2048)) - 3.0 / 8) < 0.04 AS large;

-- In and out: text, binary, and what is not a signature.
SELECT count(*), bool_and(sig::text::minhash = sig), bool_and(sig::bytea::minhash = sig) FROM sigs;
SELECT ('integer/weighted/16/0/' || encode(decode(repeat('fffe', 16), 'hex'), 'base64'))::minhash IS NOT NULL AS largest_code;
SELECT * FROM pg_temp.errors_of(
	$$('integer/one-permutation/16/0/' || encode(decode(repeat('fffe', 16), 'hex'), 'base64'))::minhash$$,
	$$('integer/weighted/16/0/' || encode(decode(repeat('ffff', 1) || repeat('fffe', 15), 'hex'), 'base64'))::minhash$$,
	$$('integer/weighty/16/0/' || encode(decode(repeat('fffe', 16), 'hex'), 'base64'))::minhash$$);

-- Search: the index finds what the scan finds.
CREATE TABLE near AS SELECT i AS id, weighted_to_minhash(ARRAY(SELECT generate_series(i / 5 * 100, i / 5 * 100 + 30)), ARRAY(SELECT 1 + (i % 5) * 0.02 * g FROM generate_series(1, 31) g)::float8[]) AS sig
	FROM generate_series(1, 200) i;
CREATE INDEX ON near USING gin (sig);
SET enable_seqscan = off;
CREATE TABLE by_index AS SELECT a.id AS a, b.id AS b FROM near a JOIN near b ON a.sig % b.sig;
SET enable_seqscan = on; SET enable_indexscan = off; SET enable_bitmapscan = off;
SELECT count(*) > 200 AS some, (SELECT count(*) FROM by_index) - count(*) AS difference FROM near a JOIN near b ON a.sig % b.sig;
RESET enable_seqscan; RESET enable_indexscan; RESET enable_bitmapscan;

-- Invalid arguments.
SELECT weighted_to_minhash(ARRAY[1, 2], '{1, 2}');
SELECT * FROM pg_temp.errors_of(
	$$weighted_to_minhash(ARRAY[1, 2], ARRAY[1.0])$$, $$weighted_to_minhash(ARRAY[1, 2], ARRAY[1.0, NULL])$$,
	$$weighted_to_minhash(ARRAY[1, 2], ARRAY[1.0, -0.5])$$, $$weighted_to_minhash(ARRAY[1, 2], ARRAY[1.0, 'NaN'])$$,
	$$weighted_to_minhash(ARRAY[1, 2], ARRAY[1.0, 'Infinity'])$$,
	$$weighted_to_minhash(ARRAY[1, 1], ARRAY[1e308, 1e308])$$,
	$$weighted_to_minhash(ARRAY[1, NULL], ARRAY[1.0, 'NaN'])$$, $$weighted_to_minhash(ARRAY[1], ARRAY[1.0], 15)$$,
	$$weighted_to_minhash(ARRAY['{}'::json], ARRAY[1.0])$$, $$array_to_minhash(ARRAY[1], 128, 0, 'weighted')$$,
	$$to_minhash('a', method => 'weighted')$$,
	$$weighted_to_minhash(ARRAY[1], ARRAY[1.0]) | weighted_to_minhash(ARRAY[2], ARRAY[1.0])$$,
	$$SELECT minhash_union_agg(sig) FROM sigs WHERE s = 1$$,
	$$minhash_union_agg(weighted_to_minhash(ARRAY[1], ARRAY[1.0]))$$,
	$$cardinality(weighted_to_minhash(ARRAY[1], ARRAY[1.0]))$$,
	$$containment(weighted_to_minhash(ARRAY[1], ARRAY[1.0]), weighted_to_minhash(ARRAY[1], ARRAY[1.0]))$$,
	$$jaccard(weighted_to_minhash(ARRAY[1], ARRAY[1.0]), array_to_minhash(ARRAY[1]))$$,
	$$jaccard(weighted_to_minhash(ARRAY[1], ARRAY[1.0]), weighted_to_minhash(ARRAY[1], ARRAY[1.0], seed => 1))$$);

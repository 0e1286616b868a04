--
-- The theory of banding, the plan of a search, and band keys for other indexes.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

-- The S-curve of b bands of r rows: 1 - (1 - s^r)^b, computed another way.
SELECT count(*), count(*) FILTER (WHERE abs(lsh_probability(s / 20.0, b, r) - (1 - (1 - (s / 20.0) ^ r) ^ b)) < 1e-12) AS equal
FROM generate_series(0, 20) s, generate_series(1, 50, 7) b, generate_series(1, 20) r;
SELECT lsh_probability(.5, 1, 1), lsh_probability(.5, 2147483647, 1), lsh_probability(.5, 1, 2147483647), lsh_probability(1, 2147483647, 2147483647);
SELECT lsh_probability(NULL, 20, 5), lsh_probability(.5, NULL, 5), lsh_probability(.5, 20, NULL);
SELECT * FROM pg_temp.errors_of(
	$$lsh_probability(-0.1, 20, 5)$$, $$lsh_probability(1.1, 20, 5)$$, $$lsh_probability('NaN', 20, 5)$$,
	$$lsh_probability(.5, 0, 5)$$, $$lsh_probability(.5, 20, -1)$$);

-- of at least two bands: the sum of the binomial distribution; and that of a plan is its probability
SELECT count(*), count(*) FILTER (WHERE abs(lsh_probability(s / 20.0, b, r, 2) - (1 - (1 - p) ^ b - b * p * (1 - p) ^ (b - 1))) < 1e-12) AS equal
FROM generate_series(0, 20) s, generate_series(2, 50, 7) b, generate_series(1, 20) r, LATERAL (SELECT (s / 20.0::float8) ^ r) v (p);
SELECT lsh_probability(.5, 1, 3, 2);
SELECT bool_and(probability = lsh_probability(t, bands, band_rows, agreeing_bands)) AS same, count(DISTINCT agreeing_bands) AS both FROM unnest('{.3,.4,.6,.8,.9}'::float8[]) t, lsh_plan(t);
SELECT lsh_probability(.5, 20, 5, NULL) IS NULL AS null;
SELECT * FROM pg_temp.errors_of($$lsh_probability(.5, 20, 5, 0)$$, $$lsh_probability(.5, 20, 5, 3)$$);

-- The plans of src/core/bands.c: the deepest bands that still reach the recall, two of which must agree up to 3 rows if that reaches it too, and no more of them than needed;
-- by that definition, over all depths and numbers of bands, for many thresholds, recalls and numbers of hashes.
SELECT count(*) AS plans, count(*) FILTER (WHERE (p.bands, p.band_rows, p.agreeing_bands, p.compare_all) IS NOT DISTINCT FROM (e.bands, e.band_rows, e.agreeing_bands, e.band_rows IS NULL)) AS equal,
	count(*) FILTER (WHERE compare_all) AS compare_all, min(p.band_rows), max(p.band_rows), max(p.bands), bool_and(probability >= recall) AS kept
FROM unnest('{16,17,23,24,64,100,126,127,128,132,1000,4096}'::int[]) k, generate_series(0.01, 0.99, 0.0499) threshold,
	unnest('{.1,.5,.9,.95,.99,.999}'::float8[]) recall,
	LATERAL lsh_plan(threshold, recall, k) p LEFT JOIN LATERAL (
		SELECT d AS band_rows, m AS agreeing_bands, b AS bands
		FROM generate_series(1, 6) d, generate_series(1, CASE WHEN d > 3 THEN 1 ELSE 2 END) m,
			generate_series(m, CASE WHEN d > 3 THEN least(32, k / 6) ELSE least(64, k / 3) END) b
		WHERE 1 - (1 - threshold ^ d) ^ b - CASE m WHEN 2 THEN b * threshold ^ d * (1 - threshold ^ d) ^ (b - 1) ELSE 0 END >= recall
		ORDER BY d DESC, m DESC, b LIMIT 1) e ON true;
-- With a threshold of .001, or a recall of 1 and a threshold below 1, nothing but a comparison of all will do.
SELECT count(*), bool_and(compare_all = (threshold = .001 OR recall = 1 AND threshold < 1) AND (bands IS NULL) = compare_all) AS right, bool_and(probability = 1) FILTER (WHERE compare_all) AS exact
FROM unnest('{.001,.5,.9,.99,.9999,1}'::float8[]) threshold, unnest('{.99,1}'::float8[]) recall, lsh_plan(threshold, recall);
-- with a recall of 0, one deep band is as good as any
SELECT bands, band_rows, compare_all FROM lsh_plan(.5, 0);
SELECT * FROM lsh_plan(0.8, 0.99) EXCEPT SELECT * FROM lsh_plan(0.8) EXCEPT SELECT * FROM lsh_plan(threshold => 0.8, num_hashes => 128);
SELECT lsh_plan(NULL) IS NULL AS "null", lsh_plan(.8, NULL) IS NULL AS "null", lsh_plan(.8, .99, NULL) IS NULL AS "null";
SELECT lsh_plan(.8, num_hashes => 64) = lsh_plan(.8, .99, 64) AS default_recall;
SELECT * FROM pg_temp.errors_of(
	$$lsh_plan(0)$$, $$lsh_plan('-0')$$, $$lsh_plan(-0.01)$$, $$lsh_plan(1.01)$$, $$lsh_plan('NaN')$$, $$lsh_plan('Infinity')$$, $$lsh_plan('-Infinity')$$,
	$$lsh_plan(.8, -1)$$, $$lsh_plan(.8, 2)$$, $$lsh_plan(.8, 'NaN')$$, $$lsh_plan(.8, .99, 15)$$,
	$$lsh_plan(.8, .99, 4097)$$);

-- Band keys: one 64-bit key for each band, the same every time.
SELECT array_to_minhash(array_agg(i)) AS sig, array_to_minhash(array_agg(i) || 0) AS near, array_to_minhash(array_agg(i + 100000)) AS far FROM generate_series(1, 1000) i \gset
SELECT count(*), bool_and(cardinality(keys) = bands) AS as_many, bool_and((SELECT count(DISTINCT key) FROM unnest(keys) key) = bands) AS different,
	bool_and(keys = lsh_band_keys(:'sig'::text::minhash, bands, band_rows)) AS same,
	bool_and(keys && lsh_band_keys(:'near', bands, band_rows)) AS near, bool_or(keys && lsh_band_keys(:'far', bands, band_rows)) AS far
FROM (VALUES (1, 1), (1, 128), (128, 1), (16, 8), (21, 6), (20, 5)) v(bands, band_rows), lsh_band_keys(:'sig', bands, band_rows) keys;
-- the first bands of a longer banding
SELECT (lsh_band_keys(:'sig', 21, 6))[1:7] = lsh_band_keys(:'sig', 7, 6) AS same;
-- They never change, since other programs may have stored them: these come from an independent program.
SELECT lsh_band_keys(array_to_minhash('{1,2,3}'::int[], 16), 2, 8) = '{-7317152546895925583,-4087416186857971003}' AS same,
	lsh_band_keys(array_to_minhash(ARRAY(SELECT generate_series(1, 100)), 128, -1), 3, 6) = '{-340587981207586160,7546763031943083161,-7928515501374645037}' AS same,
	lsh_band_keys(array_to_minhash('{1,2,3}'::int[], 16, 42, 'k-permutation'), 3, 5) = '{-7542116758681868354,9157320464546822133,53915570495994605}' AS same,
	lsh_band_keys(to_minhash('abcab', 'char:2', 64), 1, 64) = '{8033748482823464743}' AS same;
-- Two bands share a key where all rows of the band agree, in signatures without empty slots.
SELECT count(*) AS pairs, sum(agreeing) AS agreeing, count(*) FILTER (WHERE agreeing = shared) AS equal
FROM generate_series(1, 100) i, (VALUES (42, 3), (25, 5), (128, 1)) v(bands, band_rows),
	LATERAL (SELECT array_to_minhash(array_agg(j), 128, i) AS a, array_to_minhash(array_agg(j + 10 * i), 128, i) AS b FROM generate_series(1, 2000) j) s,
	LATERAL (SELECT count(*) AS shared FROM unnest(lsh_band_keys(a, bands, band_rows), lsh_band_keys(b, bands, band_rows)) u(x, y) WHERE x = y) k,
	LATERAL (SELECT count(*) AS agreeing FROM generate_series(0, bands - 1) band
		WHERE (minhash_slots(a))[band * band_rows + 1 : band * band_rows + band_rows] = (minhash_slots(b))[band * band_rows + 1 : band * band_rows + band_rows]) e
WHERE (minhash_info(a)).empty_slots = 0 AND (minhash_info(b)).empty_slots = 0;
-- Signatures that cannot be compared share no keys, even if all their slots are equal.
WITH s (sig) AS (VALUES (array_to_minhash('{a,b,c}'::text[], 16)), (tsvector_to_minhash('a b c'::tsvector, 16)), (to_minhash('abc', 'char:1', 16)), (to_minhash('abc', 'char:1 raw', 16)))
SELECT count(*) AS pairs, bool_and((lsh_band_keys(a.sig, 16, 1) && lsh_band_keys(b.sig, 16, 1)) = (a.sig = b.sig)) AS right
FROM s a, s b WHERE minhash_slots(a.sig) = minhash_slots(b.sig);
SELECT property, altered::minhash IS NOT NULL AS valid, minhash_slots(altered::minhash) = minhash_slots(sig::minhash) AS same_slots,
	lsh_band_keys(altered::minhash, 16, 1) && lsh_band_keys(sig::minhash, 16, 1) AS shared
FROM (SELECT array_to_minhash(array_agg(i), 16)::bytea AS sig FROM generate_series(1, 1000) i) s, LATERAL (VALUES
	('none', sig), ('method', overlay(sig PLACING '\x02' FROM 2)), ('shingling', overlay(sig PLACING '\x00000004' FROM 5)),
	('seed', overlay(sig PLACING '\x00000001' FROM 9)), ('seed', overlay(sig PLACING '\xffffffff' FROM 9))) v(property, altered);
-- Signatures of few elements borrow, and the empty one has none.
SELECT n, cardinality(lsh_band_keys(array_to_minhash(array_agg(i), 128), 21, 6)) AS keys,
	lsh_band_keys(array_to_minhash(array_agg(i)), 21, 6) = lsh_band_keys(array_to_minhash(array_agg(i) || 1), 21, 6) AS same,
	lsh_band_keys(array_to_minhash(array_agg(i)), 21, 6) && lsh_band_keys(array_to_minhash(array_agg(-i)), 21, 6) AS other
FROM unnest('{1,2,3,10}'::int[]) n, generate_series(1, n) i GROUP BY n ORDER BY n;
SELECT lsh_band_keys(array_to_minhash('{}'::int[]), 21, 6), lsh_band_keys(to_minhash('', 'word:3', 16, 5, 'k-permutation'), 1, 1);
SELECT lsh_band_keys(NULL, 1, 1), lsh_band_keys(to_minhash('x'), NULL, 1), lsh_band_keys(to_minhash('x'), 1, NULL);
SELECT * FROM pg_temp.errors_of(
	$$lsh_band_keys(to_minhash('x'), 0, 1)$$, $$lsh_band_keys(to_minhash('x'), 1, 0)$$,
	$$lsh_band_keys(to_minhash('x'), -1, -1)$$, $$lsh_band_keys(to_minhash('x'), 129, 1)$$,
	$$lsh_band_keys(to_minhash('x'), 43, 3)$$, $$lsh_band_keys(to_minhash('x'), 65536, 65536)$$,
	$$lsh_band_keys(to_minhash(''), 22, 6)$$);
SELECT cardinality(lsh_band_keys(to_minhash('x', 'char:5', 4096), 4096, 1)), cardinality(lsh_band_keys(to_minhash('x', 'char:5', 4096), 1, 4096));

-- In a plain array index they find the candidates.
CREATE TABLE docs (id int, sig minhash, keys bigint[] GENERATED ALWAYS AS (lsh_band_keys(sig, 20, 6)) STORED);
INSERT INTO docs (id, sig) SELECT i, array_to_minhash(array_agg(i / 10 * 1000 + j + i % 10 * 5)) FROM generate_series(0, 999) i, generate_series(1, 200) j GROUP BY i;
CREATE INDEX docs_keys ON docs USING gin (keys);
SET enable_seqscan = off;
SELECT substring(pg_temp.explain('SELECT FROM docs WHERE keys && lsh_band_keys(array_to_minhash(''{1}''::int[]), 20, 6)')::text
	FROM '"Index Name": "(\w+)"') AS index;
SELECT count(*), (SELECT count(*) FROM docs, (SELECT sig AS q FROM docs WHERE id = 503) probe WHERE jaccard(sig, q) >= .75) AS similar
FROM docs, (SELECT sig AS q FROM docs WHERE id = 503 OFFSET 0) probe WHERE keys && lsh_band_keys(q, 20, 6) AND jaccard(sig, q) >= .75;
-- all pairs within a group of ten are candidates as often as the S-curve says, within 5 percent, and others never
RESET enable_seqscan;
SELECT count(*) AS distances, sum(pairs) AS pairs, bool_and(abs(jaccard - exact) < .015) AS exact, bool_and(abs(found - lsh_probability(exact, 20, 6)) < .05) AS as_predicted
FROM (SELECT (200 - 5.0 * d) / (200 + 5.0 * d) AS exact, count(*) AS pairs, avg(jaccard(a.sig, b.sig)) AS jaccard, avg((a.keys && b.keys)::int) AS found
	FROM docs a JOIN docs b ON a.id / 10 = b.id / 10 AND a.id < b.id, LATERAL (SELECT b.id - a.id AS d) x GROUP BY d) s;
SELECT count(*) FROM docs a JOIN docs b ON a.keys && b.keys WHERE a.id / 10 <> b.id / 10;
DROP TABLE docs;

-- The keys of a plan at every depth.
CREATE TABLE docs (id int, sig minhash);
INSERT INTO docs SELECT i, array_to_minhash(array_agg(i / 20 * 1000 + j + i % 20 * 8)) FROM generate_series(0, 99) i, generate_series(1, 200) j GROUP BY i;
CREATE TABLE thresholds AS SELECT threshold, bands, band_rows, agreeing_bands
FROM unnest('{.95,.8,.75,.72,.65,.55,.5,.4,.35,.2,.12}'::float8[]) threshold, lsh_plan(threshold);
CREATE TABLE keys AS SELECT threshold, id, key FROM docs, thresholds, unnest(lsh_plan_keys(sig, threshold, .99)) key;
SELECT count(*), count(DISTINCT (band_rows, agreeing_bands)) AS depths, bool_and((SELECT count(*) FROM keys k WHERE k.threshold = t.threshold) = 100 * bands) AS as_many FROM thresholds t;
-- rows that have enough of them in common, and a similarity that is high enough, are those that are similar
WITH by_keys AS (
		SELECT threshold, a.id AS a, b.id AS b FROM thresholds JOIN keys a USING (threshold) JOIN keys b USING (threshold, key)
		WHERE a.id < b.id GROUP BY threshold, agreeing_bands, a.id, b.id HAVING count(*) >= agreeing_bands),
	verified AS (
		SELECT k.* FROM by_keys k JOIN docs a ON a.id = k.a JOIN docs b ON b.id = k.b WHERE jaccard(a.sig, b.sig) >= threshold),
	pairs AS (
		SELECT threshold, a.id AS a, b.id AS b FROM thresholds, docs a JOIN docs b ON a.id < b.id WHERE minhash_similar(a.sig, b.sig, threshold, .99))
SELECT count(DISTINCT threshold), count(p.a) AS pairs, count(v.a) = count(p.a) AND count(*) = count(p.a) AS same FROM verified v FULL JOIN pairs p USING (threshold, a, b);
-- the default recall, the empty set, NULL
SELECT lsh_plan_keys(sig, .8) = lsh_plan_keys(sig, .8, .99) AS same FROM docs WHERE id = 1;
SELECT lsh_plan_keys(to_minhash(''), .8), lsh_plan_keys(NULL, .8, .9), lsh_plan_keys(to_minhash('x'), NULL, .9), lsh_plan_keys(to_minhash('x'), .8, NULL);
-- there are none where all rows are to be compared
SELECT * FROM pg_temp.errors_of(
	$$SELECT lsh_plan_keys(sig, .05, .99) FROM docs$$, $$lsh_plan_keys(to_minhash(''), .8, 1)$$,
	$$SELECT lsh_plan_keys(sig, 1.5, .99) FROM docs$$, $$SELECT lsh_plan_keys(sig, .8, -1) FROM docs$$);

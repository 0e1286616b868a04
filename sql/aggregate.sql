--
-- Aggregates: sets whose elements are rows, and unions of sets.
--
-- minhash_agg(element, ...) is array_to_minhash(array_agg(element), ...).
\set ECHO none \i test/data/setup.sql
CREATE TABLE purchases (customer int, product int, label text);
INSERT INTO purchases
	SELECT i % 50, i * 7919 % 1009, 'product ' || i * 7919 % 1009 FROM generate_series(1, 5000) i;
INSERT INTO purchases VALUES (50, NULL, NULL), (50, NULL, NULL), (51, 1, NULL), (51, NULL, 'a');
CREATE VIEW same AS
	SELECT minhash_agg(product) = array_to_minhash(array_agg(product)) AS integers,
		minhash_agg(label) = array_to_minhash(array_agg(label)) AS texts,
		minhash_agg(product, 64) = array_to_minhash(array_agg(product), 64) AS hashes,
		minhash_agg(product, 64, 7) = array_to_minhash(array_agg(product), 64, 7) AS seeds,
		minhash_agg(label, 64, 7, 'k-permutation') = array_to_minhash(array_agg(label), 64, 7, 'k-permutation') AS methods,
		minhash_agg(product::smallint) = minhash_agg(product) AS widths
	FROM purchases GROUP BY customer;
\set ECHO all
SELECT s.*, count(*) FROM same s GROUP BY 1, 2, 3, 4, 5, 6;

-- Any type that can be hashed, as in an array of it.
SELECT minhash_agg(n::numeric) = array_to_minhash(array_agg(n::numeric)) AS numerics,
	minhash_agg(n::float8) = array_to_minhash(array_agg(n::float8)) AS floats,
	minhash_agg(d) = array_to_minhash(array_agg(d)) AS dates,
	minhash_agg(n::varchar) = array_to_minhash(array_agg(n::varchar)) AS varchars,
	minhash_agg(n::char(5)) = array_to_minhash(array_agg(n::char(5))) AS chars,
	minhash_agg(n::text::name) = array_to_minhash(array_agg(n::text::name)) AS names
FROM (SELECT n, date '2020-01-01' + n AS d FROM generate_series(1, 300) n) s;
SELECT minhash_agg(j) FROM (SELECT '{}'::json AS j) s;

-- The elements of an array are added, regardless of its dimensions; null arrays are skipped.
SELECT minhash_agg(a) = array_to_minhash(array_agg(a)) AS arrays FROM (VALUES (ARRAY[1, 2]), (ARRAY[3, NULL])) v(a);
SELECT minhash_agg(a) = array_to_minhash(ARRAY['a', 'b', 'c']) AS ragged FROM (VALUES (ARRAY['a']), ('{}'), (NULL), (ARRAY['b', 'c'])) v(a);

-- No rows: null.  Only nulls: the empty set.  Nulls are skipped.
SELECT (SELECT minhash_agg(i) IS NULL FROM generate_series(1, 0) i) AS no_rows, minhash_agg(i) FILTER (WHERE i > 5) IS NULL AS none_left,
	minhash_agg(NULL::int) = array_to_minhash('{}'::int[]) AS empty_set, minhash_agg(i) = array_to_minhash(ARRAY[1, 2, 3]) AS skipped
FROM unnest(ARRAY[1, NULL, 2, 3, NULL]) i;

-- FILTER, DISTINCT, ORDER BY and grouping sets change nothing about that.
SELECT minhash_agg(DISTINCT product) = minhash_agg(product) AS is_distinct,
	minhash_agg(product ORDER BY label) = minhash_agg(product) AS is_ordered,
	minhash_agg(product) FILTER (WHERE product < 100) = array_to_minhash(array_agg(product) FILTER (WHERE product < 100)) AS is_filtered
FROM purchases;
SELECT count(*), bool_and(sig = again) FROM (
	SELECT minhash_agg(product) AS sig, array_to_minhash(array_agg(product)) AS again
	FROM purchases GROUP BY ROLLUP (customer % 5, customer)) s;

-- As window functions, with growing and moving frames.
SELECT count(*), bool_and(sig = again), bool_and(moved = moved_again), bool_and(merged = again) FROM (
	SELECT minhash_agg(i) OVER grow AS sig, array_to_minhash(array_agg(i) OVER grow) AS again,
		minhash_agg(i) OVER move AS moved, array_to_minhash(array_agg(i) OVER move) AS moved_again,
		minhash_union_agg(array_to_minhash(ARRAY[i])) OVER grow AS merged
	FROM generate_series(1, 200) i
	WINDOW grow AS (ORDER BY i), move AS (ORDER BY i ROWS BETWEEN 20 PRECEDING AND 5 FOLLOWING)) s;

-- The first row of a group says how the signature is made; the others agree.
SELECT * FROM pg_temp.errors_of(
	$$SELECT minhash_agg(i, 15 + i) FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, 64, i) FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, 64, 0, CASE WHEN i < 3 THEN 'one-permutation' ELSE 'k-permutation' END) FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, CASE WHEN i < 3 THEN 64 END) FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, NULL) FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, 64, NULL) FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, 64, 0, NULL) FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, 15) FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, 64, 0, 'two-permutation') FROM generate_series(1, 3) i$$,
	$$SELECT minhash_agg(i, 64, 0, 'weighted') FROM generate_series(1, 3) i$$);
SELECT count(sig) FROM (SELECT minhash_agg(i, 16 * g) AS sig FROM generate_series(1, 30) i, generate_series(1, 3) g GROUP BY g) s;

-- minhash_union_agg(signature): the signature of the union.
CREATE TABLE baskets AS
	SELECT customer, minhash_agg(product, 64) AS sig, minhash_agg(product, 16) AS short FROM purchases GROUP BY customer;
SELECT minhash_union_agg(sig) = (SELECT minhash_agg(product, 64) FROM purchases) AS merged,
	minhash_union_agg(short) = (SELECT minhash_agg(product, 16) FROM purchases) AS short
FROM baskets;
SELECT count(*), bool_and(b.sig = a.sig) FROM
	(SELECT customer % 7 AS g, minhash_union_agg(sig) AS sig FROM baskets GROUP BY 1) b
	JOIN (SELECT customer % 7 AS g, minhash_agg(product, 64) AS sig FROM purchases GROUP BY 1) a USING (g);
SELECT minhash_union_agg(sig) FILTER (WHERE false) IS NULL AS none, minhash_union_agg(NULL::minhash) IS NULL AS nulls,
	minhash_union_agg(sig) FILTER (WHERE customer = 3) = (SELECT sig FROM baskets WHERE customer = 3) AS one FROM baskets;
-- The first signature of a group is not changed on the way.
SELECT count(*) FROM baskets b JOIN (SELECT customer, minhash_agg(product, 64) AS sig FROM purchases GROUP BY 1) p USING (customer, sig);
SELECT * FROM pg_temp.errors_of(
	$$SELECT minhash_union_agg(sig) FROM (SELECT sig FROM baskets UNION ALL SELECT short FROM baskets) s$$,
	$$SELECT minhash_union_agg(s) FROM (VALUES (array_to_minhash(ARRAY[1], 64, 0)), (array_to_minhash(ARRAY[1], 64, 1))) v(s)$$,
	$$SELECT minhash_union_agg(s) FROM (VALUES (array_to_minhash(ARRAY[1])), (array_to_minhash(ARRAY['a']))) v(s)$$,
	$$SELECT minhash_union_agg(s) FROM (VALUES (array_to_minhash(ARRAY[1])), (array_to_minhash(ARRAY[1], method => 'k-permutation'))) v(s)$$);

-- Parallel plans give the same bytes.
\set ECHO none
CREATE TABLE events (g int, element int) PARTITION BY HASH (element);
CREATE TABLE events_0 PARTITION OF events FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE events_1 PARTITION OF events FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE events_2 PARTITION OF events FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO events SELECT i % 4, i FROM generate_series(1, 20000) i;
CREATE TABLE parts AS SELECT g, element % 100 AS part, minhash_agg(element) AS sig FROM events GROUP BY 1, 2;
ANALYZE events, parts;
CREATE VIEW all_of_them AS
	SELECT g, minhash_agg(element) AS default_method, minhash_agg(element, 100, 3, 'k-permutation') AS other_method,
		minhash_agg(element) FILTER (WHERE g < 0) AS nothing, minhash_agg(NULLIF(element, element)) AS empty_set
	FROM events GROUP BY ROLLUP (g);
CREATE VIEW all_together AS
	SELECT minhash_agg(element) AS default_method, minhash_agg(element, 100, 3, 'k-permutation') AS other_method,
		minhash_agg(element) FILTER (WHERE g < 0) AS nothing, minhash_agg(NULLIF(element, element)) AS empty_set
	FROM events;
CREATE VIEW unions AS SELECT g, minhash_union_agg(sig) AS sig FROM parts GROUP BY g;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE serial AS SELECT * FROM all_of_them;
CREATE TABLE serial_together AS SELECT * FROM all_together;
CREATE TABLE serial_unions AS SELECT * FROM unions;
SET max_parallel_workers_per_gather = 3;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET parallel_leader_participation = off;
\set ECHO all
SELECT query, pg_temp.explain(query)::text ~ '"Partial Mode": "Partial"' AS is_parallel
FROM unnest('{SELECT minhash_agg(element) FROM events,SELECT minhash_union_agg(sig) FROM parts,TABLE all_together}'::text[]) query;
SELECT count(*) FROM (SELECT * FROM all_of_them EXCEPT SELECT * FROM serial) s;
SELECT count(*) FROM (SELECT * FROM all_together EXCEPT SELECT * FROM serial_together) s;
SELECT count(*) FROM (SELECT * FROM unions EXCEPT SELECT * FROM serial_unions) s;
SET enable_partitionwise_aggregate = on;
SELECT count(*) FROM (SELECT * FROM all_together EXCEPT SELECT * FROM serial_together) s;
-- Arguments that change are found even if every worker sees one value only.
\set VERBOSITY sqlstate
SELECT minhash_agg(element, CASE WHEN tableoid = 'events_0'::regclass THEN 64 ELSE 65 END) FROM events;

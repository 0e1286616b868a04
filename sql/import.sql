--
-- Signatures made elsewhere.
--
-- Five sets sketched by datasketch 1.10, MinHash(num_perm=32, seed=1), of the decimal digits of numbers:
-- a of 0 to 59, b of 20 to 79, c of 0 to 79, d of 1000 to 1009, e of none.
\set ECHO none \i test/data/setup.sql
CREATE TABLE staging (id text, hash_values bigint[]);
COPY staging FROM stdin;
a	{42114592,56249051,13184479,17266034,34121180,6361937,154794819,117500891,16703221,55614629,60554851,87715181,29604049,27480060,119055139,154122806,57392259,35495306,61898119,17996297,277865273,106247254,144782555,101466606,3474163,111780420,83461685,67285773,23909840,72417695,55284450,73081062}
b	{42114592,24130584,161293204,17266034,34121180,6361937,154794819,39951099,16703221,55614629,21731356,87715181,29604049,27480060,119055139,119665968,57392259,35495306,129622431,33295816,277865273,106247254,14273947,101466606,3474163,111567647,83461685,68344734,14799785,72417695,5827502,120043253}
c	{42114592,24130584,13184479,17266034,34121180,6361937,154794819,39951099,16703221,55614629,21731356,87715181,29604049,27480060,119055139,119665968,57392259,35495306,61898119,17996297,277865273,106247254,14273947,101466606,3474163,111567647,83461685,67285773,14799785,72417695,5827502,73081062}
d	{165054860,399642879,88954505,1363507580,63660327,338950513,315646880,197347774,174402135,101377238,104842659,1059422767,439267319,997185877,82204093,14426101,25614309,212046890,646711876,6622103,694019972,274954117,248602865,114077779,712098913,902866836,322989649,104406539,469166741,427798434,28700681,39833355}
e	{4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295}
\.
CREATE TABLE sigs (id text PRIMARY KEY, sig minhash(32) NOT NULL);
INSERT INTO sigs SELECT id, minhash_from_values(hash_values, 1) FROM staging;
\set ECHO all
SELECT id, (minhash_info(sig)).* FROM sigs ORDER BY id;
-- The results of datasketch's jaccard(); with an empty set, the similarity is NULL.
SELECT a.id AS a, b.id AS b, jaccard(a.sig, b.sig) FROM sigs a JOIN sigs b ON a.id < b.id ORDER BY 1, 2;
SELECT jaccard(sig, sig) FROM sigs WHERE id = 'e';

-- Rounding keeps the order, so the union is that of the minima, as in datasketch's merge().
SELECT a.sig | b.sig = c.sig AS merged FROM sigs a, sigs b, sigs c WHERE a.id = 'a' AND b.id = 'b' AND c.id = 'c';
SELECT minhash_union_agg(sig) = (SELECT sig FROM sigs WHERE id = 'c') AS merged FROM sigs WHERE id IN ('a', 'b', 'e');
-- The share of a's minima in the union that b has too.
SELECT containment(a.sig, c.sig) AS subset, containment(d.sig, c.sig) AS disjoint, containment(a.sig, b.sig) AS overlapping,
	(SELECT count(*) FILTER (WHERE x = y)::float8 / count(*) FILTER (WHERE x <= y)
		FROM (SELECT unnest(minhash_slots(a.sig)) AS x, unnest(minhash_slots(b.sig)) AS y) u) AS by_hand, containment(e.sig, a.sig) AS of_empty
FROM sigs a, sigs b, sigs c, sigs d, sigs e WHERE a.id = 'a' AND b.id = 'b' AND c.id = 'c' AND d.id = 'd' AND e.id = 'e';
SELECT cardinality(sig) FROM sigs WHERE id = 'a';

-- Slots: 64-bit values with a 10-bit fraction.  Values of 2^63 and more come as negative numbers.
SELECT minhash_slots(minhash_from_values(ARRAY[0, 1, 1023, 1024, 1025, 2047, 2048, 2049, 2050, 4095, 4096, 4294967295, 4294967296,
	9223372036854775807, -9223372036854775808, -1]));
SET seed = 0.5;
CREATE TABLE numbers AS SELECT (random() * 2 ^ (i % 63))::bigint AS v FROM generate_series(1, 3200) i;
SELECT bool_and(code >= previous) AS monotone FROM (
	SELECT code, lag(code, 1, 0) OVER (ORDER BY i) AS previous
	FROM unnest(minhash_slots((SELECT minhash_from_values(array_agg(v ORDER BY v)) FROM numbers))) WITH ORDINALITY u(code, i)) s;
SELECT minhash_from_values(array_fill(-1::bigint, ARRAY[16])) = minhash_from_values(array_fill(4294967295, ARRAY[16])) AS both_empty,
	(minhash_info(minhash_from_values(array_fill(4294967294, ARRAY[16])))).empty_slots AS full;

-- In and out: text, binary, and what is not a signature.
SELECT count(*), bool_and(sig::text::minhash = sig), bool_and(sig::bytea::minhash = sig) FROM sigs;
SELECT ('other/imported/16/0/' || encode(decode(repeat('dbff', 16), 'hex'), 'base64'))::minhash IS NOT NULL AS largest_code;
SELECT ('other/imported/16/0/' || encode(decode(repeat('dc00', 16), 'hex'), 'base64'))::minhash;
SELECT ('other/imported/16/0/' || encode(decode(repeat('ffff', 1) || repeat('0000', 15), 'hex'), 'base64'))::minhash;

-- Search: by index and without.
CREATE INDEX sigs_sig ON sigs USING gin (sig);
SET lshsim.similarity_threshold = 0.7;
SET enable_seqscan = off;
SELECT a.id AS a, b.id AS b FROM sigs a JOIN sigs b ON a.sig % b.sig WHERE a.id < b.id ORDER BY 1, 2;
RESET enable_seqscan;
DROP INDEX sigs_sig;
SELECT a.id AS a, b.id AS b FROM sigs a JOIN sigs b ON a.sig % b.sig WHERE a.id < b.id ORDER BY 1, 2;
RESET lshsim.similarity_threshold;

-- Never silently compared with signatures made here, nor with others.
SELECT * FROM pg_temp.errors_of(
	$$SELECT jaccard(sig, array_to_minhash(ARRAY[1], 32, 1)) FROM sigs WHERE id = 'a'$$,
	$$SELECT jaccard(sig, array_to_minhash(ARRAY[1.0], 32, 1)) FROM sigs WHERE id = 'a'$$,
	$$SELECT sig % array_to_minhash(ARRAY[1.0], 32, 1, 'k-permutation') FROM sigs WHERE id = 'a'$$,
	$$SELECT sig | minhash_from_values(hash_values, 2) FROM sigs JOIN staging USING (id) WHERE id = 'a'$$,
	$$SELECT jaccard(sig, minhash_from_values(hash_values[1:16], 1)) FROM sigs JOIN staging USING (id) WHERE id = 'a'$$,
	$$INSERT INTO sigs SELECT 'short', minhash_from_values(hash_values[1:16], 1) FROM staging WHERE id = 'a'$$);

-- Invalid arguments.
SELECT * FROM pg_temp.errors_of(
	$$minhash_from_values('{}')$$, $$minhash_from_values(ARRAY[1, 2, 3])$$,
	$$minhash_from_values(array_fill(1::bigint, ARRAY[4097]))$$,
	$$minhash_from_values(array_fill(1::bigint, ARRAY[4, 4]))$$,
	$$minhash_from_values(array_fill(1::bigint, ARRAY[15]) || NULL::bigint)$$);
SELECT minhash_from_values(NULL), minhash_from_values(array_fill(1::bigint, ARRAY[16]), NULL);
SELECT array_to_minhash(ARRAY[1], method => 'imported');

--
-- The type minhash: text and binary forms, number of hashes, casts, comparison.
--
\set ECHO none \i test/data/setup.sql
-- The detail of the error for a text that is not a signature.
CREATE FUNCTION refusal(value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	RETURN 'accepted: ' || minhash_info(value::minhash);
EXCEPTION WHEN invalid_text_representation THEN
	GET STACKED DIAGNOSTICS detail := PG_EXCEPTION_DETAIL;
	RETURN detail;
END $$;
-- The errors of casts of byte strings, counted.
CREATE FUNCTION refusals(list bytea[]) RETURNS TABLE (refusal text, count bigint) LANGUAGE plpgsql AS $$
DECLARE
	item bytea;
	message text;
	reason text;
	said text[] = '{}';
BEGIN
	FOREACH item IN ARRAY list LOOP
		BEGIN
			IF item::minhash::bytea IS DISTINCT FROM item THEN
				RAISE EXCEPTION 'accepted %, but as another', item;
			END IF;
			message := 'accepted';
			reason := '';
		EXCEPTION WHEN invalid_binary_representation OR protocol_violation THEN
			GET STACKED DIAGNOSTICS message := MESSAGE_TEXT, reason := PG_EXCEPTION_DETAIL;
		END;
		said := said || rtrim(concat(message, ': ', reason), ': ');
	END LOOP;
	RETURN QUERY SELECT s, count(*) FROM unnest(said) s GROUP BY s ORDER BY s COLLATE "C";
END $$;

-- Signatures of every kind.
CREATE TABLE sigs (id int, sig minhash);
INSERT INTO sigs
	SELECT row_number() OVER (), sig
	FROM unnest('{16,17,18,100,128,1000,4096}'::int[]) k, unnest('{one-permutation,k-permutation}'::text[]) method,
		unnest('{0,42,-1,2147483647,-2147483648}'::int[]) seed, LATERAL (VALUES
			(to_minhash('The quick brown fox jumps over the lazy dog', 'char:5', k, seed, method)),
			(to_minhash('', 'word:3 raw bag', k, seed, method)),
			(array_to_minhash('{1,2,3}'::int[], k, seed, method)),
			(array_to_minhash('{a,b}'::text[], k, seed, method)),
			(tsvector_to_minhash('fat rat'::tsvector, k, seed, method)),
			(array_to_minhash('{1.5}'::numeric[], k, seed, method))) s(sig);
\set ECHO all

-- The text form, built from its parts.
SELECT count(*) AS sigs, count(*) FILTER (WHERE sig::text = expected) AS equal
FROM sigs, minhash_info(sig), LATERAL (
	SELECT format('%s/%s/%s/%s/%s', shingling, method, num_hashes, seed, replace(encode(
		string_agg(substr(int4send(coalesce(value, 65535)), 3), '' ORDER BY slot), 'base64'), E'\n', '')) AS expected
	FROM unnest(minhash_slots(sig)) WITH ORDINALITY u(value, slot)) e;

-- The binary form, built from its parts.
SELECT count(*) AS sigs, count(*) FILTER (WHERE sig::bytea = expected) AS equal
FROM sigs, minhash_info(sig), LATERAL (
	SELECT '\x01'::bytea || CASE method WHEN 'one-permutation' THEN '\x01'::bytea ELSE '\x02' END ||
		int2send(num_hashes::int2) || shingling_send(shingling) || int4send(seed) || int4send(0) ||
		string_agg(substr(int4send(coalesce(value, 65535)), 3), '' ORDER BY slot) AS expected
	FROM unnest(minhash_slots(sig)) WITH ORDINALITY u(value, slot)) e;

-- Round trips: text, bytea, COPY in both formats.
SELECT count(*) FROM sigs WHERE sig::text::minhash <> sig OR sig::bytea::minhash <> sig OR sig::bytea <> minhash_send(sig);
CREATE TABLE copied (id int, sig minhash, kind shingling);
\copy (SELECT id, sig, (minhash_info(sig)).shingling FROM sigs) TO 'results/minhash.bin' (FORMAT binary)
\copy copied FROM 'results/minhash.bin' (FORMAT binary)
SELECT count(*) FROM copied JOIN sigs USING (id)
WHERE copied.sig::bytea = sigs.sig::bytea AND kind = (minhash_info(sigs.sig)).shingling;
TRUNCATE copied;
\copy (SELECT id, sig, (minhash_info(sig)).shingling FROM sigs) TO 'results/minhash.tsv'
\copy copied FROM 'results/minhash.tsv'
SELECT count(*) FROM copied JOIN sigs USING (id)
WHERE copied.sig::bytea = sigs.sig::bytea AND kind = (minhash_info(sigs.sig)).shingling;

-- The head of the text form is readable.  The empty set, and one element among 16 slots:
SELECT to_minhash('', 'word:3', 16, 7);
SELECT array_position(minhash_slots(sig), s) - 1 AS slot, s AS value, sig
FROM array_to_minhash('{42}'::int[], 16) sig, LATERAL (SELECT s FROM unnest(minhash_slots(sig)) s WHERE s IS NOT NULL) u;

-- How a signature was made, in one text; a check that admits one kind only.
SELECT count(*) AS sigs, count(*) FILTER (WHERE minhash_kind(sig) = format('%s/%s/%s/%s', shingling, method, num_hashes, seed)
	AND starts_with(sig::text, minhash_kind(sig) || '/')) AS equal, count(DISTINCT minhash_kind(sig)) AS kinds FROM sigs, minhash_info(sig);
SELECT minhash_kind(to_minhash('')), minhash_kind(to_minhash('', 'word:255 raw bag', 4096, -2147483648, 'k-permutation')), minhash_kind(weighted_to_minhash('{1}'::int[], '{1}'::float8[])),
	minhash_kind(minhash_from_values(array_fill(1, ARRAY[16]))), minhash_kind(NULL) IS NULL AS null;
CREATE TABLE one_kind (sig minhash CHECK (minhash_kind(sig) = 'char:5/one-permutation/128/0'));
INSERT INTO one_kind VALUES (to_minhash('some text')), (NULL);
SELECT * FROM pg_temp.errors_of(
	$$INSERT INTO one_kind VALUES (to_minhash('some text', seed => 1))$$,
	$$INSERT INTO one_kind VALUES (to_minhash('some text', 'char:5 raw'))$$,
	$$INSERT INTO one_kind VALUES (to_minhash('some text', method => 'k-permutation'))$$);
SELECT count(*) FROM one_kind WHERE sig % to_minhash('some text');

-- Texts that are not the printed form of a signature.
SELECT * FROM pg_temp.errors_of($$''::minhash$$, $$'char:5/one-permutation/16/0'::minhash$$);
-- 16 slots that are 0, and heads: right; a space before; a shingling, a method, a number of hashes, a seed that is missing, wrong or in another spelling
SELECT encode(decode(repeat('0000', 16), 'hex'), 'base64') AS zeros \gset
SELECT refusal(head || '/' || :'zeros'), array_agg(head ORDER BY n) FROM unnest(ARRAY['char:5/one-permutation/16/0', ' char:5/one-permutation/16/0', '///',
	'/one-permutation/16/0', 'char:0/one-permutation/16/0', 'integer:1/one-permutation/16/0',
	'char:05/one-permutation/16/0', 'char:5 bag raw/one-permutation/16/0', 'char:5  raw/one-permutation/16/0',
	'char:5//16/0', 'char:5/minwise/16/0', 'char:5/one/16/0', 'char:5/one-permutations/16/0', 'char:5/One-Permutation/16/0',
	'char:5/one-permutation//0', 'char:5/one-permutation/15/0', 'char:5/one-permutation/4097/0', 'char:5/one-permutation/-16/0',
	'char:5/one-permutation/99999999999999999999/0', 'char:5/one-permutation/17/0', 'char:5/one-permutation/016/0',
	'char:5/one-permutation/16.0/0', 'char:5/one-permutation/ 16/0', 'char:5/one-permutation/16/', 'char:5/one-permutation/16/x',
	'char:5/one-permutation/16/2147483648', 'char:5/one-permutation/16/-2147483649', 'char:5/one-permutation/16/+1',
	'char:5/one-permutation/16/-0', 'char:5/one-permutation/16/00']) WITH ORDINALITY AS h (head, n) GROUP BY 1 ORDER BY min(n);
-- slots that are no base64 of 16: something behind, a line break, too short, too long, no padding, other characters, bits that mean nothing
SELECT refusal('char:5/one-permutation/16/0/' || slots), count(*) FROM unnest(ARRAY['', :'zeros' || ' ', :'zeros' || E'\n',
	E'AAAA\n' || substr(:'zeros', 5), :'zeros' || '/', substr(:'zeros', 5), 'AAAA' || :'zeros', rtrim(:'zeros', '='),
	replace(:'zeros', '=', 'A'), 'AAA-' || substr(:'zeros', 5), 'AAA=' || substr(:'zeros', 5), replace(:'zeros', 'A=', 'B=')]) AS slots GROUP BY 1 ORDER BY 2, 1;
-- values of slots: 45055 is the largest; 65535 is an empty slot; nothing between them; with k permutations all are empty or none is
SELECT method, refusal(format('char:5/%s/16/0/%s', method, encode(decode(slots, 'hex'), 'base64'))), array_agg(left(slots, 4) || '...' || right(slots, 4) ORDER BY n)
FROM unnest(ARRAY['one-permutation', 'k-permutation']) AS method,
	unnest(ARRAY['0000' || repeat('ffff', 15), 'afff' || repeat('ffff', 15), 'b000' || repeat('ffff', 15),
		repeat('ffff', 15) || 'fffe', repeat('ffff', 16), repeat('0000', 16)]) WITH ORDINALITY AS s (slots, n) GROUP BY 1, 2 ORDER BY 1, min(n);
SELECT minhash_slots(('char:5/one-permutation/16/0/' || encode(decode('afff' || repeat('0000', 14) || 'ffff', 'hex'), 'base64'))::minhash);
-- of a long value the error shows 80 bytes, and no half of a character
SELECT repeat('x', 1000)::minhash;
SELECT ('x' || repeat('é', 1000))::minhash;

-- Byte strings that are not the binary form of a signature: first three that are, a full signature of 16 hashes, an empty
-- one, and an empty one of k permutations.
SELECT array_to_minhash(array_agg(i), 16)::bytea AS full_sig,
	array_to_minhash('{}'::int[], 16)::bytea AS empty_sig,
	array_to_minhash('{}'::int[], 16, 0, 'k-permutation')::bytea AS empty_k
FROM generate_series(1, 1000) i \gset
SELECT * FROM refusals(ARRAY[:'full_sig', :'empty_sig', :'empty_k']::bytea[]);
-- truncated to every length, and with something behind
SELECT refusals.* FROM (SELECT array_agg(substr(:'full_sig'::bytea, 1, len)) AS list FROM generate_series(0, 47) len) l, refusals(list);
SELECT * FROM refusals(ARRAY[:'full_sig'::bytea || '\x00', :'full_sig'::bytea || '\x0000', :'full_sig'::bytea || :'full_sig']);
-- every bit of the head flipped: 8 of the version, 8 of the method, 16 of k, 32 of the shingling, the seed and the reserved word
SELECT refusals.* FROM (SELECT array_agg(set_bit(sig, bit, 1 - get_bit(sig, bit))) AS list
	FROM (SELECT to_minhash('some text', 'char:5', 16)::bytea AS sig) s, generate_series(0, 127) bit) l, refusals(list);
-- every bit of the slots flipped, where they are empty: only the highest bit gives a value
SELECT refusals.* FROM (SELECT array_agg(set_bit(sig, bit, 1 - get_bit(sig, bit))) AS list
	FROM (SELECT :'empty_sig'::bytea AS sig) s, generate_series(128, 383) bit) l, refusals(list);
-- ... and even that is wrong where all must be empty
SELECT refusals.* FROM (SELECT array_agg(set_bit(sig, bit, 1 - get_bit(sig, bit))) AS list
	FROM (SELECT :'empty_k'::bytea AS sig) s, generate_series(128, 383) bit) l, refusals(list);
-- k of 0 and of 4097 with as many slots, format versions 0 and 2
SELECT * FROM refusals(ARRAY['\x01010000000000030000000000000000',
	'\x01011001000000030000000000000000'::bytea || decode(repeat('ffff', 4097), 'hex'),
	'\x00'::bytea || substr(:'full_sig'::bytea, 2), '\x02'::bytea || substr(:'full_sig'::bytea, 2)]);

-- The type modifier of minhash(k), less 4, is at least the length of every text,
-- which is 50 characters before the slots at most; and it can be read back.
SELECT count(*) FROM generate_series(16, 4096) k, LATERAL (SELECT minhash_typmod_in(ARRAY[k::text::cstring])) m(modifier)
WHERE modifier - 4 >= length('char:255 raw bag/one-permutation/4096/-2147483648/') + (2 * k + 2) / 3 * 4
	AND format_type('minhash'::regtype, modifier) = 'minhash(' || k || ')' AND minhash_typmod_out(modifier)::text = '(' || k || ')';
SELECT minhash_typmod_out(m) FROM unnest('{2147483647,-2147483648,0}'::int[]) m;
-- minhash(k): a column of one number of hashes.
CREATE TABLE fixed (id int, sig minhash(16), sigs minhash(16)[]);
SELECT attname, format_type(atttypid, atttypmod), attstorage FROM pg_attribute
WHERE attrelid = 'fixed'::regclass AND attnum > 1 ORDER BY attnum;
INSERT INTO fixed VALUES (1, to_minhash('one', 'char:5', 16), ARRAY[to_minhash('two', 'char:5', 16)]);
INSERT INTO fixed VALUES (2, to_minhash('one', 'char:5', 17));
INSERT INTO fixed VALUES (2, NULL, ARRAY[to_minhash('two')]);
INSERT INTO fixed SELECT 2, ('char:5/one-permutation/16/0/' || :'zeros')::minhash;
UPDATE fixed SET sig = to_minhash('three');
SELECT id, sig, minhash_info(sigs[1]) FROM fixed ORDER BY id;
COPY fixed (sig) FROM stdin;
char:5/one-permutation/16/0/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
char:5/one-permutation/17/0/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
\.
\copy (SELECT to_minhash('one', 'char:5', 17)) TO 'results/minhash17.bin' (FORMAT binary)
\copy fixed (sig) FROM 'results/minhash17.bin' (FORMAT binary)
SELECT count(*) FROM fixed;
ALTER TABLE fixed ALTER sig TYPE minhash(17);
ALTER TABLE fixed ALTER sig TYPE minhash;
INSERT INTO fixed VALUES (3, to_minhash('one', 'char:5', 17));
ALTER TABLE fixed ALTER sig TYPE minhash(16);
CREATE DOMAIN pg_temp.sixteen AS minhash(16);
SELECT format_type(typbasetype, typtypmod) FROM pg_type WHERE oid = 'pg_temp.sixteen'::regtype;
SELECT to_minhash('one', 'char:5', 17)::pg_temp.sixteen;
-- casts check it too, from every type
SELECT minhash_info(to_minhash('one', 'char:5', 16)::minhash(16));
SELECT * FROM pg_temp.errors_of(
	$$to_minhash('one', 'char:5', 16)::minhash(128)$$, $$to_minhash('one', 'char:5', 16)::bytea::minhash(128)$$,
	$$to_minhash('one', 'char:5', 16)::text::minhash(128)$$,
	$$to_minhash('one', 'char:5', 16)::minhash(128)::minhash(16)$$);
SELECT minhash_info(NULL::minhash::minhash(16));
-- wrong numbers of hashes
SELECT * FROM pg_temp.errors_of(
	$$NULL::minhash(15)$$, $$NULL::minhash(4097)$$, $$NULL::minhash(0)$$, $$NULL::minhash(-1)$$,
	$$NULL::minhash(16, 16)$$, $$NULL::minhash('many')$$);
SELECT NULL::minhash(4096), NULL::minhash('16');

-- Size: 20 bytes and two for each hash; never compressed; out of line where large.
SELECT k, pg_column_size(to_minhash('x', 'char:5', k)) AS bytes FROM unnest('{16,128,4096}'::int[]) k;
CREATE TABLE large (sig minhash);
INSERT INTO large SELECT to_minhash('', 'char:5', k) FROM unnest('{16,128,4096}'::int[]) k;
SELECT (minhash_info(sig)).num_hashes, pg_column_size(sig) AS bytes, pg_column_compression(sig) AS compression FROM large;
SELECT pg_relation_size(reltoastrelid) > 0 AS toasted FROM pg_class WHERE oid = 'large'::regclass;
SELECT count(*) FROM large WHERE sig = to_minhash('', 'char:5', (minhash_info(sig)).num_hashes);

-- Comparison: by shingling, method, number of hashes and seed, then slot by slot, an empty slot last.
CREATE TEMP TABLE sorted AS
	SELECT sig, row_number() OVER (ORDER BY sig) AS by_sig, row_number() OVER (ORDER BY
		('x' || encode(shingling_send(shingling), 'hex'))::bit(32)::bigint, method DESC, num_hashes, seed,
		(SELECT array_agg(coalesce(value, 65535) ORDER BY slot) FROM unnest(minhash_slots(sig)) WITH ORDINALITY u(value, slot)))
		AS by_parts
	FROM (SELECT sig FROM sigs UNION ALL
		SELECT array_to_minhash(ARRAY[i], 16, 0, method) FROM generate_series(1, 50) i, unnest('{one-permutation,k-permutation}'::text[]) method) s,
		minhash_info(sig);
SELECT count(*), count(*) FILTER (WHERE by_sig = by_parts) AS same FROM sorted;
-- all operators agree with that order, on all pairs of some
SELECT count(*) AS pairs, count(*) FILTER (WHERE
	(a.sig < b.sig) = (a.by_sig < b.by_sig) AND (a.sig <= b.sig) = (a.by_sig <= b.by_sig) AND
	(a.sig = b.sig) = (a.by_sig = b.by_sig) AND (a.sig <> b.sig) = (a.by_sig <> b.by_sig) AND
	(a.sig >= b.sig) = (a.by_sig >= b.by_sig) AND (a.sig > b.sig) = (a.by_sig > b.by_sig) AND
	minhash_cmp(a.sig, b.sig) = sign(a.by_sig - b.by_sig) AND
	(minhash_hash(a.sig) = minhash_hash(b.sig)) = (a.by_sig = b.by_sig) AND
	(minhash_hash_extended(a.sig, 42) = minhash_hash_extended(b.sig, 42)) = (a.by_sig = b.by_sig)) AS as_expected
FROM sorted a, sorted b WHERE a.by_sig % 5 = 0 AND b.by_sig % 5 = 0;
-- the extended hash is the hash, if its seed is 0
SELECT count(*) FROM sorted WHERE minhash_hash_extended(sig, 0) & x'FFFFFFFF'::bigint <> minhash_hash(sig)::bit(32)::bigint;

-- Signatures of different kinds are different, which is no error here.
SELECT to_minhash('', 'char:5') = to_minhash('', 'char:6') AS equal, to_minhash('', 'char:5') < to_minhash('', 'char:6') AS less;

-- GROUP BY and joins, by hash and by sort.
CREATE TABLE twice (id int, sig minhash);
INSERT INTO twice SELECT id, sig FROM sigs UNION ALL SELECT -id, sig FROM sigs;
INSERT INTO twice VALUES (0, NULL), (0, NULL);
ANALYZE twice;
SET enable_sort = off;
SELECT count(*), sum(n), pg_temp.explain('SELECT sig FROM twice GROUP BY sig')::text ~ '"Hashed"' AS by_hash
FROM (SELECT sig, count(*) AS n FROM twice GROUP BY sig) g;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*), sum(n), pg_temp.explain('SELECT sig FROM twice GROUP BY sig')::text ~ '"Sort"' AS by_sort
FROM (SELECT sig, count(*) AS n FROM twice GROUP BY sig) g;
RESET enable_hashagg;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*), pg_temp.explain('SELECT count(*) FROM twice JOIN sigs USING (sig)')::text ~ '"Hash Join"' AS by_hash
FROM twice JOIN sigs USING (sig);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT count(*), pg_temp.explain('SELECT count(*) FROM twice JOIN sigs USING (sig)')::text ~ '"Merge Join"' AS by_merge
FROM twice JOIN sigs USING (sig);
RESET enable_hashjoin;
RESET enable_nestloop;

-- Indexes for equality: B-tree, which cannot hold the largest signatures, and hash, which can.
CREATE INDEX twice_hash ON twice USING hash (sig);
SET enable_seqscan = off;
SELECT pg_temp.explain('SELECT * FROM twice WHERE sig = array_to_minhash(''{a,b}''::text[], 16)')::text ~ 'twice_hash' AS by_hash;
SELECT k, count(*), count(DISTINCT id), sum(id) FROM unnest('{16,4096}'::int[]) k, LATERAL (
	SELECT id FROM twice WHERE sig = array_to_minhash('{a,b}'::text[], k)) found GROUP BY k ORDER BY k;
DROP INDEX twice_hash;
\set VERBOSITY sqlstate
CREATE INDEX twice_btree ON twice USING btree (sig);
\set VERBOSITY default
CREATE TABLE small AS SELECT * FROM twice WHERE (minhash_info(sig)).num_hashes <= 1000;
CREATE INDEX small_btree ON small USING btree (sig);
SELECT pg_temp.explain('SELECT * FROM small WHERE sig = array_to_minhash(''{a,b}''::text[], 16)')::text ~ 'small_btree' AS by_btree;
SELECT k, count(*), count(DISTINCT id), sum(id) FROM unnest('{16,1000}'::int[]) k, LATERAL (
	SELECT id FROM small WHERE sig = array_to_minhash('{a,b}'::text[], k)) found GROUP BY k ORDER BY k;
RESET enable_seqscan;

-- Hash partitions.
CREATE TABLE parts (sig minhash) PARTITION BY HASH (sig);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts SELECT sig FROM sigs;
SELECT (SELECT count(*) FROM parts_0) > 0 AND (SELECT count(*) FROM parts_1) > 0 AS both_used, count(*) FROM parts;
SELECT count(*) FROM sigs WHERE (SELECT count(*) FROM parts WHERE parts.sig = sigs.sig) <> 1;

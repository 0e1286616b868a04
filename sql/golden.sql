--
-- Golden vectors: signatures computed by an independent program (test/golden.py), which must never change.
--
\set ECHO none \i test/data/setup.sql
-- The signature of a line of the table.
CREATE FUNCTION signature_of(type text, elements text, num_hashes int, seed int, method text) RETURNS minhash LANGUAGE plpgsql AS $$
DECLARE
	sig minhash;
BEGIN
	EXECUTE format('SELECT array_to_minhash($1::%s[], $2, $3, $4)', type) INTO sig USING elements, num_hashes, seed, method;
	RETURN sig;
END $$;
\set ECHO all

CREATE TABLE golden (id text PRIMARY KEY, kind text, input text, shingling shingling, num_hashes int, seed int, method text, bytes text, keys bigint[]);
\copy golden FROM 'test/data/golden.tsv' (ENCODING 'UTF8')
SELECT count(*) AS vectors, count(DISTINCT kind) AS kinds, count(DISTINCT method) AS methods FROM golden;
CREATE FUNCTION column_of(pairs text[], i int) RETURNS text[] LANGUAGE sql AS 'SELECT ARRAY(SELECT pairs[j][i] FROM generate_subscripts(pairs, 1) j)';

-- Those that come out differently here: none.
SELECT id FROM golden
WHERE bytes IS DISTINCT FROM encode(CASE kind
	WHEN 'text' THEN to_minhash(input, shingling, num_hashes, seed, method)
	WHEN 'integer' THEN array_to_minhash(input::bigint[], num_hashes, seed, method)
	WHEN 'strings' THEN array_to_minhash(input::text[], num_hashes, seed, method)
	WHEN 'tsvector' THEN tsvector_to_minhash(input::tsvector, num_hashes, seed, method)
	WHEN 'weighted' THEN CASE shingling::text
		WHEN 'integer' THEN weighted_to_minhash(column_of(input::text[], 1)::bigint[], column_of(input::text[], 2)::float8[], num_hashes, seed)
		ELSE weighted_to_minhash(column_of(input::text[], 1), column_of(input::text[], 2)::float8[], num_hashes, seed) END
	WHEN 'imported' THEN minhash_from_values(input::bigint[], seed)
	ELSE signature_of(kind, input, num_hashes, seed, method) END::bytea, 'hex')
ORDER BY id COLLATE "C";

-- Those that do not survive the way from binary to text and back, or say something else of themselves: none.
SELECT id FROM golden, LATERAL (SELECT decode(bytes, 'hex')::minhash AS sig) s
WHERE encode(sig::text::minhash::bytea, 'hex') IS DISTINCT FROM bytes
	OR minhash_info(sig) IS DISTINCT FROM ROW(shingling, method, num_hashes, seed, (SELECT count(*)::int FROM unnest(minhash_slots(sig)) v WHERE v IS NULL))
ORDER BY id COLLATE "C";

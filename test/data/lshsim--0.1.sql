/* test/data/lshsim--0.1.sql */

-- The first state of the extension that had a type and an index.  It was never
-- released; test/t/013_upgrade.pl upgrades from it.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION lshsim" to load this file. \quit

-- type shingling

CREATE TYPE shingling;

CREATE FUNCTION shingling_in(cstring) RETURNS shingling
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_in(cstring) IS 'I/O';

CREATE FUNCTION shingling_out(shingling) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_out(shingling) IS 'I/O';

CREATE FUNCTION shingling_recv(internal) RETURNS shingling
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_recv(internal) IS 'I/O';

CREATE FUNCTION shingling_send(shingling) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_send(shingling) IS 'I/O';

CREATE TYPE shingling (
	INPUT = shingling_in,
	OUTPUT = shingling_out,
	RECEIVE = shingling_recv,
	SEND = shingling_send,
	INTERNALLENGTH = 4,
	PASSEDBYVALUE,
	ALIGNMENT = int4,
	CATEGORY = 'S'	-- so that to_minhash('text', 'word:3', 64) is unambiguous
);
COMMENT ON TYPE shingling IS 'how a document becomes a set: char:n or word:n, optionally raw, bag';

-- A shingling is a number of four bytes: it is compared as one.

CREATE FUNCTION shingling_eq(shingling, shingling) RETURNS boolean
	AS 'int4eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_eq(shingling, shingling) IS 'implementation of = operator';

CREATE FUNCTION shingling_ne(shingling, shingling) RETURNS boolean
	AS 'int4ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_ne(shingling, shingling) IS 'implementation of <> operator';

CREATE FUNCTION shingling_hash(shingling) RETURNS integer
	AS 'hashint4' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_hash(shingling) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = shingling, RIGHTARG = shingling, FUNCTION = shingling_eq,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR = (shingling, shingling) IS 'equal';

CREATE OPERATOR <> (
	LEFTARG = shingling, RIGHTARG = shingling, FUNCTION = shingling_ne,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (shingling, shingling) IS 'not equal';

CREATE OPERATOR CLASS shingling_ops
	DEFAULT FOR TYPE shingling USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 shingling_hash(shingling);
COMMENT ON OPERATOR CLASS shingling_ops USING hash IS 'hash operator class for shinglings';

-- type minhash

CREATE TYPE minhash;

CREATE FUNCTION minhash_in(cstring, oid, integer) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_in(cstring, oid, integer) IS 'I/O';

CREATE FUNCTION minhash_out(minhash) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_out(minhash) IS 'I/O';

CREATE FUNCTION minhash_recv(internal, oid, integer) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_recv(internal, oid, integer) IS 'I/O';

CREATE FUNCTION minhash_send(minhash) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_send(minhash) IS 'I/O; the binary form of a signature';

CREATE FUNCTION minhash_typmod_in(cstring[]) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_typmod_in(cstring[]) IS 'I/O typmod';

CREATE TYPE minhash (
	INPUT = minhash_in,
	OUTPUT = minhash_out,
	RECEIVE = minhash_recv,
	SEND = minhash_send,
	TYPMOD_IN = minhash_typmod_in,
	STORAGE = external
);
COMMENT ON TYPE minhash IS 'MinHash signature of a set';

-- casts

CREATE FUNCTION minhash(minhash, integer, boolean) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash(minhash, integer, boolean) IS 'adjust minhash() to typmod number of hashes';

CREATE FUNCTION minhash(bytea, integer, boolean) RETURNS minhash
	AS 'MODULE_PATHNAME', 'minhash_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash(bytea, integer, boolean) IS 'convert the binary form of a signature to minhash';

CREATE CAST (minhash AS minhash)
	WITH FUNCTION minhash(minhash, integer, boolean) AS IMPLICIT;

CREATE CAST (minhash AS bytea)
	WITH FUNCTION minhash_send(minhash);

CREATE CAST (bytea AS minhash)
	WITH FUNCTION minhash(bytea, integer, boolean);

-- build

CREATE FUNCTION to_minhash(document text, shingling shingling DEFAULT 'char:5',
		num_hashes integer DEFAULT 128, seed integer DEFAULT 0,
		method text DEFAULT 'one-permutation') RETURNS minhash
	AS 'MODULE_PATHNAME', 'to_minhash_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_minhash(text, shingling, integer, integer, text) IS
	'signature of a text under a shingling';

CREATE FUNCTION to_minhash(elements anyarray,
		num_hashes integer DEFAULT 128, seed integer DEFAULT 0,
		method text DEFAULT 'one-permutation') RETURNS minhash
	AS 'MODULE_PATHNAME', 'to_minhash_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_minhash(anyarray, integer, integer, text) IS
	'signature of the set of an array''s elements';

CREATE FUNCTION to_minhash(lexemes tsvector,
		num_hashes integer DEFAULT 128, seed integer DEFAULT 0,
		method text DEFAULT 'one-permutation') RETURNS minhash
	AS 'MODULE_PATHNAME', 'to_minhash_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_minhash(tsvector, integer, integer, text) IS
	'signature of the set of a tsvector''s lexemes';

CREATE FUNCTION shingles(document text, shingling shingling DEFAULT 'char:5') RETURNS text[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingles(text, shingling) IS
	'shingles of a text, in order; repetitions only for a bag';

-- inspect

CREATE FUNCTION minhash_info(sig minhash, OUT shingling shingling, OUT method text,
		OUT num_hashes integer, OUT seed integer, OUT empty_slots integer) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_info(minhash) IS 'how a signature was made';

CREATE FUNCTION minhash_values(sig minhash) RETURNS integer[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_values(minhash) IS 'slots of a signature, NULL where one is empty';

-- similarity

CREATE FUNCTION jaccard(minhash, minhash) RETURNS float8
	AS 'MODULE_PATHNAME', 'minhash_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard(minhash, minhash) IS
	'estimated Jaccard similarity, NULL if both sets are empty';

CREATE FUNCTION jaccard(anycompatiblearray, anycompatiblearray) RETURNS float8
	AS 'MODULE_PATHNAME', 'jaccard_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard(anycompatiblearray, anycompatiblearray) IS
	'exact Jaccard similarity of two arrays as sets, NULL if both are empty';

CREATE FUNCTION jaccard(text, text, shingling) RETURNS float8
	AS 'MODULE_PATHNAME', 'jaccard_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard(text, text, shingling) IS
	'exact Jaccard similarity of two texts under a shingling, NULL if both are empty';

CREATE FUNCTION jaccard(tsvector, tsvector) RETURNS float8
	AS 'MODULE_PATHNAME', 'jaccard_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard(tsvector, tsvector) IS
	'exact Jaccard similarity of two tsvectors as sets of lexemes, NULL if both are empty';

CREATE FUNCTION minhash_distance(minhash, minhash) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_distance(minhash, minhash) IS 'implementation of <-> operator';

CREATE OPERATOR <-> (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_distance,
	COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (minhash, minhash) IS
	'estimated Jaccard distance, 1 - jaccard';

-- search

CREATE FUNCTION minhash_similar_op(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
	-- stable because it depends on lshsim.similarity_threshold and lshsim.recall
COMMENT ON FUNCTION minhash_similar_op(minhash, minhash) IS 'implementation of % operator';

CREATE OPERATOR % (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_similar_op,
	COMMUTATOR = %,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR % (minhash, minhash) IS
	'similar: estimate of at least lshsim.similarity_threshold, found with lshsim.recall';

-- comparison

CREATE FUNCTION minhash_eq(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_eq(minhash, minhash) IS 'implementation of = operator';

CREATE FUNCTION minhash_ne(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_ne(minhash, minhash) IS 'implementation of <> operator';

CREATE FUNCTION minhash_lt(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_lt(minhash, minhash) IS 'implementation of < operator';

CREATE FUNCTION minhash_le(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_le(minhash, minhash) IS 'implementation of <= operator';

CREATE FUNCTION minhash_ge(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_ge(minhash, minhash) IS 'implementation of >= operator';

CREATE FUNCTION minhash_gt(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_gt(minhash, minhash) IS 'implementation of > operator';

CREATE FUNCTION minhash_cmp(minhash, minhash) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_cmp(minhash, minhash) IS 'less-equal-greater';

CREATE FUNCTION minhash_hash(minhash) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_hash(minhash) IS 'hash';

CREATE FUNCTION minhash_hash_extended(minhash, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_hash_extended(minhash, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_eq,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (minhash, minhash) IS 'equal signatures, made in the same way';

CREATE OPERATOR <> (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_ne,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (minhash, minhash) IS 'different signatures';

CREATE OPERATOR < (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_lt,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (minhash, minhash) IS 'sorts before';

CREATE OPERATOR <= (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_le,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (minhash, minhash) IS 'sorts before, or equal';

CREATE OPERATOR >= (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_ge,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (minhash, minhash) IS 'sorts after, or equal';

CREATE OPERATOR > (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_gt,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (minhash, minhash) IS 'sorts after';

CREATE OPERATOR CLASS minhash_ops
	DEFAULT FOR TYPE minhash USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 minhash_cmp(minhash, minhash);
COMMENT ON OPERATOR CLASS minhash_ops USING btree IS 'B-tree operator class for signatures';

CREATE OPERATOR CLASS minhash_ops
	DEFAULT FOR TYPE minhash USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 minhash_hash(minhash),
	FUNCTION 2 minhash_hash_extended(minhash, bigint);
COMMENT ON OPERATOR CLASS minhash_ops USING hash IS 'hash operator class for signatures';

-- index

CREATE FUNCTION minhash_gin_extract_value(minhash, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_gin_extract_value(minhash, internal) IS 'GIN support';

CREATE FUNCTION minhash_gin_extract_query(minhash, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_gin_extract_query(minhash, internal, smallint, internal, internal, internal, internal) IS
	'GIN support';

CREATE FUNCTION minhash_gin_consistent(internal, smallint, minhash, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_gin_consistent(internal, smallint, minhash, integer, internal, internal, internal, internal) IS
	'GIN support';

CREATE FUNCTION minhash_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE FUNCTION minhash_gin_triconsistent(internal, smallint, minhash, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_gin_triconsistent(internal, smallint, minhash, integer, internal, internal, internal) IS
	'GIN support';

CREATE OPERATOR CLASS minhash_ops
	DEFAULT FOR TYPE minhash USING gin AS
	OPERATOR 1 %,
	FUNCTION 1 btint8cmp(bigint, bigint),
	FUNCTION 2 minhash_gin_extract_value(minhash, internal),
	FUNCTION 3 minhash_gin_extract_query(minhash, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 minhash_gin_consistent(internal, smallint, minhash, integer, internal, internal, internal, internal),
	FUNCTION 5 minhash_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 minhash_gin_triconsistent(internal, smallint, minhash, integer, internal, internal, internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash_ops USING gin IS 'GIN operator class: search by similarity';

-- theory, and keys for other indexes

CREATE FUNCTION lsh_probability(similarity float8, bands integer, rows integer) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_probability(float8, integer, integer) IS
	'probability that a pair of some similarity agrees in at least one band: 1 - (1 - s^rows)^bands';

CREATE FUNCTION lsh_threshold(bands integer, rows integer) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_threshold(integer, integer) IS
	'similarity at which the probability to agree in a band rises: (1 / bands)^(1 / rows)';

CREATE FUNCTION lsh_plan(threshold float8, recall float8 DEFAULT 0.99, num_hashes integer DEFAULT 128,
		OUT bands integer, OUT rows integer, OUT probability float8, OUT compare_all boolean) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_plan(float8, float8, integer) IS
	'bands and rows by which an index is searched for a threshold with a recall';

CREATE FUNCTION lsh_band_keys(sig minhash, bands integer, rows integer) RETURNS bigint[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_band_keys(minhash, integer, integer) IS
	'keys of the bands of a signature, for array indexes and tables of bands';

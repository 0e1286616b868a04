/* src/lshsim--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION lshsim" to load this file. \quit

-- The sections are in the order of REFERENCE.md.  Support functions of types,
-- operators, aggregates and access methods have no COMMENT; functions that the
-- extension calls through SQL have one.

--
-- Types: shingling
--

CREATE TYPE shingling;

CREATE FUNCTION shingling_in(cstring) RETURNS shingling
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION shingling_out(shingling) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION shingling_recv(internal) RETURNS shingling
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION shingling_send(shingling) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE shingling (
	INPUT = shingling_in,
	OUTPUT = shingling_out,
	RECEIVE = shingling_recv,
	SEND = shingling_send,
	INTERNALLENGTH = 4,
	PASSEDBYVALUE,
	ALIGNMENT = int4
);
COMMENT ON TYPE shingling IS 'rule that turns a document into a set: char:n or word:n, with optional raw and bag';

-- These casts are implicit, like those from text to regclass, so that a
-- shingling may come from a text column or from a client that sends all
-- parameters as text or varchar.
CREATE CAST (text AS shingling) WITH INOUT AS IMPLICIT;

CREATE CAST (varchar AS shingling) WITH INOUT AS IMPLICIT;

-- A shingling is a 4-byte integer; it has no order.

CREATE FUNCTION shingling_eq(shingling, shingling) RETURNS boolean
	AS 'int4eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION shingling_ne(shingling, shingling) RETURNS boolean
	AS 'int4ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION shingling_hash(shingling) RETURNS integer
	AS 'hashint4' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION shingling_hash_extended(shingling, bigint) RETURNS bigint
	AS 'hashint4extended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

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
	FUNCTION 1 shingling_hash(shingling),
	FUNCTION 2 shingling_hash_extended(shingling, bigint);
COMMENT ON OPERATOR CLASS shingling_ops USING hash IS 'hash operator class for shinglings';

--
-- Types: minhash
--

CREATE TYPE minhash;

CREATE FUNCTION minhash_in(cstring, oid, integer) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_out(minhash) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_recv(internal, oid, integer) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_send(minhash) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_typmod_in(cstring[]) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_typmod_out(integer) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash (
	INPUT = minhash_in,
	OUTPUT = minhash_out,
	RECEIVE = minhash_recv,
	SEND = minhash_send,
	TYPMOD_IN = minhash_typmod_in,
	TYPMOD_OUT = minhash_typmod_out,
	ANALYZE = minhash_typanalyze,
	STORAGE = external
);
COMMENT ON TYPE minhash IS 'MinHash signature of a set';

CREATE FUNCTION minhash(minhash, integer, boolean) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash(bytea, integer, boolean) RETURNS minhash
	AS 'MODULE_PATHNAME', 'minhash_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE CAST (minhash AS minhash)
	WITH FUNCTION minhash(minhash, integer, boolean) AS IMPLICIT;

CREATE CAST (minhash AS bytea)
	WITH FUNCTION minhash_send(minhash);

CREATE CAST (bytea AS minhash)
	WITH FUNCTION minhash(bytea, integer, boolean);

--
-- Types: comparison of signatures
--

CREATE FUNCTION minhash_eq(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_ne(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_lt(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_le(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_ge(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_gt(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_cmp(minhash, minhash) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_hash(minhash) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_hash_extended(minhash, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR = (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_eq,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (minhash, minhash) IS 'equal, and of the same kind';

CREATE OPERATOR <> (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_ne,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (minhash, minhash) IS 'not equal, or of different kinds';

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

--
-- Types: minhash_query
--

CREATE TYPE minhash_query;

CREATE FUNCTION minhash_query_in(cstring) RETURNS minhash_query
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_query_out(minhash_query) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_query_recv(internal) RETURNS minhash_query
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_query_send(minhash_query) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash_query (
	INPUT = minhash_query_in,
	OUTPUT = minhash_query_out,
	RECEIVE = minhash_query_recv,
	SEND = minhash_query_send,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE minhash_query IS 'signature to search for, with a threshold and a recall';

--
-- Types: passage_query
--

CREATE TYPE passage_query AS (document text, run shingling, length integer, edits integer);
COMMENT ON TYPE passage_query IS
	'a text and the passage that another must share with it: its run, its length and the most edits';

--
-- Making signatures
--

CREATE FUNCTION to_minhash(document text, shingling shingling DEFAULT 'char:5',
		num_hashes integer DEFAULT 128, seed integer DEFAULT 0,
		method text DEFAULT 'one-permutation') RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION to_minhash(text, shingling, integer, integer, text) IS
	'compute the signature of a text under a shingling';

CREATE FUNCTION array_to_minhash(elements anyarray,
		num_hashes integer DEFAULT 128, seed integer DEFAULT 0,
		method text DEFAULT 'one-permutation') RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION array_to_minhash(anyarray, integer, integer, text) IS
	'compute the signature of the set of elements of an array';

CREATE FUNCTION tsvector_to_minhash(lexemes tsvector,
		num_hashes integer DEFAULT 128, seed integer DEFAULT 0,
		method text DEFAULT 'one-permutation') RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tsvector_to_minhash(tsvector, integer, integer, text) IS
	'compute the signature of the set of lexemes of a tsvector';

CREATE FUNCTION weighted_to_minhash(elements anyarray, weights float8[],
		num_hashes integer DEFAULT 128, seed integer DEFAULT 0) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION weighted_to_minhash(anyarray, float8[], integer, integer) IS
	'compute the signature of a weighted set from elements and weights';

CREATE FUNCTION minhash_from_values(hash_values bigint[], seed integer DEFAULT 0) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_from_values(bigint[], integer) IS
	'convert the hash values of a MinHash computed by other software to minhash';

CREATE FUNCTION shingles(document text, shingling shingling DEFAULT 'char:5') RETURNS text[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION shingles(text, shingling) IS
	'list the shingles of a text in order; repeated shingles are listed only under bag';

--
-- Aggregates
--

CREATE FUNCTION minhash_agg_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION minhash_agg_transition(internal, anyelement, integer) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION minhash_agg_transition(internal, anyelement, integer, integer) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION minhash_agg_transition(internal, anyelement, integer, integer, text) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION minhash_agg_final(internal) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_agg_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION minhash_agg_serial(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_agg_deserial(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Aggregates cannot have default arguments, so there is one for each number of
-- arguments.

CREATE AGGREGATE minhash_agg(element anyelement) (
	SFUNC = minhash_agg_transition, STYPE = internal, SSPACE = 276,
	FINALFUNC = minhash_agg_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = minhash_agg_combine,
	SERIALFUNC = minhash_agg_serial, DESERIALFUNC = minhash_agg_deserial,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(anyelement) IS
	'signature of the set of all elements, equal to array_to_minhash(array_agg(element))';

CREATE AGGREGATE minhash_agg(element anyelement, num_hashes integer) (
	SFUNC = minhash_agg_transition, STYPE = internal, SSPACE = 276,
	FINALFUNC = minhash_agg_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = minhash_agg_combine,
	SERIALFUNC = minhash_agg_serial, DESERIALFUNC = minhash_agg_deserial,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(anyelement, integer) IS
	'signature of the set of all elements, with a number of hashes';

CREATE AGGREGATE minhash_agg(element anyelement, num_hashes integer, seed integer) (
	SFUNC = minhash_agg_transition, STYPE = internal, SSPACE = 276,
	FINALFUNC = minhash_agg_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = minhash_agg_combine,
	SERIALFUNC = minhash_agg_serial, DESERIALFUNC = minhash_agg_deserial,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(anyelement, integer, integer) IS
	'signature of the set of all elements, with a number of hashes and a seed';

CREATE AGGREGATE minhash_agg(element anyelement, num_hashes integer, seed integer, method text) (
	SFUNC = minhash_agg_transition, STYPE = internal, SSPACE = 276,
	FINALFUNC = minhash_agg_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = minhash_agg_combine,
	SERIALFUNC = minhash_agg_serial, DESERIALFUNC = minhash_agg_deserial,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(anyelement, integer, integer, text) IS
	'signature of the set of all elements, with a number of hashes, a seed and a method';

-- minhash_union_agg combines partial results by it; the operator | is below.
CREATE FUNCTION minhash_union(a minhash, b minhash) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4;
COMMENT ON FUNCTION minhash_union(minhash, minhash) IS 'signature of the union of two sets';

CREATE FUNCTION minhash_union_agg_transition(minhash, minhash) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 4;

CREATE AGGREGATE minhash_union_agg(sig minhash) (
	SFUNC = minhash_union_agg_transition, STYPE = minhash, SSPACE = 276,
	COMBINEFUNC = minhash_union,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_union_agg(minhash) IS 'signature of the union of all sets';

--
-- Triggers
--

CREATE FUNCTION minhash_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION minhash_trigger() IS
	'trigger function to keep a column of signatures up to date: signature column, shingling, number of hashes, source columns';

-- The session keeps the plan of the search (check_search.c).  The settings make it a
-- generic plan that uses an index even while the table is small.  JIT would compile
-- each plan without an index, because a disabled scan has a high cost.

CREATE FUNCTION minhash_check_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan;
COMMENT ON FUNCTION minhash_check_trigger() IS
	'trigger function to flag, skip or reject rows similar to another: signature column, threshold, action, flag column, scope, distances';

--
-- Search
--

-- The planner replaces the operators % and @@ by calls of their functions, and asks
-- minhash_similar_support for the selectivity of a join.  It uses RESTRICT for the
-- conditions of an index, and both for % ANY (array), JOIN if it joins tables.

CREATE FUNCTION minhash_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_sel(internal, oid, internal, integer) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_similar(a minhash, b minhash, threshold float8,
		recall float8 DEFAULT 0.99) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4
	SUPPORT minhash_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash, minhash, float8, float8) IS
	'true if two signatures are similar at a threshold, with a recall';

CREATE FUNCTION minhash_similar_op(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 4
	SUPPORT minhash_similar_support;
	-- stable because it depends on lshsim.similarity_threshold

CREATE OPERATOR % (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_similar_op,
	COMMUTATOR = %,
	RESTRICT = minhash_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR % (minhash, minhash) IS
	'similar at the threshold lshsim.similarity_threshold, with a recall of 0.99';

CREATE FUNCTION minhash_query(sig minhash, threshold float8,
		recall float8 DEFAULT 0.99) RETURNS minhash_query
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_query(minhash, float8, float8) IS
	'make a query from a signature, a threshold and a recall, for the operator @@';

CREATE FUNCTION minhash_query_match(minhash, minhash_query) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4
	SUPPORT minhash_similar_support;

CREATE FUNCTION minhash_query_match_commuted(minhash_query, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4
	SUPPORT minhash_similar_support;

CREATE OPERATOR @@ (
	LEFTARG = minhash, RIGHTARG = minhash_query, FUNCTION = minhash_query_match,
	COMMUTATOR = @@,
	RESTRICT = minhash_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @@ (minhash, minhash_query) IS 'similar, with the threshold and recall of the query';

CREATE OPERATOR @@ (
	LEFTARG = minhash_query, RIGHTARG = minhash, FUNCTION = minhash_query_match_commuted,
	COMMUTATOR = @@,
	RESTRICT = minhash_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @@ (minhash_query, minhash) IS 'similar, with the threshold and recall of the query';

--
-- Similarity and size
--

-- The shingling of texts has no default.  With one, two literals would be taken for
-- texts without an error, even if they are arrays.

CREATE FUNCTION jaccard(a minhash, b minhash) RETURNS float8
	AS 'MODULE_PATHNAME', 'minhash_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4;
COMMENT ON FUNCTION jaccard(minhash, minhash) IS
	'estimated Jaccard similarity, NULL if both sets are empty';

CREATE FUNCTION jaccard(a anycompatiblearray, b anycompatiblearray) RETURNS float8
	AS 'MODULE_PATHNAME', 'jaccard_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION jaccard(anycompatiblearray, anycompatiblearray) IS
	'exact Jaccard similarity of two arrays as sets, NULL if both are empty';

CREATE FUNCTION jaccard(a text, b text, shingling shingling) RETURNS float8
	AS 'MODULE_PATHNAME', 'jaccard_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION jaccard(text, text, shingling) IS
	'exact Jaccard similarity of two texts under a shingling, NULL if both are empty';

CREATE FUNCTION jaccard(a tsvector, b tsvector) RETURNS float8
	AS 'MODULE_PATHNAME', 'jaccard_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION jaccard(tsvector, tsvector) IS
	'exact Jaccard similarity of two tsvectors as sets of lexemes, NULL if both are empty';

CREATE FUNCTION minhash_distance(minhash, minhash) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4;

CREATE OPERATOR <-> (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_distance,
	COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (minhash, minhash) IS
	'estimated Jaccard distance, 1 - jaccard';

CREATE FUNCTION containment(a minhash, b minhash) RETURNS float8
	AS 'MODULE_PATHNAME', 'minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION containment(minhash, minhash) IS
	'estimated fraction of the first set contained in the second, NULL if the first is empty';

CREATE FUNCTION containment(a anycompatiblearray, b anycompatiblearray) RETURNS float8
	AS 'MODULE_PATHNAME', 'containment_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION containment(anycompatiblearray, anycompatiblearray) IS
	'exact fraction of the elements of the first array contained in the second, NULL if the first is empty';

CREATE FUNCTION containment(a text, b text, shingling shingling) RETURNS float8
	AS 'MODULE_PATHNAME', 'containment_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION containment(text, text, shingling) IS
	'exact fraction of the shingles of the first text contained in the second, NULL if the first is empty';

CREATE FUNCTION containment(a tsvector, b tsvector) RETURNS float8
	AS 'MODULE_PATHNAME', 'containment_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION containment(tsvector, tsvector) IS
	'exact fraction of the lexemes of the first tsvector contained in the second, NULL if the first is empty';

CREATE OPERATOR | (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_union,
	COMMUTATOR = |
);
COMMENT ON OPERATOR | (minhash, minhash) IS 'signature of the union of two sets';

CREATE FUNCTION cardinality(sig minhash) RETURNS float8
	AS 'MODULE_PATHNAME', 'minhash_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION cardinality(minhash) IS 'estimated number of elements of a set';

--
-- Clusters and pairs
--

CREATE FUNCTION minhash_cluster(sig minhash, threshold float8,
		recall float8 DEFAULT 0.99, agreement float8 DEFAULT 0) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_cluster(minhash, float8, float8, float8) IS
	'row number, in the partition, of the first row of the cluster; agreement, 0 by default, is the least share of similar pairs';

CREATE FUNCTION minhash_representative(sig minhash, threshold float8, value anyelement,
		recall float8 DEFAULT 0.99) RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_representative(minhash, float8, anyelement, float8) IS
	'value in the row of the first earlier representative that the row is similar to, or in the row itself';

CREATE FUNCTION minhash_link(sig minhash, threshold float8, value anyelement,
		recall float8 DEFAULT 0.99, agreement float8 DEFAULT 0) RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_link(minhash, float8, anyelement, float8, float8) IS
	'value in the similar row that the row is linked to; the links of a cluster form a spanning tree of its strongest pairs';

CREATE FUNCTION lsh_index_pairs(index regclass,
		threshold float8, recall float8 DEFAULT 0.99,
		OUT ctid_a tid, OUT ctid_b tid, OUT similarity float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 10000 COST 100000;
	-- stable because it reads the table under the snapshot of the query
COMMENT ON FUNCTION lsh_index_pairs(regclass, float8, float8) IS
	'all pairs of similar rows in an lsh index, by ctid';

--
-- Groups in a table
--

-- With row_security = off, a policy that would hide rows from the owner is an error.
-- Nested loops are off because the estimated number of rows of a table that was
-- empty at the last VACUUM can be one, and JIT because it would compile statements
-- for which only they are possible (groups_refresh.c).

CREATE FUNCTION minhash_groups_create(relation regclass, sig name, threshold float8,
		recall float8 DEFAULT 0.99, key name[] DEFAULT NULL, groups name DEFAULT NULL,
		scope name[] DEFAULT NULL, agreement float8 DEFAULT 0.5, schema name DEFAULT NULL,
		track boolean DEFAULT false) RETURNS regclass
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000
	SET row_security = off SET enable_nestloop = off SET jit = off;
COMMENT ON FUNCTION minhash_groups_create(regclass, name, float8, float8, name[], name, name[], float8, name, boolean) IS
	'create a table of groups of similar rows with lasting ids; groups and schema name it, and agreement is 0.5 by default';

CREATE FUNCTION minhash_groups_refresh(groups regclass, OUT rows bigint, OUT groups_found bigint,
		OUT changed_rows bigint, OUT method text) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000
	SET row_security = off SET enable_nestloop = off SET jit = off;
COMMENT ON FUNCTION minhash_groups_refresh(regclass) IS
	'bring a table of groups up to date; groups keep their ids';

CREATE FUNCTION minhash_groups_drop(groups regclass) RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION minhash_groups_drop(regclass) IS
	'drop a table of groups with its log, judgments and definition';

CREATE FUNCTION minhash_groups_match(old_grps bigint[], components bigint[], last_grp bigint) RETURNS bigint[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_groups_match(bigint[], bigint[], bigint) IS
	'ids of new groups, from the old groups that they overlap most; used by minhash_groups_refresh';

CREATE FUNCTION minhash_judged_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION minhash_judged_trigger() IS 'fill judged_at and judged_by of a judgment';

CREATE FUNCTION minhash_note_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION minhash_note_trigger() IS 'note the key of a changed row for the next refresh of groups';

--
-- Passages
--

CREATE FUNCTION shares_passage_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION shares_passage(a text, b text, run shingling DEFAULT 'word:12',
		length integer DEFAULT 0, edits integer DEFAULT 0) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 SUPPORT shares_passage_support;
COMMENT ON FUNCTION shares_passage(text, text, shingling, integer, integer) IS
	'true if two texts share a passage: a run of equal words or characters, extended across a few edits';

CREATE FUNCTION passage_query(document text, run shingling DEFAULT 'word:12',
		length integer DEFAULT 0, edits integer DEFAULT 0) RETURNS passage_query
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION passage_query(text, shingling, integer, integer) IS
	'query for texts that share a passage with a document, for the operator &&~';

CREATE FUNCTION passage_match(text, passage_query) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;

CREATE FUNCTION passage_sel(internal, oid, internal, integer) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE FUNCTION passage_joinsel(internal, oid, internal, smallint, internal) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE OPERATOR &&~ (
	LEFTARG = text, RIGHTARG = passage_query, FUNCTION = passage_match,
	RESTRICT = passage_sel, JOIN = passage_joinsel
);
COMMENT ON OPERATOR &&~ (text, passage_query) IS 'shares a passage with';

CREATE FUNCTION common_passages(a text, b text, run shingling DEFAULT 'word:12',
		length integer DEFAULT 0,
		OUT start_a integer, OUT length_a integer, OUT start_b integer, OUT length_b integer,
		OUT passage text, INOUT edits integer DEFAULT 0, OUT equal_units integer) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION common_passages(text, text, shingling, integer, integer) IS
	'passages that two texts share, in the order of the first; positions are in characters and start at 1';

CREATE FUNCTION text_without(document text, other text, run shingling DEFAULT 'word:12',
		length integer DEFAULT 0, edits integer DEFAULT 0) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION text_without(text, text, shingling, integer, integer) IS
	'a text without the passages that it shares with another; the rest is joined by spaces or line breaks';

CREATE FUNCTION passage_keys(document text, run shingling DEFAULT 'word:12') RETURNS integer[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION passage_keys(text, shingling) IS
	'fingerprints of a text in ascending order; texts that share a run share at least one';

--
-- Advice
--

-- Volatile and parallel unsafe because they read, through SPI, a relation that can be
-- a view of functions of any kind.

CREATE FUNCTION minhash_advise_shingling(relation regclass, column_name name,
		other_relation regclass DEFAULT NULL, other_column name DEFAULT NULL,
		OUT shingling shingling, OUT recommended boolean, OUT median_shingles integer,
		OUT p10_shingles integer, OUT after_one_edit float8, OUT remark text) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 7 COST 1000000;
COMMENT ON FUNCTION minhash_advise_shingling(regclass, name, regclass, name) IS
	'recommend a shingling for the texts of a table, or of two, and compare it with others';

CREATE FUNCTION minhash_advise(relation regclass, column_name name,
		other_relation regclass DEFAULT NULL, other_column name DEFAULT NULL,
		INOUT shingling shingling DEFAULT NULL, sample_rows integer DEFAULT NULL,
		OUT threshold float8, OUT pairs bigint, OUT copies bigint, OUT matched_rows bigint,
		OUT mean_matches float8, OUT most_matches bigint,
		OUT bands integer, OUT band_rows integer, OUT candidates bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 19 COST 1000000;
COMMENT ON FUNCTION minhash_advise(regclass, name, regclass, name, shingling, integer) IS
	'estimate the effect of each threshold on a table, or between two: pairs, copies, and rows to compare';

CREATE FUNCTION minhash_advise_pairs(relation regclass, column_name name, INOUT threshold float8 DEFAULT NULL,
		other_relation regclass DEFAULT NULL, other_column name DEFAULT NULL,
		shingling shingling DEFAULT NULL, pairs integer DEFAULT 5, sample_rows integer DEFAULT NULL,
		OUT similarity float8, OUT key_a text, OUT key_b text, OUT matches bigint,
		OUT text_a text, OUT text_b text) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 8 COST 1000000;
COMMENT ON FUNCTION minhash_advise_pairs(regclass, name, float8, regclass, name, shingling, integer, integer) IS
	'example pairs of a table, or between two, just above a threshold or above each step';

--
-- Inspecting signatures
--

CREATE FUNCTION minhash_kind(sig minhash) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_kind(minhash) IS
	'kind of a signature: shingling/method/hashes/seed';

CREATE FUNCTION minhash_info(sig minhash, OUT shingling shingling, OUT method text,
		OUT num_hashes integer, OUT seed integer, OUT empty_slots integer) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_info(minhash) IS
	'kind of a signature as columns, and the number of its empty slots';

CREATE FUNCTION minhash_slots(sig minhash) RETURNS integer[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_slots(minhash) IS 'slots of a signature, NULL for empty slots';

--
-- Theory of banding
--

CREATE FUNCTION lsh_plan(threshold float8, recall float8 DEFAULT 0.99, num_hashes integer DEFAULT 128,
		OUT bands integer, OUT band_rows integer, OUT agreeing_bands integer, OUT probability float8,
		OUT compare_all boolean) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_plan(float8, float8, integer) IS
	'plan of a search: bands to look up, rows of each, and the number of bands that must agree';

CREATE FUNCTION lsh_probability(similarity float8, bands integer, band_rows integer,
		agreeing_bands integer DEFAULT 1) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_probability(float8, integer, integer, integer) IS
	'probability that two signatures of a given similarity agree in at least agreeing_bands bands';

CREATE FUNCTION lsh_plan_keys(sig minhash, threshold float8,
		recall float8 DEFAULT 0.99) RETURNS bigint[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_plan_keys(minhash, float8, float8) IS
	'keys that a search for a signature looks up in an index';

CREATE FUNCTION lsh_band_keys(sig minhash, bands integer, band_rows integer) RETURNS bigint[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_band_keys(minhash, integer, integer) IS
	'keys of the bands of a signature, for indexes on arrays and tables of bands';

--
-- Access methods
--

CREATE FUNCTION lsh_handler(internal) RETURNS index_am_handler
	AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

CREATE ACCESS METHOD lsh TYPE INDEX HANDLER lsh_handler;
COMMENT ON ACCESS METHOD lsh IS 'lsh index access method: bands of signatures, passages of texts';

CREATE OPERATOR CLASS minhash_ops
	DEFAULT FOR TYPE minhash USING lsh AS
	OPERATOR 1 %,
	OPERATOR 2 @@ (minhash, minhash_query),
	OPERATOR 3 <-> FOR ORDER BY pg_catalog.float_ops;
COMMENT ON OPERATOR CLASS minhash_ops USING lsh IS 'lsh operator class for signatures: similarity search, ordering by distance';

CREATE FUNCTION minhash_gin_extract_value(minhash, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_gin_extract_query(minhash, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION minhash_gin_triconsistent(internal, smallint, minhash, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR CLASS minhash_ops
	DEFAULT FOR TYPE minhash USING gin AS
	OPERATOR 1 %,
	OPERATOR 2 @@ (minhash, minhash_query),
	FUNCTION 1 btint8cmp(bigint, bigint),
	FUNCTION 2 minhash_gin_extract_value(minhash, internal),
	FUNCTION 3 minhash_gin_extract_query(minhash, internal, smallint, internal, internal, internal, internal),
	FUNCTION 5 minhash_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 minhash_gin_triconsistent(internal, smallint, minhash, integer, internal, internal, internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash_ops USING gin IS 'GIN operator class for signatures: similarity search';

CREATE FUNCTION passage_options(internal) RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR CLASS passage_ops
	FOR TYPE text USING lsh AS
	OPERATOR 1 &&~ (text, passage_query),
	FUNCTION 1 passage_options(internal);
COMMENT ON OPERATOR CLASS passage_ops USING lsh IS 'lsh operator class: search by shared passages';

CREATE FUNCTION passage_gin_extract_value(text, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION passage_gin_extract_query(text, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION passage_gin_triconsistent(internal, smallint, text, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR CLASS passage_ops
	FOR TYPE text USING gin AS
	OPERATOR 1 &&~ (text, passage_query),
	FUNCTION 1 btint4cmp(integer, integer),
	FUNCTION 2 passage_gin_extract_value(text, internal),
	FUNCTION 3 passage_gin_extract_query(text, internal, smallint, internal, internal, internal, internal),
	FUNCTION 6 passage_gin_triconsistent(internal, smallint, text, integer, internal, internal, internal),
	FUNCTION 7 passage_options(internal),
	STORAGE integer;
COMMENT ON OPERATOR CLASS passage_ops USING gin IS 'GIN operator class: search by shared passages';

--
-- Inspecting indexes
--

-- Volatile because it counts what the pages hold now, under no snapshot.

CREATE FUNCTION lsh_index_stats(index regclass, OUT relation regclass, OUT distinct_keys bigint,
		OUT entries bigint, OUT largest_bucket bigint, OUT common_grams bigint, OUT version integer)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 1 COST 1000;
COMMENT ON FUNCTION lsh_index_stats(regclass) IS
	'number of keys and entries of an lsh index, and the version of its format';

CREATE FUNCTION lsh_index_check(index regclass, heapallindexed boolean DEFAULT false) RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 100000;
REVOKE ALL ON FUNCTION lsh_index_check(regclass, boolean) FROM PUBLIC;
COMMENT ON FUNCTION lsh_index_check(regclass, boolean) IS
	'verify the structure of an lsh index, and optionally that it contains all rows of the table';

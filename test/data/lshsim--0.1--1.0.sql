/* test/data/lshsim--0.1--1.0.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION lshsim UPDATE TO '1.0'" to load this file. \quit

-- = of shinglings can be merged; ALTER OPERATOR says so from version 17 on.
UPDATE pg_catalog.pg_operator SET oprcanmerge = true
	WHERE oid = '=(shingling, shingling)'::pg_catalog.regoperator;

CREATE FUNCTION shingling_hash_extended(shingling, bigint) RETURNS bigint
	AS 'hashint4extended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_hash_extended(shingling, bigint) IS 'hash';

ALTER OPERATOR FAMILY shingling_ops USING hash ADD
	FUNCTION 2 (shingling, shingling) shingling_hash_extended(shingling, bigint);

-- What functions cost.

ALTER FUNCTION to_minhash(text, shingling, integer, integer, text) COST 100;
ALTER FUNCTION to_minhash(anyarray, integer, integer, text) COST 50;
ALTER FUNCTION to_minhash(tsvector, integer, integer, text) COST 50;
ALTER FUNCTION shingles(text, shingling) COST 100;
ALTER FUNCTION jaccard(minhash, minhash) COST 4;
ALTER FUNCTION jaccard(anycompatiblearray, anycompatiblearray) COST 50;
ALTER FUNCTION jaccard(text, text, shingling) COST 500;
ALTER FUNCTION jaccard(tsvector, tsvector) COST 50;
ALTER FUNCTION minhash_distance(minhash, minhash) COST 4;

CREATE FUNCTION shingling_lt(shingling, shingling) RETURNS boolean
	AS 'int4lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_lt(shingling, shingling) IS 'implementation of < operator';

CREATE FUNCTION shingling_le(shingling, shingling) RETURNS boolean
	AS 'int4le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_le(shingling, shingling) IS 'implementation of <= operator';

CREATE FUNCTION shingling_ge(shingling, shingling) RETURNS boolean
	AS 'int4ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_ge(shingling, shingling) IS 'implementation of >= operator';

CREATE FUNCTION shingling_gt(shingling, shingling) RETURNS boolean
	AS 'int4gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_gt(shingling, shingling) IS 'implementation of > operator';

CREATE FUNCTION shingling_cmp(shingling, shingling) RETURNS integer
	AS 'btint4cmp' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shingling_cmp(shingling, shingling) IS 'less-equal-greater';

CREATE OPERATOR < (
	LEFTARG = shingling, RIGHTARG = shingling, FUNCTION = shingling_lt,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (shingling, shingling) IS 'sorts before';

CREATE OPERATOR <= (
	LEFTARG = shingling, RIGHTARG = shingling, FUNCTION = shingling_le,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (shingling, shingling) IS 'sorts before, or equal';

CREATE OPERATOR >= (
	LEFTARG = shingling, RIGHTARG = shingling, FUNCTION = shingling_ge,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (shingling, shingling) IS 'sorts after, or equal';

CREATE OPERATOR > (
	LEFTARG = shingling, RIGHTARG = shingling, FUNCTION = shingling_gt,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (shingling, shingling) IS 'sorts after';

CREATE OPERATOR CLASS shingling_ops
	DEFAULT FOR TYPE shingling USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 shingling_cmp(shingling, shingling);
COMMENT ON OPERATOR CLASS shingling_ops USING btree IS 'B-tree operator class for shinglings';

-- what the planner is told

CREATE FUNCTION minhash_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_similar_support(internal) IS 'planner support';

CREATE FUNCTION minhash_sel(internal, oid, internal, integer) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_sel(internal, oid, internal, integer) IS
	'restriction selectivity of similarity operators';

CREATE FUNCTION minhash_joinsel(internal, oid, internal, smallint, internal) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_joinsel(internal, oid, internal, smallint, internal) IS
	'join selectivity of similarity operators';

CREATE FUNCTION minhash_candidate_sel(internal, oid, internal, integer) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_candidate_sel(internal, oid, internal, integer) IS
	'restriction selectivity of ~% operators';

CREATE FUNCTION minhash_candidate_joinsel(internal, oid, internal, smallint, internal) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_candidate_joinsel(internal, oid, internal, smallint, internal) IS
	'join selectivity of ~% operators';

-- settings

CREATE FUNCTION lshsim_similarity_threshold() RETURNS float8
	AS 'MODULE_PATHNAME', 'lshsim_threshold_function' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lshsim_similarity_threshold() IS
	'the setting lshsim.similarity_threshold as a number';

CREATE FUNCTION lshsim_recall() RETURNS float8
	AS 'MODULE_PATHNAME', 'lshsim_recall_function' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lshsim_recall() IS
	'the setting lshsim.recall as a number';

CREATE FUNCTION minhash_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_typanalyze(internal) IS 'statistics of a column of signatures';

ALTER TYPE minhash SET (ANALYZE = minhash_typanalyze);

ALTER FUNCTION minhash_similar_op(minhash, minhash)
	SUPPORT minhash_similar_support;

ALTER OPERATOR % (minhash, minhash)
	SET (RESTRICT = minhash_sel, JOIN = minhash_joinsel);

CREATE FUNCTION minhash_similar(minhash, minhash, threshold float8) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE
	SUPPORT minhash_similar_support;
	-- stable because it depends on lshsim.recall
COMMENT ON FUNCTION minhash_similar(minhash, minhash, float8) IS
	'similar: estimate of at least the threshold, found with lshsim.recall';

CREATE FUNCTION minhash_similar(minhash, minhash, threshold float8, recall float8) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT minhash_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash, minhash, float8, float8) IS
	'similar: estimate of at least the threshold, found with the recall';

-- settings

CREATE FUNCTION lshsim_similarity_threshold() RETURNS float8
	AS 'MODULE_PATHNAME', 'lshsim_threshold_function' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lshsim_similarity_threshold() IS
	'the setting lshsim.similarity_threshold as a number';

CREATE FUNCTION lshsim_recall() RETURNS float8
	AS 'MODULE_PATHNAME', 'lshsim_recall_function' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lshsim_recall() IS
	'the setting lshsim.recall as a number';

-- type minhash_query

CREATE TYPE minhash_query;

CREATE FUNCTION minhash_query_in(cstring) RETURNS minhash_query
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_query_in(cstring) IS 'I/O';

CREATE FUNCTION minhash_query_out(minhash_query) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_query_out(minhash_query) IS 'I/O';

CREATE FUNCTION minhash_query_recv(internal) RETURNS minhash_query
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_query_recv(internal) IS 'I/O';

CREATE FUNCTION minhash_query_send(minhash_query) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_query_send(minhash_query) IS 'I/O';

CREATE TYPE minhash_query (
	INPUT = minhash_query_in,
	OUTPUT = minhash_query_out,
	RECEIVE = minhash_query_recv,
	SEND = minhash_query_send,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE minhash_query IS 'search for a signature with a threshold and a recall';

CREATE FUNCTION minhash_query(sig minhash, threshold float8) RETURNS minhash_query
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE
	SUPPORT minhash_similar_support;
	-- stable because it depends on lshsim.recall
COMMENT ON FUNCTION minhash_query(minhash, float8) IS
	'search for a signature with a threshold and with lshsim.recall';

CREATE FUNCTION minhash_query(sig minhash, threshold float8, recall float8) RETURNS minhash_query
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_query(minhash, float8, float8) IS
	'search for a signature with a threshold and a recall';

CREATE FUNCTION minhash_query_match(minhash, minhash_query) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT minhash_similar_support;
COMMENT ON FUNCTION minhash_query_match(minhash, minhash_query) IS 'implementation of @@ operator';

CREATE FUNCTION minhash_query_match_commuted(minhash_query, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT minhash_similar_support;
COMMENT ON FUNCTION minhash_query_match_commuted(minhash_query, minhash) IS 'implementation of @@ operator';

CREATE OPERATOR @@ (
	LEFTARG = minhash, RIGHTARG = minhash_query, FUNCTION = minhash_query_match,
	COMMUTATOR = @@,
	RESTRICT = minhash_sel, JOIN = minhash_joinsel
);
COMMENT ON OPERATOR @@ (minhash, minhash_query) IS 'similar, with the threshold and recall of the query';

CREATE OPERATOR @@ (
	LEFTARG = minhash_query, RIGHTARG = minhash, FUNCTION = minhash_query_match_commuted,
	COMMUTATOR = @@,
	RESTRICT = minhash_sel, JOIN = minhash_joinsel
);
COMMENT ON OPERATOR @@ (minhash_query, minhash) IS 'similar, with the threshold and recall of the query';

-- candidates: what an index finds before it is compared

CREATE FUNCTION minhash_candidate_op(minhash, minhash) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 4;
	-- stable because it depends on lshsim.similarity_threshold and lshsim.recall
COMMENT ON FUNCTION minhash_candidate_op(minhash, minhash) IS 'implementation of ~% operator';

CREATE FUNCTION minhash_candidate_op(minhash, minhash_query) RETURNS boolean
	AS 'MODULE_PATHNAME', 'minhash_query_candidate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4;
COMMENT ON FUNCTION minhash_candidate_op(minhash, minhash_query) IS 'implementation of ~% operator';

CREATE OPERATOR ~% (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_candidate_op,
	COMMUTATOR = ~%,
	RESTRICT = minhash_candidate_sel, JOIN = minhash_candidate_joinsel
);
COMMENT ON OPERATOR ~% (minhash, minhash) IS
	'candidate for %: agrees in a band, so that an index finds it';

CREATE OPERATOR ~% (
	LEFTARG = minhash, RIGHTARG = minhash_query, FUNCTION = minhash_candidate_op,
	RESTRICT = minhash_candidate_sel, JOIN = minhash_candidate_joinsel
);
COMMENT ON OPERATOR ~% (minhash, minhash_query) IS
	'candidate for @@: agrees in a band, so that an index finds it';

CREATE FUNCTION minhash_with_estimate_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_with_estimate_support(internal) IS 'planner support';

CREATE FUNCTION minhash_with_estimate(minhash, cost float8, candidates float8) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT minhash_with_estimate_support;
COMMENT ON FUNCTION minhash_with_estimate(minhash, float8, float8) IS
	'the signature, and for the planner what a search for it costs and finds';

CREATE FUNCTION minhash_with_estimate(minhash_query, cost float8, candidates float8) RETURNS minhash_query
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT minhash_with_estimate_support;
COMMENT ON FUNCTION minhash_with_estimate(minhash_query, float8, float8) IS
	'the query, and for the planner what a search for it costs and finds';

ALTER OPERATOR FAMILY minhash_ops USING gin
	DROP OPERATOR 1 (minhash, minhash);
ALTER OPERATOR FAMILY minhash_ops USING gin
	ADD OPERATOR 1 ~%, OPERATOR 2 ~% (minhash, minhash_query);

DROP FUNCTION lsh_plan(float8, float8, integer);
CREATE FUNCTION lsh_plan(threshold float8, recall float8 DEFAULT 0.99, num_hashes integer DEFAULT 128,
		OUT bands integer, OUT rows integer, OUT matches integer, OUT probability float8, OUT compare_all boolean) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_plan(float8, float8, integer) IS
	'bands and rows by which an index is searched for a threshold with a recall, and how many of the bands must agree';

CREATE FUNCTION lsh_plan_keys(sig minhash, threshold float8) RETURNS bigint[]
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
	-- stable because it depends on lshsim.recall
COMMENT ON FUNCTION lsh_plan_keys(minhash, float8) IS
	'keys that a search for a signature looks up in an index';

CREATE FUNCTION lsh_plan_keys(sig minhash, threshold float8, recall float8) RETURNS bigint[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_plan_keys(minhash, float8, float8) IS
	'keys that a search for a signature looks up in an index, with a recall';

CREATE FUNCTION lsh_params(threshold float8, num_hashes integer DEFAULT 128,
		fp_weight float8 DEFAULT 0.5, fn_weight float8 DEFAULT 0.5,
		OUT bands integer, OUT rows integer) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION lsh_params(float8, integer, float8, float8) IS
	'bands and rows with the fewest weighted mistakes, as datasketch chooses them';

CREATE FUNCTION lsh_curve(bands integer, rows integer,
		OUT similarity float8, OUT probability float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 101;
COMMENT ON FUNCTION lsh_curve(integer, integer) IS
	'S-curve of a banding in steps of 0.01, for a chart';

-- what an index holds

CREATE FUNCTION lsh_index_stats(index regclass, OUT distinct_keys bigint, OUT entries bigint,
		OUT largest_bucket bigint, OUT pending_rows bigint, OUT relation regclass) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 1 COST 1000;
COMMENT ON FUNCTION lsh_index_stats(regclass) IS
	'numbers of keys and entries of an index of signatures';

CREATE FUNCTION lsh_index_buckets(index regclass, max_buckets integer DEFAULT 10,
		OUT band integer, OUT key bigint, OUT entries bigint, OUT sample tid, OUT relation regclass) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 10 COST 1000;
COMMENT ON FUNCTION lsh_index_buckets(regclass, integer) IS
	'the keys that most rows share, with a row of each';

CREATE FUNCTION lsh_index_plans(index regclass,
		thresholds float8[] DEFAULT '{0.5,0.6,0.7,0.8,0.9,0.95}',
		recall float8 DEFAULT 0.99, probes integer DEFAULT 100,
		OUT threshold float8, OUT bands integer, OUT rows integer, OUT matches integer, OUT compare_all boolean,
		OUT candidates float8, OUT relation regclass) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 6 COST 1000;
COMMENT ON FUNCTION lsh_index_plans(regclass, float8[], float8, integer) IS
	'for some thresholds the plan, and the mean number of candidates that rows of the table find';

-- clusters

CREATE FUNCTION minhash_cluster(sig minhash, threshold float8) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW STABLE PARALLEL SAFE COST 100;
	-- stable because it depends on lshsim.recall
COMMENT ON FUNCTION minhash_cluster(minhash, float8) IS
	'row number of the first row of the cluster: all that similar pairs connect';

CREATE FUNCTION minhash_cluster(sig minhash, threshold float8, recall float8) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_cluster(minhash, float8, float8) IS
	'row number of the first row of the cluster: all that similar pairs connect, with a recall';

-- algebra: aggregates, union, size, containment

CREATE FUNCTION minhash_agg_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_transition(internal, anyelement) IS 'aggregate transition function';

CREATE FUNCTION minhash_agg_transition(internal, anyelement, integer) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_transition(internal, anyelement, integer) IS 'aggregate transition function';

CREATE FUNCTION minhash_agg_transition(internal, anyelement, integer, integer) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_transition(internal, anyelement, integer, integer) IS
	'aggregate transition function';

CREATE FUNCTION minhash_agg_transition(internal, anyelement, integer, integer, text) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_transition(internal, anyelement, integer, integer, text) IS
	'aggregate transition function';

CREATE FUNCTION minhash_agg_final(internal) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_final(internal) IS 'aggregate final function';

CREATE FUNCTION minhash_agg_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_combine(internal, internal) IS 'aggregate combine function';

CREATE FUNCTION minhash_agg_serial(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_serial(internal) IS 'aggregate serial function';

CREATE FUNCTION minhash_agg_deserial(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_agg_deserial(bytea, internal) IS 'aggregate deserial function';

CREATE AGGREGATE minhash_agg(element anyelement) (
	SFUNC = minhash_agg_transition, STYPE = internal, SSPACE = 560,
	FINALFUNC = minhash_agg_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = minhash_agg_combine,
	SERIALFUNC = minhash_agg_serial, DESERIALFUNC = minhash_agg_deserial,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(anyelement) IS
	'signature of a set whose elements are rows, as to_minhash(array_agg(element))';

CREATE AGGREGATE minhash_agg(element anyelement, num_hashes integer) (
	SFUNC = minhash_agg_transition, STYPE = internal, SSPACE = 560,
	FINALFUNC = minhash_agg_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = minhash_agg_combine,
	SERIALFUNC = minhash_agg_serial, DESERIALFUNC = minhash_agg_deserial,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(anyelement, integer) IS
	'signature of a set whose elements are rows, with a number of hashes';

CREATE AGGREGATE minhash_agg(element anyelement, num_hashes integer, seed integer) (
	SFUNC = minhash_agg_transition, STYPE = internal, SSPACE = 560,
	FINALFUNC = minhash_agg_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = minhash_agg_combine,
	SERIALFUNC = minhash_agg_serial, DESERIALFUNC = minhash_agg_deserial,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(anyelement, integer, integer) IS
	'signature of a set whose elements are rows, with a number of hashes and a seed';

CREATE AGGREGATE minhash_agg(element anyelement, num_hashes integer, seed integer, method text) (
	SFUNC = minhash_agg_transition, STYPE = internal, SSPACE = 1600,
	FINALFUNC = minhash_agg_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = minhash_agg_combine,
	SERIALFUNC = minhash_agg_serial, DESERIALFUNC = minhash_agg_deserial,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_agg(anyelement, integer, integer, text) IS
	'signature of a set whose elements are rows, with a number of hashes, a seed and a method';

CREATE FUNCTION minhash_union(minhash, minhash) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4;
COMMENT ON FUNCTION minhash_union(minhash, minhash) IS 'signature of the union of two sets';

CREATE OPERATOR | (
	LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_union,
	COMMUTATOR = |
);
COMMENT ON OPERATOR | (minhash, minhash) IS 'signature of the union of two sets';

CREATE FUNCTION minhash_union_agg_transition(minhash, minhash) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 4;
COMMENT ON FUNCTION minhash_union_agg_transition(minhash, minhash) IS 'aggregate transition function';

CREATE AGGREGATE minhash_union_agg(minhash) (
	SFUNC = minhash_union_agg_transition, STYPE = minhash, SSPACE = 276,
	COMBINEFUNC = minhash_union,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_union_agg(minhash) IS 'signature of the union of all sets';

CREATE FUNCTION cardinality(sig minhash) RETURNS float8
	AS 'MODULE_PATHNAME', 'minhash_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION cardinality(minhash) IS 'estimated number of elements of a set';

CREATE FUNCTION containment(minhash, minhash) RETURNS float8
	AS 'MODULE_PATHNAME', 'minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION containment(minhash, minhash) IS
	'estimated share of the first set that is in the second, NULL if the first is empty';

CREATE FUNCTION containment(anycompatiblearray, anycompatiblearray) RETURNS float8
	AS 'MODULE_PATHNAME', 'containment_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION containment(anycompatiblearray, anycompatiblearray) IS
	'exact share of the first array''s elements that are in the second, NULL if the first is empty';

CREATE FUNCTION containment(text, text, shingling) RETURNS float8
	AS 'MODULE_PATHNAME', 'containment_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION containment(text, text, shingling) IS
	'exact share of the first text''s shingles that are in the second, NULL if the first is empty';

CREATE FUNCTION containment(tsvector, tsvector) RETURNS float8
	AS 'MODULE_PATHNAME', 'containment_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION containment(tsvector, tsvector) IS
	'exact share of the first tsvector''s lexemes that are in the second, NULL if the first is empty';

CREATE FUNCTION jaccard_interval(a minhash, b minhash, confidence float8 DEFAULT 0.95,
		OUT low float8, OUT high float8) RETURNS record
	AS 'MODULE_PATHNAME', 'minhash_jaccard_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION jaccard_interval(minhash, minhash, float8) IS
	'interval in which the Jaccard similarity lies with some confidence, NULL if both sets are empty';

-- triggers

CREATE FUNCTION minhash_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON FUNCTION minhash_trigger() IS
	'trigger to keep a column of signatures true: signature column, shingling, number of hashes, source columns';

-- weighted sets

CREATE FUNCTION to_minhash(elements anyarray, weights float8[],
		num_hashes integer DEFAULT 128, seed integer DEFAULT 0) RETURNS minhash
	AS 'MODULE_PATHNAME', 'to_minhash_weighted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION to_minhash(anyarray, float8[], integer, integer) IS
	'signature of a weighted set: elements and their weights';

-- import

CREATE FUNCTION minhash_from_values(hash_values bigint[], seed integer DEFAULT 0) RETURNS minhash
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_from_values(bigint[], integer) IS
	'signature made elsewhere, by its hash values';

-- why two texts are similar

CREATE FUNCTION shared_passages(a text, b text, shingling shingling DEFAULT 'char:5',
		OUT start_a integer, OUT length_a integer, OUT start_b integer, OUT length_b integer,
		OUT passage text) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION shared_passages(text, text, shingling) IS
	'passages that two texts share, in the order of the first: positions in characters, from 1';

-- how a signature was made, for checks

CREATE FUNCTION minhash_kind(sig minhash) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_kind(minhash) IS
	'how a signature was made, in one text: shingling/method/hashes/seed';

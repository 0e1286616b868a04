/*-------------------------------------------------------------------------
 *
 * to_minhash.c
 *	  Make signatures of texts, arrays and tsvectors.
 *
 * The functions for arrays and tsvectors are not overloads of to_minhash, just
 * as array_to_tsvector is not one of to_tsvector.  Most clients send parameters
 * with an unknown type, and to_minhash($1) would then sign the text
 * '{"a","b"}'.  And where to_minhash has a shingling, tsvector_to_minhash has
 * num_hashes: to_minhash('some text', 64) would silently sign a tsvector.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "core/hash.h"
#include "shingle_hashes.h"
#include "support/arguments.h"
#include "support/utf8.h"
#include "to_minhash.h"

/*
 * Hashes that are not in the sketch yet.  Adding them to it all at once is
 * much faster than one by one, since sketch_add() is vectorized.
 */
typedef struct Batch
{
	Sketch	   *sketch;
	int			count;
	uint64		hashes[HASHES_AT_ONCE];
} Batch;

/* Allocate and start a sketch. */
static Sketch *
new_sketch(const MinHashKind *kind)
{
	Sketch	   *sketch = palloc(sketch_size(kind->method, kind->num_hashes));

	sketch_begin(sketch, kind->method, kind->num_hashes, kind->seed);
	return sketch;
}

/* Add the hashes of shingles to a sketch. */
static void
add_to_sketch(void *sketch, const uint64 *hashes, int count)
{
	sketch_add(sketch, hashes, count);
}

/* Make the signature of a text. */
MinHash *
minhash_of_text(const char *bytes, Size len, const MinHashKind *kind)
{
	Sketch	   *sketch = new_sketch(kind);

	read_shingle_hashes(bytes, len, kind->shingling, kind->seed,
						add_to_sketch, sketch);
	return minhash_from_sketch(sketch, kind->shingling);
}

/* Start a batch without hashes. */
static void
begin_batch(Batch *batch, Sketch *sketch)
{
	batch->sketch = sketch;
	batch->count = 0;
}

/* Add the hashes of a batch to its sketch. */
static void
flush_batch(Batch *batch)
{
	sketch_add(batch->sketch, batch->hashes, batch->count);
	batch->count = 0;
}

/* Add a hash to a batch. */
static inline void
add_to_batch(Batch *batch, uint64 hash)
{
	batch->hashes[batch->count++] = hash;
	if (batch->count == HASHES_AT_ONCE)
		flush_batch(batch);
}

/* Add the elements of an array that are not null to a sketch. */
void
sketch_array(Sketch *sketch, ArrayType *array, const ElementType *type)
{
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Batch		batch;
	Datum		value;
	bool		isnull;

	begin_batch(&batch, sketch);
	while (array_iterate(iterator, &value, &isnull))
	{
		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			add_to_batch(&batch, element_hash(type, value,
											  (uint32) sketch->seed));
	}
	flush_batch(&batch);
	array_free_iterator(iterator);
}

/* Make the signature of the set of an array's elements. */
MinHash *
minhash_of_array(ArrayType *array, const MinHashKind *kind,
				 const ElementType *type)
{
	Sketch	   *sketch = new_sketch(kind);

	sketch_array(sketch, array, type);
	return minhash_from_sketch(sketch, kind->shingling);
}

/* Make the signature of the set of a tsvector's lexemes. */
MinHash *
minhash_of_tsvector(TSVector vector, const MinHashKind *kind)
{
	WordEntry  *entries = ARRPTR(vector);
	Batch		batch;

	begin_batch(&batch, new_sketch(kind));
	for (int i = 0; i < vector->size; i++)
	{
		char	   *lexeme = STRPTR(vector) + entries[i].pos;
		Size		len;
		char	   *utf8 = bytes_to_utf8(lexeme, entries[i].len, &len);

		CHECK_FOR_INTERRUPTS();
		add_to_batch(&batch, shingle_hash(utf8, len, (uint32) kind->seed));
		if (utf8 != lexeme)
			pfree(utf8);
	}
	flush_batch(&batch);
	return minhash_from_sketch(batch.sketch, kind->shingling);
}

/* Read the arguments num_hashes, seed and method. */
static MinHashKind
read_kind(FunctionCallInfo fcinfo, int first_arg, uint32 shingling)
{
	MinHashKind kind;

	kind.shingling = shingling;
	kind.num_hashes = check_num_hashes(PG_GETARG_INT32(first_arg));
	kind.seed = PG_GETARG_INT32(first_arg + 1);
	kind.method = method_from_text(PG_GETARG_TEXT_PP(first_arg + 2));
	return kind;
}

/* Make the signature of a text under a shingling, for SQL. */
PG_FUNCTION_INFO_V1(to_minhash);
Datum
to_minhash(PG_FUNCTION_ARGS)
{
	text	   *document = PG_GETARG_TEXT_PP(0);
	uint32		shingling = check_text_shingling(PG_GETARG_UINT32(1));
	MinHashKind kind = read_kind(fcinfo, 2, shingling);

	PG_RETURN_MINHASH_P(minhash_of_text(VARDATA_ANY(document),
										VARSIZE_ANY_EXHDR(document), &kind));
}

/* Make the signature of an array, for SQL. */
PG_FUNCTION_INFO_V1(array_to_minhash);
Datum
array_to_minhash(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	const ElementType *type = element_type_lookup(fcinfo->flinfo,
												  ARR_ELEMTYPE(array));
	MinHashKind kind = read_kind(fcinfo, 1, SHINGLING(type->unit, 0, 0));

	PG_RETURN_MINHASH_P(minhash_of_array(array, &kind, type));
}

/* Make the signature of a tsvector, for SQL. */
PG_FUNCTION_INFO_V1(tsvector_to_minhash);
Datum
tsvector_to_minhash(PG_FUNCTION_ARGS)
{
	TSVector	vector = PG_GETARG_TSVECTOR(0);
	MinHashKind kind = read_kind(fcinfo, 1, SHINGLING(SHINGLE_LEXEME, 0, 0));

	PG_RETURN_MINHASH_P(minhash_of_tsvector(vector, &kind));
}

/*-------------------------------------------------------------------------
 *
 * to_minhash.c
 *	  Make signatures of texts, arrays and tsvectors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "tsearch/ts_type.h"
#include "utils/array.h"

#include "core/shingle.h"
#include "occurrences.h"
#include "support/arguments.h"
#include "support/utf8.h"
#include "to_minhash.h"

#define BATCH_SIZE 1024			/* hashes that are added at once */

/* Sketch the shingles of a text in UTF-8. */
static void
sketch_text(Sketch *sketch, const MinHashKind *kind, const char *utf8, Size len)
{
	ShingleReader reader;
	uint64		hashes[BATCH_SIZE];
	bool		is_bag = shingling_is_bag(kind->shingling);
	Occurrences seen;

	if (is_bag)
		occurrences_begin(&seen);
	shingle_begin(&reader, kind->shingling, kind->seed, utf8, len);
	while (!reader.done)
	{
		int			count = shingle_next(&reader, hashes, BATCH_SIZE);

		CHECK_FOR_INTERRUPTS();
		if (count < 0)
			report_not_utf8();
		if (is_bag)
			occurrences_number(&seen, hashes, count, reader.seed);
		sketch_add(sketch, hashes, count);
	}
	if (is_bag)
		occurrences_end(&seen);
}

/* Hashes that are to be added at once. */
typedef struct Batch
{
	Sketch	   *sketch;
	int			count;
	uint64		hashes[BATCH_SIZE];
} Batch;

/* Add what has been collected. */
static void
flush_batch(Batch *batch)
{
	sketch_add(batch->sketch, batch->hashes, batch->count);
	batch->count = 0;
}

/* Add the hash of an element, now or later. */
static inline void
add_to_batch(Batch *batch, uint64 hash)
{
	batch->hashes[batch->count++] = hash;
	if (batch->count == BATCH_SIZE)
		flush_batch(batch);
}

/* Sketch the elements of an array that are not null. */
void
sketch_array(Sketch *sketch, ArrayType *array, const ElementType *type)
{
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Batch		batch;
	Datum		value;
	bool		isnull;

	batch.sketch = sketch;
	batch.count = 0;
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

/* Sketch the lexemes of a tsvector. */
static void
sketch_tsvector(Sketch *sketch, TSVector vector)
{
	WordEntry  *entries = ARRPTR(vector);
	Batch		batch;

	batch.sketch = sketch;
	batch.count = 0;
	for (int i = 0; i < vector->size; i++)
	{
		char	   *lexeme = STRPTR(vector) + entries[i].pos;
		Size		len;
		char	   *utf8 = bytes_to_utf8(lexeme, entries[i].len, &len);

		CHECK_FOR_INTERRUPTS();
		add_to_batch(&batch, shingle_hash(utf8, len, (uint32) sketch->seed));
		if (utf8 != lexeme)
			pfree(utf8);
	}
	flush_batch(&batch);
}

/* Start a sketch, which needs a few bytes for each hash. */
static Sketch *
new_sketch(const MinHashKind *kind)
{
	Sketch	   *sketch = palloc(sketch_size(kind->method, kind->num_hashes));

	sketch_begin(sketch, kind->method, kind->num_hashes, kind->seed);
	return sketch;
}

/* Make the signature of a text, given in the database's encoding. */
MinHash *
minhash_of_text(const char *bytes, Size len, const MinHashKind *kind)
{
	Sketch	   *sketch = new_sketch(kind);
	char	   *utf8 = bytes_to_utf8((char *) bytes, len, &len);

	sketch_text(sketch, kind, utf8, len);
	return minhash_from_sketch(sketch, kind->shingling);
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
	Sketch	   *sketch = new_sketch(kind);

	sketch_tsvector(sketch, vector);
	return minhash_from_sketch(sketch, kind->shingling);
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

/* Make the signature of a text under a shingling. */
PG_FUNCTION_INFO_V1(to_minhash_text);
Datum
to_minhash_text(PG_FUNCTION_ARGS)
{
	text	   *document = PG_GETARG_TEXT_PP(0);
	uint32		shingling = check_text_shingling(PG_GETARG_UINT32(1));
	MinHashKind kind = read_kind(fcinfo, 2, shingling);

	PG_RETURN_MINHASH_P(minhash_of_text(VARDATA_ANY(document),
										VARSIZE_ANY_EXHDR(document), &kind));
}

/* Make the signature of the set of an array's elements. */
PG_FUNCTION_INFO_V1(to_minhash_array);
Datum
to_minhash_array(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	const ElementType *type = element_type_lookup(fcinfo->flinfo,
												  ARR_ELEMTYPE(array));
	MinHashKind kind = read_kind(fcinfo, 1, SHINGLING(type->unit, 0, 0));

	PG_RETURN_MINHASH_P(minhash_of_array(array, &kind, type));
}

/* Make the signature of the set of a tsvector's lexemes. */
PG_FUNCTION_INFO_V1(to_minhash_tsvector);
Datum
to_minhash_tsvector(PG_FUNCTION_ARGS)
{
	TSVector	vector = PG_GETARG_TSVECTOR(0);
	MinHashKind kind = read_kind(fcinfo, 1, SHINGLING(SHINGLE_LEXEME, 0, 0));

	PG_RETURN_MINHASH_P(minhash_of_tsvector(vector, &kind));
}

/*-------------------------------------------------------------------------
 *
 * to_minhash.c
 *	  The functions to_minhash, array_to_minhash and tsvector_to_minhash.
 *
 * The functions for arrays and tsvectors are not overloads of to_minhash, just
 * as array_to_tsvector is not one of to_tsvector.  Most clients send parameters
 * with an unknown type, and to_minhash($1) would then sign the text
 * '{"a","b"}'.  And where to_minhash has a shingling, tsvector_to_minhash has
 * num_hashes: to_minhash('some text', 64) would silently sign a tsvector.
 *
 * A shingling is a set or a bag (multiset).  In a bag the i-th occurrence of a
 * shingle is an element of its own, hashed from the shingle's hash and i, so
 * the occurrences must be counted.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "core/base/hash_table.h"
#include "core/text/shingle.h"
#include "support/arguments.h"
#include "support/server_memory.h"
#include "support/utf8.h"
#include "to_minhash.h"

/* Read the text in batches; in a bag, hash the number of each occurrence, too. */
void
shingle_hashes_read(const char *bytes, Size len, uint32 shingling, int32 seed,
					TakeHashes take, void *state)
{
	ShingleReader reader;
	uint64		hashes[SHINGLE_HASHES_AT_ONCE];
	bool		is_bag = shingling_is_bag(shingling);
	HashTable	seen;			/* a shingle's occurrences so far */
	char	   *utf8 = utf8_from_bytes(bytes, len, &len);

	if (is_bag)
		hash_table_begin(&seen, SHINGLE_HASHES_AT_ONCE, server_secret());
	shingle_begin(&reader, shingling, seed, utf8, len);
	while (!reader.done)
	{
		int			count = shingle_next(&reader, hashes, SHINGLE_HASHES_AT_ONCE);

		if (is_bag)
			for (int i = 0; i < count; i++)
				hashes[i] = shingle_hash_occurrence(hashes[i],
													++hash_table_enter(&seen, hashes[i])->value,
													reader.seed);
		take(state, hashes, count);
	}
	if (is_bag)
		hash_table_end(&seen);
	if (utf8 != bytes)
		pfree(utf8);
}

/* Hash the elements of an array in batches. */
void
element_hashes_read(ArrayType *array, const ElementType *type, uint64 seed,
					TakeHashes take, void *state)
{
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	uint64		hashes[SHINGLE_HASHES_AT_ONCE];
	int			count = 0;
	Datum		value;
	bool		isnull;

	while (array_iterate(iterator, &value, &isnull))
	{
		CHECK_FOR_INTERRUPTS();
		if (isnull)
			continue;
		hashes[count++] = element_hash(type, value, seed);
		if (count == SHINGLE_HASHES_AT_ONCE)
		{
			take(state, hashes, count);
			count = 0;
		}
	}
	take(state, hashes, count);
	array_free_iterator(iterator);
}

/* Allocate and start a sketch. */
static Sketch *
new_sketch(const MinHashKind *kind)
{
	Sketch	   *sketch = palloc(sketch_size(kind->method, kind->num_hashes));

	sketch_begin(sketch, kind->method, kind->num_hashes, kind->seed);
	return sketch;
}

/* Sketch a few hashes. */
MinHash *
minhash_of_hashes(const uint64 *hashes, int count, const MinHashKind *kind)
{
	Sketch	   *sketch = new_sketch(kind);

	sketch_add(sketch, hashes, count);
	return minhash_from_sketch(sketch, kind);
}

/* Add the hashes of shingles to a sketch. */
static void
add_to_sketch(void *sketch, const uint64 *hashes, int count)
{
	sketch_add(sketch, hashes, count);
}

/* Sketch the shingles of a text as they are read. */
MinHash *
minhash_of_text(const char *bytes, Size len, const MinHashKind *kind)
{
	Sketch	   *sketch = new_sketch(kind);

	shingle_hashes_read(bytes, len, kind->shingling, kind->seed,
						add_to_sketch, sketch);
	return minhash_from_sketch(sketch, kind);
}

/* Sketch the elements of an array. */
MinHash *
minhash_of_array(ArrayType *array, const MinHashKind *kind,
				 const ElementType *type)
{
	Sketch	   *sketch = new_sketch(kind);

	element_hashes_read(array, type, (uint32) kind->seed, add_to_sketch, sketch);
	return minhash_from_sketch(sketch, kind);
}

/* Sketch the lexemes of a tsvector, which stores each once. */
MinHash *
minhash_of_tsvector(TSVector vector, const MinHashKind *kind)
{
	WordEntry  *entries = ARRPTR(vector);
	Sketch	   *sketch = new_sketch(kind);
	uint64		hashes[SHINGLE_HASHES_AT_ONCE];

	for (int i = 0; i < vector->size; i++)
	{
		char	   *lexeme = STRPTR(vector) + entries[i].pos;
		Size		len;
		char	   *utf8 = utf8_from_bytes(lexeme, entries[i].len, &len);

		CHECK_FOR_INTERRUPTS();
		hashes[i % SHINGLE_HASHES_AT_ONCE] = shingle_hash(utf8, len, (uint32) kind->seed);
		if ((i + 1) % SHINGLE_HASHES_AT_ONCE == 0 || i + 1 == vector->size)
			sketch_add(sketch, hashes, i % SHINGLE_HASHES_AT_ONCE + 1);
		if (utf8 != lexeme)
			pfree(utf8);
	}
	return minhash_from_sketch(sketch, kind);
}

/* Read the arguments num_hashes, seed and method, as far as there are any. */
MinHashKind
minhash_kind_of_arguments(FunctionCallInfo fcinfo, int first, uint32 shingling)
{
	static const char *const names[] = {"num_hashes", "seed", "method"};
	MinHashKind kind = {
		.shingling = shingling,
		.method = SKETCH_ONE_PERMUTATION,
		.num_hashes = SKETCH_DEFAULT_HASHES
	};

	for (int i = first; i < PG_NARGS(); i++)
		arg_check_not_null(fcinfo, i, names[i - first]);
	if (PG_NARGS() > first)
		kind.num_hashes = arg_check_num_hashes(PG_GETARG_INT32(first));
	if (PG_NARGS() > first + 1)
		kind.seed = PG_GETARG_INT32(first + 1);
	if (PG_NARGS() > first + 2)
		kind.method = arg_method(PG_GETARG_TEXT_PP(first + 2));
	return kind;
}

/* Make the signature of a text under a shingling, for SQL. */
PG_FUNCTION_INFO_V1(to_minhash);
Datum
to_minhash(PG_FUNCTION_ARGS)
{
	text	   *document = PG_GETARG_TEXT_PP(0);
	uint32		shingling = arg_check_text_shingling(PG_GETARG_UINT32(1));
	MinHashKind kind = minhash_kind_of_arguments(fcinfo, 2, shingling);

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
	MinHashKind kind = minhash_kind_of_arguments(fcinfo, 1, SHINGLING(type->unit, 0, 0));

	PG_RETURN_MINHASH_P(minhash_of_array(array, &kind, type));
}

/* Make the signature of a tsvector, for SQL. */
PG_FUNCTION_INFO_V1(tsvector_to_minhash);
Datum
tsvector_to_minhash(PG_FUNCTION_ARGS)
{
	TSVector	vector = PG_GETARG_TSVECTOR(0);
	MinHashKind kind = minhash_kind_of_arguments(fcinfo, 1, SHINGLING(SHINGLE_LEXEME, 0, 0));

	PG_RETURN_MINHASH_P(minhash_of_tsvector(vector, &kind));
}

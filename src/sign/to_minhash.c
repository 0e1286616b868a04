/*-------------------------------------------------------------------------
 *
 * to_minhash.c
 *	  Make signatures of texts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "batch.h"
#include "core/shingle.h"
#include "occurrences.h"
#include "support/arguments.h"
#include "support/utf8.h"
#include "to_minhash.h"

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

/* Start a sketch, which needs a few bytes for each hash. */
Sketch *
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

/* Read the arguments num_hashes, seed and method. */
MinHashKind
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

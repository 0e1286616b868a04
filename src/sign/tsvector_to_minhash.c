/*-------------------------------------------------------------------------
 *
 * tsvector_to_minhash.c
 *	  Make signatures of tsvectors, as sets of their lexemes.
 *
 * The function has a name of its own, or to_minhash('some text', 64) would
 * be the signature of a tsvector, since only that has 64 in this place.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "batch.h"
#include "core/shingle.h"
#include "support/utf8.h"
#include "to_minhash.h"
#include "tsvector_to_minhash.h"

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

/* Make the signature of the set of a tsvector's lexemes. */
MinHash *
minhash_of_tsvector(TSVector vector, const MinHashKind *kind)
{
	Sketch	   *sketch = new_sketch(kind);

	sketch_tsvector(sketch, vector);
	return minhash_from_sketch(sketch, kind->shingling);
}

/* Make the signature of the set of a tsvector's lexemes. */
PG_FUNCTION_INFO_V1(tsvector_to_minhash);
Datum
tsvector_to_minhash(PG_FUNCTION_ARGS)
{
	TSVector	vector = PG_GETARG_TSVECTOR(0);
	MinHashKind kind = read_kind(fcinfo, 1, SHINGLING(SHINGLE_LEXEME, 0, 0));

	PG_RETURN_MINHASH_P(minhash_of_tsvector(vector, &kind));
}

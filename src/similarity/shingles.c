/*-------------------------------------------------------------------------
 *
 * shingles.c
 *	  The SQL function shingles: the shingles of a text.
 *
 * Signatures and exact similarities need only the hashes of shingles
 * (sign/to_minhash.c).  Here the normal form of the text is kept, and each shingle
 * is a part of it.  In a set, a shingle whose hash has been seen is left out; the
 * seed of the hash is secret, as in jaccard_exact.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/base/hash.h"
#include "core/base/hash_table.h"
#include "core/text/cutter.h"
#include "support/arguments.h"
#include "support/server_memory.h"
#include "support/utf8.h"

/* The array to make. */
typedef struct ShingleArray
{
	Datum	   *texts;
	size_t		count;
	size_t		room;
	Size		bytes;			/* of the texts */
	bool		is_bag;
	HashTable	seen;			/* in a set, its shingles so far */
} ShingleArray;

/* Add a shingle, unless it is one that a set has already. */
static void
add_shingle(ShingleArray *array, const char *shingle, Size length)
{
	text	   *value;

	CHECK_FOR_INTERRUPTS();
	if (!array->is_bag &&
		hash_table_enter(&array->seen, shingle_hash(shingle, length, server_secret()))->value++ > 0)
		return;
	value = utf8_to_text(shingle, length);
	array->bytes += INTALIGN(VARSIZE(value));
	if (array->bytes > MaxAllocSize || array->count >= MaxArraySize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text has too many shingles for an array"),
				 errdetail("An array has at most %d elements and 1 GB.",
						   (int) MaxArraySize),
				 errhint("Cut the text into parts.")));
	array->texts = memory_grow(array->texts, array->count, 1, &array->room, sizeof(Datum));
	array->texts[array->count++] = PointerGetDatum(value);
}

/* Add the shingles of a text; one shorter than a shingle is one shingle. */
static void
add_shingles(ShingleArray *array, uint32 shingling, const char *utf8, Size len)
{
	int			starts[SHINGLE_MAX_SIZE + 1];	/* of the last units */
	int			size = shingling_size(shingling);
	int			count = 0;		/* of units */
	bool		in_word = false;
	StringInfoData units;
	Cutter		cutter;
	Cut			cut;

	initStringInfo(&units);
	cutter_begin(&cutter, shingling, utf8, len);
	while (!cutter.done)
	{
		if (!cutter_next(&cutter, &cut))
			continue;
		if (!in_word)
		{
			if (cutter.words && count > 0)
				appendStringInfoChar(&units, ' ');
			starts[count++ % lengthof(starts)] = units.len;
		}
		appendBinaryStringInfo(&units, (const char *) cut.text, (int) cut.length);
		in_word = cut.goes_on;
		if (!in_word && count >= size)
		{
			int			start = starts[(count - size) % lengthof(starts)];

			add_shingle(array, units.data + start, units.len - start);
		}
	}
	if (count > 0 && count < size)
		add_shingle(array, units.data, units.len);
}

/* Return the shingles of a text in order; repetitions only for a bag. */
PG_FUNCTION_INFO_V1(shingles);
Datum
shingles(PG_FUNCTION_ARGS)
{
	text	   *document = PG_GETARG_TEXT_PP(0);
	uint32		shingling = arg_check_text_shingling(PG_GETARG_UINT32(1));
	ShingleArray array = {.is_bag = shingling_is_bag(shingling)};
	Size		len;
	char	   *utf8 = utf8_from_bytes(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document), &len);

	hash_table_begin(&array.seen, 0, server_secret());
	add_shingles(&array, shingling, utf8, len);
	PG_RETURN_ARRAYTYPE_P(construct_array(array.texts, (int) array.count, TEXTOID, -1, false,
										  TYPALIGN_INT));
}

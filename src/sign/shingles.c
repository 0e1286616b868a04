/*-------------------------------------------------------------------------
 *
 * shingles.c
 *	  Show the shingles of a text.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/shingling.h"
#include "shingle_list.h"
#include "support/arguments.h"
#include "support/utf8.h"

/* Make an array of shingles. */
static ArrayType *
shingles_to_array(const ShingleList *list)
{
	Datum	   *texts = palloc_extended(sizeof(Datum) * Max(list->count, 1),
										MCXT_ALLOC_HUGE);
	Size		bytes = 0;

	for (Size i = 0; i < list->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		texts[i] = PointerGetDatum(utf8_to_text(list->items[i].text,
												list->items[i].length));
		bytes += INTALIGN(VARSIZE(DatumGetPointer(texts[i])));
		if (bytes > MaxAllocSize || i >= MaxArraySize)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("the shingles of the text do not fit into an array"),
					 errdetail("An array has at most %d elements and 1 GB.",
							   (int) MaxArraySize),
					 errhint("Cut the text into parts.")));
	}
	return construct_array(texts, (int) list->count, TEXTOID, -1, false,
						   TYPALIGN_INT);
}

/* Return the shingles of a text, in order; repetitions only for a bag. */
PG_FUNCTION_INFO_V1(shingles);
Datum
shingles(PG_FUNCTION_ARGS)
{
	text	   *document = PG_GETARG_TEXT_PP(0);
	uint32		shingling = check_text_shingling(PG_GETARG_UINT32(1));
	ShingleList list = shingle_list(document, shingling);

	if (!shingling_is_bag(shingling))
	{
		shingle_list_sort(&list);
		shingle_list_unique(&list);
		shingle_list_sort_by_index(&list);
	}
	PG_RETURN_ARRAYTYPE_P(shingles_to_array(&list));
}

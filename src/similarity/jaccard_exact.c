/*-------------------------------------------------------------------------
 *
 * jaccard_exact.c
 *	  Exact Jaccard similarity and containment of arrays, texts and tsvectors.
 *
 * The elements of arrays, and the shingles of texts, are known by 64-bit hashes with a
 * secret seed, a 32-bit one for shingles.  So two different ones are taken for equal
 * with a probability of 2^-64, and an author cannot choose them.  Elements are equal if they
 * would be the same element in a signature: integers by value, strings by their
 * bytes, others by their canonical form (see sign/elements.c).  The similarity of two
 * empty sets, and the containment of an empty set, is NULL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "tsearch/ts_type.h"
#include "tsearch/ts_utils.h"

#include "compat.h"
#include "core/base/hash_table.h"
#include "sign/to_minhash.h"
#include "support/arguments.h"
#include "support/server_memory.h"

/*
 * Two sets, or bags, of which the second is read after the first, and their
 * intersection.  An occurrence of a member of a bag is a member of its own.
 */
typedef struct Intersection
{
	HashTable	table;			/* members; the value is a MemberState */
	bool		in_second;		/* the set that is being read */
	int64		a;				/* members of the sets, and of both */
	int64		b;
	int64		both;
} Intersection;

typedef enum MemberState
{
	MEMBER_NEW,
	MEMBER_OF_FIRST,
	MEMBER_OF_SECOND			/* perhaps also of the first */
} MemberState;

/* Return the Jaccard similarity of two sets, or NULL. */
static Datum
return_jaccard(FunctionCallInfo fcinfo, Intersection overlap)
{
	int64		either = overlap.a + overlap.b - overlap.both;

	if (either == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8((double) overlap.both / (double) either);
}

/* Return the fraction of the first set that is in the second, or NULL. */
static Datum
return_containment(FunctionCallInfo fcinfo, Intersection overlap)
{
	if (overlap.a == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8((double) overlap.both / (double) overlap.a);
}

/* Begin with two sets that are empty. */
static Intersection
begin_sets(uint64 expected)
{
	Intersection sets = {.a = 0};

	hash_table_begin(&sets.table, Min(expected, HASH_TABLE_MOST_EXPECTED),
					 server_secret());
	return sets;
}

/* Count members of the set that is being read, given by their hashes. */
static void
count_members(void *state, const uint64 *hashes, int count)
{
	Intersection *sets = state;

	for (int i = 0; i < count; i++)
	{
		HashEntry  *entry = hash_table_enter(&sets->table, hashes[i]);

		if (sets->in_second)
		{
			sets->b += entry->value != MEMBER_OF_SECOND;
			sets->both += entry->value == MEMBER_OF_FIRST;
			entry->value = MEMBER_OF_SECOND;
		}
		else
		{
			sets->a += entry->value == MEMBER_NEW;
			entry->value = MEMBER_OF_FIRST;
		}
	}
}

/* Intersect two arrays as sets. */
static Intersection
array_overlap(FunctionCallInfo fcinfo)
{
	ArrayType  *a = PG_GETARG_ARRAYTYPE_P(0);
	const ElementType *type = element_type_lookup(fcinfo->flinfo, ARR_ELEMTYPE(a));
	Intersection sets = begin_sets(ArrayGetNItems(ARR_NDIM(a), ARR_DIMS(a)));

	element_hashes_read(a, type, server_secret(), count_members, &sets);
	sets.in_second = true;
	element_hashes_read(PG_GETARG_ARRAYTYPE_P(1), type, server_secret(), count_members, &sets);
	return sets;
}

/* Intersect two texts as sets, or bags, of shingles. */
static Intersection
text_overlap(FunctionCallInfo fcinfo)
{
	uint32		shingling = arg_check_text_shingling(PG_GETARG_UINT32(2));
	Intersection sets = begin_sets(VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(0)) / 2);

	for (int i = 0; i < 2; i++)
	{
		text	   *document = PG_GETARG_TEXT_PP(i);

		sets.in_second = i == 1;
		shingle_hashes_read(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document), shingling,
							(int32) server_secret(), count_members, &sets);
	}
	return sets;
}

/* Intersect two tsvectors, which store their lexemes in order. */
static Intersection
tsvector_overlap(FunctionCallInfo fcinfo)
{
	TSVector	a = PG_GETARG_TSVECTOR(0);
	TSVector	b = PG_GETARG_TSVECTOR(1);
	WordEntry  *a_entries = ARRPTR(a);
	WordEntry  *b_entries = ARRPTR(b);
	Intersection overlap = {.a = a->size,.b = b->size};
	int			i = 0;
	int			j = 0;

	while (i < a->size && j < b->size)
	{
		int			sign = tsCompareString(STRPTR(a) + a_entries[i].pos,
										   a_entries[i].len,
										   STRPTR(b) + b_entries[j].pos,
										   b_entries[j].len, false);

		overlap.both += (sign == 0);
		i += (sign <= 0);
		j += (sign >= 0);
	}
	return overlap;
}

/* Define an SQL function that returns a measure of two sets or bags. */
#define MEASURE_V1(name, return_measure, overlap) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		return return_measure(fcinfo, overlap(fcinfo)); \
	} \
	extern int	no_such_variable

MEASURE_V1(jaccard_array, return_jaccard, array_overlap);
MEASURE_V1(jaccard_text, return_jaccard, text_overlap);
MEASURE_V1(jaccard_tsvector, return_jaccard, tsvector_overlap);
MEASURE_V1(containment_array, return_containment, array_overlap);
MEASURE_V1(containment_text, return_containment, text_overlap);
MEASURE_V1(containment_tsvector, return_containment, tsvector_overlap);

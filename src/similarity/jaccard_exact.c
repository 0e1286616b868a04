/*-------------------------------------------------------------------------
 *
 * jaccard_exact.c
 *	  Exact Jaccard similarity and containment of arrays, texts and tsvectors.
 *
 * Arrays are sorted by the hashes of their elements and merged; the shingles of
 * two texts are sorted together (shingles.c).  Elements are equal if they would
 * be the same element in a signature: integers by value, strings by their bytes,
 * others by their canonical form (see sign/elements.c).  The similarity of two
 * empty sets, and the containment of an empty set, is NULL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/qunique.h"
#include "miscadmin.h"
#include "tsearch/ts_type.h"
#include "tsearch/ts_utils.h"
#include "utils/array.h"

#include "core/base/host.h"
#include "shingles.h"
#include "sign/elements.h"
#include "support/arguments.h"
#include "support/server_memory.h"

/* The sizes of two sets, or bags, and of their intersection. */
typedef struct Intersection
{
	int64		a;
	int64		b;
	int64		both;
} Intersection;

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

/* An element of an array. */
typedef struct Element
{
	uint64		key;			/* integer or hash; equal for equal elements */
	Datum		value;
} Element;

/* qsort_arg comparator: by key first, which rarely ties. */
static int
compare_elements(const void *a, const void *b, void *arg)
{
	const Element *x = a;
	const Element *y = b;

	CHECK_FOR_INTERRUPTS();
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return element_compare(arg, x->value, y->value);
}

/* Sort the distinct elements of an array that are not null; return their number. */
static int
distinct_elements(ArrayType *array, const ElementType *type,
				  Element **elements)
{
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Datum		value;
	bool		isnull;
	Size		count = 0;

	*elements = server_alloc_array(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)),
								   sizeof(Element));
	while (array_iterate(iterator, &value, &isnull))
	{
		CHECK_FOR_INTERRUPTS();
		if (isnull)
			continue;
		(*elements)[count].value = value;
		(*elements)[count++].key = type->unit == SHINGLE_INTEGER ?
			(uint64) element_integer(type, value) : element_hash(type, value, 0);
	}
	qsort_arg(*elements, count, sizeof(Element), compare_elements, (void *) type);
	return (int) qunique_arg(*elements, count, sizeof(Element),
							 compare_elements, (void *) type);
}

/* Intersect two arrays as sets. */
static Intersection
array_overlap(FunctionCallInfo fcinfo)
{
	ArrayType  *a = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *b = PG_GETARG_ARRAYTYPE_P(1);
	const ElementType *type = element_type_lookup(fcinfo->flinfo,
												  ARR_ELEMTYPE(a));
	Element    *a_elements;
	Element    *b_elements;
	Intersection overlap = {0};
	int			i = 0;
	int			j = 0;

	overlap.a = distinct_elements(a, type, &a_elements);
	overlap.b = distinct_elements(b, type, &b_elements);
	while (i < overlap.a && j < overlap.b)
	{
		int			sign = compare_elements(&a_elements[i], &b_elements[j],
											(void *) type);

		overlap.both += (sign == 0);
		i += (sign <= 0);
		j += (sign >= 0);
	}
	return overlap;
}

/* Intersect two texts as sets, or bags, of shingles. */
static Intersection
text_overlap(FunctionCallInfo fcinfo)
{
	uint32		shingling = arg_check_text_shingling(PG_GETARG_UINT32(2));
	bool		is_bag = shingling_is_bag(shingling);
	ShingleList list = shingle_list(shingling, PG_GETARG_TEXT_PP(0),
									PG_GETARG_TEXT_PP(1));
	Intersection overlap = {0};
	int64		left = 0;		/* equal shingles of the first text only */
	bool		last_in_b = false;

	for (Size i = 0; i < list.count; i++)
	{
		bool		is_first = (list.shingles[i] & SHINGLE_IS_FIRST) != 0;
		bool		in_b = (uint32) list.shingles[i] >= list.second;
		bool		counts = is_bag | is_first | (in_b != last_in_b);
		bool		both;

		check_sometimes(i);
		left = is_first ? 0 : left;
		both = counts & in_b & (left > 0);
		left += (counts & !in_b) - both;
		overlap.a += counts & !in_b;
		overlap.b += counts & in_b;
		overlap.both += both;
		last_in_b = in_b;
	}
	return overlap;
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

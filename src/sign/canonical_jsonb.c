/*-------------------------------------------------------------------------
 *
 * canonical_jsonb.c
 *	  Write the canonical form of a jsonb (see core/canonical.h).
 *
 * A jsonb stores the keys of an object sorted by length and bytes in the
 * database encoding.  The canonical form sorts them by length and bytes in
 * UTF-8, so they are sorted again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/jsonb.h"

#include "canonical_datum.h"
#include "support/server_memory.h"
#include "support/utf8.h"

/* A member of a JSON object. */
typedef struct Member
{
	const char *key;			/* in UTF-8 */
	Size		len;
	JsonbValue	value;
} Member;

static void write_container(CanonicalWriter *writer,
							JsonbContainer *container);

/* Write a JSON value. */
static void
write_value(CanonicalWriter *writer, const JsonbValue *value)
{
	CHECK_FOR_INTERRUPTS();
	switch (value->type)
	{
		case jbvNull:
			canonical_tag(writer, CANONICAL_NULL);
			break;
		case jbvString:
			canonical_server_text(writer, value->val.string.val,
								  (Size) value->val.string.len);
			break;
		case jbvNumeric:
			canonical_server_numeric(writer,
									 NumericGetDatum(value->val.numeric));
			break;
		case jbvBool:
			canonical_tagged_number(writer, CANONICAL_BOOL,
									value->val.boolean);
			break;
		case jbvBinary:
			write_container(writer, value->val.binary.data);
			break;
		default:
			elog(ERROR, "unexpected type of a value in a jsonb: %d",
				 (int) value->type);
	}
}

/* qsort comparator: by length of the key, then by its bytes. */
static int
compare_members(const void *a, const void *b)
{
	const Member *x = a;
	const Member *y = b;

	CHECK_FOR_INTERRUPTS();
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->key, y->key, x->len);
}

/* Write the members of an object; the iterator is before the first. */
static void
write_members(CanonicalWriter *writer, JsonbIterator **iterator, Size count)
{
	Member	   *members = alloc_array(count, sizeof(Member));
	JsonbValue	key;

	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) JsonbIteratorNext(iterator, &key, true);
		members[i].key = bytes_to_utf8(key.val.string.val,
									   (Size) key.val.string.len,
									   &members[i].len);
		(void) JsonbIteratorNext(iterator, &members[i].value, true);
	}
	qsort(members, count, sizeof(Member), compare_members);
	for (Size i = 0; i < count; i++)
	{
		canonical_string(writer, CANONICAL_TEXT, members[i].key,
						 members[i].len);
		write_value(writer, &members[i].value);
	}
	pfree(members);
}

/* Write an array, an object, or the scalar at the top of a jsonb. */
static void
write_container(CanonicalWriter *writer, JsonbContainer *container)
{
	JsonbIterator *iterator = JsonbIteratorInit(container);
	JsonbValue	value;

	check_stack_depth();
	if (JsonbIteratorNext(&iterator, &value, true) == WJB_BEGIN_OBJECT)
	{
		canonical_begin(writer, CANONICAL_JSON_OBJECT,
						(size_t) value.val.object.nPairs);
		write_members(writer, &iterator, (Size) value.val.object.nPairs);
		return;
	}
	if (!value.val.array.rawScalar)
		canonical_begin(writer, CANONICAL_JSON_ARRAY,
						(size_t) value.val.array.nElems);
	while (JsonbIteratorNext(&iterator, &value, true) == WJB_ELEM)
		write_value(writer, &value);
}

/* Write a jsonb. */
void
canonical_jsonb(CanonicalWriter *writer, Datum value)
{
	Jsonb	   *jsonb = DatumGetJsonbP(value);

	canonical_tag(writer, CANONICAL_JSONB);
	write_container(writer, &jsonb->root);
}

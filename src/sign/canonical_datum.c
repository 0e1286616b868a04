/*-------------------------------------------------------------------------
 *
 * canonical_datum.c
 *	  Write the canonical form of a value of any type (see core/canonical.h).
 *
 * Built-in scalar types have a canonical form if their equality can be decided
 * from their bytes.  So do arrays, composite types, ranges, multiranges,
 * domains and enums that are built from such types, also user-defined ones.
 *
 * Other types are refused, because equal values could have different bytes:
 * types of extensions; OID aliases (regclass and related types) and aclitem,
 * since a restore changes OIDs; types without equality (json, xml) or with
 * one that is not transitive (geometric types); and types with a
 * user-defined equality operator.
 *
 * Strings are equal if their bytes are, regardless of the collation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/socket.h>

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/itemptr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/inet.h"
#include "utils/lsyscache.h"
#include "utils/multirangetypes.h"
#include "utils/rangetypes.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"
#include "utils/varbit.h"

#include "canonical_datum.h"
#include "compat.h"
#include "support/utf8.h"

typedef struct ScalarForm ScalarForm;

typedef void (*WriteForm) (CanonicalWriter *writer, const ScalarForm *form,
						   Datum value);

/* How the values of a scalar type are written. */
struct ScalarForm
{
	Oid			type;
	CanonicalTag tag;
	WriteForm	write;
	int			length;			/* bytes of a value, for some functions */
};

/* Write an integer, or a value that is stored as one, such as a boolean. */
static void
write_integer(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	int64		number;

	switch (form->length)
	{
		case 1:
			number = DatumGetUInt8(value);
			break;
		case 2:
			number = DatumGetInt16(value);
			break;
		case 4:
			number = DatumGetInt32(value);
			break;
		default:
			number = DatumGetInt64(value);
			break;
	}
	canonical_tagged_number(writer, form->tag, number);
}

/* Write an oid, xid or cid. */
static void
write_uint32(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	canonical_tagged_number(writer, form->tag, DatumGetUInt32(value));
}

/* Write a float8, or a float4 as the float8 of the same value. */
static void
write_float(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	canonical_float(writer, form->length == sizeof(float4) ?
					DatumGetFloat4(value) : DatumGetFloat8(value));
}

/* Write a numeric. */
static void
write_numeric(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	canonical_server_numeric(writer, value);
}

/* Write a text, varchar, character(n) or name. */
static void
write_string(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	Size		len;
	char	   *bytes = string_bytes(form->type, value, &len);

	canonical_server_text(writer, bytes, len);
}

/* Write a bytea. */
static void
write_bytea(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	struct varlena *string = PG_DETOAST_DATUM_PACKED(value);

	canonical_string(writer, form->tag, VARDATA_ANY(string),
					 VARSIZE_ANY_EXHDR(string));
}

/* Write a bit string. */
static void
write_bits(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	VarBit	   *bits = DatumGetVarBitP(value);

	canonical_bits(writer, VARBITS(bits), VARBITLEN(bits));
}

/* Write a uuid, macaddr or macaddr8. */
static void
write_fixed(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	canonical_bytes(writer, form->tag, DatumGetPointer(value), form->length);
}

/* Write an inet or cidr. */
static void
write_inet(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	inet	   *address = DatumGetInetPP(value);

	canonical_inet(writer, ip_family(address) == PGSQL_AF_INET6,
				   ip_bits(address), ip_addr(address));
}

/* Write a time with time zone. */
static void
write_timetz(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	const TimeTzADT *time = DatumGetTimeTzADTP(value);

	canonical_tagged_number(writer, form->tag, time->time);
	canonical_number(writer, time->zone);
}

/* Write an interval. */
static void
write_interval(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	const Interval *interval = DatumGetIntervalP(value);

	canonical_interval(writer, interval->month, interval->day, interval->time);
}

/* Write a tid. */
static void
write_tid(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	ItemPointer tid = (ItemPointer) DatumGetPointer(value);

	canonical_tagged_number(writer, form->tag,
							(int64) ItemPointerGetBlockNumberNoCheck(tid) << 16 |
							ItemPointerGetOffsetNumberNoCheck(tid));
}

/* Write a jsonb. */
static void
write_jsonb(CanonicalWriter *writer, const ScalarForm *form, Datum value)
{
	canonical_jsonb(writer, value);
}

/* The scalar types; common ones first, since the search is linear. */
static const ScalarForm scalar_forms[] = {
	{INT4OID, CANONICAL_INTEGER, write_integer, 4},
	{INT8OID, CANONICAL_INTEGER, write_integer, 8},
	{TEXTOID, CANONICAL_TEXT, write_string, 0},
	{VARCHAROID, CANONICAL_TEXT, write_string, 0},
	{FLOAT8OID, CANONICAL_FLOAT, write_float, sizeof(float8)},
	{NUMERICOID, CANONICAL_NUMERIC, write_numeric, 0},
	{DATEOID, CANONICAL_DATE, write_integer, 4},
	{TIMESTAMPTZOID, CANONICAL_TIMESTAMPTZ, write_integer, 8},
	{UUIDOID, CANONICAL_UUID, write_fixed, UUID_LEN},
	{JSONBOID, CANONICAL_JSONB, write_jsonb, 0},
	{INT2OID, CANONICAL_INTEGER, write_integer, 2},
	{BPCHAROID, CANONICAL_TEXT, write_string, 0},
	{NAMEOID, CANONICAL_TEXT, write_string, 0},
	{BOOLOID, CANONICAL_BOOL, write_integer, 1},
	{CHAROID, CANONICAL_CHAR, write_integer, 1},
	{FLOAT4OID, CANONICAL_FLOAT, write_float, sizeof(float4)},
	{CASHOID, CANONICAL_MONEY, write_integer, 8},
	{BYTEAOID, CANONICAL_BYTEA, write_bytea, 0},
	{BITOID, CANONICAL_BIT, write_bits, 0},
	{VARBITOID, CANONICAL_BIT, write_bits, 0},
	{TIMEOID, CANONICAL_TIME, write_integer, 8},
	{TIMETZOID, CANONICAL_TIMETZ, write_timetz, 0},
	{TIMESTAMPOID, CANONICAL_TIMESTAMP, write_integer, 8},
	{INTERVALOID, CANONICAL_INTERVAL, write_interval, 0},
	{INETOID, CANONICAL_INET, write_inet, 0},
	{CIDROID, CANONICAL_INET, write_inet, 0},
	{MACADDROID, CANONICAL_MACADDR, write_fixed, sizeof(macaddr)},
	{MACADDR8OID, CANONICAL_MACADDR8, write_fixed, sizeof(macaddr8)},
	{OIDOID, CANONICAL_OID, write_uint32, 0},
	{XIDOID, CANONICAL_XID, write_uint32, 0},
	{XID8OID, CANONICAL_XID8, write_integer, 8},
	{CIDOID, CANONICAL_CID, write_uint32, 0},
	{TIDOID, CANONICAL_TID, write_tid, 0},
	{LSNOID, CANONICAL_PG_LSN, write_integer, 8},
};

/* Find the form of a scalar type; NULL if the type is not one of them. */
static const ScalarForm *
find_scalar_form(Oid type)
{
	for (int i = 0; i < (int) lengthof(scalar_forms); i++)
		if (scalar_forms[i].type == type)
			return &scalar_forms[i];
	return NULL;
}

/* Refuse a type. */
static void
report_no_form(Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("elements of type %s cannot be hashed",
					format_type_be(type)),
			 errdetail("The type has no portable definition of equality."),
			 errhint("Cast the elements to text.")));
}

/* Check the types of the columns of a row. */
static void
check_columns(TupleDesc columns)
{
	for (int i = 0; i < columns->natts; i++)
	{
		Oid			type = TupleDescAttr(columns, i)->atttypid;

		if (!TupleDescAttr(columns, i)->attisdropped &&
			find_scalar_form(type) == NULL)
			check_canonical_type(type);
	}
}

/* Check the types of the columns of a composite type. */
static void
check_composite(Oid type)
{
	TupleDesc	columns = lookup_rowtype_tupdesc(type, -1);

	check_columns(columns);
	ReleaseTupleDesc(columns);
}

/* Check the subtype of a range type, and the operator class that orders it. */
static void
check_bounds(Oid type)
{
	TypeCacheEntry *range = lookup_type_cache(type, TYPECACHE_RANGE_INFO);

	if (range->rng_cmp_proc_finfo.fn_oid >= FirstNormalObjectId)
		report_no_form(type);
	check_canonical_type(range->rngelemtype->type_id);
}

/* Refuse a type without a canonical form. */
void
check_canonical_type(Oid type)
{
	check_stack_depth();
	type = getBaseType(type);
	if (find_scalar_form(type) != NULL || type == RECORDOID)
		return;
	if (lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr >= FirstNormalObjectId)
		report_no_form(type);
	switch (get_typtype(type))
	{
		case TYPTYPE_ENUM:
			break;
		case TYPTYPE_COMPOSITE:
			check_composite(type);
			break;
		case TYPTYPE_RANGE:
			check_bounds(type);
			break;
		case TYPTYPE_MULTIRANGE:
			check_canonical_type(get_multirange_range(type));
			break;
		default:
			if (!OidIsValid(get_element_type(type)))
				report_no_form(type);
			check_canonical_type(get_element_type(type));
			break;
	}
}

/* Write an element of an array or a column of a row. */
static void
write_element(CanonicalWriter *writer, Oid type, Datum value, bool isnull)
{
	if (isnull)
		canonical_tag(writer, CANONICAL_NULL);
	else
		canonical_datum(writer, type, value);
}

/* Write an enum value as its label. */
static void
write_enum(CanonicalWriter *writer, Datum value)
{
	char	   *label = DatumGetCString(DirectFunctionCall1(enum_out, value));

	canonical_server_text(writer, label, strlen(label));
}

/* Write an array: all that array_eq() compares. */
static void
write_array(CanonicalWriter *writer, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	ArrayIterator iterator;
	Datum		element;
	bool		isnull;

	canonical_begin(writer, CANONICAL_ARRAY, (size_t) ARR_NDIM(array));
	for (int i = 0; i < ARR_NDIM(array); i++)
	{
		canonical_length(writer, (size_t) ARR_DIMS(array)[i]);
		canonical_number(writer, ARR_LBOUND(array)[i]);
	}
	iterator = array_create_iterator(array, 0, NULL);
	while (array_iterate(iterator, &element, &isnull))
		write_element(writer, ARR_ELEMTYPE(array), element, isnull);
	array_free_iterator(iterator);
}

/* Count the columns of a row that have not been dropped. */
static size_t
count_columns(TupleDesc columns)
{
	size_t		count = 0;

	for (int i = 0; i < columns->natts; i++)
		count += !TupleDescAttr(columns, i)->attisdropped;
	return count;
}

/*
 * Write a row: all that record_eq() compares, so no column names.
 *
 * Column types are checked for each row, since those of an anonymous record
 * are not known earlier, and ALTER TYPE can add columns to a composite type
 * after the type was checked.
 */
static void
write_row(CanonicalWriter *writer, HeapTupleHeader header)
{
	TupleDesc	columns = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
												 HeapTupleHeaderGetTypMod(header));
	HeapTupleData row = {.t_len = HeapTupleHeaderGetDatumLength(header),.t_data = header};
	Datum	   *values = palloc(sizeof(Datum) * Max(columns->natts, 1));
	bool	   *nulls = palloc(sizeof(bool) * Max(columns->natts, 1));

	check_columns(columns);
	ItemPointerSetInvalid(&row.t_self);
	heap_deform_tuple(&row, columns, values, nulls);
	canonical_begin(writer, CANONICAL_RECORD, count_columns(columns));
	for (int i = 0; i < columns->natts; i++)
		if (!TupleDescAttr(columns, i)->attisdropped)
			write_element(writer, TupleDescAttr(columns, i)->atttypid,
						  values[i], nulls[i]);
	ReleaseTupleDesc(columns);
	pfree(values);
	pfree(nulls);
}

/* Return the flags of a range in its canonical form. */
static unsigned
range_flags(const RangeBound *lower, const RangeBound *upper, bool empty)
{
	if (empty)
		return CANONICAL_RANGE_EMPTY;
	return (lower->infinite ? 0 : CANONICAL_RANGE_HAS_LOWER) |
		(lower->inclusive ? CANONICAL_RANGE_LOWER_INCLUSIVE : 0) |
		(upper->infinite ? 0 : CANONICAL_RANGE_HAS_UPPER) |
		(upper->inclusive ? CANONICAL_RANGE_UPPER_INCLUSIVE : 0);
}

/* Write a range: all that range_eq() compares. */
static void
write_range(CanonicalWriter *writer, const RangeType *range)
{
	TypeCacheEntry *type = lookup_type_cache(RangeTypeGetOid(range),
											 TYPECACHE_RANGE_INFO);
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	unsigned	flags;

	range_deserialize(type, range, &lower, &upper, &empty);
	flags = range_flags(&lower, &upper, empty);
	canonical_range(writer, flags);
	if (flags & CANONICAL_RANGE_HAS_LOWER)
		canonical_datum(writer, type->rngelemtype->type_id, lower.val);
	if (flags & CANONICAL_RANGE_HAS_UPPER)
		canonical_datum(writer, type->rngelemtype->type_id, upper.val);
}

/* Write a multirange. */
static void
write_multirange(CanonicalWriter *writer, const MultirangeType *multirange)
{
	TypeCacheEntry *type = lookup_type_cache(MultirangeTypeGetOid(multirange),
											 TYPECACHE_MULTIRANGE_INFO);
	RangeType **ranges;
	int32		count;

	multirange_deserialize(type->rngtype, multirange, &count, &ranges);
	canonical_begin(writer, CANONICAL_MULTIRANGE, (size_t) count);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		write_range(writer, ranges[i]);
	}
}

/*
 * Write a value of a constructed type.
 *
 * A type that was dropped after the check has no typtype and no element type,
 * so it is reported here.
 */
static void
write_constructed(CanonicalWriter *writer, Oid type, Datum value)
{
	switch (get_typtype(type))
	{
		case TYPTYPE_DOMAIN:
			canonical_datum(writer, getBaseType(type), value);
			break;
		case TYPTYPE_ENUM:
			write_enum(writer, value);
			break;
		case TYPTYPE_COMPOSITE:
			write_row(writer, DatumGetHeapTupleHeader(value));
			break;
		case TYPTYPE_RANGE:
			write_range(writer, DatumGetRangeTypeP(value));
			break;
		case TYPTYPE_MULTIRANGE:
			write_multirange(writer, DatumGetMultirangeTypeP(value));
			break;
		default:
			if (!OidIsValid(get_element_type(type)))
				report_no_form(type);
			write_array(writer, value);
			break;
	}
}

/* Write a value of any type. */
void
canonical_datum(CanonicalWriter *writer, Oid type, Datum value)
{
	const ScalarForm *form = find_scalar_form(type);

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (form != NULL)
		form->write(writer, form, value);
	else if (type == RECORDOID)
	{
		HeapTupleHeader header = DatumGetHeapTupleHeader(value);

		check_canonical_type(HeapTupleHeaderGetTypeId(header));
		write_row(writer, header);
	}
	else
		write_constructed(writer, type, value);
}

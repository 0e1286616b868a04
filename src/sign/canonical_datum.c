/*-------------------------------------------------------------------------
 *
 * canonical_datum.c
 *	  Write the canonical form of a value of any type (see core/canonical.h).
 *
 * The types are those of PostgreSQL whose equality can be seen in their bytes,
 * and whatever is made of them: arrays, composite types, ranges, multiranges,
 * domains and enum types, whoever made these.  Others are refused, since luck
 * would decide whether equal values have equal bytes: the types of extensions,
 * those that are OIDs of objects, which a restore changes (regclass and its
 * kin, aclitem), those that have no equality (json, xml), or one that is not
 * transitive (geometry), and any with an operator class of its own.
 *
 * Strings are equal if their bytes are, whatever their collation says.
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

typedef void (*WriteForm) (CanonicalWriter *writer, CanonicalTag tag,
						   Datum value);

/* Write a number of 16 bits. */
static void
write_int16(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_tagged_number(writer, tag, DatumGetInt16(value));
}

/* Write a number of 32 bits. */
static void
write_int32(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_tagged_number(writer, tag, DatumGetInt32(value));
}

/* Write a number of 32 bits without a sign. */
static void
write_uint32(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_tagged_number(writer, tag, DatumGetUInt32(value));
}

/* Write a number of 64 bits. */
static void
write_int64(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_tagged_number(writer, tag, DatumGetInt64(value));
}

/* Write a boolean. */
static void
write_bool(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_tagged_number(writer, tag, DatumGetBool(value));
}

/* Write a "char", which is a byte. */
static void
write_char(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_tagged_number(writer, tag, DatumGetUInt8(value));
}

/* Write a float4 as the float8 that it is equal to. */
static void
write_float4(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_float(writer, DatumGetFloat4(value));
}

/* Write a float8. */
static void
write_float8(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_float(writer, DatumGetFloat8(value));
}

/* Write a numeric. */
static void
write_numeric(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_server_numeric(writer, value);
}

/* Write a text or varchar. */
static void
write_text(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	struct varlena *string = PG_DETOAST_DATUM_PACKED(value);

	canonical_server_text(writer, VARDATA_ANY(string),
						  VARSIZE_ANY_EXHDR(string));
}

/* Write a character(n). */
static void
write_bpchar(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	struct varlena *string = PG_DETOAST_DATUM_PACKED(value);

	canonical_server_text(writer, VARDATA_ANY(string),
						  bpchartruelen(VARDATA_ANY(string),
										VARSIZE_ANY_EXHDR(string)));
}

/* Write a name. */
static void
write_name(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	const char *name = NameStr(*DatumGetName(value));

	canonical_server_text(writer, name, strlen(name));
}

/* Write a bytea. */
static void
write_bytea(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	struct varlena *string = PG_DETOAST_DATUM_PACKED(value);

	canonical_string(writer, tag, VARDATA_ANY(string),
					 VARSIZE_ANY_EXHDR(string));
}

/* Write a bit string. */
static void
write_bits(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	VarBit	   *bits = DatumGetVarBitP(value);

	canonical_bits(writer, VARBITS(bits), VARBITLEN(bits));
}

/* Write a uuid. */
static void
write_uuid(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_bytes(writer, tag, DatumGetPointer(value), UUID_LEN);
}

/* Write a macaddr. */
static void
write_macaddr(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_bytes(writer, tag, DatumGetPointer(value), sizeof(macaddr));
}

/* Write a macaddr8. */
static void
write_macaddr8(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_bytes(writer, tag, DatumGetPointer(value), sizeof(macaddr8));
}

/* Write an inet or cidr. */
static void
write_inet(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	inet	   *address = DatumGetInetPP(value);

	canonical_inet(writer, ip_family(address) == PGSQL_AF_INET6,
				   ip_bits(address), ip_addr(address));
}

/* Write a time with time zone. */
static void
write_timetz(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	const TimeTzADT *time = DatumGetTimeTzADTP(value);

	canonical_tagged_number(writer, tag, time->time);
	canonical_number(writer, time->zone);
}

/* Write an interval. */
static void
write_interval(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	const Interval *interval = DatumGetIntervalP(value);

	canonical_interval(writer, interval->month, interval->day, interval->time);
}

/* Write the place of a row. */
static void
write_tid(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	ItemPointer place = (ItemPointer) DatumGetPointer(value);

	canonical_tagged_number(writer, tag,
							(int64) ItemPointerGetBlockNumberNoCheck(place) << 16 |
							ItemPointerGetOffsetNumberNoCheck(place));
}

/* Write a jsonb. */
static void
write_jsonb(CanonicalWriter *writer, CanonicalTag tag, Datum value)
{
	canonical_jsonb(writer, value);
}

/* The types whose values are not made of values of other types. */
static const struct ScalarForm
{
	Oid			type;
	CanonicalTag tag;
	WriteForm	write;
}			scalar_forms[] = {
	{INT4OID, CANONICAL_INTEGER, write_int32},
	{INT8OID, CANONICAL_INTEGER, write_int64},
	{TEXTOID, CANONICAL_TEXT, write_text},
	{VARCHAROID, CANONICAL_TEXT, write_text},
	{FLOAT8OID, CANONICAL_FLOAT, write_float8},
	{NUMERICOID, CANONICAL_NUMERIC, write_numeric},
	{DATEOID, CANONICAL_DATE, write_int32},
	{TIMESTAMPTZOID, CANONICAL_TIMESTAMPTZ, write_int64},
	{UUIDOID, CANONICAL_UUID, write_uuid},
	{JSONBOID, CANONICAL_JSONB, write_jsonb},
	{INT2OID, CANONICAL_INTEGER, write_int16},
	{BPCHAROID, CANONICAL_TEXT, write_bpchar},
	{NAMEOID, CANONICAL_TEXT, write_name},
	{BOOLOID, CANONICAL_BOOL, write_bool},
	{CHAROID, CANONICAL_CHAR, write_char},
	{FLOAT4OID, CANONICAL_FLOAT, write_float4},
	{CASHOID, CANONICAL_MONEY, write_int64},
	{BYTEAOID, CANONICAL_BYTEA, write_bytea},
	{BITOID, CANONICAL_BIT, write_bits},
	{VARBITOID, CANONICAL_BIT, write_bits},
	{TIMEOID, CANONICAL_TIME, write_int64},
	{TIMETZOID, CANONICAL_TIMETZ, write_timetz},
	{TIMESTAMPOID, CANONICAL_TIMESTAMP, write_int64},
	{INTERVALOID, CANONICAL_INTERVAL, write_interval},
	{INETOID, CANONICAL_INET, write_inet},
	{CIDROID, CANONICAL_INET, write_inet},
	{MACADDROID, CANONICAL_MACADDR, write_macaddr},
	{MACADDR8OID, CANONICAL_MACADDR8, write_macaddr8},
	{OIDOID, CANONICAL_OID, write_uint32},
	{XIDOID, CANONICAL_XID, write_uint32},
	{XID8OID, CANONICAL_XID8, write_int64},
	{CIDOID, CANONICAL_CID, write_uint32},
	{TIDOID, CANONICAL_TID, write_tid},
	{LSNOID, CANONICAL_PG_LSN, write_int64},
};

/* Find the form of a type, or NULL. */
static const struct ScalarForm *
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
			 errdetail("The type has no portable way to tell whether two of its values are equal."),
			 errhint("Cast the elements to text.")));
}

/* Tell whether values of a type are made of others, or are enum labels. */
static bool
is_made_of_others(Oid type)
{
	char		typtype = get_typtype(type);

	return typtype == TYPTYPE_DOMAIN || typtype == TYPTYPE_ENUM ||
		typtype == TYPTYPE_COMPOSITE || typtype == TYPTYPE_RANGE ||
		typtype == TYPTYPE_MULTIRANGE || type == RECORDOID ||
		OidIsValid(get_element_type(type));
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
	if (!is_made_of_others(type) ||
		lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr >= FirstNormalObjectId)
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
			check_canonical_type(get_element_type(type));
			break;
	}
}

/* Write a string that is in the database's encoding. */
void
canonical_server_text(CanonicalWriter *writer, const char *bytes, Size len)
{
	const char *utf8 = bytes_to_utf8(bytes, len, &len);

	canonical_string(writer, CANONICAL_TEXT, utf8, len);
}

/* Write a numeric, by what a client would get of it. */
void
canonical_server_numeric(CanonicalWriter *writer, Datum value)
{
	bytea	   *sent = DatumGetByteaPP(DirectFunctionCall1(numeric_send, value));

	canonical_numeric(writer, (const uint8_t *) VARDATA_ANY(sent));
	pfree(sent);
}

/* Write a member of a value, if it is not null. */
static void
write_member(CanonicalWriter *writer, Oid type, Datum value, bool isnull)
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
		write_member(writer, ARR_ELEMTYPE(array), element, isnull);
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
			write_member(writer, TupleDescAttr(columns, i)->atttypid,
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
 * Write a value that is made of others, or an enum value.  A type that has been
 * dropped since it was checked is of no kind, and not an array, either.
 */
static void
write_made(CanonicalWriter *writer, Oid type, Datum value)
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
	const struct ScalarForm *form = find_scalar_form(type);

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (form != NULL)
		form->write(writer, form->tag, value);
	else if (type == RECORDOID)
	{
		HeapTupleHeader header = DatumGetHeapTupleHeader(value);

		check_canonical_type(HeapTupleHeaderGetTypeId(header));
		write_row(writer, header);
	}
	else
		write_made(writer, type, value);
}

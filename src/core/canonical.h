/*-------------------------------------------------------------------------
 *
 * canonical.h
 *	  The canonical form of a value: the bytes that are hashed.
 *
 * Two values of a type have the same canonical form if, and only if, they are
 * equal in that type.  The form is the same on every platform, in every
 * database encoding and PostgreSQL version, and after a dump and restore.  It
 * is part of the signature format, so nothing here may ever change; a new type
 * gets a new tag.
 *
 * A form begins with a 1-byte tag, so that a date never equals an OID:
 *
 *	tag	types					followed by
 *	0	null, within a value	nothing
 *	1	int2, int4, int8		number
 *	2	text, varchar, char(n),	length, bytes in UTF-8; char(n) without its
 *		name, enum types		trailing blanks, an enum value as its label
 *	3	boolean					number: 0 or 1
 *	4	"char"					number: 0 to 255
 *	5	float4, float8			number: the bits of the double; -0 is 0, and
 *								every NaN is 0x7FF8000000000000
 *	6	numeric					sign, one byte: 0 for zero, 1 positive,
 *								2 negative, 3 NaN, 4 Infinity, 5 -Infinity;
 *								1 and 2 are followed by a number, the exponent
 *								e, and length and digits in ASCII, without
 *								zeros at either end: digits * 10^e
 *	7	money					number: the smallest unit
 *	8	bytea					length, bytes
 *	9	bit, bit varying		length in bits, bytes from the first bit on
 *	10	uuid					16 bytes
 *	11	date					number: days since 2000-01-01
 *	12	time					number: microseconds
 *	13	timetz					number: microseconds; number: seconds west of
 *								Greenwich
 *	14	timestamp				number: microseconds since 2000-01-01
 *	15	timestamptz				number: the same, in UTC
 *	16	interval				number: days, of which a month has 30; number:
 *								microseconds, from 0 to less than a day
 *	17	inet, cidr				4 or 6, one byte; bits of the netmask, one
 *								byte; 4 or 16 bytes
 *	18	macaddr					6 bytes
 *	19	macaddr8				8 bytes
 *	20	oid						number
 *	21	xid						number
 *	22	xid8					number
 *	23	cid						number
 *	24	tid						number: block * 65536 + offset
 *	25	pg_lsn					number
 *	32	array					length: dimensions; for each a length and a
 *								number, its lower bound; the elements
 *	33	composite types			length: columns; their values
 *	34	range					flags, one byte: 1 empty, 2 has a lower bound,
 *								4 which is inclusive, 8 has an upper bound,
 *								16 which is inclusive; the bounds that it has
 *	35	multirange				length: ranges; the ranges
 *	36	jsonb					a JSON value: 0 null, 2 string, 3 boolean,
 *								6 number, or one of the next two
 *	37	JSON array				length: elements; the elements
 *	38	JSON object				length: members; of each the key, as a string,
 *								and the value, in order of the keys: shorter
 *								ones first, then by their bytes
 *
 * A number has 64 bits, a length 32, both little-endian.  Infinite dates and
 * times are the numbers that PostgreSQL stores for them: the largest and the
 * smallest 32-bit (date) or 64-bit integer (timestamp, timestamptz).
 *
 * Values of a domain have the form of the base type.  Elements that are
 * themselves integers or strings have no tag: see hash.h for their hashes.
 *
 * To hash a value, call canonical_hash_begin(), the functions that write its
 * parts, in the order of the table, with &hasher.writer, and
 * canonical_hash_end().  Memory does not grow with the value.  The functions
 * can leave by a long jump from make_room, which checks for interrupts; nothing
 * has to be released.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CANONICAL_H
#define CANONICAL_H

#include <stdbool.h>

#include "hash.h"

typedef enum CanonicalTag
{
	CANONICAL_NULL = 0,
	CANONICAL_INTEGER = 1,
	CANONICAL_TEXT = 2,
	CANONICAL_BOOL = 3,
	CANONICAL_CHAR = 4,
	CANONICAL_FLOAT = 5,
	CANONICAL_NUMERIC = 6,
	CANONICAL_MONEY = 7,
	CANONICAL_BYTEA = 8,
	CANONICAL_BIT = 9,
	CANONICAL_UUID = 10,
	CANONICAL_DATE = 11,
	CANONICAL_TIME = 12,
	CANONICAL_TIMETZ = 13,
	CANONICAL_TIMESTAMP = 14,
	CANONICAL_TIMESTAMPTZ = 15,
	CANONICAL_INTERVAL = 16,
	CANONICAL_INET = 17,
	CANONICAL_MACADDR = 18,
	CANONICAL_MACADDR8 = 19,
	CANONICAL_OID = 20,
	CANONICAL_XID = 21,
	CANONICAL_XID8 = 22,
	CANONICAL_CID = 23,
	CANONICAL_TID = 24,
	CANONICAL_PG_LSN = 25,
	CANONICAL_ARRAY = 32,
	CANONICAL_RECORD = 33,
	CANONICAL_RANGE = 34,
	CANONICAL_MULTIRANGE = 35,
	CANONICAL_JSONB = 36,
	CANONICAL_JSON_ARRAY = 37,
	CANONICAL_JSON_OBJECT = 38
} CanonicalTag;

#define CANONICAL_RANGE_EMPTY 1
#define CANONICAL_RANGE_HAS_LOWER 2
#define CANONICAL_RANGE_LOWER_INCLUSIVE 4
#define CANONICAL_RANGE_HAS_UPPER 8
#define CANONICAL_RANGE_UPPER_INCLUSIVE 16

/*
 * The destination of a form.  make_room() is called when bytes is full; it must
 * make len less than size.
 */
typedef struct CanonicalWriter
{
	uint8_t    *bytes;
	size_t		len;
	size_t		size;
	void		(*make_room) (struct CanonicalWriter *writer);
} CanonicalWriter;

/*
 * A writer that hashes a form of any length.  Keep it on the stack, because
 * XXH3_state_t must be aligned to 64 bytes.
 */
typedef struct CanonicalHasher
{
	CanonicalWriter writer;
	uint64_t	seed;
	bool		streaming;		/* state contains the first part */
	XXH3_state_t state;
	uint8_t		buffer[1024];
} CanonicalHasher;

/* Write a tag, a length, a number, or two of these. */
extern void canonical_tag(CanonicalWriter *writer, CanonicalTag tag);
extern void canonical_begin(CanonicalWriter *writer, CanonicalTag tag,
							size_t length);
extern void canonical_length(CanonicalWriter *writer, size_t length);
extern void canonical_number(CanonicalWriter *writer, int64_t number);
extern void canonical_tagged_number(CanonicalWriter *writer, CanonicalTag tag,
									int64_t number);

/* Write a tag and len bytes; canonical_string() writes len between them. */
extern void canonical_bytes(CanonicalWriter *writer, CanonicalTag tag,
							const void *bytes, size_t len);
extern void canonical_string(CanonicalWriter *writer, CanonicalTag tag,
							 const void *bytes, size_t len);

/* Write a bit string, whose last byte is padded with zeros. */
extern void canonical_bits(CanonicalWriter *writer, const void *bytes,
						   size_t num_bits);

/* Write a float4 or float8. */
extern void canonical_float(CanonicalWriter *writer, double value);

/* Write a numeric, given as the bytes that numeric_send() returns. */
extern void canonical_numeric(CanonicalWriter *writer, const uint8_t *sent);

/* Write an interval, an address of 4 or 16 bytes, or the flags of a range. */
extern void canonical_interval(CanonicalWriter *writer, int32_t months,
							   int32_t days, int64_t microseconds);
extern void canonical_inet(CanonicalWriter *writer, bool is_ipv6,
						   uint8_t netmask_bits, const void *address);
extern void canonical_range(CanonicalWriter *writer, unsigned flags);

/* Begin to hash a form with a seed (see hash.h). */
extern void canonical_hash_begin(CanonicalHasher *hasher, uint64_t seed);

/* Return the hash of the form that has been written. */
extern uint64_t canonical_hash_end(CanonicalHasher *hasher);

#endif							/* CANONICAL_H */

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
 *	10	uuid					16 bytes
 *	11	date					number: days since 2000-01-01
 *	12	time					number: microseconds
 *	14	timestamp				number: microseconds since 2000-01-01
 *	15	timestamptz				number: the same, in UTC
 *	18	macaddr					6 bytes
 *	19	macaddr8				8 bytes
 *	20	oid						number
 *	21	xid						number
 *	22	xid8					number
 *	23	cid						number
 *	25	pg_lsn					number
 *
 * A number has 64 bits, a length 32, both little-endian.  Infinite dates and
 * times are the numbers that PostgreSQL stores for them: the largest and the
 * smallest 32-bit (date) or 64-bit integer (timestamp, timestamptz).
 *
 * Values of a domain have the form of the base type.  Integers and strings have
 * no tag: see hash.h for their hashes.
 *
 * Each function writes a form into memory of the caller and returns its length.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CANONICAL_H
#define CANONICAL_H

#include <stddef.h>
#include <stdint.h>

typedef enum CanonicalTag
{
	CANONICAL_BOOL = 3,
	CANONICAL_CHAR = 4,
	CANONICAL_FLOAT = 5,
	CANONICAL_NUMERIC = 6,
	CANONICAL_MONEY = 7,
	CANONICAL_BYTEA = 8,
	CANONICAL_UUID = 10,
	CANONICAL_DATE = 11,
	CANONICAL_TIME = 12,
	CANONICAL_TIMESTAMP = 14,
	CANONICAL_TIMESTAMPTZ = 15,
	CANONICAL_MACADDR = 18,
	CANONICAL_MACADDR8 = 19,
	CANONICAL_OID = 20,
	CANONICAL_XID = 21,
	CANONICAL_XID8 = 22,
	CANONICAL_CID = 23,
	CANONICAL_PG_LSN = 25
} CanonicalTag;

#define CANONICAL_FIXED_SIZE 17 /* the longest form but of bytea and numeric */
#define CANONICAL_HEADER_SIZE 14	/* tag, sign, exponent and length */

/* Write a number. */
extern size_t canonical_number(uint8_t *form, CanonicalTag tag, int64_t number);

/* Write a value of len bytes, of a type whose values have the same length. */
extern size_t canonical_bytes(uint8_t *form, CanonicalTag tag,
							  const void *bytes, size_t len);

/* Write a bytea.  The form has at most CANONICAL_HEADER_SIZE bytes more. */
extern size_t canonical_bytea(uint8_t *form, const void *bytes, size_t len);

/* Write a float8, or a float4 as the float8 of the same value. */
extern size_t canonical_float(uint8_t *form, double value);

/*
 * Write a numeric, given as the bytes that numeric_send() returns.  The form
 * has at most CANONICAL_HEADER_SIZE bytes more than twice as many.
 */
extern size_t canonical_numeric(uint8_t *form, const uint8_t *sent);

#endif							/* CANONICAL_H */

/*-------------------------------------------------------------------------
 *
 * canonical.c
 *	  Write the canonical form of a value (see canonical.h).
 *
 * A numeric is read from its binary form, because the format of that never
 * changes: the number of groups, the weight of the first, the sign and the
 * scale, 16 bits each, then groups of four decimal digits.
 *
 *-------------------------------------------------------------------------
 */
#include "canonical.h"

#include <math.h>
#include <string.h>

#include "bits.h"

#define CANONICAL_NAN UINT64_C(0x7FF8000000000000)

/* The signs of a numeric in the format of numeric_send(). */
#define SENT_POSITIVE 0x0000
#define SENT_NEGATIVE 0x4000
#define SENT_NAN 0xC000
#define SENT_INFINITY 0xD000

#define SENT_HEADER_SIZE 8		/* of a numeric */
#define DIGITS_PER_GROUP 4
#define LENGTH_SIZE 4

/* The signs of a numeric in its canonical form. */
typedef enum NumericSign
{
	NUMERIC_IS_ZERO = 0,
	NUMERIC_IS_POSITIVE = 1,
	NUMERIC_IS_NEGATIVE = 2,
	NUMERIC_IS_NAN = 3,
	NUMERIC_IS_INFINITY = 4,
	NUMERIC_IS_MINUS_INFINITY = 5
} NumericSign;

/* Write the lowest bytes of a number in little-endian order. */
static uint8_t *
put_number(uint8_t *to, uint64_t number, size_t size)
{
	number = little_endian(number);
	memcpy(to, &number, size);
	return to + size;
}

/* Write a tag and a number. */
size_t
canonical_number(uint8_t *form, CanonicalTag tag, int64_t number)
{
	form[0] = (uint8_t) tag;
	put_number(form + 1, (uint64_t) number, sizeof(number));
	return 1 + sizeof(number);
}

/* Write a tag and bytes. */
size_t
canonical_bytes(uint8_t *form, CanonicalTag tag, const void *bytes, size_t len)
{
	form[0] = (uint8_t) tag;
	memcpy(form + 1, bytes, len);
	return 1 + len;
}

/* Write a tag, a length and bytes. */
size_t
canonical_bytea(uint8_t *form, const void *bytes, size_t len)
{
	form[0] = CANONICAL_BYTEA;
	memcpy(put_number(form + 1, len, LENGTH_SIZE), bytes, len);
	return 1 + LENGTH_SIZE + len;
}

/* Write a floating-point number. */
size_t
canonical_float(uint8_t *form, double value)
{
	uint64_t	bits;

	if (value == 0)
		value = 0;				/* not -0 */
	memcpy(&bits, &value, sizeof(bits));
	if (isnan(value))
		bits = CANONICAL_NAN;
	return canonical_number(form, CANONICAL_FLOAT, (int64_t) bits);
}

/* Read a 16-bit integer in network byte order. */
static uint32_t
sent_uint16(const uint8_t *sent)
{
	return (uint32_t) (sent[0] << 8 | sent[1]);
}

/* Return a decimal digit of a numeric in ASCII. */
static inline uint8_t
digit_at(const uint8_t *sent, uint32_t place)
{
	static const uint32_t powers[DIGITS_PER_GROUP] = {1000, 100, 10, 1};
	uint32_t	group = sent_uint16(sent + SENT_HEADER_SIZE +
									2 * (place / DIGITS_PER_GROUP));

	return (uint8_t) ('0' + group / powers[place % DIGITS_PER_GROUP] % 10);
}

/* Write a finite numeric after its tag; return the length of the form. */
static size_t
put_finite(uint8_t *form, const uint8_t *sent, NumericSign sign)
{
	uint32_t	start = 0;
	uint32_t	end = DIGITS_PER_GROUP * sent_uint16(sent);
	int16_t		weight = (int16_t) sent_uint16(sent + 2);
	uint8_t    *to = form + 2;

	while (start < end && digit_at(sent, start) == '0')
		start++;
	form[1] = (uint8_t) (start < end ? sign : NUMERIC_IS_ZERO);
	if (start == end)
		return 2;
	while (digit_at(sent, end - 1) == '0')
		end--;
	to = put_number(to, (uint64_t) (DIGITS_PER_GROUP * ((int64_t) weight + 1) - end),
					sizeof(int64_t));
	to = put_number(to, end - start, LENGTH_SIZE);
	for (; start < end; start++)
		*to++ = digit_at(sent, start);
	return (size_t) (to - form);
}

/* Write a numeric. */
size_t
canonical_numeric(uint8_t *form, const uint8_t *sent)
{
	uint32_t	sign = sent_uint16(sent + 4);

	form[0] = CANONICAL_NUMERIC;
	if (sign == SENT_POSITIVE || sign == SENT_NEGATIVE)
		return put_finite(form, sent, sign == SENT_POSITIVE ?
						  NUMERIC_IS_POSITIVE : NUMERIC_IS_NEGATIVE);
	form[1] = sign == SENT_NAN ? NUMERIC_IS_NAN :
		sign == SENT_INFINITY ? NUMERIC_IS_INFINITY : NUMERIC_IS_MINUS_INFINITY;
	return 2;
}

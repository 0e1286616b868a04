/*-------------------------------------------------------------------------
 *
 * canonical.c
 *	  Write the canonical form of a value (see canonical.h), and hash it.
 *
 * A form is written into a small buffer, which is hashed whenever it is full,
 * so that memory does not grow with the value.
 *
 *-------------------------------------------------------------------------
 */
#include "canonical.h"

#include <math.h>
#include <string.h>

#include "interrupt.h"

#define DAYS_PER_MONTH 30		/* as intervals are compared */
#define MICROSECONDS_PER_DAY INT64_C(86400000000)
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

/* Write bytes that exceed the room in the buffer. */
static void
put_piecewise(CanonicalWriter *writer, const uint8_t *bytes, size_t len)
{
	while (len > 0)
	{
		size_t		room = writer->size - writer->len;
		size_t		part = len < room ? len : room;

		memcpy(writer->bytes + writer->len, bytes, part);
		writer->len += part;
		bytes += part;
		len -= part;
		if (len > 0)
			writer->make_room(writer);
	}
}

/* Write len bytes. */
static inline void
put(CanonicalWriter *writer, const void *bytes, size_t len)
{
	if (len > writer->size - writer->len)
	{
		put_piecewise(writer, bytes, len);
		return;
	}
	if (len > 0)
		memcpy(writer->bytes + writer->len, bytes, len);
	writer->len += len;
}

/* Write a byte. */
static inline void
put_byte(CanonicalWriter *writer, unsigned byte)
{
	uint8_t		bytes[1] = {(uint8_t) byte};

	put(writer, bytes, sizeof(bytes));
}

/* Write a tag. */
void
canonical_tag(CanonicalWriter *writer, CanonicalTag tag)
{
	put_byte(writer, tag);
}

/* Write a length. */
void
canonical_length(CanonicalWriter *writer, size_t length)
{
	uint64_t	bytes = little_endian(length);

	put(writer, &bytes, LENGTH_SIZE);
}

/* Write the tag and the length of a value with members or bytes. */
void
canonical_begin(CanonicalWriter *writer, CanonicalTag tag, size_t length)
{
	canonical_tag(writer, tag);
	canonical_length(writer, length);
}

/* Write a number. */
void
canonical_number(CanonicalWriter *writer, int64_t number)
{
	uint64_t	bytes = little_endian((uint64_t) number);

	put(writer, &bytes, sizeof(bytes));
}

/* Write a tag and a number. */
void
canonical_tagged_number(CanonicalWriter *writer, CanonicalTag tag,
						int64_t number)
{
	canonical_tag(writer, tag);
	canonical_number(writer, number);
}

/* Write a value of a type with a fixed number of bytes. */
void
canonical_bytes(CanonicalWriter *writer, CanonicalTag tag,
				const void *bytes, size_t len)
{
	canonical_tag(writer, tag);
	put(writer, bytes, len);
}

/* Write a value of a type with a variable number of bytes. */
void
canonical_string(CanonicalWriter *writer, CanonicalTag tag,
				 const void *bytes, size_t len)
{
	canonical_begin(writer, tag, len);
	put(writer, bytes, len);
}

/* Write a bit string. */
void
canonical_bits(CanonicalWriter *writer, const void *bytes, size_t num_bits)
{
	canonical_begin(writer, CANONICAL_BIT, num_bits);
	put(writer, bytes, (num_bits + 7) / 8);
}

/* Write a floating-point number. */
void
canonical_float(CanonicalWriter *writer, double value)
{
	uint64_t	bits;

	if (value == 0)
		value = 0;				/* not -0 */
	memcpy(&bits, &value, sizeof(bits));
	if (isnan(value))
		bits = CANONICAL_NAN;
	canonical_tagged_number(writer, CANONICAL_FLOAT, (int64_t) bits);
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
	uint32_t	group = sent_uint16(sent + SENT_HEADER_SIZE +
									2 * (place / DIGITS_PER_GROUP));

	switch (place % DIGITS_PER_GROUP)
	{
		case 0:
			return (uint8_t) ('0' + group / 1000);
		case 1:
			return (uint8_t) ('0' + group / 100 % 10);
		case 2:
			return (uint8_t) ('0' + group / 10 % 10);
		default:
			return (uint8_t) ('0' + group % 10);
	}
}

/* Write a finite numeric, after its tag. */
static void
put_finite(CanonicalWriter *writer, const uint8_t *sent, NumericSign sign)
{
	uint32_t	start = 0;
	uint32_t	end = DIGITS_PER_GROUP * sent_uint16(sent);
	int16_t		weight = (int16_t) sent_uint16(sent + 2);

	while (start < end && digit_at(sent, start) == '0')
		start++;
	if (start == end)
	{
		put_byte(writer, NUMERIC_IS_ZERO);
		return;
	}
	while (digit_at(sent, end - 1) == '0')
		end--;
	put_byte(writer, sign);
	canonical_number(writer, DIGITS_PER_GROUP * ((int64_t) weight + 1) - end);
	canonical_length(writer, end - start);
	for (; start < end; start++)
		put_byte(writer, digit_at(sent, start));
}

/* Write a numeric, given as the bytes that numeric_send() returns. */
void
canonical_numeric(CanonicalWriter *writer, const uint8_t *sent)
{
	canonical_tag(writer, CANONICAL_NUMERIC);
	switch (sent_uint16(sent + 4))
	{
		case SENT_POSITIVE:
			put_finite(writer, sent, NUMERIC_IS_POSITIVE);
			break;
		case SENT_NEGATIVE:
			put_finite(writer, sent, NUMERIC_IS_NEGATIVE);
			break;
		case SENT_NAN:
			put_byte(writer, NUMERIC_IS_NAN);
			break;
		case SENT_INFINITY:
			put_byte(writer, NUMERIC_IS_INFINITY);
			break;
		default:
			put_byte(writer, NUMERIC_IS_MINUS_INFINITY);
			break;
	}
}

/* Write an interval, as its total of days and microseconds. */
void
canonical_interval(CanonicalWriter *writer, int32_t months, int32_t days,
				   int64_t microseconds)
{
	int64_t		all_days = (int64_t) months * DAYS_PER_MONTH + days +
		microseconds / MICROSECONDS_PER_DAY;

	microseconds %= MICROSECONDS_PER_DAY;
	if (microseconds < 0)
	{
		microseconds += MICROSECONDS_PER_DAY;
		all_days--;
	}
	canonical_tagged_number(writer, CANONICAL_INTERVAL, all_days);
	canonical_number(writer, microseconds);
}

/* Write a network address. */
void
canonical_inet(CanonicalWriter *writer, bool is_ipv6, uint8_t netmask_bits,
			   const void *address)
{
	canonical_tag(writer, CANONICAL_INET);
	put_byte(writer, is_ipv6 ? 6 : 4);
	put_byte(writer, netmask_bits);
	put(writer, address, is_ipv6 ? 16 : 4);
}

/* Write the tag and the flags of a range. */
void
canonical_range(CanonicalWriter *writer, unsigned flags)
{
	canonical_tag(writer, CANONICAL_RANGE);
	put_byte(writer, flags);
}

/* Hash the contents of the buffer, and empty it. */
static void
hash_more(CanonicalWriter *writer)
{
	CanonicalHasher *hasher = (CanonicalHasher *) writer;

	core_check_interrupts();
	if (!hasher->streaming)
	{
		XXH3_INITSTATE(&hasher->state); /* the reset compares seeds */
		XXH3_64bits_reset_withSeed(&hasher->state, hasher->seed);
	}
	hasher->streaming = true;
	XXH3_64bits_update(&hasher->state, writer->bytes, writer->len);
	writer->len = 0;
}

/* Begin to hash a canonical form. */
void
canonical_hash_begin(CanonicalHasher *hasher, uint64_t seed)
{
	hasher->writer.bytes = hasher->buffer;
	hasher->writer.len = 0;
	hasher->writer.size = sizeof(hasher->buffer);
	hasher->writer.make_room = hash_more;
	hasher->seed = seed;
	hasher->streaming = false;
}

/* Return the hash of what has been written. */
uint64_t
canonical_hash_end(CanonicalHasher *hasher)
{
	if (!hasher->streaming)
		return shingle_hash(hasher->buffer, hasher->writer.len, hasher->seed);
	hash_more(&hasher->writer);
	return XXH3_64bits_digest(&hasher->state);
}

/*-------------------------------------------------------------------------
 *
 * canonical.c
 *	  Canonical forms, byte for byte, and the hashes of long ones.
 *
 * The bytes expected are written down from the opening comment of
 * core/canonical.h, so that they say on every platform what it says.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "canonical.h"
#include "unit.h"

#define MAX_FORM 4096

static uint8_t form[MAX_FORM];
static CanonicalWriter writer;

/* Forms of the test fit. */
static void
no_room(CanonicalWriter *full)
{
	(void) full;
	abort();
}

/* Begin a form. */
static CanonicalWriter *
begin(void)
{
	writer.bytes = form;
	writer.len = 0;
	writer.size = sizeof(form);
	writer.make_room = no_room;
	return &writer;
}

/* Check the form that has been written, in hexadecimal without the blanks. */
static void
is_form(const char *expected, const char *what)
{
	char		hex[2 * MAX_FORM + 1];
	char		wanted[2 * MAX_FORM + 1];
	char	   *out = wanted;

	for (size_t i = 0; i < writer.len; i++)
		sprintf(hex + 2 * i, "%02x", form[i]);
	hex[2 * writer.len] = '\0';
	for (; *expected != '\0'; expected++)
		if (*expected != ' ')
			*out++ = *expected;
	*out = '\0';
	if (!ok(strcmp(hex, wanted) == 0, "%s", what))
		note("%s instead of %s", hex, wanted);
}

/* Check numbers, bytes and what has members. */
static void
check_simple(void)
{
	canonical_tagged_number(begin(), CANONICAL_DATE, -2);
	is_form("0b feffffffffffffff", "a negative number");
	canonical_tagged_number(begin(), CANONICAL_OID, INT64_C(0x0102030405060708));
	is_form("14 0807060504030201", "a number");
	canonical_string(begin(), CANONICAL_TEXT, "abc", 3);
	is_form("02 03000000 616263", "a string");
	canonical_string(begin(), CANONICAL_BYTEA, NULL, 0);
	is_form("08 00000000", "no bytes");
	canonical_bytes(begin(), CANONICAL_MACADDR, "\x08\x00\x2b\x01\x02\x03", 6);
	is_form("12 08002b010203", "bytes without a length");
	canonical_bits(begin(), "\x80\x40", 10);
	is_form("09 0a000000 8040", "bits");
	canonical_begin(begin(), CANONICAL_RECORD, 0x10203);
	canonical_tag(&writer, CANONICAL_NULL);
	is_form("21 03020100 00", "a record with a null");
	canonical_range(begin(), CANONICAL_RANGE_HAS_LOWER | CANONICAL_RANGE_LOWER_INCLUSIVE);
	is_form("22 06", "a range");
	canonical_inet(begin(), false, 24, "\x0a\x00\x00\x01");
	is_form("11 04 18 0a000001", "an address");
	canonical_inet(begin(), true, 128, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1");
	is_form("11 06 80 00000000000000000000000000000001", "an IPv6 address");
}

/* Check floating-point numbers. */
static void
check_floats(void)
{
	uint64_t	bits = UINT64_C(0xFFF0000000000001);
	double		odd_nan;

	memcpy(&odd_nan, &bits, sizeof(bits));
	canonical_float(begin(), 1.5);
	is_form("05 000000000000f83f", "1.5");
	canonical_float(begin(), 0.0);
	is_form("05 0000000000000000", "0");
	canonical_float(begin(), -0.0);
	is_form("05 0000000000000000", "-0");
	canonical_float(begin(), (double) 0.1f);
	is_form("05 000000a09999b93f", "float4 0.1");
	canonical_float(begin(), odd_nan);
	is_form("05 000000000000f87f", "a negative, signalling NaN");
	canonical_float(begin(), -HUGE_VAL);
	is_form("05 000000000000f0ff", "-Infinity");
}

/* Check numerics, given as PostgreSQL sends them. */
static void
check_numerics(void)
{
	static const struct
	{
		const char *what;
		const char *sent;		/* groups, weight, sign, scale, groups */
		size_t		size;
		const char *expected;
	}			cases[] = {
		{"0", "\0\0\0\0\0\0\0\0", 8, "06 00"},
		{"-0.00", "\0\1\0\0\x40\0\0\2\0\0", 10, "06 00"},
		{"7", "\0\1\0\0\0\0\0\0\0\7", 10, "06 01 0000000000000000 01000000 37"},
		{"-70", "\0\1\0\0\x40\0\0\0\0\x46", 10, "06 02 0100000000000000 01000000 37"},
		{"10000", "\0\1\0\1\0\0\0\0\0\1", 10, "06 01 0400000000000000 01000000 31"},
		{"10000, with groups of zeros", "\0\3\0\2\0\0\0\0\0\0\0\1\0\0", 14, "06 01 0400000000000000 01000000 31"},
		{"0.0012", "\0\1\xff\xff\0\0\0\4\0\x0c", 10, "06 01 fcffffffffffffff 02000000 3132"},
		{"12.5", "\0\2\0\0\0\0\0\1\0\x0c\x13\x88", 12, "06 01 ffffffffffffffff 03000000 313235"},
		{"12.50", "\0\2\0\0\0\0\0\2\0\x0c\x13\x88", 12, "06 01 ffffffffffffffff 03000000 313235"},
		{"1e131071", "\0\1\x7f\xff\0\0\0\0\3\xe8", 10, "06 01 ffff010000000000 01000000 31"},
		{"NaN", "\0\0\0\0\xc0\0\0\0", 8, "06 03"},
		{"Infinity", "\0\0\0\0\xd0\0\0\x20", 8, "06 04"},
		{"-Infinity", "\0\0\0\0\xf0\0\0\x20", 8, "06 05"},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		uint8_t		sent[32];

		memcpy(sent, cases[i].sent, cases[i].size);
		canonical_numeric(begin(), sent);
		is_form(cases[i].expected, cases[i].what);
	}
}

/* Check intervals. */
static void
check_intervals(void)
{
	const int64_t day = INT64_C(86400000000);

	canonical_interval(begin(), 1, 2, 3);
	is_form("10 2000000000000000 0300000000000000", "1 month 2 days 3 us");
	canonical_interval(begin(), 0, 0, 32 * day + 3);
	is_form("10 2000000000000000 0300000000000000", "the same in us");
	canonical_interval(begin(), 0, 0, -1);
	is_form("10 ffffffffffffffff ff5fd71d14000000", "-1 us");
	canonical_interval(begin(), -1, 29, day - 1);
	is_form("10 ffffffffffffffff ff5fd71d14000000", "the same in months");
	canonical_interval(begin(), INT32_MIN, INT32_MIN, INT64_MIN);
	is_form("10 0818a379f0ffffff 000045c010000000", "the smallest");
}

/* Hash a tag and bytes through a writer, the bytes in two pieces. */
static uint64_t
hash_in_pieces(const uint8_t *bytes, size_t len, uint64_t seed)
{
	CanonicalHasher hasher;
	size_t		first = 1 + (size_t) random_below((int) len - 1);

	canonical_hash_begin(&hasher, seed);
	canonical_bytes(&hasher.writer, bytes[0], bytes + 1, first - 1);
	if (first < len)
		canonical_bytes(&hasher.writer, bytes[first], bytes + first + 1, len - first - 1);
	return canonical_hash_end(&hasher);
}

/* Check that the hash of a form does not depend on the buffer. */
static void
check_hashes(void)
{
	static uint8_t bytes[10000];
	int			cases = cases_of(1000);
	int			same = 0;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t) random64();
	for (int i = 0; i < cases; i++)
	{
		size_t		len = 2 + (size_t) random_below(sizeof(bytes) - 2);
		uint64_t	seed = i % 2 ? random64() >> 32 : 0;

		same += hash_in_pieces(bytes, len, seed) == shingle_hash(bytes, len, seed);
	}
	ok(same == cases, "hashes of long forms: %d of %d", same, cases);
}

int
main(void)
{
	check_simple();
	check_floats();
	check_numerics();
	check_intervals();
	check_hashes();
	return done_testing();
}

/*-------------------------------------------------------------------------
 *
 * canonical.c
 *	  Canonical forms, byte for byte.
 *
 * The bytes expected are written down from the opening comment of
 * core/base/canonical.h, so that they say on every platform what it says.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "core/base/canonical.h"
#include "unit.h"

#define MAX_FORM 64

static uint8_t form[MAX_FORM];

/* Check a form of len bytes, given in hexadecimal with blanks. */
static void
is_form(size_t len, const char *expected, const char *what)
{
	char		hex[2 * MAX_FORM + 1];
	char		wanted[2 * MAX_FORM + 1];
	char	   *out = wanted;

	for (size_t i = 0; i < len; i++)
		sprintf(hex + 2 * i, "%02x", form[i]);
	hex[2 * len] = '\0';
	for (; *expected != '\0'; expected++)
		if (*expected != ' ')
			*out++ = *expected;
	*out = '\0';
	if (!ok(strcmp(hex, wanted) == 0, "%s", what))
		note("%s instead of %s", hex, wanted);
}

/* Check numbers and bytes. */
static void
check_simple(void)
{
	is_form(canonical_number(form, CANONICAL_DATE, -2),
			"0b feffffffffffffff", "a negative number");
	is_form(canonical_number(form, CANONICAL_OID, INT64_C(0x0102030405060708)),
			"14 0807060504030201", "a number");
	is_form(canonical_bytea(form, "abc", 3), "08 03000000 616263", "a string");
	is_form(canonical_bytea(form, "", 0), "08 00000000", "no bytes");
	is_form(canonical_bytes(form, CANONICAL_MACADDR, "\x08\x00\x2b\x01\x02\x03", 6),
			"12 08002b010203", "bytes without a length");
}

/* Check floating-point numbers. */
static void
check_floats(void)
{
	uint64_t	bits = UINT64_C(0xFFF0000000000001);
	double		odd_nan;

	memcpy(&odd_nan, &bits, sizeof(bits));
	is_form(canonical_float(form, 1.5), "05 000000000000f83f", "1.5");
	is_form(canonical_float(form, 0.0), "05 0000000000000000", "0");
	is_form(canonical_float(form, -0.0), "05 0000000000000000", "-0");
	is_form(canonical_float(form, (double) 0.1f), "05 000000a09999b93f", "float4 0.1");
	is_form(canonical_float(form, odd_nan), "05 000000000000f87f", "a negative, signalling NaN");
	is_form(canonical_float(form, -HUGE_VAL), "05 000000000000f0ff", "-Infinity");
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
		is_form(canonical_numeric(form, sent), cases[i].expected, cases[i].what);
	}
}

int
main(void)
{
	check_simple();
	check_floats();
	check_numerics();
	return done_testing();
}

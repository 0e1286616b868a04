/*-------------------------------------------------------------------------
 *
 * minhash_io.c
 *	  Fuzz the text and the binary form of signatures.
 *
 * The functions are those of src/type/minhash_io.c, in a server of a few lines
 * (see server.c).  What is accepted obeys the format, and comes out as the
 * same bytes in the form that it came in, and by way of the other form.
 *
 *-------------------------------------------------------------------------
 */
#include "server.h"

#include "fuzz.h"

/* Check what every signature is promised to be. */
static void
check_format(const MinHash *sig)
{
	check(sig->version == MINHASH_VERSION && sig->reserved == 0);
	check(sig->method >= SKETCH_ONE_PERMUTATION && sig->method <= SKETCH_LAST_METHOD);
	check(sig->num_hashes >= SKETCH_MIN_HASHES && sig->num_hashes <= SKETCH_MAX_HASHES);
	check(VARSIZE(sig) == MINHASH_SIZE(sig->num_hashes));
	check(shingling_is_valid(sig->shingling));
	check(slots_are_valid(sig->slots, sig->num_hashes, sig->method));
}

/* Copy a signature by way of its binary form. */
static MinHash *
copy_by_binary(const MinHash *sig, StringInfo buf)
{
	initStringInfo(buf);
	minhash_write_binary(buf, sig);
	return minhash_read_binary(buf);
}

/* Read a text form. */
static void
read_text(const char *bytes, size_t len)
{
	char	   *str = palloc(len + 1);
	StringInfoData buf;
	MinHash    *sig;

	memcpy(str, bytes, len);
	str[len] = '\0';
	sig = minhash_parse(str, -1, NULL);
	check_format(sig);
	check(strcmp(minhash_to_cstring(copy_by_binary(sig, &buf)), str) == 0);
}

/* Read a binary form. */
static void
read_binary(char *bytes, size_t len)
{
	StringInfoData in = {.data = bytes,.len = (int) len};
	StringInfoData out;
	MinHash    *sig = minhash_read_binary(&in);

	check_format(sig);
	sig = minhash_parse(minhash_to_cstring(sig), -1, NULL);
	check_format(copy_by_binary(sig, &out));
	check((size_t) out.len == len && memcmp(out.data, bytes, len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *copy;

	if (size == 0)
		return 0;
	copy = malloc(size);
	memcpy(copy, data, size);
	if (server_try())
	{
		if (copy[0] == 1)
			read_binary(copy, size);	/* the format version comes first */
		else
			read_text(copy, size);
	}
	server_end();
	free(copy);
	return 0;
}

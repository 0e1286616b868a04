/*-------------------------------------------------------------------------
 *
 * server.c
 *	  As much of the server as src/type/minhash_io.c needs to read and write.
 *
 * Memory lasts until server_end(), and is malloc's, so that an address
 * sanitizer watches it.  An error formats its message, since that reads the
 * wrong value, and leaves by a long jump.  base64 and numbers are read by the
 * server's own library, libpgcommon.
 *
 *-------------------------------------------------------------------------
 */
#include "server.h"

#include "support/settings.h"

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

#undef vsnprintf

#define MAX_CHUNKS 64

sigjmp_buf	server_error;

static void *chunks[MAX_CHUNKS];
static int	num_chunks;

/* Free what has been allocated. */
void
server_end(void)
{
	while (num_chunks > 0)
		free(chunks[--num_chunks]);
}

/* Allocate memory. */
void *
palloc(Size size)
{
	if (num_chunks == MAX_CHUNKS)
		abort();
	return chunks[num_chunks++] = malloc(size);
}

/* Allocate zeros. */
void *
palloc0(Size size)
{
	return memset(palloc(size), 0, size);
}

/* There is one memory only. */
void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return palloc(size);
}

/* Free memory, or leave it to server_end(). */
void
pfree(void *pointer)
{
	for (int i = 0; i < num_chunks; i++)
		if (chunks[i] == pointer)
		{
			free(pointer);
			chunks[i] = chunks[--num_chunks];
			return;
		}
	abort();
}

/*** Errors ***/

/* Begin an error. */
bool
errstart_cold(int elevel, const char *domain)
{
	return elevel >= ERROR;
}

/* End an error. */
void
errfinish(const char *filename, int lineno, const char *funcname)
{
	siglongjmp(server_error, 1);
}

/* Format a text, and drop it. */
static int
format(const char *fmt, va_list args)
{
	char		text[1024];

	return vsnprintf(text, sizeof(text), fmt, args);
}

/* Format an error's message, detail or hint, which nothing reads. */
int
errmsg(const char *fmt,...)
{
	va_list		args;
	int			len;

	va_start(args, fmt);
	len = format(fmt, args);
	va_end(args);
	return len;
}

int			errdetail(const char *fmt,...) __attribute__((alias("errmsg")));
int			errdetail_internal(const char *fmt,...) __attribute__((alias("errmsg")));
int			errhint(const char *fmt,...) __attribute__((alias("errmsg")));

/* Print a number of a message. */
char *
float8out_internal(double num)
{
	char	   *text = palloc(32);

	snprintf(text, 32, "%.17g", num);
	return text;
}

/* Note an error's code. */
int
errcode(int sqlerrcode)
{
	return sqlerrcode;
}

/* Clip a string, not within a character of UTF-8. */
int
pg_mbcliplen(const char *mbstr, int len, int limit)
{
	if (len <= limit)
		return len;
	while (limit > 0 && ((unsigned char) mbstr[limit] & 0xC0) == 0x80)
		limit--;
	return limit;
}

/*** Buffers ***/

/* Start an empty buffer. */
void
initStringInfo(StringInfo str)
{
	str->maxlen = 2 * SKETCH_MAX_HASHES + 64;
	str->data = palloc(str->maxlen);
	str->len = str->cursor = 0;
}

/* See to room, which there is. */
void
enlargeStringInfo(StringInfo str, int needed)
{
	if (str->maxlen - str->len < needed)
		abort();
}

/* Take a big-endian number off a message. */
unsigned int
pq_getmsgint(StringInfo msg, int b)
{
	unsigned int number = 0;

	if (b > msg->len - msg->cursor)
		siglongjmp(server_error, 1);
	while (b-- > 0)
		number = number << 8 | (unsigned char) msg->data[msg->cursor++];
	return number;
}

/*** Functions that the fuzz target links to but does not call ***/

/* Fetch a value from where it is stored. */
struct varlena *
pg_detoast_datum(struct varlena *datum)
{
	abort();
}

struct varlena *pg_detoast_datum_packed(struct varlena *datum) __attribute__((alias("pg_detoast_datum")));

/* Begin a message to a client. */
void
pq_begintypsend(StringInfo buf)
{
	abort();
}

/* End a message to a client. */
bytea *
pq_endtypsend(StringInfo buf)
{
	abort();
}

/* Read a type modifier. */
int32 *
ArrayGetIntegerTypmods(ArrayType *arr, int *n)
{
	abort();
}

/* Convert a text. */
char *
text_to_cstring(const text *t)
{
	abort();
}

/* The setting, which nothing that is fuzzed reads. */
double
setting_similarity_threshold(void)
{
	return 0.8;
}

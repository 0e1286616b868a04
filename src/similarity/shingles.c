/*-------------------------------------------------------------------------
 *
 * shingles.c
 *	  Find the equal shingles of one or two texts, and list those of one.
 *
 * Signatures need only the hashes of shingles (sign/to_minhash.c).  Exact
 * similarities and the SQL function shingles() compare shingles by content.
 *
 * The units of the texts are kept in memory, one text after the other.  A
 * shingle is a 64-bit number: the place of its first unit, below the upper half
 * of its hash.  A radix sort by the upper bits, of which small lists need fewer,
 * brings equal shingles together.  Neighbors with equal bits are compared by
 * content; if it differs, they are sorted by it.  So the result is exact for
 * any text.  The seed of the hash is secret, so that a hostile text cannot
 * choose shingles that collide.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/base/hash.h"
#include "core/base/host.h"
#include "core/text/cutter.h"
#include "shingles.h"
#include "support/arguments.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define WINDOWS_AT_ONCE 1024
#define FEW_SHINGLES 100000		/* up to here, FEW_BITS rarely collide */
#ifndef FEW_BITS				/* tests define fewer */
#define FEW_BITS 22				/* two digits of the radix sort */
#define MANY_BITS 32
#endif

/* Bytes of zero after a text: its end, for content that is read as a word. */
#define END_OF_TEXT sizeof(uint64)

#define RADIX_SORT sort_few
#define RADIX_ITEM uint64
#define RADIX_KEY(shingle) ((shingle) >> (64 - FEW_BITS))
#define RADIX_KEY_BITS FEW_BITS
#include "core/base/radix_sort.h"

#define RADIX_SORT sort_many
#define RADIX_ITEM uint64
#define RADIX_KEY(shingle) ((shingle) >> (64 - MANY_BITS))
#define RADIX_KEY_BITS MANY_BITS
#include "core/base/radix_sort.h"

/*** Units ***/

/* Make room for more bytes of a text that starts at a place. */
static void
enlarge_bytes(ShingleList *list, Size start, Size length)
{
	if (list->length - start > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text is too long to be cut into shingles"),
				 errdetail("Its normal form takes more than 1 GB."),
				 errhint("Cut the text into parts.")));
	if (list->room - list->length <= length + CUTTER_TAIL)
	{
		list->room = 2 * list->room + length;
		list->bytes = repalloc_huge(list->bytes, list->room);
	}
}

/* Append a cut, which may continue the last word. */
static void
append_cut(ShingleList *list, const Cut *cut, bool in_word)
{
	if (in_word)
		list->length--;			/* the space */
	if (cut->length <= 8)		/* the usual word, without a call */
		memcpy(list->bytes + list->length, cut->text, 8);
	else
		memcpy(list->bytes + list->length, cut->text, cut->length);
	list->length += cut->length;
	if (list->words)
		list->bytes[list->length++] = ' ';
	list->units += !in_word;
}

/* Append the units of a text. */
static void
append_text(ShingleList *list, uint32 shingling, text *document)
{
	Size		start = list->length;
	Size		len;
	char	   *utf8 = utf8_from_bytes(VARDATA_ANY(document),
									   VARSIZE_ANY_EXHDR(document), &len);
	Cutter		cutter;
	Cut			cut = {0};

	cutter_begin(&cutter, shingling, utf8, len);
	while (!cutter.done)
	{
		bool		in_word = cut.goes_on;

		if (!cutter_next(&cutter, &cut))
			continue;
		if (!cutter.words)		/* take all code points in the buffer */
		{
			const uint8_t *bytes = cut.text;

			cut.length = (uint32) (cutter.buffer + cutter.len - cut.text);
			cutter.start = cutter.end = cutter.len;
			for (uint32 i = 1; i < cut.length; i++)
				if ((bytes[i] & 0xC0) != 0x80)
					list->units++;
		}
		enlarge_bytes(list, start, cut.length);
		append_cut(list, &cut, in_word);
	}
	enlarge_bytes(list, start, END_OF_TEXT);
	memset(list->bytes + list->length, 0, END_OF_TEXT);
	list->length += END_OF_TEXT;
}

/* Return the end of up to count units, and of a word's space. */
static inline const char *
skip_units(const ShingleList *list, const char *bytes, int count)
{
	const char *end = list->bytes + list->length;

	for (; count > 0 && *bytes != '\0'; count--)
		bytes = list->words ? (const char *) memchr(bytes, ' ', end - bytes) + 1 :
			bytes + utf8_char_length((uint8_t) *bytes);
	return bytes;
}

/*** Shingles ***/

/*
 * Hash the next shingles of a text, at most WINDOWS_AT_ONCE; *end is the end of the
 * first.  Set it to that of the last, and return their number.
 */
static Size
hash_shingles(const ShingleList *list, const char *start, const char **end,
			  const char *end_of_text, uint64 *hashes)
{
	uint64		seed = server_secret();
	Size		size = (Size) list->size;
	Size		ascii = 0;

	if (!list->words && *(const signed char *) start >= 0)
		ascii = normalize_ascii_length((const uint8_t *) start,
									   Min((Size) (end_of_text - start), WINDOWS_AT_ONCE + size - 1));
	if (ascii <= size)
	{
		*hashes = shingle_hash(start, *end - start, seed);
		return 1;
	}
	hash_windows((const uint8_t *) start, size, seed, hashes, ascii - size + 1);
	*end = start + ascii;
	return ascii - size + 1;
}

/* Append the shingles of the text between two places. */
static void
append_shingles(ShingleList *list, Size place, Size end_place)
{
	const char *start = list->bytes + place;
	const char *end = skip_units(list, start, list->size);
	uint64		hashes[WINDOWS_AT_ONCE];

	while (place < end_place)
	{
		Size		count = hash_shingles(list, start, &end, list->bytes + end_place,
										  hashes);

		CHECK_FOR_INTERRUPTS();
		for (Size i = 0; i < count; i++)
			list->shingles[list->count + i] = (hashes[i] >> 32 << 32) |
				(uint64) (start + i - list->bytes);
		list->count += count;
		if (*end == '\0')
			break;
		start = count > 1 ? start + count : skip_units(list, start, 1);
		end = skip_units(list, end, 1);
	}
}

/* Return true if the content at two places is the same. */
static bool
same_content(const ShingleList *list, const char *a, const char *b)
{
	ptrdiff_t	length = skip_units(list, a, list->size) - a;

	CHECK_FOR_INTERRUPTS();
	if (strncmp(a, b, (size_t) length) != 0)
		return false;
	/* At the end of a text a shingle can have fewer units. */
	return (a[length] == '\0') == (b[length] == '\0') ||
		skip_units(list, b, list->size) - b == length;
}

/* qsort_arg comparator: by content, then in the order of the texts. */
static int
compare_content(const void *a, const void *b, void *arg)
{
	const ShingleList *list = arg;
	uint32		a_place = (uint32) *(const uint64 *) a;
	uint32		b_place = (uint32) *(const uint64 *) b;
	const char *a_text = list->bytes + a_place;
	const char *b_text = list->bytes + b_place;
	Size		a_length = skip_units(list, a_text, list->size) - a_text;
	Size		b_length = skip_units(list, b_text, list->size) - b_text;
	int			order = memcmp(a_text, b_text, Min(a_length, b_length));

	CHECK_FOR_INTERRUPTS();
	if (order == 0)
		order = (a_length > b_length) - (a_length < b_length);
	return order != 0 ? order : (a_place > b_place) - (a_place < b_place);
}

/*
 * Sort shingles with equal keys by content, from the first to the last one at
 * or after next, and mark them.  Return their end.
 */
static Size
sort_by_content(ShingleList *list, Size first, Size next, int key_bits)
{
	uint64	   *shingles = list->shingles;
	Size		end = next + 1;

	while (end < list->count &&
		   (shingles[end] ^ shingles[next]) >> (64 - key_bits) == 0)
		check_sometimes(end++);
	qsort_arg(shingles + first, end - first, sizeof(uint64), compare_content,
			  list);
	for (Size i = first; i < end; i++)
	{
		shingles[i] = (uint32) shingles[i];
		if (i == first ||
			!same_content(list, list->bytes + (uint32) shingles[i - 1],
						  list->bytes + shingles[i]))
			shingles[i] |= SHINGLE_IS_FIRST;
	}
	return end;
}

/* Replace the hash of each shingle by the mark of those that are first. */
static void
mark_first(ShingleList *list, int key_bits)
{
	uint64		last = 0;
	uint64		last_word = 0;
	Size		first = 0;		/* with the key of the last shingle */
	uint64		mask = 0;		/* of the bytes of a short shingle in ASCII */

	if (!list->words && list->size <= (int) sizeof(uint64))
		memset(&mask, 0xFF, list->size);
	for (Size i = 0; i < list->count;)
	{
		uint64		shingle = list->shingles[i];
		const char *text = list->bytes + (uint32) shingle;
		bool		new_key = i == 0 || (shingle ^ last) >> (64 - key_bits) != 0;
		bool		same;
		uint64		word;

		check_sometimes(i);
		memcpy(&word, text, sizeof(uint64));
		word &= mask;
		same = i > 0 && ((shingle ^ last) >> 32 | (word ^ last_word)) == 0;
		if (same && (mask == 0 || (word & EACH(0x80)) != 0))
			same = same_content(list, text, list->bytes + (uint32) last);
		first = new_key ? i : first;
		if (!new_key && !same)
			i = sort_by_content(list, first, i, key_bits);
		else
			list->shingles[i++] = (uint32) shingle | (same ? 0 : SHINGLE_IS_FIRST);
		last = shingle;
		last_word = word;
	}
}

/* List the shingles of texts, and bring equal ones together. */
ShingleList
shingle_list(uint32 shingling, text *first, text *second)
{
	ShingleList list = {
		.words = shingling_unit(shingling) == SHINGLE_WORD,
		.size = shingling_size(shingling),
		.room = VARSIZE_ANY_EXHDR(first) + CUTTER_TAIL
	};
	uint64	   *scratch;

	list.bytes = server_alloc_array(list.room, 1);
	append_text(&list, shingling, first);
	list.second = list.length;
	if (second != NULL)
		append_text(&list, shingling, second);

	list.shingles = server_alloc_array(list.units, sizeof(uint64));
	scratch = server_alloc_array(list.units, sizeof(uint64));
	append_shingles(&list, 0, list.second - END_OF_TEXT);
	if (second != NULL)
		append_shingles(&list, list.second, list.length - END_OF_TEXT);
	if (list.count <= FEW_SHINGLES)
	{
		list.shingles = sort_few(list.shingles, scratch, list.count);
		mark_first(&list, FEW_BITS);
	}
	else
	{
		list.shingles = sort_many(list.shingles, scratch, list.count);
		mark_first(&list, MANY_BITS);
	}
	return list;
}

/*** The SQL function ***/

/* Make an array of the shingles at some places, in the order of the text. */
static ArrayType *
make_array(const ShingleList *list, const bool *wanted)
{
	Datum	   *texts = server_alloc_array(list->count, sizeof(Datum));
	int			count = 0;
	Size		bytes = 0;

	for (Size i = 0; i < list->length; i++)
	{
		const char *start = list->bytes + i;
		const char *end;

		CHECK_FOR_INTERRUPTS();
		if (!wanted[i])
			continue;
		end = skip_units(list, start, list->size);
		texts[count] = PointerGetDatum(utf8_to_text(start, end - start - list->words));
		bytes += INTALIGN(VARSIZE(DatumGetPointer(texts[count])));
		if (bytes > MaxAllocSize || count++ >= (int) MaxArraySize)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("text has too many shingles for an array"),
					 errdetail("An array has at most %d elements and 1 GB.",
							   (int) MaxArraySize),
					 errhint("Cut the text into parts.")));
	}
	return construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT);
}

/* Return the shingles of a text in order; repetitions only for a bag. */
PG_FUNCTION_INFO_V1(shingles);
Datum
shingles(PG_FUNCTION_ARGS)
{
	uint32		shingling = arg_check_text_shingling(PG_GETARG_UINT32(1));
	ShingleList list = shingle_list(shingling, PG_GETARG_TEXT_PP(0), NULL);
	bool	   *wanted = server_alloc_zeros(list.length, sizeof(bool));

	for (Size i = 0; i < list.count; i++)
	{
		check_sometimes(i);
		wanted[(uint32) list.shingles[i]] = shingling_is_bag(shingling) ||
			(list.shingles[i] & SHINGLE_IS_FIRST) != 0;
	}
	PG_RETURN_ARRAYTYPE_P(make_array(&list, wanted));
}

/*-------------------------------------------------------------------------
 *
 * shingle.c
 *	  From a text to the hashes of its shingles.
 *
 * Shingling (Broder 1997) turns a document into the set of its overlapping
 * runs of n units.  A unit is a code point or a word of the normalized text
 * (see normalize.c and words.c).
 *
 * A document of 1 to n - 1 units is a single shingle.  A document without
 * units is the empty set.
 *
 * Hashes, all 64-bit XXH3 with the seed:
 *	- a code point shingle: of its bytes in UTF-8;
 *	- a word: of its bytes in UTF-8;
 *	- a word shingle: of its words' hashes, each 8 bytes, little-endian;
 *	- an integer: of its 64-bit value, 8 bytes, little-endian;
 *	- the i-th occurrence of a shingle in a bag, i = 1, 2, ...: of the
 *	  shingle's hash and i, each 8 bytes, little-endian.
 *
 * The text is normalized into a small buffer, so memory does not grow with it.
 * Windows of ASCII have one length in bytes, so that they are hashed together
 * (hash.c).
 *
 *-------------------------------------------------------------------------
 */
#include "shingle.h"

#include <string.h>

#include "words.h"

/* The size from which a word is hashed piece by piece. */
#define LONG_WORD (SHINGLE_BUFFER_SIZE / 2)

_Static_assert(SHINGLE_BUFFER_TAIL >= WINDOWS_TAIL &&
			   SHINGLE_BUFFER_TAIL >= WORD_BLOCK, "the tail is long enough");

/* Otherwise fill_buffer() might have no room. */
_Static_assert(SHINGLE_BUFFER_SIZE - LONG_WORD >= NORMALIZE_MIN_ROOM,
			   "a long word leaves room in the buffer");

/* Begin to read a text. */
void
shingle_begin(ShingleReader *reader, uint32_t shingling, int32_t seed,
			  const char *text, size_t len)
{
	XXH3_INITSTATE(&reader->long_word); /* the reset compares seeds */
	reader->in_long_word = false;
	reader->done = false;
	reader->any = false;
	reader->unit = shingling_unit(shingling);
	reader->size = shingling_size(shingling);
	reader->seed = (uint32_t) seed;
	reader->start = reader->end = reader->len = 0;
	reader->window = 0;
	reader->num_words = 0;
	normalize_begin(&reader->normalizer, text, len,
					shingling_is_raw(shingling));
}

/* Refill the buffer; return false if the text is not UTF-8. */
static bool
fill_buffer(ShingleReader *reader)
{
	ptrdiff_t	len;

	memmove(reader->buffer, reader->buffer + reader->start,
			reader->len - reader->start);
	reader->len -= reader->start;
	reader->end -= reader->start;
	reader->start = 0;
	len = normalize_next(&reader->normalizer, reader->buffer + reader->len,
						 SHINGLE_BUFFER_SIZE - reader->len);
	if (len < 0)
		return false;
	reader->len += (size_t) len;
	memset(reader->buffer + reader->len, 0, SHINGLE_BUFFER_TAIL);
	return true;
}

/*
 * Hash the windows of n code points at the front of the buffer that are all
 * ASCII, so that a code point is a byte.
 */
static int
next_ascii_windows(ShingleReader *reader, uint64_t *hashes, int max)
{
	const uint8_t *text = reader->buffer + reader->start;
	size_t		size = (size_t) reader->size;
	size_t		limit = (size_t) max + size - 1;
	size_t		left = reader->len - reader->start;
	size_t		len = ascii_length(text, left < limit ? left : limit);
	int			count;

	if (len < size)
		return 0;
	count = (int) (len - size + 1);
	hash_windows(text, size, reader->seed, hashes, (size_t) count);
	reader->start += (size_t) count;
	reader->end = reader->start;
	reader->window = 0;
	return count;
}

/*
 * Hash the windows of n code points at the front of the buffer, up to the
 * first of which all but the last are ASCII.
 */
static int
next_windows(ShingleReader *reader, uint64_t *hashes, int max)
{
	const uint8_t *buffer = reader->buffer;
	size_t		start = reader->start;
	size_t		end = reader->end;
	int			window = reader->window;
	int			count = 0;

	do
	{
		for (; window < reader->size && end < reader->len; window++)
			end += utf8_char_length(buffer[end]);
		if (window < reader->size)
			break;
		hashes[count++] = XXH3_64bits_withSeed(buffer + start, end - start,
											   reader->seed);
		start += utf8_char_length(buffer[start]);
		window--;
	} while (count < max && end - start > (size_t) window);
	reader->start = start;
	reader->end = end;
	reader->window = window;
	return count;
}

/* Hash the windows of n code points in the buffer. */
static int
next_chars(ShingleReader *reader, uint64_t *hashes, int max)
{
	int			count = 0;
	int			before;

	do
	{
		before = count;
		count += next_ascii_windows(reader, hashes + count, max - count);
		if (count < max)
			count += next_windows(reader, hashes + count, max - count);
	} while (count < max && count > before);
	return count;
}

/* Hash the last n words. */
static inline uint64_t
hash_last_words(const ShingleReader *reader)
{
	int			size = reader->size;
	const uint64_t *words = reader->words + reader->num_words - size;

	if (size == 3)				/* the usual size, so it has code of its own */
		return XXH3_64bits_withSeed(words, 8 * 3, reader->seed);
	return XXH3_64bits_withSeed(words, 8 * (size_t) size, reader->seed);
}

/* Add a word's hash to the window; if that is full, hash it and return 1. */
static inline int
add_word(ShingleReader *reader, uint64_t word, uint64_t *hash)
{
	if (reader->num_words == 2 * SHINGLE_MAX_SIZE)
	{
		int			keep = reader->size - 1;

		memmove(reader->words, reader->words + reader->num_words - keep,
				8 * (size_t) keep);
		reader->num_words = keep;
	}
	reader->words[reader->num_words++] = little_endian(word);
	if (reader->num_words < reader->size)
		return 0;
	*hash = hash_last_words(reader);
	return 1;
}

/* Return true if a word has begun and not ended. */
static inline bool
in_word(const ShingleReader *reader)
{
	return reader->end > reader->start || reader->in_long_word;
}

/* Hash the word that ends at end. */
static uint64_t
hash_word(ShingleReader *reader)
{
	const uint8_t *word = reader->buffer + reader->start;
	size_t		len = reader->end - reader->start;

	if (!reader->in_long_word)
		return XXH3_64bits_withSeed(word, len, reader->seed);
	reader->in_long_word = false;
	XXH3_64bits_update(&reader->long_word, word, len);
	return XXH3_64bits_digest(&reader->long_word);
}

/* Move the part of a long word that has been read to its hash state. */
static void
pass_long_word(ShingleReader *reader)
{
	if (reader->end - reader->start < LONG_WORD)
		return;
	if (!reader->in_long_word)
		XXH3_64bits_reset_withSeed(&reader->long_word, reader->seed);
	reader->in_long_word = true;
	XXH3_64bits_update(&reader->long_word, reader->buffer + reader->start,
					   reader->end - reader->start);
	reader->start = reader->end;
}

/*
 * Hash the word shingles whose words end within the next 64 bytes and before
 * the first that is not ASCII.
 */
static int
next_ascii_words(ShingleReader *reader, uint64_t *hashes, int max)
{
	const uint8_t *text = reader->buffer + reader->start;
	size_t		limit = reader->len - reader->start;
	size_t		pos;
	uint64_t	parts;
	uint64_t	others;
	uint64_t	edges;			/* where a word begins or has ended */
	int			count = 0;

	classify_block(text, &parts, &others);
	parts &= UINT64_MAX >> 1;	/* so that every word has an end */
	edges = parts ^ parts << 1;
	if (limit > WORD_BLOCK - 1)
		limit = WORD_BLOCK - 1;
	if (others != 0 && limit > (size_t) lowest_bit(others))
		limit = (size_t) lowest_bit(others);
	pos = limit;
	while (edges != 0)
	{
		size_t		start = (size_t) lowest_bit(edges);
		size_t		end = (size_t) lowest_bit(edges & (edges - 1));
		uint64_t	word;

		if (end >= limit || count == max)
		{
			/* It may go on, or there is no room: read it again later. */
			pos = start < limit ? start : limit;
			break;
		}
		word = XXH3_64bits_withSeed(text + start, end - start, reader->seed);
		count += add_word(reader, word, hashes + count);
		edges &= edges - 1;
		edges &= edges - 1;
	}
	reader->start += pos;
	reader->end = reader->start;
	return count;
}

/*
 * Read a code point of the buffer.  If a word shingle ends with it or before
 * it, hash that and return 1.
 */
static int
next_word_char(ShingleReader *reader, uint64_t *hash)
{
	size_t		char_len;
	WordClass	class = word_class(reader->buffer + reader->end,
								   reader->len - reader->end, &char_len);
	int			count = 0;

	if (class == WORD_PART)
	{
		reader->end += char_len;
		return 0;
	}
	if (in_word(reader))
		count = add_word(reader, hash_word(reader), hash);
	else
	{
		reader->end += char_len;
		if (class == WORD_ALONE)
			count = add_word(reader, hash_word(reader), hash);
	}
	reader->start = reader->end;
	return count;
}

/* Hash the word shingles whose words end in the buffer. */
static int
next_words(ShingleReader *reader, uint64_t *hashes, int max)
{
	int			count = 0;

	while (count < max && reader->end < reader->len)
	{
		size_t		before = reader->end;

		if (!in_word(reader) && reader->buffer[before] < 0x80)
			count += next_ascii_words(reader, hashes + count, max - count);
		if (reader->end == before)
			count += next_word_char(reader, hashes + count);
	}
	if (reader->end == reader->len)
		pass_long_word(reader);
	return count;
}

/* If the rest of the text is a shingle, hash it and return 1. */
static int
last_shingle(ShingleReader *reader, uint64_t *hash)
{
	int			count = 0;

	if (reader->unit == SHINGLE_WORD)
	{
		if (in_word(reader))
			count = add_word(reader, hash_word(reader), hash);
		if (count > 0 || reader->any || reader->num_words == 0)
			return count;
		*hash = XXH3_64bits_withSeed(reader->words,
									 8 * (size_t) reader->num_words,
									 reader->seed);
		return 1;
	}
	if (reader->any || reader->window == 0)
		return 0;
	*hash = XXH3_64bits_withSeed(reader->buffer + reader->start,
								 reader->end - reader->start, reader->seed);
	return 1;
}

/* Write the hashes of the next shingles; return their number or -1. */
int
shingle_next(ShingleReader *reader, uint64_t *hashes, int max)
{
	int			count;

	if (reader->unit == SHINGLE_WORD)
		count = next_words(reader, hashes, max);
	else
		count = next_chars(reader, hashes, max);
	if (count == 0)
	{
		if (!normalize_done(&reader->normalizer))
			return fill_buffer(reader) ? 0 : -1;
		count = last_shingle(reader, hashes);
		reader->done = true;
	}
	reader->any |= count > 0;
	return count;
}

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

_Static_assert(CUTTER_TAIL >= WINDOWS_TAIL, "the tail is long enough");

/* Begin to read a text. */
void
shingle_begin(ShingleReader *reader, uint32_t shingling, int32_t seed,
			  const char *text, size_t len)
{
	XXH3_INITSTATE(&reader->long_word); /* the reset compares seeds */
	reader->in_long_word = false;
	reader->done = false;
	reader->any = false;
	reader->size = shingling_size(shingling);
	reader->seed = (uint32_t) seed;
	reader->window = 0;
	reader->num_words = 0;
	cutter_begin(&reader->cutter, shingling, text, len);
}

/*
 * Hash the windows of n code points at the front of the buffer that are all
 * ASCII, so that a code point is a byte.
 */
static int
next_ascii_windows(ShingleReader *reader, uint64_t *hashes, int max)
{
	Cutter	   *cutter = &reader->cutter;
	const uint8_t *text = cutter->buffer + cutter->start;
	size_t		size = (size_t) reader->size;
	size_t		limit = (size_t) max + size - 1;
	size_t		left = cutter->len - cutter->start;
	size_t		len = normalize_ascii_length(text, left < limit ? left : limit);
	int			count;

	if (len < size)
		return 0;
	count = (int) (len - size + 1);
	hash_windows(text, size, reader->seed, hashes, (size_t) count);
	cutter->start += (size_t) count;
	cutter->end = cutter->start;
	reader->window = 0;
	return count;
}

/*
 * Hash the windows of n code points at the front of the buffer.  Stop when the
 * n - 1 code points that the next window begins with are ASCII, because
 * next_ascii_windows() is faster.
 */
static int
next_windows(ShingleReader *reader, uint64_t *hashes, int max)
{
	Cutter	   *cutter = &reader->cutter;
	const uint8_t *buffer = cutter->buffer;
	size_t		start = cutter->start;
	size_t		end = cutter->end;
	int			window = reader->window;
	int			count = 0;

	do
	{
		for (; window < reader->size && end < cutter->len; window++)
			end += utf8_char_length(buffer[end]);
		if (window < reader->size)
			break;
		hashes[count++] = XXH3_64bits_withSeed(buffer + start, end - start,
											   reader->seed);
		start += utf8_char_length(buffer[start]);
		window--;
	} while (count < max && end - start > (size_t) window);
	cutter->start = start;
	cutter->end = end;
	reader->window = window;
	return count;
}

/* Hash windows of n code points, or all of a text that has fewer. */
static int
next_chars(ShingleReader *reader, uint64_t *hashes, int max)
{
	Cutter	   *cutter = &reader->cutter;
	int			count = 0;
	int			before;

	do
	{
		before = count;
		count += next_ascii_windows(reader, hashes + count, max - count);
		if (count < max)
			count += next_windows(reader, hashes + count, max - count);
	} while (count < max && count > before);
	if (count > 0)
		return count;
	reader->done = normalize_done(&cutter->normalizer);
	if (!reader->done)
		cutter_fill(cutter);
	if (!reader->done || reader->any || reader->window == 0)
		return 0;
	*hashes = XXH3_64bits_withSeed(cutter->buffer + cutter->start,
								   cutter->end - cutter->start, reader->seed);
	return 1;
}

/* Add a word's hash to the window; if that is full, hash it and return 1. */
static inline int
add_word(ShingleReader *reader, uint64_t word, uint64_t *hash)
{
	int			size = reader->size;

	if (reader->num_words == 2 * SHINGLE_MAX_SIZE)
	{
		int			keep = size - 1;

		memmove(reader->words, reader->words + reader->num_words - keep,
				8 * (size_t) keep);
		reader->num_words = keep;
	}
	reader->words[reader->num_words++] = little_endian(word);
	if (reader->num_words < size)
		return 0;
	*hash = XXH3_64bits_withSeed(reader->words + reader->num_words - size,
								 8 * (size_t) size, reader->seed);
	return 1;
}

/* Hash a word, or its last part; of an earlier part, update the hash. */
static inline bool
hash_word(ShingleReader *reader, const Cut *cut, uint64_t *word)
{
	if (!cut->goes_on && !reader->in_long_word)
	{
		*word = XXH3_64bits_withSeed(cut->text, cut->length, reader->seed);
		return true;
	}
	if (!reader->in_long_word)
		XXH3_64bits_reset_withSeed(&reader->long_word, reader->seed);
	XXH3_64bits_update(&reader->long_word, cut->text, cut->length);
	reader->in_long_word = cut->goes_on;
	if (!cut->goes_on)
		*word = XXH3_64bits_digest(&reader->long_word);
	return !cut->goes_on;
}

/* Hash the word shingles whose words end in the buffer. */
static int
next_words(ShingleReader *reader, uint64_t *hashes, int max)
{
	Cutter	   *cutter = &reader->cutter;
	Cut			cut;
	int			count = 0;
	uint64_t	word = 0;

	while (count < max && cutter_next(cutter, &cut))
		if (hash_word(reader, &cut, &word))
			count += add_word(reader, word, hashes + count);
	reader->done = cutter->done;
	if (!reader->done || count > 0 || reader->any || reader->num_words == 0)
		return count;
	/* The text has fewer words than a shingle. */
	*hashes = XXH3_64bits_withSeed(reader->words, 8 * (size_t) reader->num_words,
								   reader->seed);
	return 1;
}

/* Write the hashes of the next shingles; return their number. */
int
shingle_next(ShingleReader *reader, uint64_t *hashes, int max)
{
	int			count = reader->cutter.words ? next_words(reader, hashes, max) :
		next_chars(reader, hashes, max);

	reader->any |= count > 0;
	return count;
}

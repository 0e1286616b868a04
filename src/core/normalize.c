/*-------------------------------------------------------------------------
 *
 * normalize.c
 *	  Normalise a UTF-8 text piece by piece, in bounded memory.
 *
 * The result is what Unicode compares to match identifiers without regard to
 * case, toNFKC_Casefold(NFD(text)): full case folding, compatibility
 * equivalents as one, and no default-ignorable code points, such as soft
 * hyphens, zero-width joiners and variation selectors.  That is: NFD; those
 * dropped; every other code point folded and decomposed (compatibility
 * decomposition) until nothing changes; NFC.  In the result every run of white
 * space (property White_Space) is then one space, with none at either end.
 *
 * It does not depend on a locale.  The tables are utf8proc's, but for that of
 * the ignorable code points; Unicode promises that toNFKC_Casefold(NFD()) of
 * assigned code points never changes, so that only those that the installed
 * utf8proc does not know yet can come out differently elsewhere (they stay as
 * they are).  It makes no such promise for general categories, but they change
 * hardly ever.
 *
 * ASCII is folded by a table.  For the rest the text is cut into segments,
 * which are normalised one by one.  A segment starts at every code point
 * whose compatibility decomposition (not folded) starts with none of: a mark
 * (category M), a Hangul vowel or final (U+1160 to U+11FF but U+11A7), U+16D67.
 * No composition or reordering reaches across such a place.  (U+11A7 composes
 * with nothing; before version 2.11.2 utf8proc took it for a final that is
 * empty, and lost it behind a syllable.)  To bound memory and time on hostile
 * input, a new segment also starts when one has SEGMENT_LIMIT code points of the
 * text: a longer run of marks is reordered and composed in pieces.  Ignorable
 * code points neither start a segment nor count.
 *
 * "Raw" text is checked to be UTF-8, and copied.
 *
 *-------------------------------------------------------------------------
 */
#include "normalize.h"

#include <string.h>
#include <utf8proc.h>

#include "interrupt.h"

/* A call reads about this many bytes at most, so that callers can be stopped. */
#define INPUT_LIMIT 65536

#define NFD (UTF8PROC_STABLE | UTF8PROC_DECOMPOSE)
#define NFKD (NFD | UTF8PROC_COMPAT)
#define FOLD UTF8PROC_CASEFOLD

/* Count the bytes before the first that is not ASCII, at most limit. */
size_t
ascii_length(const uint8_t *p, size_t limit)
{
	size_t		len = 0;

	while (limit - len >= sizeof(uint64_t))
	{
		uint64_t	eight;

		memcpy(&eight, p + len, sizeof(eight));
		if (eight & UINT64_C(0x8080808080808080))
			break;
		len += sizeof(eight);
	}
	while (len < limit && p[len] < 0x80)
		len++;
	return len;
}

/* Return true if an ASCII byte is white space. */
static inline bool
is_ascii_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Return true if a normalized code point is white space; NFKC has no others. */
static inline bool
is_space(int32_t c)
{
	return (c < 0x80 && is_ascii_space((uint8_t) c)) || c == 0x85 ||
		c == 0x1680 || c == 0x2028 || c == 0x2029;
}

/*
 * Tell whether a code point is ignorable: property Default_Ignorable_Code_Point
 * of Unicode 14 to 17.  utf8proc leaves out those that are reserved for later.
 */
static bool
is_ignorable(int32_t c)
{
	switch (c >> 8)
	{
		case 0x00:
			return c == 0xAD;
		case 0x03:
			return c == 0x34F;
		case 0x06:
			return c == 0x61C;
		case 0x11:
			return c == 0x115F || c == 0x1160;
		case 0x17:
			return c == 0x17B4 || c == 0x17B5;
		case 0x18:
			return c >= 0x180B && c <= 0x180F;
		case 0x20:
			return (c >= 0x200B && c <= 0x200F) ||
				(c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F);
		case 0x31:
			return c == 0x3164;
		case 0xFE:
			return c <= 0xFE0F || c == 0xFEFF;
		case 0xFF:
			return c == 0xFFA0 || (c >= 0xFFF0 && c <= 0xFFF8);
		case 0x1BC:
			return c >= 0x1BCA0 && c <= 0x1BCA3;
		case 0x1D1:
			return c >= 0x1D173 && c <= 0x1D17A;
		default:
			return c >= 0xE0000 && c <= 0xE0FFF;
	}
}

/* Start to normalise a text. */
void
normalize_begin(Normalizer *normalizer, const char *text, size_t len, bool raw)
{
	normalizer->next = (const uint8_t *) text;
	normalizer->end = normalizer->next + len;
	normalizer->raw = raw;
	normalizer->started = false;
	normalizer->space = false;
	normalizer->segment_read = 0;
	normalizer->segment_len = 0;
}

/* Write a normalised code point, and the white space before it as one space. */
static uint8_t *
put_code_point(Normalizer *normalizer, int32_t c, uint8_t *out)
{
	if (is_space(c))
	{
		normalizer->space = normalizer->started;
		return out;
	}
	if (normalizer->space)
		*out++ = ' ';
	normalizer->space = false;
	normalizer->started = true;
	if (c < 0x80)
		*out++ = (uint8_t) c;
	else
		out += utf8proc_encode_char(c, out);
	return out;
}

/* Sort each run of marks by combining class, keeping the order of equals. */
static void
order_marks(int32_t *segment, int len)
{
	for (int i = 1; i < len; i++)
	{
		int32_t		c = segment[i];
		int			class = utf8proc_get_property(c)->combining_class;
		int			j = i;

		if (class == 0)
			continue;
		while (j > 0 &&
			   utf8proc_get_property(segment[j - 1])->combining_class > class)
		{
			segment[j] = segment[j - 1];
			j--;
		}
		segment[j] = c;
	}
}

/* Append what a code point decomposes to, or is mapped to, to a segment. */
static int
append_mapped(int32_t c, int options, int32_t *segment, int len)
{
	int			boundclass = 0;
	ptrdiff_t	room = SEGMENT_CAPACITY - len;
	ptrdiff_t	mapped = utf8proc_decompose_char(c, segment + len, room,
												 options, &boundclass);

	if (mapped >= 0 && mapped <= room)
		return len + (int) mapped;
	if (room > 0)
		segment[len++] = c;		/* cannot happen with any Unicode so far */
	return len;
}

/* Fold and decompose all code points of a segment that are not ignorable. */
static int
map_segment(const int32_t *from, int len, int32_t *to)
{
	int			to_len = 0;

	for (int i = 0; i < len; i++)
		if (!is_ignorable(from[i]))
			to_len = append_mapped(from[i], NFKD | FOLD, to, to_len);
	return to_len;
}

/* Tell whether a code point is its own normal form, if it stands alone. */
static bool
is_normal(int32_t c)
{
	const utf8proc_property_t *property = utf8proc_get_property(c);

	/* UINT16_MAX stands for "none"; Hangul syllables are composed again. */
	return property->casefold_seqindex == UINT16_MAX &&
		property->decomp_seqindex == UINT16_MAX;
}

/* Write the open segment in its normal form, and start an empty one. */
static uint8_t *
put_segment(Normalizer *normalizer, uint8_t *out)
{
	int32_t    *segment = normalizer->segment;
	int32_t		mapped[SEGMENT_CAPACITY];
	int			len = normalizer->segment_len;

	if (len > 1 || (len == 1 && !is_normal(segment[0])))
	{
		order_marks(segment, len);
		len = map_segment(segment, len, mapped);
		order_marks(mapped, len);
		len = (int) utf8proc_normalize_utf32(mapped, len, UTF8PROC_STABLE |
											 UTF8PROC_COMPOSE);
		segment = mapped;
	}
	for (int i = 0; i < len; i++)
		out = put_code_point(normalizer, segment[i], out);
	normalizer->segment_read = 0;
	normalizer->segment_len = 0;
	return out;
}

/* Tell whether a segment starts at a code point of the text. */
static bool
starts_segment(int32_t c)
{
	int32_t		decomposed[SEGMENT_CAPACITY];

	if (c < 0x300)
		return true;
	if (utf8proc_get_property(c)->decomp_seqindex != UINT16_MAX &&
		append_mapped(c, NFKD, decomposed, 0) > 0)
		c = decomposed[0];
	if ((c >= 0x1160 && c <= 0x11FF && c != 0x11A7) || c == 0x16D67)
		return false;
	switch (utf8proc_category(c))
	{
		case UTF8PROC_CATEGORY_MN:
		case UTF8PROC_CATEGORY_MC:
		case UTF8PROC_CATEGORY_ME:
			return false;
		default:
			return true;
	}
}

/*
 * Put an ignorable code point into the segment, where it keeps the marks on
 * its two sides apart in NFD.  Several are as good as one.
 */
static void
add_barrier(Normalizer *normalizer, int32_t c)
{
	int			len = normalizer->segment_len;

	if (len > 0 && len < SEGMENT_CAPACITY &&
		!is_ignorable(normalizer->segment[len - 1]))
		normalizer->segment[normalizer->segment_len++] = c;
}

/* Read one code point that need not be ASCII; NULL if it is not UTF-8. */
static uint8_t *
fold_code_point(Normalizer *normalizer, uint8_t *out)
{
	int32_t		c;
	ptrdiff_t	len;

	len = utf8proc_iterate(normalizer->next,
						   normalizer->end - normalizer->next, &c);
	if (len <= 0)
		return NULL;
	normalizer->next += len;
	if (is_ignorable(c))
	{
		add_barrier(normalizer, c);
		return out;
	}
	if (normalizer->segment_read == SEGMENT_LIMIT || starts_segment(c))
		out = put_segment(normalizer, out);
	normalizer->segment_read++;
	normalizer->segment_len = append_mapped(c, NFD, normalizer->segment,
											normalizer->segment_len);
	return out;
}

/*
 * Fold eight bytes of ASCII at once, if all white space among them is single
 * blanks, so that what they become has eight bytes too.
 *
 * Returns how many bytes are done: 0 if it does not apply, and 7 if the last
 * is a blank, since another may follow.
 */
static inline int
fold_eight(const uint8_t *p, uint8_t *out)
{
	uint64_t	bytes;
	uint64_t	blanks;
	uint64_t	controls;
	uint64_t	capitals;

	memcpy(&bytes, p, sizeof(bytes));
	blanks = (EACH(0x80) - (bytes ^ EACH(' '))) & EACH(0x80);
	controls = ~(bytes + EACH(0x80 - ' ')) & EACH(0x80);
	capitals = (bytes + EACH(0x80 - 'A')) & ~(bytes + EACH(0x7F - 'Z'));
	if (controls != 0 || (blanks & blanks << 8) != 0)
		return 0;
	capitals &= EACH(0x80);
	bytes |= capitals >> 2;
	memcpy(out, &bytes, sizeof(bytes));
	return p[7] == ' ' ? 7 : 8;
}

/*
 * Fold a run of ASCII, at most limit bytes.
 *
 * Leaves the last character if something other than ASCII follows, because
 * that may be a mark that belongs to it.
 */
static uint8_t *
fold_ascii(Normalizer *normalizer, uint8_t *out, size_t limit)
{
	const uint8_t *p = normalizer->next;
	size_t		len = ascii_length(p, limit);
	bool		started = normalizer->started;
	bool		space = normalizer->space;

	if (len > 0 && p + len < normalizer->end && p[len] >= 0x80)
		len--;
	normalizer->next += len;
	while (p < normalizer->next)
	{
		int			done = 0;
		uint8_t		c;

		if (started && !space && normalizer->next - p >= 8)
			done = fold_eight(p, out);
		p += done;
		out += done;
		if (done > 0)
			continue;
		c = *p++;
		if (is_ascii_space(c))
		{
			space = started;
			continue;
		}
		if (space)
			*out++ = ' ';
		space = false;
		started = true;
		*out++ = (uint8_t) (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
	}
	normalizer->started = started;
	normalizer->space = space;
	return out;
}

/* Copy whole code points of a raw text; return NULL if it is not UTF-8. */
static uint8_t *
copy_raw(Normalizer *normalizer, uint8_t *out, const uint8_t *out_end)
{
	while (normalizer->next < normalizer->end && out_end - out >= 4)
	{
		int32_t		c = *normalizer->next;
		ptrdiff_t	len = 1;

		if (c >= 0x80)
			len = utf8proc_iterate(normalizer->next,
								   normalizer->end - normalizer->next, &c);
		if (len <= 0)
			return NULL;
		memcpy(out, normalizer->next, (size_t) len);
		normalizer->next += len;
		out += len;
	}
	return out;
}

/* Read a run of characters or a code point; return NULL if it is not UTF-8. */
static uint8_t *
fold_some(Normalizer *normalizer, uint8_t *out, const uint8_t *out_end)
{
	size_t		limit = (size_t) (out_end - out) - SEGMENT_ROOM - 1;
	size_t		left = (size_t) (normalizer->end - normalizer->next);
	const uint8_t *before = normalizer->next;

	if (*before < 0x80)
	{
		out = put_segment(normalizer, out);
		out = fold_ascii(normalizer, out, left < limit ? left : limit);
		if (normalizer->next > before)
			return out;
	}
	return fold_code_point(normalizer, out);
}

/* Return the length in bytes of the segment that starts at a place. */
size_t
normalize_segment(const Normalizer *normalizer, const uint8_t *start,
				  const uint8_t *end)
{
	const uint8_t *next = start;
	size_t		steps = 0;
	int			count = 0;

	if (end - start > 1 && (start[0] | start[1]) < 0x80)
		return 1;
	while (next < end)
	{
		int32_t		c;
		ptrdiff_t	len = utf8proc_iterate(next, end - next, &c);
		bool		counts = len <= 0 || normalizer->raw || !is_ignorable(c);

		check_sometimes(++steps);
		if (next > start && counts &&
			(len <= 0 || normalizer->raw || count == SEGMENT_LIMIT ||
			 starts_segment(c)))
			break;
		count += counts;
		next += len > 0 ? len : 1;
	}
	return (size_t) (next - start);
}

/* Return true if the whole normal form has been written. */
bool
normalize_done(const Normalizer *normalizer)
{
	return normalizer->next == normalizer->end && normalizer->segment_len == 0;
}

/* Write the next piece of the normal form; return its length or -1. */
ptrdiff_t
normalize_next(Normalizer *normalizer, uint8_t *out, size_t room)
{
	uint8_t    *start = out;
	uint8_t    *out_end = out + room;
	const uint8_t *pause = normalizer->end;

	if (pause - normalizer->next > INPUT_LIMIT)
		pause = normalizer->next + INPUT_LIMIT;
	if (normalizer->raw)
		out = copy_raw(normalizer, out, out_end);
	else
	{
		while (out != NULL && normalizer->next < pause &&
			   out_end - out >= NORMALIZE_MIN_ROOM)
			out = fold_some(normalizer, out, out_end);
		if (out != NULL && normalizer->next == normalizer->end)
			out = put_segment(normalizer, out);
	}
	return out == NULL ? -1 : out - start;
}

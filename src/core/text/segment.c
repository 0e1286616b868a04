/*-------------------------------------------------------------------------
 *
 * segment.c
 *	  Decompose, fold, reorder and compose a segment by utf8proc.
 *
 * The normal form is toNFKC_Casefold(NFD(segment)) of the Unicode Standard:
 * NFD; ignorable code points dropped; every other code point folded and
 * decomposed (compatibility decomposition) until nothing changes; NFC.
 *
 * A segment starts at every code point whose compatibility decomposition (not
 * folded) does not begin with one of: a mark (category M), a Hangul vowel or
 * final consonant (U+1160 to U+11FF, except U+11A7), U+16D67.  No composition
 * or reordering reaches across such a place, so that a text is normalized
 * segment by segment.  (U+11A7 composes with nothing; before version 2.11.2,
 * utf8proc took it for an empty final consonant, and lost it after a
 * syllable.)
 *
 * Most segments are a single code point, and most normal forms are one, too.
 * A table of 128 kB keeps these simple forms, for code points below 0x10000.
 * An entry is computed on first use, so that a process touches only the pages
 * of the scripts that it reads, and the table cannot disagree with the
 * computation.  The table also knows the marks that compose with nothing and
 * have no other form, such as Arabic and Hebrew vowels: behind a code point
 * with a simple form, they need only be put in order.  (They cannot block the
 * composition of that form: a mark blocks only marks behind it of the same or
 * a lower combining class, and canonical order puts it behind these.)
 *
 *-------------------------------------------------------------------------
 */
#include "segment.h"

#include <string.h>
#include <utf8proc.h>

#define NFD (UTF8PROC_STABLE | UTF8PROC_DECOMPOSE)
#define NFKD (NFD | UTF8PROC_COMPAT)
#define FOLD UTF8PROC_CASEFOLD

uint16_t	simple_forms[0x10000];

/*
 * The code points with property Default_Ignorable_Code_Point, as of Unicode 14
 * to 17.  utf8proc does not know the reserved ones.
 */
static const CodePointRange ignorable[] = {
	{0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C}, {0x115F, 0x1160},
	{0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x202A, 0x202E},
	{0x2060, 0x206F}, {0x3164, 0x3164}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF},
	{0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3},
	{0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}
};

/*
 * The marks below 0x10000 that may compose with what stands before them.
 * Unicode never adds a composition of existing characters.
 */
static const CodePointRange composing[] = {
	{0x0300, 0x0345}, {0x0653, 0x0655}, {0x093C, 0x093C}, {0x09BE, 0x09BE},
	{0x09D7, 0x09D7}, {0x0B3E, 0x0B3E}, {0x0B56, 0x0B57}, {0x0BBE, 0x0BBE},
	{0x0BD7, 0x0BD7}, {0x0C56, 0x0C56}, {0x0CC2, 0x0CC2}, {0x0CD5, 0x0CD6},
	{0x0D3E, 0x0D3E}, {0x0D57, 0x0D57}, {0x0DCA, 0x0DCA}, {0x0DCF, 0x0DCF},
	{0x0DDF, 0x0DDF}, {0x102E, 0x102E}, {0x1B35, 0x1B35}, {0x3099, 0x309A}
};

/* Look the code point up. */
bool
segment_is_ignorable(int32_t c)
{
	return IN_RANGES(c, ignorable);
}

/* Insertion sort, since runs are short; SEGMENT_LIMIT bounds them. */
void
segment_order_marks(int32_t *segment, int len)
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

/* Append the code points to which utf8proc maps one, under its options. */
static int
append_mapped(int32_t *segment, int len, int32_t c, int options)
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

/* Append the canonical decomposition of a code point. */
int
segment_append(int32_t *segment, int len, int32_t c)
{
	return append_mapped(segment, len, c, NFD);
}

/* Return true if utf8proc has no mapping for a code point. */
static bool
is_normal(int32_t c)
{
	const utf8proc_property_t *property = utf8proc_get_property(c);

	/* UINT16_MAX means none.  Hangul syllables would be composed again. */
	return property->casefold_seqindex == UINT16_MAX &&
		property->decomp_seqindex == UINT16_MAX;
}

/* Replace a segment, canonically decomposed, by its normal form. */
int
segment_normalize(int32_t *segment, int len)
{
	int32_t		mapped[SEGMENT_CAPACITY];
	int			mapped_len = 0;

	if (len == 0 || (len == 1 && is_normal(segment[0])))
		return len;
	segment_order_marks(segment, len);
	for (int i = 0; i < len; i++)
		if (!segment_is_ignorable(segment[i]))
			mapped_len = append_mapped(mapped, mapped_len, segment[i],
									   NFKD | FOLD);
	segment_order_marks(mapped, mapped_len);
	len = (int) utf8proc_normalize_utf32(mapped, mapped_len, UTF8PROC_STABLE |
										 UTF8PROC_COMPOSE);
	memcpy(segment, mapped, sizeof(int32_t) * (size_t) len);
	return len;
}

/* Return true if a code point is a mark. */
static bool
is_mark(int32_t c)
{
	int			category = utf8proc_category(c);

	return category == UTF8PROC_CATEGORY_MN ||
		category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

/* Return true if a segment starts at a code point that is not ignorable. */
bool
segment_starts(int32_t c)
{
	int32_t		decomposed[SEGMENT_CAPACITY];

	if (c < 0x300)
		return true;
	if (utf8proc_get_property(c)->decomp_seqindex != UINT16_MAX &&
		append_mapped(decomposed, 0, c, NFKD) > 0)
		c = decomposed[0];
	if ((c >= 0x1160 && c <= 0x11FF && c != 0x11A7) || c == 0x16D67)
		return false;
	return !is_mark(c);
}

/* Find the simple form of a code point. */
static uint16_t
find_simple_form(int32_t c)
{
	int32_t		segment[SEGMENT_CAPACITY];
	int			len;

	if ((c >= 0xD800 && c <= 0xDFFF) || segment_is_ignorable(c))
		return FORM_NONE;
	if (!segment_starts(c))
		return is_mark(c) && is_normal(c) && !IN_RANGES(c, composing) ? FORM_MARK :
			FORM_NONE;
	len = segment_normalize(segment, segment_append(segment, 0, c));
	return len == 1 && segment[0] > 0 && segment[0] <= UINT16_MAX ?
		(uint16_t) segment[0] : FORM_NONE;
}

/* Fill an entry of the table, as simple_form() found it empty. */
uint16_t
segment_compute_simple_form(uint16_t c)
{
	return simple_forms[c] = find_simple_form(c);
}

/*-------------------------------------------------------------------------
 *
 * normalize.c
 *	  Normalize a UTF-8 text piece by piece, in bounded memory.
 *
 * The normal form is that of caseless identifier matching in the Unicode
 * Standard, toNFKC_Casefold(NFD(text)): full case folding, compatibility
 * equivalents made equal, and no default-ignorable code points, such as soft
 * hyphens, zero-width joiners and variation selectors.  Then every run of white
 * space (property White_Space) becomes one space, and white space at either end
 * is removed.
 *
 * The normal form does not depend on a locale.  The tables are utf8proc's,
 * except that of the ignorable code points.  Unicode guarantees that
 * toNFKC_Casefold(NFD()) of assigned code points never changes, so only code
 * points that the installed utf8proc does not know yet can differ elsewhere
 * (they are left unchanged).  General categories carry no such guarantee, but
 * change very rarely.
 *
 * Runs of ASCII are folded by blocks.  Elsewhere the text is cut into segments
 * (see segment.c), which are normalized one by one; most are found in a table.
 * To bound memory and time on hostile input, a new segment also starts when
 * one has SEGMENT_LIMIT code points of the text: a longer run of marks is
 * reordered and composed in pieces.  Ignorable code points neither start a
 * segment nor count.
 *
 * Raw text is validated as UTF-8, and copied.
 *
 *-------------------------------------------------------------------------
 */
#include "normalize.h"

#include <string.h>
#include <utf8proc.h>

#include "core/base/bits.h"
#include "core/base/host.h"

/* A call reads little more than this, in bytes, so that it can be cancelled. */
#define INPUT_LIMIT 65536

#define FOLD_BLOCK 16			/* bytes of ASCII that are folded together */
#define MAX_MARKS 8				/* on one character with a simple form */
#define FORM_END 0				/* no character: the text has ended */

/* Count the bytes before the first that is not ASCII, at most limit. */
size_t
normalize_ascii_length(const uint8_t *p, size_t limit)
{
	size_t		len = 0;

	for (; limit - len >= sizeof(uint64_t); len += sizeof(uint64_t))
	{
		uint64_t	bytes;

		memcpy(&bytes, p + len, sizeof(bytes));
		bytes = little_endian(bytes) & BYTES_OF(0x80);
		if (bytes != 0)
			return len + (size_t) lowest_bit(bytes) / 8;
	}
	while (len < limit && p[len] < 0x80)
		len++;
	return len;
}

/* Fold an ASCII byte, white space to a space, without a branch. */
static inline uint8_t
fold_byte(uint8_t c)
{
	uint8_t		white = -(uint8_t) is_ascii_space(c);
	uint8_t		capital = (c >= 'A') & (c <= 'Z');

	return (uint8_t) ((white & ' ') | (~white & (c | capital << 5)));
}

/* Return true if a normalized code point is white space; NFKC has no others. */
static inline bool
is_space(int32_t c)
{
	return (c < 0x80 && is_ascii_space((uint8_t) c)) || c == 0x85 ||
		c == 0x1680 || c == 0x2028 || c == 0x2029;
}

/* Begin to normalize a text. */
void
normalize_begin(Normalizer *normalizer, const char *text, size_t len, bool raw)
{
	normalizer->next = (const uint8_t *) text;
	normalizer->end = normalizer->next + len;
	normalizer->raw = raw;
	normalizer->started = false;
	normalizer->space = false;
}

/* Write a normalized code point, and the white space before it as one space. */
static inline uint8_t *
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

/* Read a code point before the end; return its length in bytes. */
static size_t
read_code_point(const uint8_t *p, const uint8_t *end, int32_t *c)
{
	ptrdiff_t	len = utf8proc_iterate(p, end - p, c);

	if (len <= 0)
		core_report_invalid_utf8();
	return (size_t) len;
}

/* Write the normal form of the segment at the front of the text. */
static uint8_t *
fold_segment(Normalizer *normalizer, uint8_t *out)
{
	const uint8_t *start = normalizer->next;
	int32_t		segment[SEGMENT_CAPACITY];
	int			len = 0;
	int			read = 0;		/* code points that are not ignorable */
	size_t		steps = 0;

	while (normalizer->next < normalizer->end)
	{
		int32_t		c;
		size_t		size = read_code_point(normalizer->next, normalizer->end, &c);
		bool		ignorable = segment_is_ignorable(c);

		check_sometimes(++steps);
		if (!ignorable && normalizer->next > start &&
			(read == SEGMENT_LIMIT || segment_starts(c)))
			break;
		normalizer->next += size;
		read += !ignorable;

		/*
		 * An ignorable code point separates the marks before and after it in
		 * NFD.  One is enough for a run of them.
		 */
		if (!ignorable)
			len = segment_append(segment, len, c);
		else if (len > 0 && !segment_is_ignorable(segment[len - 1]))
			segment[len++] = c;
	}
	len = segment_normalize(segment, len);
	for (int i = 0; i < len; i++)
		out = put_code_point(normalizer, segment[i], out);
	return out;
}

/* A character of one to three bytes, and its simple form. */
typedef struct SimpleChar
{
	uint16_t	c;
	uint16_t	form;
	int			len;
} SimpleChar;

/* Read a character; a longer one, or invalid bytes, have FORM_NONE. */
static inline SimpleChar
read_simple(const uint8_t *p, const uint8_t *end)
{
	SimpleChar	simple = {.form = FORM_NONE};

	if (p == end)
		simple.form = FORM_END;
	else if (p[0] < 0x80)
	{
		simple.c = p[0];
		simple.len = 1;
	}
	else if (end - p >= 2 && p[0] >= 0xC2 && p[0] < 0xE0 &&
			 (p[1] & 0xC0) == 0x80)
	{
		simple.c = (uint16_t) ((p[0] & 0x1F) << 6 | (p[1] & 0x3F));
		simple.len = 2;
	}
	else if (end - p >= 3 && (p[0] & 0xF0) == 0xE0 &&
			 (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80)
	{
		simple.c = (uint16_t) (p[0] << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F));
		simple.len = simple.c < 0x800 ? 0 : 3;	/* must not be overlong */
	}
	if (simple.len > 0)
		simple.form = simple_form(simple.c);
	return simple;
}

/* Return true if a form is a code point. */
static inline bool
is_form(uint16_t form)
{
	return form != FORM_END && form != FORM_MARK && form != FORM_NONE;
}

/*
 * Fold characters with simple forms, each with its marks, as long as one starts
 * within the next limit bytes.
 *
 * Stops before eight bytes of ASCII, which fold_ascii() folds faster, and
 * before a character that may not be a segment of its own.
 */
static uint8_t *
fold_simple(Normalizer *normalizer, uint8_t *out, size_t limit)
{
	const uint8_t *stop = normalizer->next + limit;
	const uint8_t *end = normalizer->end;
	SimpleChar	first = read_simple(normalizer->next, end);

	while (is_form(first.form) && normalizer->next < stop)
	{
		const uint8_t *p = normalizer->next + first.len;
		SimpleChar	next = read_simple(p, end);
		int32_t		marks[MAX_MARKS];
		int			count = 0;

		while (next.form == FORM_MARK && count < MAX_MARKS)
		{
			marks[count++] = next.c;
			p += next.len;
			next = read_simple(p, end);
		}
		if (next.form != FORM_END && !is_form(next.form))
			break;
		out = put_code_point(normalizer, first.form, out);
		if (count > 1)
			segment_order_marks(marks, count);
		for (int i = 0; i < count; i++)
			out = put_code_point(normalizer, marks[i], out);
		normalizer->next = p;
		if (next.c < 0x80 && end - p >= 8 && normalize_ascii_length(p, 8) == 8)
			break;
		first = next;
	}
	return out;
}

/*
 * Fold a block of ASCII, which is not the last of its run; return false if white
 * space in it is followed by more.
 */
static inline bool
fold_block(const uint8_t *restrict p, uint8_t *restrict out)
{
	uint8_t		runs = 0;

	/* Auto-vectorized */
	for (int i = 0; i < FOLD_BLOCK; i++)
	{
		runs |= (uint8_t) ((int) is_ascii_space(p[i]) & (int) is_ascii_space(p[i + 1]));
		out[i] = fold_byte(p[i]);
	}
	return runs == 0;
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
	size_t		len = normalize_ascii_length(p, limit);
	const uint8_t *start = out;
	bool		after_space = normalizer->space || !normalizer->started;

	if (len > 0 && p + len < normalizer->end && p[len] >= 0x80)
		len--;
	normalizer->next += len;
	if (normalizer->space)
		*out++ = ' ';
	while (p < normalizer->next)
	{
		size_t		left = (size_t) (normalizer->next - p);
		size_t		size = left < FOLD_BLOCK ? left : FOLD_BLOCK;

		if (left > FOLD_BLOCK && !(after_space && is_ascii_space(*p)) &&
			fold_block(p, out))
		{
			out += FOLD_BLOCK;
			after_space = false;
		}
		else
			for (size_t i = 0; i < size; i++)
			{
				bool		white = is_ascii_space(p[i]);

				*out = fold_byte(p[i]);
				out += !(white & after_space);
				after_space = white;
			}
		p += size;
	}
	/* White space is written before what follows it. */
	normalizer->space = after_space && out > start;
	out -= normalizer->space;
	normalizer->started |= out > start;
	return out;
}

/* Copy whole code points of a raw text. */
static uint8_t *
copy_raw(Normalizer *normalizer, uint8_t *out, const uint8_t *out_end)
{
	while (normalizer->next < normalizer->end && out_end - out >= 4)
	{
		int32_t		c = *normalizer->next;
		size_t		len = 1;

		if (c >= 0x80)
			len = read_code_point(normalizer->next, normalizer->end, &c);
		memcpy(out, normalizer->next, len);
		normalizer->next += len;
		out += len;
	}
	return out;
}

/* Normalize a run of characters or a segment. */
static uint8_t *
fold_some(Normalizer *normalizer, uint8_t *out, const uint8_t *out_end)
{
	size_t		limit = (size_t) (out_end - out) - 1;
	size_t		left = (size_t) (normalizer->end - normalizer->next);
	const uint8_t *before = normalizer->next;

	if (*before < 0x80)
	{
		out = fold_ascii(normalizer, out, left < limit ? left : limit);
		if (normalizer->next > before)
			return out;
	}
	/* A form can have 1.5 times as many bytes as its character. */
	out = fold_simple(normalizer, out, limit / 2);
	if (normalizer->next > before)
		return out;
	return fold_segment(normalizer, out);
}

/* Write the normal form of the next segment; return its length. */
size_t
normalize_segment(Normalizer *normalizer, uint8_t *out)
{
	const uint8_t *next = normalizer->next;
	uint8_t    *start = out;

	core_check_interrupts();
	if (normalizer->raw)
		out = copy_raw(normalizer, out, out + 4);
	else if (normalizer->end - next > 1 && (next[0] | next[1]) < 0x80)
		out = put_code_point(normalizer, fold_byte(*normalizer->next++), out);
	else
		out = fold_segment(normalizer, out);
	return (size_t) (out - start);
}

/* Write the next piece of the normal form; return its length. */
size_t
normalize_next(Normalizer *normalizer, uint8_t *out, size_t room)
{
	uint8_t    *start = out;
	uint8_t    *out_end = out + room;
	const uint8_t *pause = normalizer->end;

	core_check_interrupts();
	if (pause - normalizer->next > INPUT_LIMIT)
		pause = normalizer->next + INPUT_LIMIT;
	if (normalizer->raw)
		out = copy_raw(normalizer, out, out_end);
	else
		while (normalizer->next < pause && out_end - out >= NORMALIZE_MIN_ROOM)
			out = fold_some(normalizer, out, out_end);
	return (size_t) (out - start);
}

/*-------------------------------------------------------------------------
 *
 * shingles.h
 *	  Find the equal shingles of one or two texts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLES_H
#define SHINGLES_H

/*
 * The shingles of one or two texts, with repetitions.  Equal shingles are next
 * to each other, in the order of the texts.  Other files read the first three
 * fields.
 *
 * The lower half of a shingle is its place, an offset in bytes; places from
 * second on belong to the second text.
 */
typedef struct ShingleList
{
	uint64	   *shingles;
	Size		count;			/* of shingles */
	Size		second;			/* the first place of the second text */
	bool		words;			/* units are words, otherwise code points */
	int			size;			/* units of a shingle */
	Size		units;			/* of all texts */
	char	   *bytes;			/* their bytes; a space after each word */
	Size		length;
	Size		room;
} ShingleList;

/* This bit is set if a shingle differs from the one before it in the list. */
#define SHINGLE_IS_FIRST (UINT64CONST(1) << 32)

/*
 * List the shingles of texts in the database encoding under a shingling of texts;
 * the second text may be NULL.  A text shorter than a shingle is one shingle; an
 * empty text has none.
 *
 * The list is palloc'd in the current memory context: 16 bytes a shingle, and
 * the normal form of the texts.  Raises ERRCODE_PROGRAM_LIMIT_EXCEEDED if that
 * takes more than 1 GB for a text, and an error if a text is not valid in its
 * encoding.
 */
extern ShingleList shingle_list(uint32 shingling, text *first, text *second);

#endif							/* SHINGLES_H */

/*-------------------------------------------------------------------------
 *
 * shingles.h
 *	  List the shingles of a text as strings.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLES_H
#define SHINGLES_H

/* A shingle; words in it are separated by single spaces. */
typedef struct Shingle
{
	uint64		hash;
	uint32		index;			/* its position in the document, from 0 */
	uint32		length;			/* bytes */
	const char *text;			/* UTF-8, not terminated */
} Shingle;

typedef struct ShingleList
{
	Size		count;
	Shingle    *items;
} ShingleList;

/*
 * List the shingles of a text, given in the database encoding, in order and
 * with repetitions.  A text shorter than a shingle is one shingle; an empty
 * text has none.  The list is palloc'd in the current memory context.  Errors
 * out if the text is not valid in its encoding.
 */
extern ShingleList shingle_list(text *document, uint32 shingling);

/*
 * Compare two shingles; less than, equal to or greater than 0 as for qsort.
 * The order is that of shingle_list_sort(), and 0 means equal content.
 */
extern int	shingle_compare(const Shingle *a, const Shingle *b);

/* Sort a list so that equal shingles are adjacent, in document order. */
extern void shingle_list_sort(ShingleList *list);

/* Keep the first of equal shingles; call shingle_list_sort() before. */
extern void shingle_list_unique(ShingleList *list);

#endif							/* SHINGLES_H */

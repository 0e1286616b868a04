/*-------------------------------------------------------------------------
 *
 * shingle_list.h
 *	  All shingles of a text, as strings.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLE_LIST_H
#define SHINGLE_LIST_H

typedef struct Shingle
{
	uint64		hash;
	uint32		index;			/* its place in the document, from 0 */
	uint32		length;			/* bytes */
	const char *text;			/* UTF-8, not terminated */
} Shingle;

typedef struct ShingleList
{
	Size		count;
	Shingle    *items;
} ShingleList;

extern ShingleList shingle_list(text *document, uint32 shingling);
extern int	shingle_compare(const Shingle *a, const Shingle *b);
extern void shingle_list_sort(ShingleList *list);
extern void shingle_list_sort_by_index(ShingleList *list);
extern void shingle_list_unique(ShingleList *list);

#endif							/* SHINGLE_LIST_H */

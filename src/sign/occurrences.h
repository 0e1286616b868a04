/*-------------------------------------------------------------------------
 *
 * occurrences.h
 *	  Number the occurrences of the shingles of a bag.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OCCURRENCES_H
#define OCCURRENCES_H

/* A shingle, by its hash. */
typedef struct Occurrence
{
	uint64		hash;
	uint32		count;			/* 0: the entry is free */
} Occurrence;

/* The shingles so far: a hash table. */
typedef struct Occurrences
{
	Occurrence *entries;
	int			size_bits;		/* there are 2^size_bits entries */
	Size		used;
	uint64		factor;			/* secret: nobody can choose the places */
} Occurrences;

extern void occurrences_begin(Occurrences *seen);
extern void occurrences_number(Occurrences *seen, uint64 *hashes, int count,
							   uint64 seed);
extern void occurrences_end(Occurrences *seen);

#endif							/* OCCURRENCES_H */

/*-------------------------------------------------------------------------
 *
 * intern.h
 *	  Number different strings, in the order of their first occurrence.
 *
 * Call intern_begin(), then intern_add() for each string.  The memory belongs to
 * the caller, who frees all of it at once.
 *
 *-------------------------------------------------------------------------
 */
#ifndef INTERN_H
#define INTERN_H

#include "hash_table.h"

/* The known strings. */
typedef struct Interner
{
	uint64_t	secret;			/* makes hashes unpredictable */
	HashTable	table;			/* by hash: number + 1 */
	uint32_t	count;
	size_t	   *starts;			/* count + 1 positions in bytes */
	size_t		room;			/* for starts */
	char	   *bytes;			/* all strings, one after the other */
	size_t		bytes_room;
} Interner;

/* Initialize an interner without strings.  The secret should be random. */
extern void intern_begin(Interner *interner, uint64_t secret);

/*
 * Return the number of a string, from 0; a new one is copied and gets the next
 * number.  There must be fewer than 2^30 different strings.
 */
extern uint32_t intern_add(Interner *interner, const char *string,
						   uint32_t length);

/* The number of a string that is not known. */
#define NOT_INTERNED UINT32_MAX

/* Return the number of a string that may be known, or NOT_INTERNED. */
extern uint32_t intern_find(const Interner *interner, const char *string,
							uint32_t length);

#endif							/* INTERN_H */

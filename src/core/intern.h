/*-------------------------------------------------------------------------
 *
 * intern.h
 *	  Number different strings, in the order of their first occurrence.
 *
 * Call intern_begin(), then intern() for each string, then intern_end().
 *
 *-------------------------------------------------------------------------
 */
#ifndef INTERN_H
#define INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

/* A known string. */
typedef struct Interned
{
	uint64_t	hash;
	size_t		start;			/* in Interner.bytes */
	uint32_t	length;
} Interned;

/* The known strings, and a hash table of their numbers. */
typedef struct Interner
{
	const Memory *memory;
	uint64_t	secret;			/* makes positions unpredictable */
	Interned   *strings;
	uint32_t	count;
	uint32_t   *table;			/* number + 1; 0: the entry is free */
	uint32_t	table_size;		/* a power of 2 */
	char	   *bytes;			/* all strings, one after the other */
	size_t		bytes_used;
	size_t		bytes_room;
} Interner;

/* Initialize an interner without strings.  The secret should be random. */
extern void intern_begin(Interner *interner, uint64_t secret,
						 const Memory *memory);

/*
 * Return the number of a string, from 0; a new one is copied and gets the next
 * number.  There must be fewer than 2^30 different strings.
 */
extern uint32_t intern(Interner *interner, const char *string,
					   uint32_t length);

/* Release the memory. */
extern void intern_end(Interner *interner);

#endif							/* INTERN_H */

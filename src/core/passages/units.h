/*-------------------------------------------------------------------------
 *
 * units.h
 *	  Number the units of texts, code points or words, so that equal units have
 *	  equal numbers.
 *
 * Call units_begin() once, and units_add() until a cutter is done, for one text
 * after the other.  Texts that are compared share a hash table of the numbers, with
 * a random secret.  All memory belongs to the caller.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UNITS_H
#define UNITS_H

#include "core/base/hash_table.h"
#include "core/text/cutter.h"

/* The number of a unit that is not in the table. */
#define UNKNOWN_UNIT UINT32_MAX

#define UNITS_AT_ONCE 256		/* that units_add() adds */
#define ASCII_END 128

/* The units of one or more texts. */
typedef struct Units
{
	HashTable  *numbers;		/* of the units known so far, from 1 */
	bool		only_known;		/* do not number other units */
	size_t		count;
	size_t		room;
	uint32_t   *list;			/* their numbers */
	Span	   *spans;			/* their positions, if the cutter has spans */
	size_t		span_room;
	char	   *word;			/* the parts of a long word */
	size_t		word_length;
	size_t		word_room;
	Span		word_span;
	uint32_t	ascii[ASCII_END];	/* number + 1 of code points; 0: not known
									 * yet */
} Units;

/*
 * Initialize an empty list.  If only_known is set, the table must not change as
 * long as the list is used.  There must be fewer than 2^30 different units.
 */
extern void units_begin(Units *units, HashTable *numbers, bool only_known);

/* Remove all units, and what a text that was not read to its end has left. */
extern void units_clear(Units *units);

/*
 * Add the next units of a text, at most UNITS_AT_ONCE.  A call takes bounded time;
 * errors and interrupts are those of the cutter.
 */
extern void units_add(Units *units, Cutter *cutter);

#endif							/* UNITS_H */

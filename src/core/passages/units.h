/*-------------------------------------------------------------------------
 *
 * units.h
 *	  Number the units of texts, code points or words, so that equal units have
 *	  equal numbers.
 *
 * Call units_begin() once, and units_add() until a cutter is done, for one text
 * after the other.  The memory belongs to the caller, who frees all of it at once.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UNITS_H
#define UNITS_H

#include "core/base/intern.h"
#include "core/text/cutter.h"

/* The number of a unit that the interner does not know. */
#define UNKNOWN_UNIT NOT_INTERNED

#define UNITS_AT_ONCE 256		/* that units_add() adds */
#define ASCII_END 128

/* The units of one or more texts. */
typedef struct Units
{
	Interner   *interner;
	bool		only_known;		/* do not add units to the interner */
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
 * Initialize an empty list.  If only_known is set, the interner must not change as
 * long as the list is used.
 */
extern void units_begin(Units *units, Interner *interner, bool only_known);

/* Remove all units, and what a text that was not read to its end has left. */
extern void units_clear(Units *units);

/*
 * Add the next units of a text, at most UNITS_AT_ONCE.  A call takes bounded time;
 * errors and interrupts are those of the cutter.
 */
extern void units_add(Units *units, Cutter *cutter);

#endif							/* UNITS_H */

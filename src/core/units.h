/*-------------------------------------------------------------------------
 *
 * units.h
 *	  Cut texts into units, code points or words, and note their positions.
 *
 * Call units_begin(), then units_add_text() for each text, then units_end().
 *
 *-------------------------------------------------------------------------
 */
#ifndef UNITS_H
#define UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "intern.h"

/* A unit, and its position in the original text. */
typedef struct Unit
{
	uint32_t	symbol;			/* equal for equal units */
	uint32_t	start;			/* from 0 */
	uint32_t	end;			/* first position after the unit */
} Unit;

/* The units of one or more texts. */
typedef struct Units
{
	const Memory *memory;
	bool		in_bytes;		/* positions count bytes, not code points */
	Interner	interner;
	size_t		count;
	size_t		room;			/* units that fit into the memory */
	size_t		limit;			/* maximum of count */
	bool		full;			/* units beyond limit were left out */
	Unit	   *list;
} Units;

/*
 * Initialize an empty list with memory for room units; it grows as needed.
 * Units beyond limit are left out, and set full.  The secret makes positions
 * in hash tables unpredictable.  The caller may set in_bytes afterwards.
 */
extern void units_begin(Units *units, size_t room, size_t limit,
						uint64_t secret, const Memory *memory);

/*
 * Cut a text of less than 2^32 bytes by the unit of a shingling, char or word,
 * and add its units up to the limit.  Return false if the part that was read
 * is not valid UTF-8.
 */
extern bool units_add_text(Units *units, uint32_t shingling, const char *text,
						   size_t length);

/* Add a unit, unless the limit is reached. */
extern void units_add(Units *units, Unit unit);

/* Release the memory. */
extern void units_end(Units *units);

#endif							/* UNITS_H */

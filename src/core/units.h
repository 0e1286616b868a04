/*-------------------------------------------------------------------------
 *
 * units.h
 *	  Cut texts into units that know where they stand.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UNITS_H
#define UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"
#include "intern.h"

/* Equal units have equal symbols, whichever text they are of. */
typedef struct Units
{
	const Memory *memory;
	bool		in_bytes;		/* positions count bytes, not code points */
	Interner	interner;
	size_t		count;
	size_t		room;
	size_t		limit;			/* there may be no more */
	bool		full;			/* there were more, and they are not here */
	uint32_t   *symbols;
	uint32_t   *starts;			/* in the text as it came, from 0 */
	uint32_t   *ends;			/* and the first position behind */
} Units;

extern void units_begin(Units *units, size_t room, size_t limit,
						uint64_t secret, const Memory *memory);
extern bool units_add_text(Units *units, uint32_t shingling, const char *text,
						   size_t length);
extern void units_add(Units *units, uint32_t symbol, uint32_t start,
					  uint32_t end);
extern void units_end(Units *units);

#endif							/* UNITS_H */

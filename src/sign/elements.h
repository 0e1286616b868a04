/*-------------------------------------------------------------------------
 *
 * elements.h
 *	  Hash and compare the elements of sets.
 *
 * Values must not be null.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "fmgr.h"

#include "core/shingling.h"

/* How the values of a type are hashed. */
typedef struct ElementType
{
	Oid			type;			/* as given by the caller */
	Oid			base_type;		/* domains resolved */
	int16		length;			/* typlen of the base type */
	bool		by_value;		/* typbyval of the base type */
	bool		is_enum;
	ShingleUnit unit;			/* integer, text or other */
	MemoryContext scratch;		/* for canonical forms; reset after each */
} ElementType;

extern const ElementType *element_type_lookup(FmgrInfo *flinfo, Oid type);
extern uint64 element_hash(const ElementType *type, Datum value, uint64 seed);
extern int64 element_integer(const ElementType *type, Datum value);
extern int	element_compare(const ElementType *type, Datum a, Datum b);

#endif							/* ELEMENTS_H */

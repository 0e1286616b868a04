/*-------------------------------------------------------------------------
 *
 * elements.h
 *	  Hash the elements of a set of any type.
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
	Oid			type;			/* as the caller knows it */
	Oid			base_type;		/* without domains */
	int16		length;
	bool		by_value;
	bool		is_enum;
	ShingleUnit unit;			/* integer, text or other */
	MemoryContext scratch;		/* for other: what one value needs */
} ElementType;

extern const ElementType *element_type_lookup(FmgrInfo *flinfo, Oid type);
extern uint64 element_hash(const ElementType *type, Datum value, uint64 seed);
extern int64 element_integer(const ElementType *type, Datum value);
extern int	element_compare(const ElementType *type, Datum a, Datum b);

#endif							/* ELEMENTS_H */

/*-------------------------------------------------------------------------
 *
 * sibling.h
 *	  Find functions of this extension, wherever it was installed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIBLING_H
#define SIBLING_H

#include "postgres.h"

extern Oid	find_sibling(Oid function, const char *name, const Oid *types,
						 int num_types);

#endif							/* SIBLING_H */

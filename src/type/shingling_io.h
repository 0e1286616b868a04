/*-------------------------------------------------------------------------
 *
 * shingling_io.h
 *	  Input of the type shingling.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLING_IO_H
#define SHINGLING_IO_H

#include "fmgr.h"

extern Datum shingling_in(PG_FUNCTION_ARGS);

#endif							/* SHINGLING_IO_H */

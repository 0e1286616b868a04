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

/*
 * The input function, for DirectFunctionCall1() with a cstring.  Raises
 * ERRCODE_INVALID_TEXT_REPRESENTATION for a string that is not a shingling.
 */
extern Datum shingling_in(PG_FUNCTION_ARGS);

#endif							/* SHINGLING_IO_H */

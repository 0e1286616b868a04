/*-------------------------------------------------------------------------
 *
 * arguments.h
 *	  Check arguments that several SQL functions have in common.
 *
 * Every check returns its first argument, or raises an error that names the
 * value; "name" is the name of the SQL argument in the message.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "fmgr.h"

#include "core/sketch/slots.h"

/*
 * Return the precision for %.*s in a message that quotes a wrong value: the
 * bytes of the string, at most 80, without splitting a character of the
 * database encoding.
 */
extern int	arg_quoted_length(const char *str);

/*
 * Return the sketch method with a name.  Raises an error for unknown names and for
 * "weighted" and "imported", which have functions of their own.
 */
extern SketchMethod arg_method(text *name);

/*
 * Check a number of hashes, SKETCH_MIN_HASHES to SKETCH_MAX_HASHES; a number of
 * at least 1; a number from 1 to max; a threshold, a recall or another number
 * from 0 to 1, not NaN.
 */
extern int	arg_check_num_hashes(int num_hashes);
extern int	arg_check_positive(int count, const char *name);
extern int	arg_check_count(int count, int max, const char *name);
extern double arg_check_unit_interval(double value, const char *name);

/* Refuse NULL as argument arg of a function, counted from 0. */
extern void arg_check_not_null(FunctionCallInfo fcinfo, int arg, const char *name);

/* Refuse a shingling that is not valid, which only a damaged table contains. */
extern uint32 arg_check_shingling(uint32 shingling);

/* Do the same, and refuse the shinglings of arrays and tsvectors. */
extern uint32 arg_check_text_shingling(uint32 shingling);

#endif							/* ARGUMENTS_H */

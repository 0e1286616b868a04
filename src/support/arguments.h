/*-------------------------------------------------------------------------
 *
 * arguments.h
 *	  Check arguments that several SQL functions have in common.
 *
 * Every check returns its first argument, or raises an error that quotes it:
 * ERRCODE_INVALID_PARAMETER_VALUE, unless another code is named below.  "name"
 * is the name of the SQL argument in the message.
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

/* Check a number of hashes: SKETCH_MIN_HASHES to SKETCH_MAX_HASHES. */
extern int	arg_check_num_hashes(int num_hashes);

/* Check a number that must be from 1 to max. */
extern int	arg_check_count(int count, int max, const char *name);

/* Check a threshold of similarity: greater than 0, at most 1, not NaN. */
extern double arg_check_threshold(double threshold);

/* Check a recall, a similarity or a weight: 0 to 1, not NaN. */
extern double arg_check_unit_interval(double value, const char *name);

/*
 * Raise ERRCODE_NULL_VALUE_NOT_ALLOWED if argument arg of a function, counted
 * from 0, is NULL.
 */
extern void arg_check_not_null(FunctionCallInfo fcinfo, int arg, const char *name);

/*
 * Raise ERRCODE_DATA_CORRUPTED for a shingling that is not valid, which only a
 * damaged table contains.
 */
extern uint32 arg_check_shingling(uint32 shingling);

/* Do the same, and check that the unit is char or word. */
extern uint32 arg_check_text_shingling(uint32 shingling);

#endif							/* ARGUMENTS_H */

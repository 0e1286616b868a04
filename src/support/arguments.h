/*-------------------------------------------------------------------------
 *
 * arguments.h
 *	  Arguments and results of SQL functions.
 *
 * Every check returns its first argument, or raises an error that quotes it:
 * ERRCODE_INVALID_PARAMETER_VALUE, unless another code is named below.  "name"
 * is the name of the SQL argument in the message.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "compat.h"
#include "core/base/processor.h"
#include "core/sketch/slots.h"

/*** Checks ***/

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

/* Check a recall, an agreement or a similarity: 0 to 1, not NaN. */
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

/* Check a shingling, and that its unit is char or word. */
extern uint32 arg_check_text_shingling(uint32 shingling);

/* Return the text form of a valid shingling, palloc'd. */
extern char *arg_shingling_text(uint32 shingling);

/*** Rows ***/

/*
 * Start to return a set of rows in materialize mode.  Sets *desc to the row
 * type; both it and the tuplestore belong to the query.  The caller puts the
 * rows in and returns (Datum) 0.  Raises an error if the caller of the function
 * cannot accept a set.
 *
 * The row type is that which the query expects: looking it up would leak memory
 * until the query ends.
 */
static inline Tuplestorestate *
row_begin(FunctionCallInfo fcinfo, TupleDesc *desc)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;

	compat_begin_set(fcinfo);
	*desc = info->setDesc;
	return info->setResult;
}

/*
 * Form the row that a function with several OUT arguments returns, in the
 * current memory context.  values and nulls have an entry for each column.
 */
static inline Datum
row_make(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

/*** Prefetching ***/

/*
 * Prefetch the arguments of the next call: the first size bytes of each, and
 * the cache line of the tuple header in front of them.
 *
 * A sequential scan calls a function with values that lie at equal distances
 * within a page.  The hardware prefetcher does not recognize this if more than
 * one line of each tuple is read, and stalls twice for each.  So guess that the
 * next value is as far away as the previous one; a wrong guess does no harm.
 */
static inline void
prefetch_arguments(FunctionCallInfo fcinfo, Size size)
{
	static uintptr_t last[2];

	for (int i = 0; i < 2; i++)
	{
		uintptr_t	value = (uintptr_t) PG_GETARG_POINTER(i);
		uintptr_t	distance = value - last[i];

		last[i] = value;
		if (distance == 0 || distance + BLCKSZ >= 2 * BLCKSZ)
			continue;			/* a constant, or another page */
		value += distance - CACHE_LINE / 2;
		for (Size offset = 0; offset < size + CACHE_LINE; offset += CACHE_LINE)
			prefetch_line((const void *) (value + offset));
	}
}

#endif							/* ARGUMENTS_H */

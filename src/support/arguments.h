/*-------------------------------------------------------------------------
 *
 * arguments.h
 *	  Check the arguments that several functions have in common.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "fmgr.h"

#include "core/slots.h"

extern int	quoted_length(const char *str);
extern SketchMethod method_from_text(text *name);
extern int	check_num_hashes(int num_hashes);
extern int	check_positive(int count, const char *what);
extern int	check_count(int count, int max, const char *what);
extern void check_not_null(FunctionCallInfo fcinfo, int arg, const char *what);
extern uint32 check_shingling(uint32 shingling);
extern uint32 check_text_shingling(uint32 shingling);
extern double check_unit_interval(double value, const char *what);
extern double threshold_or_setting(FunctionCallInfo fcinfo, int arg);
extern double recall_or_setting(FunctionCallInfo fcinfo, int arg);

#endif							/* ARGUMENTS_H */

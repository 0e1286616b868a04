/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  The settings of the extension.
 *
 * Estimates and plans read the variables.  Code that decides which rows a
 * query returns calls the functions instead: on a Citus worker, where the
 * user's SET may not have arrived, these raise ERRCODE_FEATURE_NOT_SUPPORTED
 * (see settings.c).  Thresholds and recalls are between 0 and 1.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "fmgr.h"

extern double lshsim_similarity_threshold;
extern double lshsim_recall;
extern bool lshsim_progress;

/* Define the settings; call once, from _PG_init(). */
extern void define_settings(void);

/* Return lshsim.similarity_threshold and lshsim.recall. */
extern double setting_similarity_threshold(void);
extern double setting_recall(void);

/* The SQL function lshsim_recall(); its address identifies a default recall. */
extern Datum lshsim_recall_function(PG_FUNCTION_ARGS);

#endif							/* SETTINGS_H */

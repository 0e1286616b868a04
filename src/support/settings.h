/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  The settings of the extension.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SETTINGS_H
#define SETTINGS_H

extern double lshsim_similarity_threshold;	/* of %; for estimates */
extern bool lshsim_progress;	/* report progress as NOTICE */

/* Define the settings; call once, from _PG_init(). */
extern void settings_define(void);

/*
 * Return lshsim_similarity_threshold to decide which rows a query returns.  On a
 * Citus worker, where the user's SET may not have arrived, this raises
 * ERRCODE_FEATURE_NOT_SUPPORTED.
 */
extern double setting_similarity_threshold(void);

#endif							/* SETTINGS_H */

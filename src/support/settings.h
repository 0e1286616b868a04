/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  The settings of the extension, and those of the server while it works.
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

/*
 * Set settings of the server, given by their names and values, until AtEOXact_GUC()
 * is called with the result.
 */
extern int	settings_override(const char *const settings[][2], int count);

#endif							/* SETTINGS_H */

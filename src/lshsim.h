/*-------------------------------------------------------------------------
 *
 * lshsim.h
 *	  The settings, and the secret of a session.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSHSIM_H
#define LSHSIM_H

/* support/settings.c: what the settings say, for estimates */
extern double lshsim_similarity_threshold;
extern double lshsim_recall;
extern bool lshsim_progress;

/* the same for answers; refused where the user's session is another one */
extern double setting_similarity_threshold(void);
extern double setting_recall(void);
extern void define_settings(void);

/* support/secret.c */
extern uint64 lshsim_secret(void);

#endif							/* LSHSIM_H */

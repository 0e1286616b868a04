/*-------------------------------------------------------------------------
 *
 * lshsim.h
 *	  The settings, and the secret of a session.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSHSIM_H
#define LSHSIM_H

extern double lshsim_similarity_threshold;
extern double lshsim_recall;
extern bool lshsim_progress;

extern uint64 lshsim_secret(void);

#endif							/* LSHSIM_H */

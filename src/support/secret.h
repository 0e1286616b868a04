/*-------------------------------------------------------------------------
 *
 * secret.h
 *	  A random number for hash tables.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SECRET_H
#define SECRET_H

/*
 * Return a random number, the same for the whole session.  Hash tables mix it
 * into their positions, so that a hostile text cannot choose strings that
 * collide.  Raises an error if the system cannot provide random numbers.
 */
extern uint64 lshsim_secret(void);

#endif							/* SECRET_H */

/*-------------------------------------------------------------------------
 *
 * owner.h
 *	  Run code with the rights of a table's owner.
 *
 * Index expressions and predicates are code of the owner, and the tables of
 * groups belong to the owner.  Both are used as the owner in a
 * security-restricted operation with a safe search_path, as in REINDEX and
 * ANALYZE.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OWNER_H
#define OWNER_H

/* The state that owner_become() replaces. */
typedef struct Caller
{
	Oid			user;
	int			security;		/* flags of the security context */
	int			guc_level;
} Caller;

/* Return the owner of a table.  Raises ERRCODE_UNDEFINED_TABLE if it is gone. */
extern Oid	owner_of_table(Oid table);

/*
 * Become a user, without a check of privileges.  Pass the result to
 * owner_become_caller(): settings changed in between last until then.  The end of
 * the transaction undoes both if an error is raised before.
 */
extern Caller owner_become(Oid user);

/* Become the caller again, with the caller's settings. */
extern void owner_become_caller(const Caller *caller);

#endif							/* OWNER_H */

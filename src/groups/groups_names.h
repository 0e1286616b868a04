/*-------------------------------------------------------------------------
 *
 * groups_names.h
 *	  Names and privileges of the tables of groups.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_NAMES_H
#define GROUPS_NAMES_H

#include "fmgr.h"
#include "support/owner.h"

#define RENAMED_HINT \
	"If the column was renamed, update the definition of the groups."

/*
 * Become the owner of a table, without a check of privileges.  Until
 * become_caller(), a policy that would hide rows raises an error.
 */
extern Caller become_owner(Oid table);

/* The same, with a check that the user has the privileges of the owner. */
extern Caller become_checked_owner(Oid table);

/* Return the quoted name of the log, definition or queue of groups. */
extern char *related_name(Oid groups, const char *ending);

/* Check that a table of groups has its log and definition, of the same owner. */
extern void check_groups(Oid groups);

/* Check that a column of a table exists and holds signatures. */
extern void check_signatures(FunctionCallInfo fcinfo, Oid table,
							 const char *column, const char *hint);

#endif							/* GROUPS_NAMES_H */

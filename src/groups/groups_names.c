/*-------------------------------------------------------------------------
 *
 * groups_names.c
 *	  Names and privileges of the tables of groups.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/defrem.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "groups_names.h"
#include "support/names.h"

/*** Privileges ***/

/* Become the owner of a table. */
Caller
become_owner(Oid table)
{
	Caller		caller = become_user(table_owner(table));

	(void) set_config_option("row_security", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return caller;
}

/* Check that the user has the privileges of a table's owner, and become it. */
Caller
become_checked_owner(Oid table)
{
	if (!has_privs_of_role(GetUserId(), table_owner(table)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table \"%s\"", get_rel_name(table))));
	return become_owner(table);
}

/*** Names ***/

/* Return the quoted name of the log, definition or queue of groups. */
char *
related_name(Oid groups, const char *ending)
{
	return name_near(groups, makeObjectName(get_rel_name(groups), NULL, ending));
}

/* Check that a table of groups has its log and definition. */
void
check_groups(Oid groups)
{
	static const char *const endings[] = {"log", "definition"};

	for (int i = 0; i < (int) lengthof(endings); i++)
	{
		char	   *name = makeObjectName(get_rel_name(groups), NULL, endings[i]);
		Oid			table = get_relname_relid(name, get_rel_namespace(groups));

		if (!OidIsValid(table) || table_owner(table) != table_owner(groups))
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is not a table of groups", get_rel_name(groups)),
					 errdetail("There is no table \"%s\" of the same owner in its schema.",
							   name),
					 errhint("Name a table that minhash_groups_create has created. If it was renamed, rename its \"_log\" and \"_definition\" in the same way.")));
	}
}

/*** Columns ***/

/* Check that a column of a table exists and holds signatures. */
void
check_signatures(FunctionCallInfo fcinfo, Oid table, const char *column,
				 const char *hint)
{
	AttrNumber	number = get_attnum(table, column);

	if (number <= 0)
		report_no_column(table, column, hint);
	check_signature_type(fcinfo, column, getBaseType(get_atttype(table, number)));
}

/*-------------------------------------------------------------------------
 *
 * lsh_validate.c
 *	  Validation of operator classes of the access method lsh.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "lsh_am.h"
#include "passages/passage_gin.h"

/* Return the name of an operator family. */
static const char *
family_name(Oid family)
{
	HeapTuple	tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(family));
	const char *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator family %u", family);
	name = pstrdup(NameStr(((Form_pg_opfamily) GETSTRUCT(tuple))->opfname));
	ReleaseSysCache(tuple);
	return name;
}

/* Report a wrong operator of a family. */
static void
report_operator(const char *family, Oid operator, const char *what)
{
	ereport(INFO,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("operator family \"%s\" of access method %s contains operator %s with %s",
					family, "lsh", format_operator(operator), what)));
}

/* Return true if an operator of a family is right; report it if not. */
static bool
check_operator(const char *family, const FormData_pg_amop *form)
{
	bool		is_order = form->amopstrategy == LSH_DISTANCE_STRATEGY;
	Oid			result = is_order ? FLOAT8OID : BOOLOID;
	const char *wrong = NULL;

	if (form->amopstrategy < 1 || form->amopstrategy > LSH_STRATEGIES)
		wrong = "invalid strategy number";
	else if ((form->amoppurpose == AMOP_ORDER) != is_order)
		wrong = "invalid purpose for its strategy";
	else if (is_order &&
			 !opfamily_can_sort_type(form->amopsortfamily, FLOAT8OID))
		wrong = "invalid ORDER BY specification";
	else if (!check_amop_signature(form->amopopr, result, form->amoplefttype,
								   form->amoprighttype))
		wrong = "wrong signature";
	if (wrong != NULL)
		report_operator(family, form->amopopr, wrong);
	return wrong == NULL;
}

/* Check all operators of a family; collect the strategies of a type. */
static bool
check_operators(Oid family, Oid type, int *strategies)
{
	CatCList   *list = SearchSysCacheList1(AMOPSTRATEGY,
										   ObjectIdGetDatum(family));
	const char *name = family_name(family);
	bool		valid = true;

	for (int i = 0; i < list->n_members; i++)
	{
		Form_pg_amop form = (Form_pg_amop) GETSTRUCT(&list->members[i]->tuple);

		valid &= check_operator(name, form);
		if (form->amoplefttype == type && form->amopstrategy <= LSH_STRATEGIES)
			*strategies |= 1 << form->amopstrategy;
	}
	ReleaseCatCacheList(list);
	return valid;
}

/* Check that a family has no support functions other than one for options. */
static bool
check_functions(Oid family)
{
	CatCList   *list = SearchSysCacheList1(AMPROCNUM, ObjectIdGetDatum(family));
	bool		valid = true;

	for (int i = 0; i < list->n_members; i++)
	{
		Form_pg_amproc form = (Form_pg_amproc) GETSTRUCT(&list->members[i]->tuple);

		if (form->amprocnum == LSH_OPTIONS_FUNCTION &&
			check_amoptsproc_signature(form->amproc))
			continue;
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator family \"%s\" of access method %s contains function %s with wrong signature or number",
						family_name(family), "lsh",
						format_procedure(form->amproc))));
		valid = false;
	}
	ReleaseCatCacheList(list);
	return valid;
}

/* Check an operator class and its family: amvalidate. */
bool
lsh_validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	Form_pg_opclass form;
	int			strategies = 0;
	int			wanted;
	bool		valid;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	form = (Form_pg_opclass) GETSTRUCT(tuple);
	valid = check_operators(form->opcfamily, form->opcintype, &strategies);
	valid &= check_functions(form->opcfamily);
	wanted = form->opcintype == TEXTOID ? 1 << PASSAGE_STRATEGY :
		(1 << (LSH_STRATEGIES + 1)) - 2;
	if (strategies != wanted)
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class \"%s\" of access method %s is missing operators",
						NameStr(form->opcname), "lsh")));
		valid = false;
	}
	ReleaseSysCache(tuple);
	return valid;
}

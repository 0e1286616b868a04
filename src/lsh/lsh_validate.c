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
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "lsh_am.h"
#include "passages/passage_gin.h"

/* Return true if an operator has the types that its strategy needs. */
static bool
fits_strategy(const FormData_pg_amop *form)
{
	bool		is_order = form->amopstrategy == LSH_DISTANCE_STRATEGY;

	return form->amopstrategy >= 1 && form->amopstrategy <= LSH_STRATEGIES &&
		(form->amoppurpose == AMOP_ORDER) == is_order &&
		(!is_order || opfamily_can_sort_type(form->amopsortfamily, FLOAT8OID)) &&
		check_amop_signature(form->amopopr, is_order ? FLOAT8OID : BOOLOID,
							 form->amoplefttype, form->amoprighttype);
}

/* Check all operators of the family; collect the strategies of the class. */
static bool
check_operators(const FormData_pg_opclass *opclass, int *strategies)
{
	CatCList   *list = SearchSysCacheList1(AMOPSTRATEGY,
										   ObjectIdGetDatum(opclass->opcfamily));
	bool		valid = true;

	for (int i = 0; i < list->n_members; i++)
	{
		Form_pg_amop form = (Form_pg_amop) GETSTRUCT(&list->members[i]->tuple);

		if (!fits_strategy(form))
		{
			ereport(INFO,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("operator class \"%s\" of access method %s contains operator %s, which does not fit strategy %d",
							NameStr(opclass->opcname), "lsh",
							format_operator(form->amopopr), form->amopstrategy)));
			valid = false;
		}
		else if (form->amoplefttype == opclass->opcintype)
			*strategies |= 1 << form->amopstrategy;
	}
	ReleaseCatCacheList(list);
	return valid;
}

/* Check that the family has no support functions other than one for options. */
static bool
check_functions(const FormData_pg_opclass *opclass)
{
	CatCList   *list = SearchSysCacheList1(AMPROCNUM,
										   ObjectIdGetDatum(opclass->opcfamily));
	bool		valid = true;

	for (int i = 0; i < list->n_members; i++)
	{
		Form_pg_amproc form = (Form_pg_amproc) GETSTRUCT(&list->members[i]->tuple);

		if (form->amprocnum == LSH_OPTIONS_FUNCTION &&
			check_amoptsproc_signature(form->amproc))
			continue;
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class \"%s\" of access method %s contains function %s with wrong signature or number",
						NameStr(opclass->opcname), "lsh",
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
	valid = check_operators(form, &strategies);
	valid &= check_functions(form);
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

/*-------------------------------------------------------------------------
 *
 * settings_shipping.c
 *	  Let the session's settings travel to foreign servers.
 *
 * A foreign server has settings of its own, so postgres_fdw sends it no
 * function that is merely stable: for sig % q it would fetch all rows and
 * compare them here.  Where the signature is of a foreign table, a call that
 * follows a setting is therefore replaced by the one that spells it out:
 *
 *	a % b						-> minhash_similar(a, b, threshold, recall)
 *	minhash_similar(a, b, t)	-> minhash_similar(a, b, t, recall)
 *	minhash_query(b, t)			-> minhash_query(b, t, recall)
 *	a @@ minhash_query(b, t)	-> minhash_similar(a, b, t, recall)
 *
 * Each number is (SELECT lshsim_recall()) and the like.  The planner makes an
 * InitPlan of it, evaluated once in each execution, and postgres_fdw sends the
 * result as a parameter.  So a cached plan follows the settings, as do
 * functions with SET and SET LOCAL.
 *
 * A call is left alone, which is slow but never wrong,
 *
 *	- where it reads no foreign table: plans of local tables stay as they are;
 *	- where it is part of an expression that is grouped by: each sub-select is
 *	  a parameter of its own, so the expression would not be found again in
 *	  what is selected;
 *	- when the planner makes conditions for children of a table, since then it
 *	  is too late for a sub-select.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "settings_shipping.h"
#include "similar.h"
#include "support/sibling.h"
#include "type/minhash_query.h"

/* Return the C function behind a function of this extension. */
static PGFunction
implementation(Oid function)
{
	FmgrInfo	info;

	fmgr_info(function, &info);
	return info.fn_addr;
}

/* Make the expression (SELECT function()) of a setting. */
static Node *
make_setting(Oid function)
{
	FuncExpr   *call = makeFuncExpr(function, FLOAT8OID, NIL, InvalidOid,
									InvalidOid, COERCE_EXPLICIT_CALL);
	Query	   *query = makeNode(Query);
	SubLink    *link = makeNode(SubLink);

	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->targetList = list_make1(makeTargetEntry((Expr *) call, 1, "setting",
												   false));
	query->jointree = makeFromExpr(NIL, NULL);
	link->subLinkType = EXPR_SUBLINK;
	link->subselect = (Node *) query;
	link->location = -1;
	return (Node *) link;
}

/*
 * Make a call of minhash_similar or minhash_query whose last arguments, one or
 * two, are settings; NULL if there is no such function beside the one called.
 */
static Node *
spell_out(PlannerInfo *root, const FuncExpr *call, List *args,
		  const char *name, int num_args)
{
	static const char *const settings[] = {"lshsim_similarity_threshold",
	"lshsim_recall"};
	Oid			minhash = exprType(linitial(call->args));
	Oid			types[] = {minhash, minhash, FLOAT8OID, FLOAT8OID};
	Oid			function = find_sibling(call->funcid, name,
										types + lengthof(types) - num_args,
										num_args);
	int			missing = num_args - list_length(args);

	if (!OidIsValid(function))
		return NULL;
	args = list_copy(args);
	for (int i = (int) lengthof(settings) - missing; i < (int) lengthof(settings); i++)
	{
		Oid			setting = find_sibling(call->funcid, settings[i], NULL, 0);

		if (!OidIsValid(setting))
			return NULL;
		args = lappend(args, make_setting(setting));
	}
	root->parse->hasSubLinks = true;
	return (Node *) makeFuncExpr(function, get_func_rettype(function), args,
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Spell out the recall of a search by @@, unless it has none to spell out. */
static Node *
spell_out_search(PlannerInfo *root, Node *sig, Node *query)
{
	FuncExpr   *call = (FuncExpr *) query;

	if (!IsA(query, FuncExpr) || list_length(call->args) != 2 ||
		implementation(call->funcid) != minhash_query)
		return NULL;
	return spell_out(root, call, lcons(sig, list_copy(call->args)),
					 "minhash_similar", 4);
}

/* Spell out the settings of a call, unless it follows none. */
static Node *
spell_out_call(PlannerInfo *root, const FuncExpr *call)
{
	PGFunction	function = implementation(call->funcid);
	int			num_args = list_length(call->args);

	if (function == minhash_similar_op ||
		(function == minhash_similar && num_args == 3))
		return spell_out(root, call, call->args, "minhash_similar", 4);
	if (function == minhash_query && num_args == 2)
		return spell_out(root, call, call->args, "minhash_query", 3);
	if (function == minhash_query_match)
		return spell_out_search(root, linitial(call->args), lsecond(call->args));
	if (function == minhash_query_match_commuted)
		return spell_out_search(root, lsecond(call->args), linitial(call->args));
	return NULL;
}

/* Return true if one of a table's children is a foreign table. */
static bool
has_foreign_child(Oid table)
{
	ListCell   *cell;

	if (!has_subclass(table))
		return false;
	foreach(cell, find_all_inheritors(table, NoLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			return true;
	}
	return false;
}

/* Return true if a range table entry is a foreign table or contains one. */
static bool
is_foreign(PlannerInfo *root, int index)
{
	RangeTblEntry *entry = rt_fetch(index, root->parse->rtable);
	ListCell   *cell;

	if (entry->rtekind == RTE_RELATION)
		return entry->relkind == RELKIND_FOREIGN_TABLE ||
			(entry->inh && has_foreign_child(entry->relid));
	/* Check the members of a UNION ALL that was pulled up into this query. */
	foreach(cell, root->append_rel_list)
	{
		AppendRelInfo *member = lfirst(cell);

		if (member->parent_relid == (Index) index &&
			is_foreign(root, member->child_relid))
			return true;
	}
	return false;
}

/* Return true if a call reads a foreign table of this query. */
static bool
reads_foreign_table(PlannerInfo *root, const FuncExpr *call)
{
	Relids		read = pull_varnos(root, (Node *) call->args);
	int			index = -1;

	while ((index = bms_next_member(read, index)) >= 0)
		if (is_foreign(root, index))
			return true;
	return false;
}

/* Return true if a function has the OID in context. */
static bool
is_function(Oid function, void *context)
{
	return function == *(Oid *) context;
}

/* Return true if an expression calls the function with the OID in context. */
static bool
calls_function(Node *node, void *context)
{
	return node != NULL &&
		(check_functions_in_node(node, is_function, context) ||
		 expression_tree_walker(node, calls_function, context));
}

/*
 * Return true if a GROUP BY expression calls a function, directly or through
 * an SQL function that the planner inlines.  eval_const_expressions() without
 * a PlannerInfo inlines, but does not ship settings.
 */
static bool
is_grouped_by(PlannerInfo *root, Oid function)
{
	ListCell   *cell;

	foreach(cell, root->parse->groupClause)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst(cell),
												   root->parse->targetList);

		if (calls_function(eval_const_expressions(NULL, key), &function))
			return true;
	}
	return false;
}

/* Ship the settings of a call that a foreign server may be asked to evaluate. */
Node *
ship_settings(SupportRequestSimplify *request)
{
	PlannerInfo *root = request->root;
	FuncExpr   *call = request->fcall;

	if (root == NULL || root->simple_rel_array != NULL ||
		!reads_foreign_table(root, call) || is_grouped_by(root, call->funcid))
		return NULL;
	return spell_out_call(root, call);
}

/*-------------------------------------------------------------------------
 *
 * settings_shipping.c
 *	  Send the session's settings to foreign servers.
 *
 * A foreign server has settings of its own, so postgres_fdw does not send it
 * expressions that are not immutable: for sig % q it would fetch all rows and
 * compare them locally.  If a search reads a foreign table, the planner
 * therefore replaces each dependence on a setting by a sub-select:
 *
 *	a % b
 *		-> minhash_similar(a, b, threshold, recall)
 *	minhash_similar(a, b, t), whose recall is by default lshsim_recall()
 *		-> minhash_similar(a, b, t, recall)
 *	minhash_query(b, t), with the same default
 *		-> minhash_query(b, t, recall)
 *	a @@ minhash_query(b, t)
 *		-> minhash_similar(a, b, t, recall)
 *
 * Here threshold is (SELECT lshsim_similarity_threshold()) and recall is
 * (SELECT lshsim_recall()).  The planner turns each into an InitPlan, which is
 * evaluated once per execution, and postgres_fdw sends the result as a
 * parameter.  So cached plans follow the settings, and so do functions with
 * SET and SET LOCAL.
 *
 * A call is left as it is, which is slow but never wrong, if
 *
 *	- it reads no foreign table, so that plans of local tables do not change;
 *	- it is part of a GROUP BY expression: each sub-select is a parameter of
 *	  its own, so the planner would not recognize the expression in the target
 *	  list;
 *	- the planner is building conditions for child tables, because it does not
 *	  plan sub-selects any more at that point.
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

#include "support/settings.h"
#include "settings_shipping.h"
#include "similar.h"
#include "support/sibling.h"
#include "type/minhash_query.h"

/*
 * Make the expression (SELECT name()) of a setting, whose function is in the
 * schema of another one; NULL if it does not exist.
 */
static Node *
make_setting(Oid sibling, const char *name)
{
	FuncExpr   *call = call_sibling(sibling, name, NIL);
	Query	   *query = makeNode(Query);
	SubLink    *link = makeNode(SubLink);

	if (call == NULL)
		return NULL;
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

/* Return true if an expression is a call of lshsim_recall(). */
static bool
is_recall_setting(Node *node)
{
	return IsA(node, FuncExpr) &&
		implementation(((FuncExpr *) node)->funcid) == lshsim_recall_function;
}

/* Replace the last argument of a call by a sub-select if it is the recall. */
static Node *
ship_recall(const FuncExpr *call)
{
	Node	   *recall = make_setting(call->funcid, "lshsim_recall");
	List	   *args = list_copy(call->args);

	if (!is_recall_setting(llast(args)) || recall == NULL)
		return NULL;
	llast(args) = recall;
	return (Node *) makeFuncExpr(call->funcid, call->funcresulttype, args,
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * Make a call of minhash_similar whose recall is the setting; NULL if a
 * function or the threshold is missing.
 */
static Node *
make_similar(Oid sibling, Node *a, Node *b, Node *threshold)
{
	Node	   *recall = make_setting(sibling, "lshsim_recall");

	if (threshold == NULL || recall == NULL)
		return NULL;
	return (Node *) call_sibling(sibling, "minhash_similar",
								 list_make4(a, b, threshold, recall));
}

/* Turn @@ with a call of minhash_query into a call of minhash_similar. */
static Node *
ship_query_match(Node *sig, Node *query)
{
	FuncExpr   *call = (FuncExpr *) query;

	if (!IsA(query, FuncExpr) ||
		implementation(call->funcid) != minhash_query ||
		list_length(call->args) != 3 ||
		!is_recall_setting(lthird(call->args)))
		return NULL;
	return make_similar(call->funcid, sig, linitial(call->args),
						lsecond(call->args));
}

/* Replace the settings in a call by sub-selects; NULL if it uses none. */
static Node *
ship_call(const FuncExpr *call)
{
	PGFunction	function = implementation(call->funcid);

	if (function == minhash_similar_op)
		return make_similar(call->funcid, linitial(call->args),
							lsecond(call->args),
							make_setting(call->funcid,
										 "lshsim_similarity_threshold"));
	if (function == minhash_similar || function == minhash_query)
		return ship_recall(call);
	if (function == minhash_query_match)
		return ship_query_match(linitial(call->args), lsecond(call->args));
	if (function == minhash_query_match_commuted)
		return ship_query_match(lsecond(call->args), linitial(call->args));
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
	Node	   *shipped;

	if (root == NULL || root->simple_rel_array != NULL ||
		!reads_foreign_table(root, call) || is_grouped_by(root, call->funcid))
		return NULL;
	shipped = ship_call(call);
	if (shipped != NULL)
		root->parse->hasSubLinks = true;
	return shipped;
}

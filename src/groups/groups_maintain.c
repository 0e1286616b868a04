/*-------------------------------------------------------------------------
 *
 * groups_maintain.c
 *	  Make and drop the queue and the triggers of groups.
 *
 * The triggers are ENABLE ALWAYS, because changes that logical replication
 * applies count, too.  The server clones row triggers of a partitioned table for
 * its partitions, but not statement triggers, so groups_state.c has to notice
 * TRUNCATE of a single partition.
 *
 * Triggers refer to tables by OID, so that renaming does no harm.  The trigger
 * of the queue is a constraint trigger FROM the table of groups.  The trigger of
 * the user's table cannot be one, because DETACH PARTITION leaves the clones of
 * such triggers, which it takes for those of foreign keys.  So it has the OID of
 * its queue as a constant in the WHEN condition, which is always true.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "nodes/primnodes.h"
#include "nodes/readfuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "groups_maintain.h"
#include "groups_names.h"
#include "groups_rows.h"
#include "support/names.h"
#include "support/sibling.h"

/* All groups of a table share one trigger for TRUNCATE. */
#define TRUNCATE_TRIGGER "minhash_groups_truncate"

/* Parse the argument maintain. */
Maintenance
maintenance_from_text(const text *name)
{
	static const char *const names[] = {"manual", "queue", "commit"};
	char	   *wanted = text_to_cstring(name);

	for (int i = 0; i < (int) lengthof(names); i++)
		if (strcmp(wanted, names[i]) == 0)
			return (Maintenance) i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for argument \"%s\": \"%s\"", "maintain", wanted),
			 errhint("Valid values are \"manual\", \"queue\" and \"commit\".")));
}

/* Return the queue that a row trigger fills, or 0 if it has none. */
Oid
groups_queue_of(const Trigger *trigger)
{
	Node	   *condition = trigger->tgqual == NULL ? NULL :
		stringToNode(trigger->tgqual);
	Const	   *queue;

	if (condition == NULL || !IsA(condition, NullTest) ||
		!IsA(((NullTest *) condition)->arg, Const))
		return InvalidOid;
	queue = (Const *) ((NullTest *) condition)->arg;
	return queue->consttype == REGCLASSOID && !queue->constisnull ?
		DatumGetObjectId(queue->constvalue) : InvalidOid;
}

/*** Making ***/

/* Make a trigger that also fires for the changes of a subscription. */
static void
make_trigger(const char *kind, const char *name, const char *events,
			 const char *table, const char *rest, const char *function)
{
	groups_run(psprintf("CREATE %s TRIGGER %s AFTER %s ON %s %s EXECUTE FUNCTION %s()",
						kind, quote_identifier(name), events, table, rest, function),
			   SPI_OK_UTILITY);
	groups_run(psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s",
						table, quote_identifier(name)), SPI_OK_UTILITY);
}

/* Make the triggers of a queue. */
static void
make_triggers(FunctionCallInfo fcinfo, Oid relation, Oid groups,
			  const char *name, const char *queue, Maintenance maintenance)
{
	const char *extension = extension_schema(fcinfo);
	const char *enqueue = psprintf("%s.minhash_groups_queue", extension);
	const char *table = qualified_name(relation);

	make_trigger("", name, "INSERT OR UPDATE OR DELETE", table,
				 psprintf("FOR EACH ROW WHEN (%s::pg_catalog.regclass IS NOT NULL)",
						  quote_literal_cstr(queue)), enqueue);
	make_trigger("OR REPLACE", TRUNCATE_TRIGGER, "TRUNCATE", table,
				 "FOR EACH STATEMENT", enqueue);
	if (maintenance == MAINTAIN_COMMIT)
		make_trigger("CONSTRAINT", name, "INSERT", queue,
					 psprintf("FROM %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW",
							  qualified_name(groups)),
					 psprintf("%s.minhash_groups_commit", extension));
}

/* Make the queue of groups, and the triggers that fill it and empty it. */
void
groups_make_queue(FunctionCallInfo fcinfo, Oid relation, Oid groups,
				  const char *columns, Maintenance maintenance)
{
	char	   *name = makeObjectName(get_rel_name(groups), NULL, "queue");
	char	   *queue = name_near(groups, name);

	groups_run(psprintf("CREATE TABLE %s USING heap AS SELECT %s FROM %s WITH NO DATA",
						queue, columns, qualified_name(relation)), SPI_OK_UTILITY);
	groups_run(psprintf("UPDATE %s SET queue = %u", related_name(groups, "definition"),
						get_relname_relid(name, get_rel_namespace(groups))),
			   SPI_OK_UPDATE);
	make_triggers(fcinfo, relation, groups, name, queue, maintenance);
}

/*** Dropping ***/

/*
 * List the triggers of a table that call a function and fill a queue.  If none
 * of the function's triggers fills another queue, add those without a queue,
 * which all queues of the table share.
 */
static List *
triggers_of_queue(Oid table, Oid function, Oid queue)
{
	Relation	relation = try_relation_open(table, AccessExclusiveLock);
	const TriggerDesc *triggers = relation == NULL ? NULL : relation->trigdesc;
	List	   *names = NIL;
	List	   *shared = NIL;
	bool		is_last = true;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		Oid			other = groups_queue_of(trigger);

		if (trigger->tgfoid != function)
			continue;
		if (other == queue)
			names = lappend(names, pstrdup(trigger->tgname));
		else if (OidIsValid(other))
			is_last = false;
		else
			shared = lappend(shared, pstrdup(trigger->tgname));
	}
	if (relation != NULL)
		relation_close(relation, NoLock);
	return is_last ? list_concat(names, shared) : names;
}

/* Drop a queue and the triggers that fill it. */
static void
drop_queue(FunctionCallInfo fcinfo, Oid table, Oid queue)
{
	Oid			function = find_sibling(fcinfo->flinfo->fn_oid,
										"minhash_groups_queue", NULL, 0);
	ListCell   *cell;

	foreach(cell, triggers_of_queue(table, function, queue))
		groups_run(psprintf("DROP TRIGGER %s ON %s",
							quote_identifier(lfirst(cell)), qualified_name(table)),
				   SPI_OK_UTILITY);
	if (get_rel_name(queue) != NULL)
		groups_run(psprintf("DROP TABLE %s", qualified_name(queue)), SPI_OK_UTILITY);
}

/* Drop groups with all that belongs to them. */
void
groups_drop_tables(FunctionCallInfo fcinfo, Oid groups)
{
	groups_run(psprintf("SELECT relation::pg_catalog.oid::pg_catalog.int8, "
						"queue::pg_catalog.oid::pg_catalog.int8 FROM %s",
						related_name(groups, "definition")), SPI_OK_SELECT);
	if (SPI_processed > 0 && groups_result(0, 2) != 0)
		drop_queue(fcinfo, (Oid) groups_result(0, 1), (Oid) groups_result(0, 2));
	groups_run(psprintf("DROP TABLE %s, %s, %s", qualified_name(groups),
						related_name(groups, "log"),
						related_name(groups, "definition")), SPI_OK_UTILITY);
}

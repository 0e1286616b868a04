/*-------------------------------------------------------------------------
 *
 * minhash_groups_queue.c
 *	  The triggers minhash_groups_queue and minhash_groups_commit.
 *
 * minhash_groups_queue is an AFTER ROW trigger of the user's table.  It adds the
 * key and the old signature of each row that has changed to the queue, a table
 * with the columns of the key and of the signature, under their names in the
 * user's table.  A new key has a NULL signature.  A row of NULLs stands for
 * changes that cannot be named: those of TRUNCATE, for which the same function
 * is a statement trigger, and all changes while a column has another name or
 * type than in the queue.
 *
 * Rows are added as by INSERT, but without a check of privileges, because the
 * writer of a table needs none on the groups.  No user code runs except what the
 * owner has put on the queue.  Triggers of the queue belong to the query that
 * changed the table, as those of a foreign key's actions do.
 *
 * minhash_groups_commit is a deferred trigger of the queue, which brings the
 * groups up to date as their owner.  It is called for each row that was added to
 * the queue; the first call deletes all rows, so each later one finds that its
 * row is gone, and does nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "utils/datum.h"
#include "utils/rel.h"

#include "compat.h"
#include "groups.h"
#include "groups_maintain.h"
#include "groups_names.h"

/* Return the trigger data of a function, which must be called as a trigger. */
static TriggerData *
trigger_data(FunctionCallInfo fcinfo, const char *name)
{
	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_AFTER(((TriggerData *) fcinfo->context)->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("%s must be called by an AFTER trigger", name),
				 errhint("minhash_groups_create creates such triggers.")));
	return (TriggerData *) fcinfo->context;
}

/* Refuse a trigger that refers to no table. */
static Oid
check_reference(const Trigger *trigger, Oid table)
{
	if (!OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("trigger \"%s\" refers to no table", trigger->tgname),
				 errhint("minhash_groups_create creates such triggers.")));
	return table;
}

/*** Queueing ***/

/* Make a row of NULLs; the caller drops it. */
static TupleTableSlot *
null_row(Relation queue)
{
	return ExecStoreAllNullTuple(MakeSingleTupleTableSlot(RelationGetDescr(queue),
														  &TTSOpsVirtual));
}

/* Add a row to the queue. */
static void
insert_row(Relation queue, TupleTableSlot *row)
{
	EState	   *estate = CreateExecutorState();
	ResultRelInfo *result = makeNode(ResultRelInfo);

	InitResultRelInfo(result, queue, 0, NULL, 0);
	ExecOpenIndices(result, false);
	ExecSimpleRelationInsert(result, estate, row);
	ExecCloseIndices(result);
	ExecResetTupleTable(estate->es_tupleTable, false);
	FreeExecutorState(estate);
}

/*
 * Read the columns of a queue from a row of the table; return false if one of
 * this name and type is missing.
 */
static bool
read_row(TupleTableSlot *slot, TupleTableSlot *row)
{
	TupleDesc	desc = row->tts_tupleDescriptor;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute wanted = TupleDescAttr(desc, i);
		int			column;

		if (wanted->attisdropped)
			continue;
		column = SPI_fnumber(slot->tts_tupleDescriptor, NameStr(wanted->attname));
		if (column <= 0 || wanted->atttypid !=
			SPI_gettypeid(slot->tts_tupleDescriptor, column))
			return false;
		row->tts_values[i] = slot_getattr(slot, column, &row->tts_isnull[i]);
	}
	return true;
}

/*
 * Return true if column i of two rows has the same value, which is NULL if there
 * is no row.
 */
static bool
is_same(int i, const TupleTableSlot *a, const TupleTableSlot *b)
{
	bool		a_is_null = a == NULL || a->tts_isnull[i];
	bool		b_is_null = b == NULL || b->tts_isnull[i];
	Form_pg_attribute column;

	if (a_is_null || b_is_null)
		return a_is_null == b_is_null;
	column = TupleDescAttr(a->tts_tupleDescriptor, i);
	return datumIsEqual(a->tts_values[i], b->tts_values[i], column->attbyval,
						column->attlen);
}

/*
 * Queue the change of an old row, NULL for an insert, to a new one, NULL for a
 * delete.
 */
static void
queue_change(Relation queue, TupleTableSlot *old_slot, TupleTableSlot *new_slot)
{
	int			sig = RelationGetNumberOfAttributes(queue) - 1;
	TupleTableSlot *old_row = old_slot == NULL ? NULL : null_row(queue);
	TupleTableSlot *new_row = new_slot == NULL ? NULL : null_row(queue);
	bool		same_key = true;
	bool		is_named = (old_slot == NULL || read_row(old_slot, old_row)) &&
		(new_slot == NULL || read_row(new_slot, new_row));

	for (int i = 0; i < sig; i++)
		same_key &= is_same(i, old_row, new_row);
	if (!is_named)
		insert_row(queue, ExecStoreAllNullTuple(old_row ? old_row : new_row));
	else if (old_row == NULL || new_row == NULL || !same_key ||
			 !is_same(sig, old_row, new_row))
	{
		if (old_row != NULL)
			insert_row(queue, old_row);
		if (new_row != NULL && !same_key)
		{
			new_row->tts_isnull[sig] = true;
			insert_row(queue, new_row);
		}
	}
	if (old_row != NULL)
		ExecDropSingleTupleTableSlot(old_row);
	if (new_row != NULL)
		ExecDropSingleTupleTableSlot(new_row);
}

/*
 * Open the queue of a trigger.  It must have the owner of the table, or else
 * users could add rows to any table by triggers of their own.  A partition may
 * have another owner if the server has cloned its trigger.
 */
static Relation
open_queue(const Trigger *trigger, Oid queue_oid, Relation table)
{
	Relation	queue = table_open(queue_oid, RowExclusiveLock);
	Oid			owner = table->rd_rel->relowner;

	if (queue->rd_rel->relowner != owner && lsh_is_clone(trigger) &&
		table->rd_rel->relispartition)
		owner = table_owner(llast_oid(get_partition_ancestors(RelationGetRelid(table))));
	if (queue->rd_rel->relowner != owner || queue->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("\"%s\" is not a queue of the owner of table \"%s\"",
						RelationGetRelationName(queue), RelationGetRelationName(table)),
				 errhint("The table and the tables of its groups must have the same owner.")));
	return queue;
}

/* Queue the change of a row.  All rows of a query have the same queue. */
static void
queue_row(FunctionCallInfo fcinfo, const TriggerData *trigger)
{
	Oid		   *queue_oid = fcinfo->flinfo->fn_extra;
	bool		is_insert = TRIGGER_FIRED_BY_INSERT(trigger->tg_event);
	TupleTableSlot *new_slot = is_insert ? trigger->tg_trigslot :
		TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newslot : NULL;
	Relation	queue;

	if (queue_oid == NULL)
	{
		queue_oid = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Oid));
		*queue_oid = check_reference(trigger->tg_trigger,
									 groups_queue_of(trigger->tg_trigger));
		fcinfo->flinfo->fn_extra = queue_oid;
	}
	queue = open_queue(trigger->tg_trigger, *queue_oid, trigger->tg_relation);
	queue_change(queue, is_insert ? NULL : trigger->tg_trigslot, new_slot);
	table_close(queue, NoLock);
}

/* Add a row of NULLs to all queues of a table: changes that cannot be named. */
static void
queue_unnamed(const TriggerData *trigger)
{
	const TriggerDesc *triggers = trigger->tg_relation->trigdesc;

	for (int i = 0; i < triggers->numtriggers; i++)
	{
		const Trigger *other = &triggers->triggers[i];
		Oid			queue_oid = groups_queue_of(other);
		Relation	queue;
		TupleTableSlot *row;

		if (other->tgfoid != trigger->tg_trigger->tgfoid || !OidIsValid(queue_oid))
			continue;
		queue = open_queue(other, queue_oid, trigger->tg_relation);
		row = null_row(queue);
		insert_row(queue, row);
		ExecDropSingleTupleTableSlot(row);
		table_close(queue, NoLock);
	}
}

/* Queue a change. */
PG_FUNCTION_INFO_V1(minhash_groups_queue);
Datum
minhash_groups_queue(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = trigger_data(fcinfo, "minhash_groups_queue");

	if (TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		queue_row(fcinfo, trigger);
	else
		queue_unnamed(trigger);
	return PointerGetDatum(NULL);
}

/*** Commit ***/

/* Return true if this transaction has deleted a tuple, not merely locked it. */
static bool
is_deleted(HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;

	return (header->t_infomask & HEAP_XMAX_INVALID) == 0 &&
		!HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
		TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header));
}

/* Bring the groups up to date for a row of the queue. */
PG_FUNCTION_INFO_V1(minhash_groups_commit);
Datum
minhash_groups_commit(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = trigger_data(fcinfo, "minhash_groups_commit");
	Oid			groups = check_reference(trigger->tg_trigger,
										 trigger->tg_trigger->tgconstrrelid);
	Caller		caller;

	if (!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) || is_deleted(trigger->tg_trigtuple))
		return PointerGetDatum(NULL);
	caller = become_owner(groups);
	check_groups(groups);
	(void) groups_update(fcinfo, groups);
	become_caller(&caller);
	return PointerGetDatum(NULL);
}

/*-------------------------------------------------------------------------
 *
 * minhash_note_trigger.c
 *	  A trigger that notes the keys of changed rows for the next refresh of groups.
 *
 * groups_track.c makes it on the table and on the tables of groups and of
 * judgments.  It appends a row to the table of changes: the columns of the row
 * that have the names of its columns, followed by _a or _b if that is the argument of
 * the trigger.  With another argument, or if a column is missing or has another type,
 * it notes NULL, and a key with a NULL makes the next refresh a full one.  So a
 * statement never fails because a column was renamed.
 *
 * The WHEN clause of the trigger ends with "table of changes IS NOT NULL", where
 * the table is a regclass.  So the server follows renames of the table, does not
 * drop it under the trigger, and dumps the trigger as it is.
 *
 * The rows are written by the table access method alone: no trigger, rule, policy
 * or default of the table of changes runs, and the writer needs no privilege on it.
 * But a role with TRIGGER on a table, or the owner of a partition, can make a
 * trigger that names any table, with any argument and for any event.  So the table
 * must have the mark of those that groups_track.c makes, and belong to the owner of the
 * trigger's table.  Otherwise nothing is noted, not even a lock is taken, and
 * groups_track.c does not rely on the notes.  Another trigger of the statement can
 * alter the table of changes between two rows, before PostgreSQL 16 even make it a view,
 * so its kind and the types of its columns are compared at each.
 *
 * The row and its note are written by one subtransaction, so they are visible to
 * the same snapshots, and committed, rolled back and replayed together.  TRUNCATE
 * notes a NULL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "nodes/primnodes.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "groups.h"
#include "support/objects.h"

/* The notes of a trigger; kept for the rows of a statement. */
typedef struct Notes
{
	Oid			changes;		/* table of changes; InvalidOid: note nothing */
	int			natts;			/* its columns, when they were read */
	int			columns[FLEXIBLE_ARRAY_MEMBER]; /* of the row, for those; 0:
												 * NULL */
} Notes;

/* The statement whose changes are not noted, other than those of its triggers. */
static struct
{
	Oid			table;
	int			depth;			/* of the triggers that the statement fires
								 * itself */
	TransactionId xid;			/* which is not used again after an error */
}			ignored;

/* Return the number of triggers that are running, one within the other. */
static int
trigger_depth(void)
{
	return DatumGetInt32(DirectFunctionCall1(pg_trigger_depth, (Datum) 0));
}

/* Do not note what the statements of this function do to a table. */
void
groups_ignore_writes(Oid table)
{
	ignored.table = table;
	ignored.depth = trigger_depth() + 1;
	ignored.xid = GetCurrentTransactionIdIfAny();
}

/* Return the table of changes that the WHEN clause names. */
static Oid
named_table(const TriggerData *call)
{
	Node	   *when = call->tg_trigger->tgqual == NULL ? NULL :
		stringToNode(call->tg_trigger->tgqual);

	if (when != NULL && IsA(when, BoolExpr))
		when = llast(((BoolExpr *) when)->args);
	if (when != NULL && IsA(when, NullTest))
		when = (Node *) ((NullTest *) when)->arg;
	if (TRIGGER_FIRED_FOR_ROW(call->tg_event) == TRIGGER_FIRED_BY_TRUNCATE(call->tg_event) ||
		!TRIGGER_FIRED_AFTER(call->tg_event) ||
		when == NULL || !IsA(when, Const) || ((Const *) when)->consttype != REGCLASSOID ||
		((Const *) when)->constisnull)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("minhash_note_trigger must be called by a trigger that minhash_groups_create has made"),
				 errhint("Use the argument \"track\" of minhash_groups_create.")));
	return DatumGetObjectId(((Const *) when)->constvalue);
}

/* Return true for a table of changes, of the owner of the trigger's table. */
static bool
takes_notes(Oid table, const TriggerData *call, Oid function)
{
	AttrNumber	mark = get_attnum(table, GROUPS_MARK);

	return mark != InvalidAttrNumber &&
		get_atttype(table, mark) == sibling_find_type(function, "minhash") &&
		get_rel_relkind(table) == RELKIND_RELATION &&
		get_rel_persistence(table) == RELPERSISTENCE_PERMANENT &&
		owner_of_table(table) == call->tg_relation->rd_rel->relowner;
}

/* Return the number of the column to note, or 0. */
static int
find_column(Form_pg_attribute column, const TriggerData *call)
{
	const Trigger *trigger = call->tg_trigger;
	TupleDesc	row = RelationGetDescr(call->tg_relation);
	const char *name = NameStr(column->attname);
	int			number;

	if (call->tg_trigtuple == NULL ||	/* TRUNCATE */
		(trigger->tgnargs > 0 && strlen(trigger->tgargs[0]) != 1))
		return 0;
	number = SPI_fnumber(row, trigger->tgnargs == 0 ? name :
						 makeObjectName(name, NULL, trigger->tgargs[0]));
	return number > 0 && SPI_gettypeid(row, number) == column->atttypid ? number : 0;
}

/* Find out what to note. */
static Notes *
make_notes(const TriggerData *call, const FmgrInfo *info)
{
	Oid			table = named_table(call);
	Relation	changes = takes_notes(table, call, info->fn_oid) ?
		table_open(table, RowExclusiveLock) : NULL;
	int			natts = changes == NULL ? 0 : RelationGetNumberOfAttributes(changes);
	Notes	   *notes = MemoryContextAllocZero(info->fn_mcxt, offsetof(Notes, columns) +
											   sizeof(int) * (Size) natts);

	if (changes == NULL)
		return notes;
	if (takes_notes(table, call, info->fn_oid))
		notes->changes = table;
	notes->natts = natts;
	for (int i = 0; i < natts; i++)
		notes->columns[i] = find_column(TupleDescAttr(RelationGetDescr(changes), i), call);
	table_close(changes, NoLock);
	return notes;
}

/* Note the key of a row, unless it is that in the slot. */
static void
note_key(Relation changes, const Notes *notes, HeapTuple row, TupleDesc desc,
		 TupleTableSlot *slot)
{
	bool		is_same = !TTS_EMPTY(slot);

	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(slot->tts_tupleDescriptor, i);
		int			number = i < notes->natts ? notes->columns[i] : 0;
		bool		isnull = true;
		Datum		value = (Datum) 0;

		if (number > 0 && TupleDescAttr(desc, number - 1)->atttypid == column->atttypid)
			value = SPI_getbinval(row, desc, number, &isnull);
		is_same = is_same && slot->tts_isnull[i] == isnull &&
			(isnull || datum_image_eq(slot->tts_values[i], value, column->attbyval,
									  column->attlen));
		slot->tts_values[i] = value;
		slot->tts_isnull[i] = isnull;
	}
	if (is_same)
		return;
	ExecClearTuple(slot);
	ExecStoreVirtualTuple(slot);
	table_tuple_insert(changes, slot, GetCurrentCommandId(true), 0, NULL);
}

/* Note the keys of the old and the new row. */
static void
note_row(const TriggerData *call, const Notes *notes)
{
	Relation	changes = table_open(notes->changes, RowExclusiveLock);
	TupleDesc	desc = RelationGetDescr(call->tg_relation);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(changes), &TTSOpsVirtual);

	if (changes->rd_rel->relkind == RELKIND_RELATION)
	{
		note_key(changes, notes, call->tg_trigtuple, desc, slot);
		if (TRIGGER_FIRED_BY_UPDATE(call->tg_event))
			note_key(changes, notes, call->tg_newtuple, desc, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	table_close(changes, NoLock);
}

/* Note that a row was inserted, updated or deleted, or that the table was emptied. */
PG_FUNCTION_INFO_V1(minhash_note_trigger);
Datum
minhash_note_trigger(PG_FUNCTION_ARGS)
{
	TriggerData *call = (TriggerData *) fcinfo->context;
	Notes	   *notes;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("minhash_note_trigger must be called as a trigger")));
	if (RelationGetRelid(call->tg_relation) == ignored.table && trigger_depth() == ignored.depth &&
		GetCurrentTransactionIdIfAny() == ignored.xid)
		return PointerGetDatum(NULL);
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = make_notes(call, fcinfo->flinfo);
	notes = fcinfo->flinfo->fn_extra;
	if (OidIsValid(notes->changes))
		note_row(call, notes);
	return PointerGetDatum(NULL);
}

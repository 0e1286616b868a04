/*-------------------------------------------------------------------------
 *
 * minhash_check_trigger.c
 *	  A trigger that flags, skips or rejects rows similar to an earlier one.
 *
 *	CREATE TRIGGER ... BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE
 *		FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of',
 *									   'scope', 'tenant', 'shop',
 *									   'within', 'published', '7 days')
 *
 * check_arguments.c reads the arguments.  check_search.c runs the search, with the
 * rights of the user who writes the row.
 *
 * The server computes generated columns after BEFORE triggers, so the trigger
 * computes them itself.  A signature column that is not generated is refused,
 * because another trigger could set it later, and this one would compare an old
 * value.
 *
 * A flag names a row that has none, the most similar one.  So a chain of flags can
 * end only in a row without a flag, and a new flag makes no cycle, because the row
 * that it names is the end of all chains through it.  This holds as long as the row
 * cannot be flagged at the same time: an update that may flag a row without a flag
 * also locks the keys of its old signature, by which others find it.
 *
 * Two sessions that insert similar rows do not see each other's row.  Similar
 * signatures have a band key in common, so the trigger takes an advisory lock on
 * every key of a row, combined with a hash of its scope, before it searches: the
 * later session waits for the end of the earlier transaction.  Its search then
 * needs a snapshot taken after the wait, which only READ COMMITTED provides.
 *
 * A transaction that holds SHARE ROW EXCLUSIVE on the table needs no such locks,
 * because every other writer waits for it: the trigger locks the root of a
 * partition as a statement on the root does.
 *
 * A row that an insert conflicts with in a unique index is left to that index,
 * because ON CONFLICT may be about to update it.  The executor's own check finds
 * it, but only if a similar row has been found, which is rare.
 *
 * The trigger decides by these facts:
 *
 * - The event INSERT is that of a new row, but also of an update that moves a row
 *   to another partition (BEFORE UPDATE, DELETE, BEFORE INSERT; in logical
 *   replication without the first), and of the rest of a row that an UPDATE or
 *   DELETE ... FOR PORTION OF leaves.  They cannot be distinguished: the new row has
 *   no TID, the old one is unknown, and another insert may have the same transaction
 *   and command.  So the row is checked as a new one, and "skip" is refused where it
 *   would lose a stored row.
 * - Columns, and the unique indexes, are those of the trigger's table.
 * - The new row is as triggers of earlier names have left it.  Its generated columns
 *   are not computed yet, and virtual ones never are.
 * - tg_trigtuple->t_self is the TID of an updated row, in the version that the
 *   update has locked.  Tables have rows with the same TID, so tableoid counts, too.
 * - Only a lock of the root keeps writers of all partitions out.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "check_trigger.h"
#include "compat.h"
#include "core/bands/bands.h"
#include "core/base/bits.h"
#include "search/similar.h"
#include "support/objects.h"
#include "support/row_trigger.h"

/*** The row to store ***/

/* Compute the row to store. */
static void
compute_row(RowCheck *check)
{
	check->estate = CreateExecutorState();
	check->target = makeNode(ResultRelInfo);
	InitResultRelInfo(check->target, check->call->tg_relation, 0, NULL, 0);
	check->slot = MakeSingleTupleTableSlot(RelationGetDescr(check->call->tg_relation),
										   &TTSOpsHeapTuple);
	ExecStoreHeapTuple(trigger_new_row(check->call), check->slot, false);

	/*
	 * CMD_UPDATE would leave out some columns, by those that the statement
	 * sets.
	 */
	ExecComputeStoredGenerated(check->target, check->estate, check->slot,
							   CMD_INSERT);
	check->row = ExecFetchSlotHeapTuple(check->slot, true, NULL);
}

/* Return true for a new row, or if an update changes the signature or a condition. */
static bool
has_changed(const RowCheck *check)
{
	const TriggerData *call = check->call;

	if (!TRIGGER_FIRED_BY_UPDATE(call->tg_event) ||
		trigger_column_changes(call, check->row, check->column))
		return true;
	for (int i = 0; i < check->condition_count; i++)
		if (trigger_column_changes(call, check->row, check->conditions[i].column))
			return true;
	return false;
}

/*** Locks ***/

/*
 * Take an advisory lock as pg_advisory_xact_lock() does.  Raise an error before
 * the transaction fills half of the server's table of locks.  Locks that were
 * released with a subtransaction count, too.
 */
static void
lock_key(const RowCheck *check, uint64 key)
{
	static LocalTransactionId transaction = InvalidLocalTransactionId;
	static int	count;
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (key >> 32), (uint32) key, 1);
	if (LockAcquire(&tag, ExclusiveLock, false, false) == LOCKACQUIRE_ALREADY_HELD)
		return;
	if (transaction != compat_local_transaction())
		count = 0;
	transaction = compat_local_transaction();
	if (++count > max_locks_per_xact * (MaxBackends + max_prepared_xacts) / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows to check in one transaction"),
				 errdetail("The transaction has taken %d advisory locks on keys of rows.",
						   count),
				 errhint("Before rows are written, execute LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE; then none are taken.",
						 name_qualified(check->table))));
}

/*
 * Hash the scope of a row, so that equal scopes have equal hashes.  Columns of types
 * without a hash function add 0.
 */
static uint64
scope_hash(const RowCheck *check, HeapTuple row)
{
	TupleDesc	desc = RelationGetDescr(check->call->tg_relation);
	uint64		hash = 0;

	for (int i = 0; i < check->condition_count; i++)
	{
		Form_pg_attribute column = check->conditions[i].column;
		TypeCacheEntry *type = lookup_type_cache(column->atttypid,
												 TYPECACHE_HASH_EXTENDED_PROC_FINFO);
		bool		isnull;
		Datum		value = SPI_getbinval(row, desc, column->attnum, &isnull);
		Datum		add = UInt64GetDatum(0);

		if (check->conditions[i].distance != NULL)
			continue;
		if (!isnull && OidIsValid(type->hash_extended_proc))
			add = FunctionCall2Coll(&type->hash_extended_proc_finfo,
									column->attcollation, value, Int64GetDatum(0));
		hash = hash_combine64(hash, DatumGetUInt64(add));
	}
	return hash;
}

/* Compute the keys to lock for a row; return their number. */
static int
row_keys(const RowCheck *check, HeapTuple row, uint64 *keys)
{
	bool		isnull;
	Datum		sig = SPI_getbinval(row, RelationGetDescr(check->call->tg_relation),
									check->column->attnum, &isnull);
	int			count = isnull ? 0 : banding_plan_keys(DatumGetMinHash(sig), check->threshold,
													   BAND_DEFAULT_RECALL, keys);
	uint64		hash = scope_hash(check, row);

	for (int i = 0; i < count; i++)
		keys[i] ^= hash;
	return count;
}

/* Return true if the row is one that an update flags, and that other rows may name. */
static bool
was_original(const RowCheck *check)
{
	return check->flag != NULL && TRIGGER_FIRED_BY_UPDATE(check->call->tg_event) &&
		heap_attisnull(check->call->tg_trigtuple, check->flag->attnum,
					   RelationGetDescr(check->call->tg_relation));
}

/*
 * Make other writers of rows that may be similar wait for this transaction, in
 * ascending order of the keys.
 */
static void
lock_row(const RowCheck *check)
{
	Relation	table = table_open(check->table, RowExclusiveLock);
	bool		others_wait = CheckRelationLockedByMe(table, ShareRowExclusiveLock, true);
	uint64		keys[2 * BAND_MAX];
	int			count = row_keys(check, check->row, keys);

	table_close(table, NoLock);
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("near-duplicates can be checked only at isolation level READ COMMITTED"),
				 errdetail("An older snapshot would miss rows that other transactions have inserted."),
				 errhint("Use BEGIN ISOLATION LEVEL READ COMMITTED for transactions that write to the table.")));
	if (others_wait)
		return;
	if (was_original(check))
		count += row_keys(check, check->call->tg_trigtuple, keys + count);
	qsort(keys, count, sizeof(uint64), compare_uint64);
	for (int i = 0; i < count; i++)
		lock_key(check, keys[i]);
}

/*** The search ***/

/* Ignore a row of the trigger's table; return false if it is ignored already. */
static bool
ignore_row(RowCheck *check, ItemPointer tid)
{
	for (int i = 0; i < check->ignored->nelems; i++)
		if (ItemPointerEquals(tid, (ItemPointer) DatumGetPointer(check->ignored->dvalues[i])))
			return false;
	accumArrayResult(check->ignored, PointerGetDatum(tid), false, TIDOID,
					 CurrentMemoryContext);
	return true;
}

/*
 * Ignore the rows that the row to insert conflicts with in a unique index;
 * return true if one of them was not ignored yet.  The checks of deferrable
 * constraints come later, and ON CONFLICT does not know these.
 */
static bool
ignore_conflicts(RowCheck *check)
{
	ResultRelInfo *target = check->target;
	bool		is_new = false;

	ExecOpenIndices(target, true);
	for (int i = 0; i < target->ri_NumIndices; i++)
	{
		Form_pg_index index = target->ri_IndexRelationDescs[i]->rd_index;
		ItemPointerData tid;

		if (index->indisunique && index->indimmediate && index->indisready &&
			!index->indisexclusion &&
			!compat_check_conflict(target, check->slot, check->estate, &tid,
								   list_make1_oid(index->indexrelid)))
			is_new |= ignore_row(check, &tid);
	}
	ExecCloseIndices(target);
	return is_new;
}

/*
 * Lock the row, and find the most similar one that counts.  A row that conflicts
 * may be updated between a search and a check of conflicts, so that their TIDs
 * differ; hence the search is repeated until there is no other conflict.
 */
static void
search_similar(RowCheck *check)
{
	bool		is_update = TRIGGER_FIRED_BY_UPDATE(check->call->tg_event);

	check_prepare_search(check);
	if (check->counts_none)
		return;
	lock_row(check);
	if (is_update)
		ignore_row(check, &check->call->tg_trigtuple->t_self);
	while (check_find_similar(check) && !is_update && ignore_conflicts(check))
		CHECK_FOR_INTERRUPTS();
}

/*** The actions ***/

/* Return the new row with its flag set: the key of the similar row, or NULL. */
static Datum
flag_row(const RowCheck *check)
{
	if (get_typtype(check->flag->atttypid) == TYPTYPE_DOMAIN)
		domain_check(check->key, !check->found, check->flag->atttypid, NULL, NULL);
	return trigger_set_column(check->call, check->flag, check->key, !check->found);
}

/* Flag, skip or reject a row that is similar to another row of the table. */
PG_FUNCTION_INFO_V1(minhash_check_trigger);
Datum
minhash_check_trigger(PG_FUNCTION_ARGS)
{
	TriggerData *call = check_row_trigger(fcinfo, "minhash_check_trigger");
	RowCheck	check = {.fcinfo = fcinfo,.call = call};
	bool		changed;

	check_read_arguments(&check);
	compute_row(&check);
	changed = has_changed(&check);
	if (changed)
		search_similar(&check);
	ExecDropSingleTupleTableSlot(check.slot);
	FreeExecutorState(check.estate);
	if (changed && check.flag != NULL)
		return flag_row(&check);
	if (check.found && check.skips)
		return PointerGetDatum(NULL);
	if (check.found)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("new row for relation \"%s\" is a near-duplicate",
						RelationGetRelationName(call->tg_relation)),
				 errdetail("It is similar to the row with key %s.",
						   TextDatumGetCString(check.key)),
				 errtableconstraint(call->tg_relation, call->tg_trigger->tgname)));
	return PointerGetDatum(trigger_new_row(call));
}

/*-------------------------------------------------------------------------
 *
 * groups_refresh.c
 *	  Bring a table of groups up to date by reading the whole table.
 *
 * One statement reads the table: minhash_cluster() numbers its components, and
 * a full join with the groups adds the old group of each row.
 *
 * The key is unique in a table and its partitions, but not in tables that
 * inherit from it, so their rows are left out.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"


#include "compat.h"
#include "groups.h"
#include "groups_write.h"
#include "support/server_memory.h"

/* Return all rows, and count those that have a component. */
static GroupRow *
load_rows(GroupRows *rows, int64 *present)
{
	GroupRow   *all = alloc_array((uint64) rows->count + 1, sizeof(GroupRow));
	int64		count = 0;

	*present = 0;
	while (groups_next(rows, &all[count]))
		*present += all[count++].component != 0;
	return all;
}

/* Compare the groups with the components of the table, and write the changes. */
GroupsResult
groups_refresh(const Groups *groups)
{
	GroupRows	rows = groups_read_rows(groups,
										"SELECT {either s g}, s.component AS new_grp, "
										"g.grp::int8 AS old_grp, "
										"NULL::text AS event "
										"FROM (SELECT {k t}, {cluster t} OVER () AS component "
										"FROM (SELECT {key t}, {sig t} AS sig FROM {docs} AS t) AS t) AS s "
										"FULL JOIN {groups} AS g ON {same g s}", NULL);
	GroupsResult result;
	GroupRow   *all = load_rows(&rows, &result.rows);
	GroupIds	ids = groups_match(groups, all, rows.count);
	GroupRows	changes = groups_collect(&rows, &ids);

	groups_write_changes(groups, &changes);
	tuplestore_end(changes.store);
	result.groups = ids.components;
	result.changed_rows = changes.count;
	return result;
}

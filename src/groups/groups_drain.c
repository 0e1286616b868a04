/*-------------------------------------------------------------------------
 *
 * groups_drain.c
 *	  Bring a table of groups up to date by reading what has changed.
 *
 * The queue names the rows that have changed; all others are called old here.
 * Two old rows are similar now if and only if they were before, so old rows of
 * different groups are not similar, and only these questions are open:
 *
 *	1. To which old rows are the changed rows similar?
 *	2. Are the old rows of a group that has lost rows still connected?
 *
 * A group for which the second answer is known to be yes remains whole: it is a
 * single node of a graph, and none of its rows is read.  The old rows of other
 * groups are read and compared, together with all changed rows, by
 * minhash_cluster(); each of their components is a node, too.  A changed row
 * that is similar to an old row of a whole group connects the two nodes.  The
 * components of this graph then get their ids as in a complete refresh; each
 * node weighs the number of rows that it stands for.  All changes are judged
 * together, because two of them may split a group that neither alone would.
 *
 * The answer to the second question is yes if nothing has left the group; for
 * other cases see groups_connected.c.  Small groups are read in any case, because
 * that costs less than a search.
 *
 * All statements read the same snapshot.  Changed rows are excluded by their
 * TIDs, in the table or in the table of groups.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "compat.h"
#include "groups.h"
#include "groups_connected.h"
#include "groups_write.h"
#include "support/server_memory.h"

/* A group that has lost rows is read if it has fewer rows than this. */
#define SMALL_GROUP 50

/* Groups of more rows than this are looked up by a plan of any kind. */
#define MANY_NEIGHBORS 1000

/* A condition: row g of the table of groups is that of an old row. */
#define IS_OLD \
	"g.ctid NOT IN (SELECT c.grp_place FROM changed AS c WHERE c.grp_place IS NOT NULL)"

/* A changed row is similar to an old row of a group. */
typedef struct Contact
{
	int64		row;			/* number of the changed row, from 1 */
	int64		group;
} Contact;

/* The graph of components and whole groups; its nodes are numbered from 1. */
typedef struct Graph
{
	GroupList	whole;			/* sorted; their nodes follow the components */
	GroupRow   *rows;			/* those read, and one for each whole group */
	int64		num_rows;
	int64		present;		/* rows of the table among these */
	int64		components;		/* the highest number of a component */
	int64	   *parents;		/* of nodes */
	int64	   *component_of;	/* by number of changed row; 0 if it is gone */
} Graph;

/*** Reading ***/

/*
 * Read the changed rows: their numbers, their present signatures and TIDs (NULL
 * if a row is gone), the signatures that they had, and their old groups.
 */
static GroupRows
read_changed(const Groups *groups)
{
	return groups_read_rows(groups,
							"SELECT {k q}, row_number() OVER () AS n, "
							"{sig t} AS sig, t.tableoid AS part, t.ctid AS place, "
							"q.lost, g.grp::int8 AS grp, g.ctid AS grp_place "
							"FROM (SELECT {k q}, array_agg(q.sig) "
							"FILTER (WHERE q.sig IS NOT NULL) AS lost "
							"FROM (SELECT {key q}, {sig q} AS sig FROM {queue} AS q) AS q "
							"GROUP BY {k q}) AS q "
							"LEFT JOIN {docs} AS t ON {same t q} "
							"LEFT JOIN {groups} AS g ON {same g q}", NULL);
}

/*
 * Find the groups of the old rows that changed rows are similar to.  If there
 * are many such rows, a hash join with the groups may be cheaper than a lookup
 * for each; the planner, which knows their number, chooses.
 */
static Contact *
read_contacts(Groups *groups, int64 *count)
{
	GroupRows	near = groups_read_rows(groups,
										"SELECT {k t}, c.n FROM changed AS c CROSS JOIN LATERAL "
										"(SELECT {key t} FROM {docs} AS t WHERE {similar t c}) AS t",
										NULL);
	bool		are_many = near.count > MANY_NEIGHBORS;
	Contact    *contacts;

	groups_register(&near, "near");
	if (are_many)
		groups_use_any(groups);
	groups_read(groups,
				"SELECT DISTINCT t.n, g.grp::int8 FROM near AS t "
				"JOIN {groups} AS g ON {same g t} WHERE " IS_OLD, NULL);
	if (are_many)
		(void) groups_use_indexes(groups);
	SPI_unregister_relation("near");
	tuplestore_end(near.store);
	*count = (int64) SPI_processed;
	contacts = alloc_array(SPI_processed, sizeof(Contact));
	for (int64 i = 0; i < *count; i++)
	{
		contacts[i].row = groups_result((uint64) i, 1);
		contacts[i].group = groups_result((uint64) i, 2);
	}
	return contacts;
}

/*
 * List the old groups of changed rows.  Those that are small have to be read;
 * with them are those of rows whose old signature the queue does not have.  All
 * have to be read if a changed row has or had a signature of another kind, which
 * can be compared with no other.
 */
static void
list_changed_groups(const Groups *groups, GroupList *small, GroupList *large)
{
	groups_read(groups,
				"SELECT c.grp, CASE WHEN bool_and(c.lost IS NOT NULL) AND "
				"(SELECT count(DISTINCT {kind s}) < 2 FROM changed AS c, "
				"unnest(c.lost || c.sig) AS s(sig)) THEN (SELECT count(*) "
				"FROM (SELECT FROM {groups} AS g WHERE g.grp = c.grp "
				"LIMIT " CppAsString2(SMALL_GROUP) ") AS g) END "
				"FROM changed AS c WHERE c.grp IS NOT NULL GROUP BY c.grp", NULL);
	*small = make_list((int64) SPI_processed);
	*large = make_list((int64) SPI_processed);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		GroupList  *list = groups_result(i, 2) < SMALL_GROUP ? small : large;

		list->groups[list->count++] = groups_result(i, 1);
	}
}

/*
 * List the groups whose rows have to be read, sorted; connected gets those that
 * have lost rows but remain whole.
 */
static GroupList
choose_read(const Groups *groups, GroupList *connected)
{
	GroupList	read;
	GroupList	large;

	list_changed_groups(groups, &read, &large);
	*connected = groups_connected(groups, &large);
	for (int64 i = 0; i < large.count; i++)
		if (list_place(connected, large.groups[i]) < 0)
			read.groups[read.count++] = large.groups[i];
	sort_list(&read);
	return read;
}

/* Read the changed rows, and the old rows of some groups, with components. */
static GroupRows
read_rows(const Groups *groups, const GroupList *read)
{
	GroupsArguments arguments = list_argument(read);

	return groups_read_rows(groups,
							"SELECT {k s}, CASE WHEN s.present THEN {cluster s} OVER () END AS new_grp, "
							"s.grp AS old_grp, NULL::text AS event, s.n FROM ("
							"SELECT {k c}, c.sig, c.place IS NOT NULL AS present, c.grp, c.n "
							"FROM changed AS c "
							"UNION ALL SELECT {k g}, {sig t}, true, g.grp, NULL::int8 "
							"FROM (SELECT {key g}, g.grp::int8 AS grp FROM {groups} AS g "
							"WHERE g.grp = ANY ($1) AND " IS_OLD ") AS g "
							"JOIN {docs} AS t ON {same t g}) AS s", &arguments);
}

/*** The graph ***/

/* List the whole groups that a change touches; each of them is a node. */
static GroupList
choose_whole(const Contact *contacts, int64 num_contacts,
			 const GroupList *connected, const GroupList *read)
{
	GroupList	whole = make_list(num_contacts + connected->count);

	for (int64 i = 0; i < num_contacts; i++)
		if (list_place(read, contacts[i].group) < 0)
			whole.groups[whole.count++] = contacts[i].group;
	for (int64 i = 0; i < connected->count; i++)
		whole.groups[whole.count++] = connected->groups[i];
	sort_list(&whole);
	return whole;
}

/* Fill the graph with the rows that have been read. */
static void
load_rows(Graph *graph, GroupRows *rows, int64 num_changed)
{
	GroupRow   *row = graph->rows =
		alloc_array((uint64) (rows->count + graph->whole.count + 1), sizeof(GroupRow));

	graph->component_of = alloc_array((uint64) num_changed + 1, sizeof(int64));
	for (; groups_next(rows, row); row++)
	{
		bool		is_old;
		Datum		number = slot_getattr(rows->slot, rows->key_columns + 4, &is_old);

		if (!is_old)
			graph->component_of[DatumGetInt64(number)] = row->component;
		graph->present += row->component != 0;
		graph->components = Max(graph->components, row->component);
	}
	graph->num_rows = row - graph->rows;
}

/*
 * Add the nodes of whole groups.  Their old rows are counted only if a component
 * could get the id of one of several groups.
 */
static void
load_whole(const Groups *groups, Graph *graph)
{
	GroupRow   *nodes = graph->rows + graph->num_rows;
	bool		matters = graph->whole.count > 1;

	for (int64 i = 0; i < graph->num_rows; i++)
		matters |= graph->rows[i].component != 0 && graph->rows[i].old_group != 0;
	for (int64 i = 0; i < graph->whole.count; i++)
		nodes[i] = (GroupRow) {graph->components + 1 + i, graph->whole.groups[i], 1};
	if (matters && graph->whole.count > 0)
	{
		GroupsArguments arguments = list_argument(&graph->whole);

		groups_read(groups, "SELECT g.grp::int8, count(*) FROM {groups} AS g "
					"WHERE g.grp = ANY ($1) AND " IS_OLD " GROUP BY g.grp", &arguments);
		for (uint64 i = 0; i < SPI_processed; i++)
			nodes[list_place(&graph->whole, groups_result(i, 1))].rows =
				groups_result(i, 2);
	}
	graph->num_rows += graph->whole.count;
}

/* Return the root of the set that a node is in: its last node. */
static int64
find_root(int64 *parents, int64 node)
{
	while (parents[node] != node)
		node = parents[node] = parents[parents[node]];
	return node;
}

/* Connect components with whole groups. */
static void
connect_nodes(Graph *graph, const Contact *contacts, int64 num_contacts)
{
	int64		nodes = graph->components + graph->whole.count;

	graph->parents = alloc_array((uint64) nodes + 1, sizeof(int64));
	for (int64 i = 0; i <= nodes; i++)
		graph->parents[i] = i;
	for (int64 i = 0; i < num_contacts; i++)
	{
		int64		place = list_place(&graph->whole, contacts[i].group);
		int64		a = find_root(graph->parents, graph->component_of[contacts[i].row]);
		int64		b;

		if (place < 0)
			continue;
		b = find_root(graph->parents, graph->components + 1 + place);
		graph->parents[Min(a, b)] = Max(a, b);
	}
	for (int64 i = 0; i < graph->num_rows; i++)
		graph->rows[i].component = find_root(graph->parents, graph->rows[i].component);
}

/* Decide on the ids of all nodes. */
static GroupIds
match_nodes(const Groups *groups, const Graph *graph)
{
	GroupIds	ids = groups_match(groups, graph->rows, graph->num_rows);

	for (int64 i = 1; i <= graph->components + graph->whole.count; i++)
		ids.ids[i] = ids.ids[find_root(graph->parents, i)];
	return ids;
}

/*** Writing ***/

/* Add to the changes the rows of whole groups that now have another id. */
static void
add_moved(const Groups *groups, const Graph *graph, const GroupIds *ids,
		  GroupRows *changes)
{
	GroupsArguments arguments = {.count = 2,.types = {INT8OID, INT8OID}};

	for (int64 i = 0; i < graph->whole.count; i++)
	{
		GroupRow	node = {.component = graph->components + 1 + i,.old_group = graph->whole.groups[i]};

		if (group_ids_of(ids, &node) == node.old_group)
			continue;
		arguments.values[0] = Int64GetDatum(node.old_group);
		arguments.values[1] = Int64GetDatum(group_ids_of(ids, &node));
		groups_add_rows(groups, changes,
						psprintf("SELECT {key g}, $2, g.grp::int8, '%s'::text, NULL::int8 "
								 "FROM {groups} AS g WHERE g.grp = $1 AND " IS_OLD,
								 group_ids_event(ids, &node)), &arguments);
	}
}

/* Update the groups that the changes in the queue touch. */
GroupsResult
groups_drain(Groups *groups)
{
	Graph		graph = {0};
	GroupsResult result;
	GroupRows	changed;
	GroupRows	rows;
	GroupRows	changes;
	GroupList	connected;
	GroupList	read;
	Contact    *contacts;
	int64		num_contacts;
	GroupIds	ids;

	changed = read_changed(groups);
	groups_register(&changed, "changed");
	contacts = read_contacts(groups, &num_contacts);
	read = choose_read(groups, &connected);
	rows = read_rows(groups, &read);
	graph.whole = choose_whole(contacts, num_contacts, &connected, &read);
	load_rows(&graph, &rows, changed.count);
	load_whole(groups, &graph);
	connect_nodes(&graph, contacts, num_contacts);
	ids = match_nodes(groups, &graph);
	changes = groups_collect(&rows, &ids);
	add_moved(groups, &graph, &ids, &changes);
	groups_write_changes(groups, &changes);
	SPI_unregister_relation("changed");
	tuplestore_end(changed.store);
	tuplestore_end(changes.store);
	result = (GroupsResult) {graph.present, ids.components, changes.count};
	return result;
}

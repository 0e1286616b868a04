/*-------------------------------------------------------------------------
 *
 * groups_connected.c
 *	  Find out whether groups that have lost rows are still connected.
 *
 * Old rows are those that have not changed; see groups_drain.c.
 *
 * Take the rows that a group has lost, with the signatures that they had, and
 * the components that these form among themselves.  The old rows similar to a
 * row of such a component are its neighbors.  If the neighbors of each
 * component are connected among themselves, then so are all old rows of the
 * group: any path between two of them that led through a component of lost rows
 * entered it from one of its neighbors and left it to another, and these two
 * are connected without it.  A signature that a row had only between two
 * refreshes makes a component larger, which does no harm.
 *
 * Neighbors are connected if all of them are similar to one, the center of a
 * star.  To test that takes a single comparison for each, so the neighbor that
 * is most similar to a lost row is tried as the center first; only if that fails
 * does minhash_cluster() find the components of the neighbors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/spi.h"
#include "miscadmin.h"

#include "compat.h"
#include "groups_connected.h"
#include "search/similar.h"
#include "support/server_memory.h"

/* With this number of neighbors or more, all rows of the groups are read. */
#define MAX_NEIGHBORS 50000

/* The neighbors of a component of lost rows. */
typedef struct Star
{
	int64		group;
	int64		lost;			/* the component of lost rows */
	double		similarity;		/* of the center to a lost row */
	MinHash    *center;
	bool		is_broken;		/* a neighbor is not similar to the center */
} Star;

/*
 * Read the neighbors of lost rows: the group, the component of lost rows, the
 * signature, and the similarity to the lost row, star by star.  OFFSET 0 keeps
 * the planner from joining in another order and sorting all neighbors at the
 * end, so that LIMIT ends the search early.
 */
static GroupRows
read_neighbors(const Groups *groups, const GroupList *large)
{
	GroupsArguments arguments = list_argument(large);

	return groups_read_rows(groups,
							"SELECT c.grp, c.q, t.sig, {jaccard t c} AS similarity "
							"FROM (SELECT c.grp, c.sig, {cluster c} OVER (PARTITION BY c.grp) AS q "
							"FROM (SELECT c.grp, o.sig FROM changed AS c, unnest(c.lost) AS o(sig) "
							"WHERE c.grp = ANY ($1)) AS c ORDER BY 1, 3) AS c "
							"CROSS JOIN LATERAL (SELECT {sig t} AS sig FROM {docs} AS t "
							"WHERE {similar t c} AND (t.tableoid, t.ctid) NOT IN "
							"(SELECT c.part, c.place FROM changed AS c WHERE c.place IS NOT NULL) OFFSET 0) AS t "
							"ORDER BY c.grp, c.q LIMIT " CppAsString2(MAX_NEIGHBORS), &arguments);
}

/* Return true if a row belongs to a star. */
static bool
is_in_star(TupleTableSlot *row, const Star *star)
{
	bool		isnull;

	return DatumGetInt64(slot_getattr(row, 1, &isnull)) == star->group &&
		DatumGetInt64(slot_getattr(row, 2, &isnull)) == star->lost;
}

/* Choose the center of each star; return the last star. */
static Star *
choose_centers(GroupRows *neighbors, Star *star)
{
	TupleTableSlot *row = neighbors->slot;
	bool		isnull;

	while (tuplestore_gettupleslot(neighbors->store, true, false, row))
	{
		double		similarity = DatumGetFloat8(slot_getattr(row, 4, &isnull));

		CHECK_FOR_INTERRUPTS();
		if (!is_in_star(row, star))
			*++star = (Star) {
				.group = DatumGetInt64(slot_getattr(row, 1, &isnull)),
				.lost = DatumGetInt64(slot_getattr(row, 2, &isnull)),
				.similarity = -1
			};
		if (similarity <= star->similarity)
			continue;
		star->similarity = similarity;
		star->center = minhash_copy(CurrentMemoryContext,
									DatumGetMinHash(slot_getattr(row, 3, &isnull)));
	}
	return star;
}

/* Find the stars with a neighbor that is not similar to the center. */
static void
test_stars(const Groups *groups, GroupRows *neighbors, Star *star)
{
	bool		isnull;

	tuplestore_rescan(neighbors->store);
	while (tuplestore_gettupleslot(neighbors->store, true, false, neighbors->slot))
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_in_star(neighbors->slot, star))
			star++;
		if (!star->is_broken)
			star->is_broken = !minhash_is_similar(DatumGetMinHash(slot_getattr(neighbors->slot, 3, &isnull)),
												  star->center, groups->threshold, groups->recall);
	}
}

/* Return the groups without a broken star; list the others in *broken. */
static GroupList
divide_groups(const Star *stars, int64 count, GroupList *broken)
{
	GroupList	whole = make_list(count);

	*broken = make_list(count);
	for (int64 i = 1; i <= count; i++)
		if (stars[i].is_broken)
			broken->groups[broken->count++] = stars[i].group;
	for (int64 i = 1; i <= count; i++)
		if (list_place(broken, stars[i].group) < 0)
			whole.groups[whole.count++] = stars[i].group;
	return whole;
}

/*
 * Add those of the broken groups in which the neighbors of each component of
 * lost rows are in one cluster.
 */
static void
add_clustered(const Groups *groups, const GroupRows *neighbors,
			  const GroupList *broken, GroupList *connected)
{
	GroupsArguments arguments = list_argument(broken);

	groups_register(neighbors, "neighbors");
	groups_read(groups,
				"SELECT f.grp FROM (SELECT s.grp, s.q, count(DISTINCT s.component) AS parts "
				"FROM (SELECT s.grp, s.q, {cluster s} OVER (PARTITION BY s.grp, s.q) AS component "
				"FROM neighbors AS s WHERE s.grp = ANY ($1)) AS s "
				"GROUP BY s.grp, s.q) AS f GROUP BY f.grp HAVING bool_and(f.parts = 1)",
				&arguments);
	SPI_unregister_relation("neighbors");
	for (uint64 i = 0; i < SPI_processed; i++)
		connected->groups[connected->count++] = groups_result(i, 1);
}

/* List those of the large groups whose old rows are known to be connected. */
GroupList
groups_connected(const Groups *groups, const GroupList *large)
{
	GroupList	connected = make_list(0);
	Star	   *stars;
	Star	   *last;
	GroupRows	neighbors;
	GroupList	broken;

	if (large->count == 0)
		return connected;
	neighbors = read_neighbors(groups, large);
	if (neighbors.count < MAX_NEIGHBORS)
	{
		/* The first one, of group 0, stands in front of the others. */
		stars = alloc_zeros((uint64) neighbors.count + 1, sizeof(Star));
		last = choose_centers(&neighbors, stars);
		test_stars(groups, &neighbors, stars);
		connected = divide_groups(stars, last - stars, &broken);
		if (broken.count > 0)
			add_clustered(groups, &neighbors, &broken, &connected);
		sort_list(&connected);
	}
	tuplestore_end(neighbors.store);
	return connected;
}

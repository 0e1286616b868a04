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

/* The stars of all groups. */
typedef struct Stars
{
	Star	   *stars;
	int64		count;
	int64		room;
	int64		last;			/* place of the last one used */
} Stars;

/*
 * Read the neighbors of lost rows: the group, the component of lost rows, the
 * signature, and the similarity to the lost row.
 */
static GroupRows
read_neighbors(const Groups *groups, const GroupList *large)
{
	GroupsArguments arguments = list_argument(large);

	return groups_read_rows(groups,
							"SELECT c.grp, c.q, t.sig, {jaccard t c} AS similarity "
							"FROM (SELECT c.grp, c.sig, {cluster c} OVER (PARTITION BY c.grp) AS q "
							"FROM (SELECT c.grp, o.sig FROM changed AS c, unnest(c.lost) AS o(sig) "
							"WHERE c.grp = ANY ($1)) AS c) AS c "
							"CROSS JOIN LATERAL (SELECT {sig t} AS sig FROM {docs} AS t "
							"WHERE {similar t c} AND (t.tableoid, t.ctid) NOT IN "
							"(SELECT c.part, c.place FROM changed AS c WHERE c.place IS NOT NULL)) AS t "
							"LIMIT " CppAsString2(MAX_NEIGHBORS), &arguments);
}

/* Return the star of a row, which is mostly that of the row before. */
static Star *
find_star(Stars *stars, TupleTableSlot *slot)
{
	bool		isnull;
	int64		group = DatumGetInt64(slot_getattr(slot, 1, &isnull));
	int64		lost = DatumGetInt64(slot_getattr(slot, 2, &isnull));

	for (int64 i = 0; i < stars->count; i++)
	{
		int64		place = (stars->last + i) % stars->count;

		if (stars->stars[place].group == group && stars->stars[place].lost == lost)
		{
			stars->last = place;
			return &stars->stars[place];
		}
	}
	if (stars->count == stars->room)
	{
		stars->room *= 2;
		stars->stars = repalloc_huge(stars->stars, (Size) stars->room * sizeof(Star));
	}
	stars->last = stars->count++;
	stars->stars[stars->last] = (Star) {.group = group,.lost = lost,.similarity = -1};
	return &stars->stars[stars->last];
}

/* Choose the center of each star. */
static void
choose_centers(Stars *stars, GroupRows *neighbors)
{
	bool		isnull;

	while (tuplestore_gettupleslot(neighbors->store, true, false, neighbors->slot))
	{
		Star	   *star = find_star(stars, neighbors->slot);
		double		similarity = DatumGetFloat8(slot_getattr(neighbors->slot, 4, &isnull));

		CHECK_FOR_INTERRUPTS();
		if (similarity <= star->similarity)
			continue;
		star->similarity = similarity;
		star->center = minhash_copy(CurrentMemoryContext,
									DatumGetMinHash(slot_getattr(neighbors->slot, 3, &isnull)));
	}
}

/* Find the stars with a neighbor that is not similar to the center. */
static void
test_stars(const Groups *groups, Stars *stars, GroupRows *neighbors)
{
	bool		isnull;

	tuplestore_rescan(neighbors->store);
	while (tuplestore_gettupleslot(neighbors->store, true, false, neighbors->slot))
	{
		Star	   *star = find_star(stars, neighbors->slot);

		CHECK_FOR_INTERRUPTS();
		if (!star->is_broken)
			star->is_broken = !minhash_is_similar(DatumGetMinHash(slot_getattr(neighbors->slot, 3, &isnull)),
												  star->center, groups->threshold, groups->recall);
	}
}

/* Return the groups without a broken star; list the others in *broken. */
static GroupList
divide_groups(const Stars *stars, GroupList *broken)
{
	GroupList	whole = make_list(stars->count);

	*broken = make_list(stars->count);
	for (int64 i = 0; i < stars->count; i++)
		if (stars->stars[i].is_broken)
			broken->groups[broken->count++] = stars->stars[i].group;
	sort_list(broken);
	for (int64 i = 0; i < stars->count; i++)
		if (list_place(broken, stars->stars[i].group) < 0)
			whole.groups[whole.count++] = stars->stars[i].group;
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
	Stars		stars = {.room = 64};
	GroupRows	neighbors;
	GroupList	broken;

	if (large->count == 0)
		return connected;
	neighbors = read_neighbors(groups, large);
	if (neighbors.count < MAX_NEIGHBORS)
	{
		stars.stars = palloc(sizeof(Star) * stars.room);
		choose_centers(&stars, &neighbors);
		test_stars(groups, &stars, &neighbors);
		connected = divide_groups(&stars, &broken);
		if (broken.count > 0)
			add_clustered(groups, &neighbors, &broken, &connected);
		sort_list(&connected);
	}
	tuplestore_end(neighbors.store);
	return connected;
}

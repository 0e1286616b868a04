/*-------------------------------------------------------------------------
 *
 * division.c
 *	  Divide connected components into groups in which enough pairs are similar.
 *
 * A component keeps only the pairs' transitive closure: by a chain of similar
 * pairs, its first and last signature need have nothing in common.  The rule of
 * division.h is Kruskal's algorithm (1956) with a condition at each join, and
 * lies between single linkage (agreement 0) and complete linkage (1).
 *
 * Components first.  Groups are parts of connected components, so pairs_find()
 * finds these, with copies set aside, and each is then divided by itself.  So
 * the groups of a component depend on its own signatures and on their order
 * alone.  Most components of most tables are pairs, or need no division.
 *
 * Sorted pairs.  The similar pairs of a component are sorted by their estimate,
 * ties by their first and then their second signature.  Each one in turn joins its
 * groups if they may join, which component.c decides by all pairs between them.
 *
 * Levels.  In components with more than SORTED_NODES signatures or SORTED_PAIRS
 * similar pairs, a search finds the pairs of at least similarity .95, then .90, and
 * so on down to the threshold.  A pair must be similar under the plan of its level
 * and under that of the threshold; the last search runs under the latter alone, so
 * that it finds each similar pair between two groups.  Within a level, the order of
 * the search decides; it depends on the signatures of the component and their order
 * alone.
 *
 * Levels only put strong pairs first.  Each level above the threshold has a budget
 * of LEVEL_BUDGET comparisons a signature, and JOIN_BUDGET more for each join, because
 * texts of one template have a quadratic number of pairs at the levels next to their
 * similarity; the search at the threshold finds what a level has left.  Links at
 * agreement 0 have no budget, because those of at least the similarity of a level are
 * to connect its components.
 *
 * Completeness.  If the last similar pair between two groups has been taken, the
 * groups may not join: either it was refused, or a group has grown since.  Then
 * the share of the grown group is a mean of those of its two parts, and at most
 * the larger; by induction neither part might join, or it had no similar pair.
 * So no two groups are left that might join.
 *
 * Copies have weight but are not compared.  Judged signatures are not set aside
 * as copies, because a judgment holds only one of them apart.
 *
 * Memory: 5 bytes for each signature, up to 6 MB for the pairs of a component, and
 * that of component.c for the component that is divided.
 *
 * Limits: among groups that are held apart though half of their pairs are similar,
 * time grows with the square of the number of groups, and at thresholds at which
 * the search for components grows, as there.
 *
 *-------------------------------------------------------------------------
 */
#include "division.h"

#include <string.h>

#include "bucket.h"
#include "component.h"

#define SORTED_NODES 2048
#define SORTED_PAIRS 131072		/* all pairs of 512 signatures */
#define PAIRS_ROOM (SORTED_PAIRS + SORTED_NODES)
#define LEVELS 20				/* between similarity 0 and 1 */
#define LEVEL_BUDGET 64			/* comparisons a node above the threshold */
#define JOIN_BUDGET 512			/* comparisons that a join adds to a budget */
#define THRESHOLD_BUDGET 256	/* comparisons a node at the threshold, before
								 * few groups are all asked */
#define ASK_COST 128			/* comparisons that a question costs */

/*** Sorted pairs ***/

/*
 * Add two nodes to the entries if they are similar.  The high half of an entry
 * orders it by descending estimates, which differ by at least 2^-24.
 */
static void
add_pair(const Component *component, uint32_t a, uint32_t b, Bucket *pairs)
{
	double		estimate = component_estimate(component, a, b);

	if (estimate < 0)
		return;
	pairs->entries[pairs->count++] =
		make_entry(UINT32_MAX - (uint32_t) (estimate * (UINT32_MAX / 2)), a << 16 | b);
	component->similar[(size_t) a * component->count + b] = true;
	component->similar[(size_t) b * component->count + a] = true;
}

/* Find the similar pairs of nodes; stop if there are too many. */
static void
find_node_pairs(const Component *component, Bucket *pairs)
{
	for (uint32_t a = 0; a < component->count && pairs->count <= SORTED_PAIRS; a++)
	{
		pairs_tick(component->search);
		for (uint32_t b = a + 1; b < component->count; b++)
			add_pair(component, a, b, pairs);
	}
}

/* Take all similar pairs of a component, the strongest first, unless there are too many. */
static bool
take_sorted(Component *component, uint64_t *room)
{
	const Division *division = component->division;
	size_t		count = component->count;
	Bucket		pairs = {room, room + PAIRS_ROOM, 0, 0, 1};

	if (count > SORTED_NODES || (division->max_sorted > 0 && count > division->max_sorted))
		return false;
	component->similar = core_allocate_zeros(count * count * sizeof(bool));
	find_node_pairs(component, &pairs);
	bucket_sort(&pairs);
	for (size_t i = 0; i < pairs.count && pairs.count <= SORTED_PAIRS; i++)
	{
		uint32_t	nodes = entry_signature(pairs.entries[i]);

		component_join(component, nodes >> 16, nodes & UINT16_MAX);
		pairs_tick_sometimes(component->search, i);
	}
	core_release(component->similar);
	component->similar = NULL;
	return pairs.count <= SORTED_PAIRS;
}

/*** Levels ***/

/* Look up two groups among the refusals. */
static bool
may_join(PairSearch *part, uint32_t root_a, uint32_t root_b)
{
	return component_may_join(part->hook_data, root_a, root_b);
}

/* Join the groups of a similar pair if they may join. */
static bool
join_pair_groups(PairSearch *part, uint32_t a, uint32_t b)
{
	if (!component_join(part->hook_data, a, b))
		return false;
	part->max_compared += JOIN_BUDGET;
	return true;
}

/* Search at a level, with a budget a node; return false if it was used up. */
static bool
search_level(PairSearch *part, const BandPlan *plan, uint64_t budget)
{
	pairs_change_plan(part, plan);
	part->compared = 0;
	part->max_compared = budget * part->added;
	pairs_find(part);
	return part->compared < part->max_compared;
}

/*
 * Ask about each two groups, the first ones first, and join those that may join, if
 * that takes fewer comparisons than the pairs of nodes.  It finds no links.
 */
static bool
ask_all(Component *component)
{
	const Division *division = component->division;
	double		nodes = component->count;
	uint32_t   *roots = core_allocate(component->count * sizeof(uint32_t));
	size_t		count = 0;
	bool		are_few;

	for (uint32_t node = 0; node < component->count; node++)
		if (component->parents[node] == node)
			roots[count++] = node;
	are_few = division->agreement > 0 && division->links == NULL &&
		(double) count * (double) count * ASK_COST < nodes * nodes;
	for (size_t i = 0; i < count && are_few; i++)
		for (size_t j = i + 1; j < count && component->parents[roots[i]] == roots[i]; j++)
			if (component->parents[roots[j]] == roots[j] &&
				component_join(component, roots[i], roots[j]))
				j = i;			/* the group has grown: ask the others again */
	core_release(roots);
	return are_few;
}

/* Take the pairs of a component level by level, and at last those at the threshold. */
static void
take_levels(Component *component, PairSearch *part)
{
	const Division *division = component->division;
	const BandPlan *last = &component->search->plan;
	uint32_t	budget = division->links != NULL && division->agreement == 0 ?
		UINT32_MAX : LEVEL_BUDGET;

	for (int level = LEVELS - 1; (double) level / LEVELS > last->threshold; level--)
	{
		BandPlan	plan = band_plan((double) level / LEVELS, division->recall, part->num_hashes);

		search_level(part, &plan, budget);
	}
	if (!search_level(part, last, THRESHOLD_BUDGET) && !ask_all(component))
		search_level(part, last, UINT32_MAX);
}

/* Search the pairs of a component by itself, in the room of the components before it. */
static void
search_component(Component *component)
{
	PairSearch *search = component->search;
	PairSearch	part = *search;

	part.max_signatures = part.added = component->count;
	part.parents = component->parents;
	part.nodes = component->nodes;
	part.skipped = core_allocate(component->count * sizeof(bool));
	part.hook_data = component;
	part.join = join_pair_groups;
	part.may_join = may_join;
	part.within = &search->plan;
	part.signatures = part.components = 0;
	part.cost = 0;
	for (uint32_t node = 0; node < component->count; node++)
	{
		part.skipped[node] = search->skipped[component->nodes[node]];
		part.signatures += !part.skipped[node];
		part.components += component->parents[node] == node;
		pairs_tick_sometimes(search, node);
	}
	take_levels(component, &part);
	core_release(part.skipped);
}

/*** Components ***/

/* Mark the judged signatures, and merge the components of those judged the same. */
static void
read_judgments(PairSearch *search, Division *division)
{
	for (size_t i = 0; i < division->num_different; i++)
		division->judged[division->different[i] >> 32] |= JUDGED_DIFFERENT;
	for (size_t i = 0; i < division->num_same; i++)
	{
		uint32_t	a = (uint32_t) (division->same[i] >> 32);
		uint32_t	b = (uint32_t) division->same[i];
		uint32_t	root_a = pairs_root(search->parents, a);
		uint32_t	root_b = pairs_root(search->parents, b);

		pairs_tick_sometimes(search, i);
		division->judged[a] |= JUDGED_SAME;
		if (root_a == root_b)
			continue;
		search->parents[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
		if (!search->skipped[a] && !search->skipped[b])
			search->components--;
	}
}

/*
 * Weigh each signature by its copies, which are linked to it; find a signature of
 * the component of each one, and list those to divide.
 */
static Bucket
list_signatures(PairSearch *search, Division *division)
{
	Bucket		all = {search->work + search->max_signatures, search->work, 0, 0, 1};

	for (uint32_t i = 0; i < search->added; i++)
	{
		bool		is_copy = search->skipped[i] && division->judged[i] == 0;
		uint32_t	first = is_copy ? search->parents[i] : i;
		uint32_t	root = pairs_root(search->parents, first);

		pairs_tick_sometimes(search, i);
		division->weights[first]++;
		if (division->links != NULL)
			division->links[i] = first;
		if (division->components != NULL)
			division->components[i] = root;
		if (!search->skipped[i] || division->judged[i] & JUDGED_SAME)
			all.entries[all.count++] = make_entry(root, i);
	}
	return all;
}

/* Return true if a component may consist of several groups, or links are wanted. */
static bool
needs_division(PairSearch *search, const Division *division, const Bucket *component)
{
	bool		needs = division->links != NULL || (division->agreement > 0 && component->count > 2);

	for (size_t i = 0; i < component->count && division->num_different > 0 && !needs; i++)
	{
		pairs_tick_sometimes(search, i);
		needs = division->judged[entry_signature(component->entries[i])] & JUDGED_DIFFERENT;
	}
	return needs && component->count > 1;
}

/* Divide a component. */
static void
divide(PairSearch *search, const Division *division, const Bucket *entries, uint64_t *room)
{
	uint32_t   *nodes = core_allocate(entries->count * sizeof(uint32_t));
	Component	component = {.search = search,.division = division,.count = (uint32_t) entries->count,.nodes = nodes};

	for (size_t i = 0; i < entries->count; i++)
		nodes[i] = entry_signature(entries->entries[i]);
	component_begin(&component);
	if (!take_sorted(&component, room))
		search_component(&component);
	component_end(&component);
	core_release(nodes);
}

/*
 * Find components, and divide those that need it.  Their entries are in the second
 * half of the room, so that all of it before the end of a component is free for a search.
 */
void
division_find(PairSearch *search, Division *division)
{
	uint64_t   *room = NULL;
	Bucket		all;
	size_t		end;

	division->weights = core_allocate_zeros(search->added * sizeof(uint32_t));
	division->judged = core_allocate_zeros(search->added * sizeof(uint8_t));
	search->judged = division->judged;
	read_judgments(search, division);
	pairs_find(search);
	all = list_signatures(search, division);
	bucket_sort(&all);
	for (size_t i = 0; i < all.count; i = end)
	{
		Bucket		component;

		end = bucket_run_end(&all, i);
		component = bucket_part(&all, i, end - i);
		pairs_tick_between(search, i, end);
		if (!needs_division(search, division, &component))
			continue;
		if (room == NULL)
			room = core_allocate(2 * PAIRS_ROOM * sizeof(uint64_t));
		divide(search, division, &component, room);
	}
	if (room != NULL)
		core_release(room);
	core_release(division->weights);
	core_release(division->judged);
}

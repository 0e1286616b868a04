/*-------------------------------------------------------------------------
 *
 * large_division.c
 *	  Divide a large component by a search for pairs that asks at each join.
 *
 * The component's signatures are moved to the front, where a search finds their
 * similar pairs by levels: at similarity .95, then .90, and so on down to the
 * threshold.  A pair must be similar under the plan of its level and under that
 * of the threshold; the last search runs under the latter alone, so that it finds
 * each similar pair between two groups.  A pair joins its groups if they may join.
 * Within a level, the order of the search decides; it depends on the signatures
 * of the component and their order alone.
 *
 * Levels only put strong pairs first.  Each level above the threshold has a budget
 * of LEVEL_BUDGET comparisons a signature, and JOIN_BUDGET more for each join, because
 * texts of one template have a quadratic number of pairs at the levels next to their
 * similarity; the search at the threshold finds what a level has left.  Links at
 * agreement 0 have no budget, because those of at least the similarity of a level are
 * to connect its components.
 *
 * Share.  Between groups that have at most EXACT_PAIRS pairs with copies, all are
 * compared, until enough are similar; between others a fixed sample of up to
 * MAX_SAMPLES.  It ends early if the share differs from the agreement by more than
 * the margin that Hoeffding's inequality (1963) gives for an error of 1 in 80,000.
 * The full sample has a standard error of at most .004.  Most groups that are asked
 * about are far from the agreement.  So between groups with more than FEW_PAIRS
 * pairs, a first sample of SAMPLES_AT_ONCE comes before all pairs, and can refuse.
 *
 * Refusals are kept in a table of fixed size, each with an upper bound of the
 * number of similar pairs.  Groups that have grown since are asked about again
 * only if they might join in case that all pairs since are similar.  So two groups are
 * asked about a number of times that is logarithmic in their growth.  Pairs of groups
 * in the table are not compared.
 *
 * Members.  To draw samples, the members of a group, with copies, lie side by side
 * in an array of twice their number.  If groups join, those of the smaller one are
 * copied behind those of the larger, which moves to the end of what is used if it has
 * no room; if there is no end left, all groups are copied to a new array, with room
 * to grow by a quarter.
 *
 * Memory: 16 bytes for each signature of the component, 8 for each copy, as much
 * again for copies while the array is renewed, and 3 MB.
 *
 * Limits: among groups that are held apart though half of their pairs are similar,
 * time grows with the square of the number of groups, and at thresholds at which
 * the search for components grows, as there.
 *
 *-------------------------------------------------------------------------
 */
#include "large_division.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bucket.h"
#include "core/base/hash.h"
#include "judged.h"

#define LEVELS 20				/* between similarity 0 and 1 */
#define LEVEL_BUDGET 64			/* comparisons a node above the threshold */
#define JOIN_BUDGET 512			/* comparisons that a join adds to a budget */
#define THRESHOLD_BUDGET 256	/* comparisons a node at the threshold, before
								 * few groups are all asked */
#define ASK_COST 128			/* comparisons of a comb in an ask() */
#define FEW_PAIRS 128
#define EXACT_PAIRS 4096
#define MAX_SAMPLES 16384
#define SAMPLES_AT_ONCE 32
#define MARGIN 6.0				/* half the logarithm of 160,000 */
#define REFUSALS 262144			/* of which the table has room, a power of 2 */

/* Two groups that may not join, given by their roots. */
typedef struct Refusal
{
	uint32_t	a;
	uint32_t	b;
	float		until;			/* with fewer pairs between them they may not */
} Refusal;

/* The work on a component.  Its signatures are nodes, numbered from 0. */
typedef struct Large
{
	PairSearch	search;			/* of nodes */
	const PairSearch *whole;	/* of all, with the threshold's plan */
	const Division *division;
	const LargeComponent *component;
	uint32_t   *sizes;			/* members of the group of each root */
	uint32_t   *members;		/* nodes, those of a group side by side */
	size_t		num_members;
	size_t		used;			/* of 2 * num_members places */
	uint32_t   *starts;			/* of the members of the group of each root */
	uint32_t   *rooms;			/* places from there on that are its own */
	uint64_t   *different;		/* pairs of nodes judged different */
	size_t		num_different;
	Refusal		refusals[REFUSALS];
} Large;

/*** Members of groups ***/

/* Return a member of a group, by its number from 0. */
static inline uint32_t
member(const Large *large, uint32_t root, uint32_t number)
{
	return large->members[large->starts[root] + number];
}

/* Move the members of a group to the end of an array, with room for more. */
static void
move_members(Large *large, uint32_t root, uint32_t *members, uint32_t size)
{
	memcpy(members + large->used, large->members + large->starts[root],
		   large->sizes[root] * sizeof(uint32_t));
	large->starts[root] = (uint32_t) large->used;
	large->rooms[root] = size + size / 4;
	large->used += large->rooms[root];
}

/* Return a new array of members, without those of a group that joins another. */
static uint32_t *
renew_members(Large *large, uint32_t group, uint32_t joining)
{
	uint32_t   *members =
		large->division->memory->allocate(2 * large->num_members * sizeof(uint32_t));

	large->used = 0;
	for (uint32_t node = 0; node < large->component->count; node++)
	{
		if (large->search.parents[node] == node && node != joining)
			move_members(large, node, members, large->sizes[node] +
						 (node == group ? large->sizes[joining] : 0));
		pairs_tick_sometimes(&large->search, node);
	}
	return members;
}

/* Join two groups, given by their roots. */
static void
join_groups(Large *large, uint32_t a, uint32_t b)
{
	uint32_t	root = a < b ? a : b;
	uint32_t	larger = large->sizes[a] >= large->sizes[b] ? a : b;
	uint32_t	smaller = larger == a ? b : a;
	uint32_t	size = large->sizes[a] + large->sizes[b];
	uint32_t   *old = large->members;
	const uint32_t *from = old + large->starts[smaller];

	if (size > large->rooms[larger])
	{
		if (large->used + size + size / 4 <= 2 * large->num_members)
			move_members(large, larger, old, size);
		else
			large->members = renew_members(large, larger, smaller);
	}
	memcpy(large->members + large->starts[larger] + large->sizes[larger], from,
		   large->sizes[smaller] * sizeof(uint32_t));
	if (large->members != old)
		large->division->memory->release(old);
	large->starts[root] = large->starts[larger];
	large->rooms[root] = large->rooms[larger];
	large->sizes[root] = size;
	large->search.parents[a < b ? b : a] = root;
}

/*** May two groups join? ***/

/* Return true if any node of a group was judged different from one of another. */
static bool
are_apart(Large *large, uint32_t a, uint32_t b)
{
	uint32_t	smaller = large->sizes[a] < large->sizes[b] ? a : b;
	uint32_t	larger = smaller == a ? b : a;

	for (uint32_t i = 0; i < large->sizes[smaller] && large->num_different > 0; i++)
	{
		uint32_t	node = member(large, smaller, i);
		size_t		place = judged_place(large->different, large->num_different, node);

		for (; judged_at(large->different, large->num_different, place, node); place++)
			if (pairs_root(&large->search, (uint32_t) large->different[place]) == larger)
				return true;
		pairs_tick_sometimes(&large->search, i);
	}
	return false;
}

/* Return true if two nodes are similar at the threshold. */
static bool
are_similar(Large *large, uint32_t a, uint32_t b)
{
	PairSearch *search = &large->search;

	pairs_count_verified(search);
	return !search->skipped[a] && !search->skipped[b] && pairs_are_similar(large->whole, a, b);
}

/* Count similar pairs of two groups until they are enough. */
static double
count_similar(Large *large, uint32_t a, uint32_t b, double pairs)
{
	double		agreement = large->division->agreement;
	double		similar = 0;

	for (uint32_t i = 0; i < large->sizes[a]; i++)
	{
		uint32_t	last = UINT32_MAX;
		bool		is_similar = false;

		for (uint32_t j = 0; j < large->sizes[b] && similar / pairs < agreement; j++)
		{
			uint32_t	node = member(large, b, j);

			if (node != last)
				is_similar = are_similar(large, member(large, a, i), node);
			last = node;
			similar += is_similar;
		}
	}
	return similar;
}

/* Count the similar pairs in a sample of two groups. */
static int
sample_similar(Large *large, uint32_t a, uint32_t b, uint64_t *seed)
{
	int			similar = 0;

	for (int i = 0; i < SAMPLES_AT_ONCE; i++)
	{
		uint64_t	random = *seed = mix64(*seed + 1);
		uint32_t	x = (uint32_t) ((random >> 32) * large->sizes[a] >> 32);
		uint32_t	y = (uint32_t) ((random & UINT32_MAX) * large->sizes[b] >> 32);

		similar += are_similar(large, member(large, a, x), member(large, b, y));
	}
	return similar;
}

/*
 * Return the share of similar pairs between two groups, or an estimate of it; an
 * upper bound if they may not join.
 */
static double
find_share(Large *large, uint32_t a, uint32_t b, double pairs)
{
	double		agreement = large->division->agreement;
	uint64_t	seed = division_pair(a, b) ^ mix64(division_pair(large->sizes[a], large->sizes[b]));
	int			similar = 0;

	for (int samples = SAMPLES_AT_ONCE; pairs > FEW_PAIRS; samples += SAMPLES_AT_ONCE)
	{
		double		margin = sqrt(MARGIN / samples);
		double		share;

		similar += sample_similar(large, a, b, &seed);
		share = (double) similar / samples;
		if (share + margin < agreement)
			return share + margin;
		if (pairs <= EXACT_PAIRS)
			break;
		if (share - margin > agreement || samples == MAX_SAMPLES)
			return share;
	}
	return count_similar(large, a, b, pairs) / pairs;
}

/* Return the place of two groups in the table of refusals. */
static Refusal *
find_refusal(Large *large, uint32_t a, uint32_t b)
{
	uint64_t	pair = a < b ? division_pair(a, b) : division_pair(b, a);

	return &large->refusals[mix64(pair) % REFUSALS];
}

/*
 * Remember that two groups may not join, of whose pairs at most some are similar.
 * Even if all pairs that come are similar, the share reaches the agreement only
 * after (pairs - similar) / (1 - agreement) pairs, here rounded down.
 */
static void
refuse(Large *large, uint32_t a, uint32_t b, double pairs, double similar)
{
	double		until = (pairs - similar) / (1 - large->division->agreement) * 0.999999;

	*find_refusal(large, a, b) =
		(Refusal) {a < b ? a : b, a < b ? b : a, until < FLT_MAX ? (float) until : INFINITY};
}

/* Return false if two groups were refused, and cannot have gained enough since. */
static bool
may_join(PairSearch *search, uint32_t a, uint32_t b)
{
	Large	   *large = search->hook_data;
	const Refusal *refusal = find_refusal(large, a, b);

	return refusal->a != (a < b ? a : b) || refusal->b != (a < b ? b : a) ||
		(double) large->sizes[a] * large->sizes[b] >= refusal->until;
}

/* Return true if two groups may join; remember a refusal. */
static bool
ask(Large *large, uint32_t a, uint32_t b)
{
	double		agreement = large->division->agreement;
	double		pairs = (double) large->sizes[a] * large->sizes[b];
	double		share = 1;

	if (agreement > 0)
		share = find_share(large, a, b, pairs);
	if (share >= agreement && are_apart(large, a, b))
		share = -INFINITY;
	if (share < agreement)
		refuse(large, a, b, pairs, share * pairs);
	return share >= agreement;
}

/* Join the groups of a similar pair if they may join. */
static bool
join(PairSearch *search, uint32_t a, uint32_t b)
{
	Large	   *large = search->hook_data;
	uint32_t	root_a = pairs_root(search, a);
	uint32_t	root_b = pairs_root(search, b);

	if (!may_join(search, root_a, root_b) || !ask(large, root_a, root_b))
		return false;
	links_add(large->division->links, a, b, large->sizes[root_a] >= large->sizes[root_b]);
	join_groups(large, root_a, root_b);
	search->max_compared += JOIN_BUDGET;
	return true;
}

/*** The component ***/

/* Swap two arrays of bytes. */
static void
swap_bytes(void *a, void *b, size_t size)
{
	uint8_t		bytes[2 * SKETCH_MAX_HASHES];

	memcpy(bytes, a, size);
	memcpy(a, b, size);
	memcpy(b, bytes, size);
}

/* Swap two signatures with all that the search and the division have of them. */
static void
swap_signatures(PairSearch *search, const Division *division, size_t a, size_t b)
{
	if (a == b)
		return;
	swap_bytes(pairs_slots(search, a), pairs_slots(search, b),
			   sizeof(uint16_t) * (size_t) search->num_hashes);
	swap_bytes(&search->skipped[a], &search->skipped[b], sizeof(bool));
	swap_bytes(&search->parents[a], &search->parents[b], sizeof(uint32_t));
	swap_bytes(&division->weights[a], &division->weights[b], sizeof(uint32_t));
	if (division->links != NULL)
		swap_bytes(&division->links[a], &division->links[b], sizeof(uint32_t));
}

/* Copy a component. */
LargeComponent *
large_component(const Division *division, const uint64_t *entries, size_t count,
				LargeComponent *next)
{
	LargeComponent *component =
		division->memory->allocate(sizeof(LargeComponent) + count * sizeof(uint32_t));

	component->next = next;
	component->count = (uint32_t) count;
	for (size_t i = 0; i < count; i++)
		component->nodes[i] = entry_signature(entries[i]);
	return component;
}

/* Make a group of each node, whose signatures are at the front. */
static void
begin_groups(Large *large)
{
	const Memory *memory = large->division->memory;
	PairSearch *search = &large->search;
	uint32_t	count = large->component->count;

	large->sizes = large->division->weights;
	for (uint32_t node = 0; node < count; node++)
		large->num_members += large->sizes[node];
	large->members = memory->allocate(2 * large->num_members * sizeof(uint32_t));
	large->starts = memory->allocate(count * sizeof(uint32_t));
	large->rooms = memory->allocate(count * sizeof(uint32_t));
	large->different = memory->allocate(large->division->num_different * sizeof(uint64_t));
	search->signatures = 0;
	for (uint32_t node = 0; node < count; node++)
	{
		search->parents[node] = node;
		search->signatures += !search->skipped[node];
		large->starts[node] = (uint32_t) large->used;
		large->rooms[node] = large->sizes[node];
		for (uint32_t copy = 0; copy < large->sizes[node]; copy++)
			large->members[large->used++] = node;
		if (large->division->links != NULL)
			large->division->links[node] = node;
		pairs_tick_sometimes(search, node);
	}
	search->components = search->signatures;
}

/* Join the nodes of a pair judged the same. */
static void
join_nodes(void *data, uint32_t a, uint32_t b)
{
	Large	   *large = data;
	PairSearch *search = &large->search;
	uint32_t	root_a = pairs_root(search, a);
	uint32_t	root_b = pairs_root(search, b);

	if (root_a == root_b)
		return;
	join_groups(large, root_a, root_b);
	search->components -= !search->skipped[a] && !search->skipped[b];
}

/* List the nodes of a pair judged different. */
static void
list_different(void *data, uint32_t a, uint32_t b)
{
	Large	   *large = data;

	large->different[large->num_different++] = division_pair(a, b);
}

/* Search at a level, with a budget a node; return false if it was used up. */
static bool
search_level(Large *large, const BandPlan *plan, uint64_t budget)
{
	PairSearch *search = &large->search;

	pairs_change_plan(search, plan);
	search->compared = 0;
	search->max_compared = budget * large->component->count;
	pairs_find(search);
	return search->compared < search->max_compared;
}

/* Return the roots of all groups, and their number. */
static uint32_t *
list_roots(Large *large, size_t *count)
{
	const LargeComponent *component = large->component;
	uint32_t   *roots = large->division->memory->allocate(component->count * sizeof(uint32_t));

	*count = 0;
	for (uint32_t node = 0; node < component->count; node++)
		if (large->search.parents[node] == node)
			roots[(*count)++] = node;
	return roots;
}

/* Ask about each two groups, the first ones first, and join those that may join. */
static void
ask_all(Large *large, const uint32_t *roots, size_t count)
{
	uint32_t   *parents = large->search.parents;

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count && parents[roots[i]] == roots[i]; j++)
			if (parents[roots[j]] == roots[j] && may_join(&large->search, roots[i], roots[j]) &&
				ask(large, roots[i], roots[j]))
				join_groups(large, roots[i], roots[j]);
}

/*
 * Find the groups at the threshold.  If the search takes long and there are few
 * groups, ask about all of them: that takes fewer comparisons than their pairs.
 */
static void
search_threshold(Large *large, const BandPlan *plan)
{
	double		nodes = large->component->count;
	uint32_t   *roots;
	size_t		count;

	if (search_level(large, plan, THRESHOLD_BUDGET))
		return;
	roots = list_roots(large, &count);
	if (large->division->agreement > 0 && large->division->links == NULL &&
		(double) count * (double) count * ASK_COST < nodes * nodes)
		ask_all(large, roots, count);
	else
		search_level(large, plan, UINT32_MAX);
	large->division->memory->release(roots);
}

/* Find the groups of the nodes, level by level. */
static void
find_groups(Large *large, const BandPlan *last)
{
	const Division *division = large->division;
	uint32_t	budget = division->links != NULL && division->agreement == 0 ?
		UINT32_MAX : LEVEL_BUDGET;

	for (int level = LEVELS - 1; (double) level / LEVELS > last->threshold; level--)
	{
		BandPlan	plan = band_plan((double) level / LEVELS, large->division->recall,
									 large->search.num_hashes);

		search_level(large, &plan, budget);
	}
	search_threshold(large, last);
}

/* Replace nodes by their signatures in the forest and the links. */
static void
name_signatures(Large *large)
{
	const uint32_t *nodes = large->component->nodes;
	uint32_t   *parents = large->search.parents;
	uint32_t   *links = large->division->links;
	uint32_t	count = large->component->count;

	for (uint32_t node = 0; node < count && links != NULL; node++)
		if (parents[node] == node)
			links_turn(links, node, node);
	for (uint32_t node = count; node-- > 0;)
	{
		parents[node] = nodes[pairs_root(&large->search, node)];
		if (links != NULL)
			links[node] = nodes[links[node]];
	}
}

/* Release the memory of a component; return the next one. */
static LargeComponent *
release(Large *large, LargeComponent *component)
{
	const Memory *memory = large->division->memory;
	LargeComponent *next = component->next;

	memory->release(large->members);
	memory->release(large->starts);
	memory->release(large->rooms);
	memory->release(large->different);
	memory->release(large);
	memory->release(component);
	return next;
}

/* Move the signatures to the front, divide them, and move them back. */
LargeComponent *
large_divide(PairSearch *search, const Division *division, LargeComponent *component)
{
	Large	   *large = memory_allocate_zeros(sizeof(Large), division->memory);
	PairSearch *part = &large->search;

	large->whole = search;
	large->division = division;
	large->component = component;
	for (uint32_t node = 0; node < component->count; node++)
		swap_signatures(search, division, node, component->nodes[node]);
	*part = *search;
	part->max_signatures = part->added = component->count;
	part->hook_data = large;
	part->join = join;
	part->may_join = may_join;
	part->within = &search->plan;
	begin_groups(large);
	judged_pairs(division, true, component->nodes, component->count, join_nodes, large);
	judged_pairs(division, false, component->nodes, component->count, list_different, large);
	find_groups(large, &search->plan);
	name_signatures(large);
	for (uint32_t node = component->count; node-- > 0;)
		swap_signatures(search, division, node, component->nodes[node]);
	return release(large, component);
}

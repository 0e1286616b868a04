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
 * of LEVEL_BUDGET comparisons a signature, because texts of one template have a
 * quadratic number of pairs at the levels next to their similarity; the search at
 * the threshold finds what a level has left.  Links at agreement 0 have no budget,
 * because those of at least the similarity of a level are to connect its components.
 *
 * Share.  Between groups that have at most EXACT_PAIRS pairs with copies, all are
 * compared; between others a fixed sample of up to MAX_SAMPLES.  It ends early if
 * the share differs from the agreement by more than the margin that Hoeffding's
 * inequality (1963) gives for an error of 1 in 80,000.  The full sample has a
 * standard error of at most .004.
 *
 * Refusals are kept in a table of fixed size, each with an upper bound of the
 * number of similar pairs.  Groups that have grown since are asked about again
 * only if they might join in case that all pairs since are similar.  So two groups are
 * asked about a number of times that is logarithmic in their growth.  Pairs of groups
 * in the table are not compared.
 *
 * Members.  To draw samples, the signatures of a group, with copies, are segments
 * of one array.  When groups join, their lists of segments are linked; when the
 * lists that have been read are as long as the component, the array is sorted by
 * group again.
 *
 * Memory: 20 bytes for each signature of the component, 4 for each copy, and
 * 2 MB.
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
#define LEVEL_BUDGET 128		/* comparisons a node at a level above the
								 * threshold */
#define THRESHOLD_BUDGET 1024	/* at the threshold, before few groups are all
								 * asked */
#define EXACT_PAIRS 4096
#define MAX_SAMPLES 16384
#define SAMPLES_AT_ONCE 128
#define MARGIN 6.0				/* half the logarithm of 160,000 */
#define REFUSALS 262144			/* of which the table has room, a power of 2 */
#define MAX_SEGMENTS 1024

/* Two groups that may not join, given by their roots. */
typedef struct Refusal
{
	uint32_t	a;
	uint32_t	b;
	float		until;			/* with fewer pairs between them they may not */
} Refusal;

/* The segments of a group, with the numbers of members up to their ends. */
typedef struct Segments
{
	uint32_t	count;
	uint32_t	starts[MAX_SEGMENTS];
	uint32_t	ends[MAX_SEGMENTS];
} Segments;

/* The work on a component.  Its signatures are nodes, numbered from 0. */
typedef struct Large
{
	PairSearch	search;			/* of nodes */
	const Division *division;
	const LargeComponent *component;
	uint32_t   *sizes;			/* members of the group of each root */
	uint32_t   *members;		/* nodes, those of a segment side by side */
	uint32_t	num_members;
	uint32_t   *starts;			/* of the segment of a node, if it has one */
	uint32_t   *lengths;		/* of that segment */
	uint32_t   *next;			/* circular list of the segments of a group */
	size_t		walked;			/* segments, since members were sorted */
	uint64_t   *different;		/* pairs of nodes judged different */
	size_t		num_different;
	Segments	segments[2];
	Refusal		refusals[REFUSALS];
} Large;

/*** Members of groups ***/

/* Append the segments of a group to other memory, as one segment. */
static void
copy_segments(Large *large, uint32_t root, uint32_t *members, uint32_t start)
{
	uint32_t	end = start;
	uint32_t	node = root;

	do
	{
		memcpy(members + end, large->members + large->starts[node],
			   large->lengths[node] * sizeof(uint32_t));
		end += large->lengths[node];
		node = large->next[node];
	} while (node != root);
	large->starts[root] = start;
	large->lengths[root] = end - start;
	large->next[root] = root;
}

/* Sort members by group. */
static void
sort_members(Large *large)
{
	const Memory *memory = large->division->memory;
	uint32_t   *members = memory->allocate(large->num_members * sizeof(uint32_t));
	uint32_t	start = 0;

	for (uint32_t node = 0; node < large->component->count; node++)
		if (large->search.parents[node] == node)
		{
			copy_segments(large, node, members, start);
			start += large->lengths[node];
			pairs_tick_sometimes(&large->search, node);
		}
	memory->release(large->members);
	large->members = members;
	large->walked = 0;
}

/* List the segments of a group; return false if they are too many. */
static bool
list_segments(Large *large, uint32_t root, Segments *segments)
{
	uint32_t	node = root;
	uint32_t	end = 0;

	segments->count = 0;
	do
	{
		if (segments->count == MAX_SEGMENTS)
			return false;
		end += large->lengths[node];
		segments->starts[segments->count] = large->starts[node];
		segments->ends[segments->count++] = end;
		node = large->next[node];
	} while (node != root);
	large->walked += segments->count;
	return true;
}

/* List the segments of two groups. */
static void
list_both(Large *large, uint32_t a, uint32_t b)
{
	if (large->walked <= large->component->count &&
		list_segments(large, a, &large->segments[0]) &&
		list_segments(large, b, &large->segments[1]))
		return;
	sort_members(large);
	list_segments(large, a, &large->segments[0]);
	list_segments(large, b, &large->segments[1]);
}

/* Return a member of a group, by its number from 0. */
static uint32_t
member(const Large *large, const Segments *segments, uint32_t number)
{
	uint32_t	low = 0;
	uint32_t	high = segments->count - 1;

	while (low < high)
	{
		uint32_t	middle = (low + high) / 2;

		if (segments->ends[middle] <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return large->members[segments->starts[low] + number -
						  (low > 0 ? segments->ends[low - 1] : 0)];
}

/*** May two groups join? ***/

/* Return true if any node of a group was judged different from one of another. */
static bool
are_apart(Large *large, uint32_t a, uint32_t b)
{
	uint32_t	smaller = large->sizes[a] < large->sizes[b] ? a : b;
	uint32_t	larger = smaller == a ? b : a;
	const Segments *segments = &large->segments[smaller == b];

	if (large->num_different == 0)
		return false;
	for (uint32_t i = 0; i < large->sizes[smaller]; i++)
	{
		uint32_t	node = member(large, segments, i);
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
	return !search->skipped[a] && !search->skipped[b] &&
		slots_differ_at_most(pairs_slots(search, a), pairs_slots(search, b),
							 search->num_hashes, search->within->max_different) &&
		slots_are_similar(pairs_slots(search, a), pairs_slots(search, b),
						  search->num_hashes, search->within);
}

/* Count the similar pairs between two groups. */
static double
count_similar(Large *large, uint32_t size_a, uint32_t size_b)
{
	double		similar = 0;

	for (uint32_t i = 0; i < size_a; i++)
	{
		uint32_t	a = member(large, &large->segments[0], i);
		uint32_t	last = UINT32_MAX;
		bool		is_similar = false;

		for (uint32_t j = 0; j < size_b; j++)
		{
			uint32_t	b = member(large, &large->segments[1], j);

			if (b != last)
				is_similar = are_similar(large, a, b);
			last = b;
			similar += is_similar;
		}
	}
	return similar;
}

/*
 * Estimate the share of similar pairs between two groups by a sample.  Return an
 * upper bound if the groups may not join.
 */
static double
sample_share(Large *large, uint32_t size_a, uint32_t size_b, uint64_t seed)
{
	double		agreement = large->division->agreement;
	double		share;
	double		margin;
	int			similar = 0;
	int			samples = 0;

	do
	{
		for (int end = samples + SAMPLES_AT_ONCE; samples < end; samples++)
		{
			uint64_t	random = seed = mix64(seed + 1);

			similar += are_similar(large,
								   member(large, &large->segments[0], (uint32_t) ((random >> 32) * size_a >> 32)),
								   member(large, &large->segments[1], (uint32_t) ((random & UINT32_MAX) * size_b >> 32)));
		}
		share = (double) similar / samples;
		margin = sqrt(MARGIN / samples);
	} while (samples < MAX_SAMPLES && fabs(share - agreement) <= margin);
	return share + margin < agreement ? share + margin : share;
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
	double		share;

	if (agreement == 0 && large->num_different == 0)
		return true;
	list_both(large, a, b);
	if (are_apart(large, a, b))
	{
		refuse(large, a, b, pairs, -INFINITY);
		return false;
	}
	if (agreement == 0)
		return true;
	if (pairs <= EXACT_PAIRS)
		share = count_similar(large, large->sizes[a], large->sizes[b]) / pairs;
	else
		share = sample_share(large, large->sizes[a], large->sizes[b],
							 division_pair(a, b) ^ mix64(division_pair(large->sizes[a], large->sizes[b])));
	if (share < agreement)
		refuse(large, a, b, pairs, share * pairs);
	return share >= agreement;
}

/* Join two groups, given by their roots. */
static void
join_groups(Large *large, uint32_t a, uint32_t b)
{
	uint32_t	next = large->next[a];

	large->next[a] = large->next[b];
	large->next[b] = next;
	large->sizes[a < b ? a : b] += large->sizes[a < b ? b : a];
}

/* Join the groups of a similar pair if they may join. */
static bool
join(PairSearch *search, uint32_t a, uint32_t b)
{
	Large	   *large = search->hook_data;
	uint32_t   *links = large->division->links;
	uint32_t	root_a = pairs_root(search, a);
	uint32_t	root_b = pairs_root(search, b);

	if (!may_join(search, root_a, root_b) || !ask(large, root_a, root_b))
		return false;
	if (links != NULL)
	{
		if (large->sizes[root_a] >= large->sizes[root_b])
			links_turn(links, b, a);
		else
			links_turn(links, a, b);
	}
	join_groups(large, root_a, root_b);
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
	uint32_t	end = 0;

	large->sizes = large->division->weights;
	for (uint32_t node = 0; node < count; node++)
		large->num_members += large->sizes[node];
	large->members = memory->allocate(large->num_members * sizeof(uint32_t));
	large->starts = memory->allocate(count * sizeof(uint32_t));
	large->lengths = memory->allocate(count * sizeof(uint32_t));
	large->next = memory->allocate(count * sizeof(uint32_t));
	search->signatures = 0;
	for (uint32_t node = 0; node < count; node++)
	{
		search->parents[node] = large->next[node] = node;
		search->signatures += !search->skipped[node];
		large->starts[node] = end;
		large->lengths[node] = large->sizes[node];
		while (end < large->starts[node] + large->lengths[node])
			large->members[end++] = node;
		if (large->division->links != NULL)
			large->division->links[node] = node;
		pairs_tick_sometimes(search, node);
	}
	search->components = search->signatures;
}

/* Join the nodes of a pair judged the same, or list a pair judged different. */
static void
apply_pair(Large *large, uint32_t a, uint32_t b, bool is_same)
{
	PairSearch *search = &large->search;
	uint32_t	root_a = pairs_root(search, a);
	uint32_t	root_b = pairs_root(search, b);

	if (!is_same)
		large->different[large->num_different++] = division_pair(a, b);
	else if (root_a != root_b)
	{
		join_groups(large, root_a, root_b);
		search->parents[root_a < root_b ? root_b : root_a] = root_a < root_b ? root_a : root_b;
		search->components -= !search->skipped[a] && !search->skipped[b];
	}
}

/* Apply the judged pairs of the component's nodes. */
static void
apply_judgments(Large *large, const uint64_t *pairs, size_t num_pairs, bool is_same)
{
	const LargeComponent *component = large->component;
	uint32_t	other;

	for (uint32_t node = 0; node < component->count && num_pairs > 0; node++)
	{
		uint32_t	signature = component->nodes[node];
		size_t		place = judged_place(pairs, num_pairs, signature);

		for (; judged_at(pairs, num_pairs, place, signature); place++)
			if (judged_find(component->nodes, component->count, (uint32_t) pairs[place], &other))
				apply_pair(large, node, other, is_same);
	}
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
			{
				join_groups(large, roots[i], roots[j]);
				parents[roots[j]] = roots[i];
			}
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
		(double) count * (double) count * SAMPLES_AT_ONCE < nodes * nodes)
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
	memory->release(large->lengths);
	memory->release(large->next);
	if (large->different != NULL)
		memory->release(large->different);
	memory->release(large);
	memory->release(component);
	return next;
}

/* Move the signatures to the front, divide them, and move them back. */
LargeComponent *
large_divide(PairSearch *search, const Division *division, LargeComponent *component)
{
	const Memory *memory = division->memory;
	Large	   *large = memory_allocate_zeros(sizeof(Large), memory);
	PairSearch *part = &large->search;

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
	if (division->num_different > 0)
		large->different = memory->allocate(division->num_different * sizeof(uint64_t));
	apply_judgments(large, division->same, division->num_same, true);
	apply_judgments(large, division->different, division->num_different, false);
	find_groups(large, &search->plan);
	name_signatures(large);
	for (uint32_t node = component->count; node-- > 0;)
		swap_signatures(search, division, node, component->nodes[node]);
	return release(large, component);
}

/*-------------------------------------------------------------------------
 *
 * component.c
 *	  Join the groups of a component by the rule of division.h.
 *
 * Share.  In components whose similar pairs are known, those between two groups
 * are counted until they are enough.  In others, which are larger, the slots of at
 * most EXACT_PAIRS pairs with copies are compared; between larger groups, those of a
 * fixed sample of up to MAX_SAMPLES.  It ends early if the share differs from the
 * agreement by more than the margin that Hoeffding's inequality (1963) gives for an
 * error of 1 in 80,000.  The full sample has a standard error of at most .004.  Most
 * groups that are asked about are far from the agreement.  So between groups with
 * more than FEW_PAIRS pairs, a first sample of SAMPLES_AT_ONCE comes before all
 * pairs, and can refuse.
 *
 * Refusals are kept in a table of fixed size, each with an upper bound of the
 * number of similar pairs.  Groups that have grown since are asked about again
 * only if they might join in case that all pairs since are similar.  So two groups are
 * asked about a number of times that is logarithmic in their growth.
 *
 * Members of a group, with copies, lie side by side, to draw samples.  If groups
 * join, those of the smaller one are copied behind those of the larger.
 *
 * Memory: 16 bytes for each signature of the component, as much for its members,
 * 8 bytes for each copy, and up to 4 MB for refusals.
 *
 *-------------------------------------------------------------------------
 */
#include "component.h"

#include <math.h>
#include <string.h>

#include "core/base/hash.h"

#define FEW_PAIRS 128
#define EXACT_PAIRS 4096
#define MAX_SAMPLES 16384
#define SAMPLES_AT_ONCE 32
#define MARGIN 6.0				/* half the logarithm of 160,000 */
#define REFUSALS_EACH 32		/* entries of the table for a node, up to */
#define MAX_REFUSALS 262144		/* a power of 2 */

/*** Members of groups ***/

/* Return the number of signatures for which a node stands. */
static inline uint32_t
weight(const Component *component, uint32_t node)
{
	return component->has_copies ? component->division->weights[component->nodes[node]] : 1;
}

/* Return the members of a group. */
static inline const uint32_t *
members_of(const Component *component, const uint32_t *root)
{
	return component->members[*root] != NULL ? component->members[*root] : root;
}

/* Return the number of members for which there is room, a power of 2. */
static size_t
room_for(uint32_t size)
{
	size_t		room = 1;

	while (room < size)
		room *= 2;
	return room;
}

/* Release the members of a group, which joins another or gets a larger array. */
static void
release_members(Component *component, uint32_t root)
{
	if (component->members[root] != NULL)
		core_release(component->members[root]);
	component->members[root] = NULL;
}

/* Join two groups, given by their roots; the first one becomes that of both. */
static void
join_groups(Component *component, uint32_t a, uint32_t b)
{
	uint32_t   *sizes = component->sizes;
	uint32_t	larger = sizes[a] >= sizes[b] ? a : b;
	uint32_t	smaller = larger == a ? b : a;
	uint32_t	size = sizes[a] + sizes[b];
	uint32_t   *members = component->members[larger];

	if (members == NULL || size > room_for(sizes[larger]))
	{
		members = core_allocate(room_for(size) * sizeof(uint32_t));
		memcpy(members, members_of(component, &larger), sizes[larger] * sizeof(uint32_t));
		release_members(component, larger);
	}
	memcpy(members + sizes[larger], members_of(component, &smaller),
		   sizes[smaller] * sizeof(uint32_t));
	release_members(component, smaller);
	component->members[larger] = NULL;
	component->members[a < b ? a : b] = members;
	sizes[a < b ? a : b] = size;
	component->parents[a < b ? b : a] = a < b ? a : b;
}

/*** May two groups join? ***/

/*
 * Estimate the similarity of two nodes, unless one of them is in no pair.  No comb has
 * compared them, and most are far from similar.
 */
double
component_estimate(const Component *component, uint32_t a, uint32_t b)
{
	PairSearch *search = component->search;
	const uint16_t *slots_a = pairs_slots(search, component->nodes[a]);
	const uint16_t *slots_b = pairs_slots(search, component->nodes[b]);

	if (search->skipped[component->nodes[a]] || search->skipped[component->nodes[b]])
		return -1;
	pairs_count_verified(search);
	if (!slots_differ_at_most(slots_a, slots_b, search->num_hashes, search->plan.max_different))
		return -1;
	return similar_estimate(slots_a, slots_b, search->num_hashes, &search->plan);
}

/* Return true if two nodes are similar. */
static inline bool
are_similar(const Component *component, uint32_t a, uint32_t b)
{
	if (component->similar != NULL)
		return component->similar[(size_t) a * component->count + b];
	return component_estimate(component, a, b) >= 0;
}

/* Count similar pairs of two groups until they are enough. */
static double
count_similar(const Component *component, uint32_t a, uint32_t b, double pairs)
{
	const uint32_t *of_a = members_of(component, &a);
	const uint32_t *of_b = members_of(component, &b);
	double		enough = component->division->agreement * pairs * 1.000001;
	double		similar = 0;

	for (uint32_t i = 0; i < component->sizes[a]; i += weight(component, of_a[i]))
	{
		pairs_tick(component->search);
		for (uint32_t j = 0; j < component->sizes[b] && similar < enough; j += weight(component, of_b[j]))
			if (are_similar(component, of_a[i], of_b[j]))
				similar += (double) weight(component, of_a[i]) * weight(component, of_b[j]);
	}
	return similar;
}

/* Count the similar pairs in a sample of two groups. */
static int
sample_similar(const Component *component, uint32_t a, uint32_t b, uint64_t *seed)
{
	const uint32_t *of_a = members_of(component, &a);
	const uint32_t *of_b = members_of(component, &b);
	int			similar = 0;

	for (int i = 0; i < SAMPLES_AT_ONCE; i++)
	{
		uint64_t	random = *seed = mix64(*seed + 1);
		uint32_t	x = (uint32_t) ((random >> 32) * component->sizes[a] >> 32);
		uint32_t	y = (uint32_t) ((random & UINT32_MAX) * component->sizes[b] >> 32);

		similar += are_similar(component, of_a[x], of_b[y]);
	}
	return similar;
}

/*
 * Return the share of similar pairs between two groups, or an estimate of it; an
 * upper bound if they may not join.
 */
static double
find_share(const Component *component, uint32_t a, uint32_t b, double pairs)
{
	double		agreement = component->division->agreement;
	uint64_t	seed = division_pair(a, b) ^
		mix64(division_pair(component->sizes[a], component->sizes[b]));
	int			similar = 0;

	for (int samples = SAMPLES_AT_ONCE; component->similar == NULL && pairs > FEW_PAIRS;
		 samples += SAMPLES_AT_ONCE)
	{
		double		margin = sqrt(MARGIN / samples);
		double		share;

		similar += sample_similar(component, a, b, &seed);
		share = (double) similar / samples;
		if (share + margin < agreement)
			return share + margin;
		if (pairs <= EXACT_PAIRS)
			break;
		if (share - margin > agreement || samples == MAX_SAMPLES)
			return share;
	}
	return count_similar(component, a, b, pairs) / pairs;
}

/* Return true if a signature of a group was judged different from one of another. */
static bool
are_apart(const Component *component, uint32_t a, uint32_t b)
{
	const Division *division = component->division;
	uint32_t	smaller = component->sizes[a] < component->sizes[b] ? a : b;
	const uint32_t *members = members_of(component, &smaller);

	for (uint32_t i = 0; i < component->sizes[smaller] && division->num_different > 0;
		 i += weight(component, members[i]))
	{
		uint32_t	signature = component->nodes[members[i]];
		size_t		place;

		pairs_tick_sometimes(component->search, i);
		if (!(division->judged[signature] & JUDGED_DIFFERENT))
			continue;
		place = judged_place(division->different, division->num_different, signature);
		for (; judged_at(division->different, division->num_different, place, signature); place++)
		{
			uint32_t	other = (uint32_t) division->different[place];
			uint32_t	node = component->search->parents[other];

			if (node < component->count && component->nodes[node] == other &&
				pairs_root(component->parents, node) == (smaller == a ? b : a))
				return true;
		}
	}
	return false;
}

/* Return two roots as a refusal has them. */
static inline uint64_t
pair_of_roots(uint32_t a, uint32_t b)
{
	return a < b ? division_pair(a, b) : division_pair(b, a);
}

/* Return the place of two groups in the table of refusals. */
static inline Refusal *
find_refusal(const Component *component, uint64_t roots)
{
	return &component->refusals[mix64(roots) & (component->num_refusals - 1)];
}

/* Look up the groups among the refusals. */
bool
component_may_join(const Component *component, uint32_t a, uint32_t b)
{
	const Refusal *refusal = find_refusal(component, pair_of_roots(a, b));

	return refusal->roots != pair_of_roots(a, b) ||
		(double) component->sizes[a] * component->sizes[b] >= refusal->until;
}

/*
 * Return true if two groups may join; remember a refusal.  Even if all pairs that
 * come are similar, the share reaches the agreement only after (1 - share) /
 * (1 - agreement) times the pairs, here rounded down.
 */
static bool
may_join_now(const Component *component, uint32_t a, uint32_t b)
{
	double		agreement = component->division->agreement;
	double		pairs = (double) component->sizes[a] * component->sizes[b];
	double		share = agreement > 0 ? find_share(component, a, b, pairs) : 1;

	if (share >= agreement && are_apart(component, a, b))
		share = -INFINITY;
	if (share < agreement)
		*find_refusal(component, pair_of_roots(a, b)) = (Refusal) {
			pair_of_roots(a, b), pairs * (1 - share) / (1 - agreement) * 0.999999
		};
	return share >= agreement;
}

/*** Links ***/

/* Link a signature to another one or to itself; make it the root until then. */
static void
link_to(uint32_t *links, uint32_t signature, uint32_t target)
{
	uint32_t	next = links[signature];

	links[signature] = target;
	while (next != signature)
	{
		target = signature;
		signature = next;
		next = links[signature];
		links[signature] = target;
	}
}

/*** Joins ***/

/* Ask, link the signatures if links are wanted, and join their groups. */
bool
component_join(Component *component, uint32_t a, uint32_t b)
{
	uint32_t	root_a = pairs_root(component->parents, a);
	uint32_t	root_b = pairs_root(component->parents, b);
	uint32_t	from = component->sizes[root_a] >= component->sizes[root_b] ? b : a;

	if (root_a == root_b || !component_may_join(component, root_a, root_b) ||
		!may_join_now(component, root_a, root_b))
		return false;
	if (component->division->links != NULL)
		link_to(component->division->links, component->nodes[from],
				component->nodes[from == a ? b : a]);
	join_groups(component, root_a, root_b);
	return true;
}

/* Join the group of a node with those judged the same. */
static void
join_same(Component *component, uint32_t node)
{
	const Division *division = component->division;
	uint32_t	signature = component->nodes[node];
	size_t		place = judged_place(division->same, division->num_same, signature);

	for (; judged_at(division->same, division->num_same, place, signature); place++)
	{
		uint32_t	other = component->search->parents[(uint32_t) division->same[place]];
		uint32_t	a = pairs_root(component->parents, node);
		uint32_t	b = pairs_root(component->parents, other);

		if (a != b)
			join_groups(component, a, b);
	}
}

/* Make a group of a node with its copies. */
static void
make_group(Component *component, uint32_t node)
{
	uint32_t	size = component->division->weights[component->nodes[node]];

	component->search->parents[component->nodes[node]] = node;
	component->parents[node] = node;
	component->sizes[node] = size;
	component->members[node] = NULL;
	if (size > 1)
	{
		component->has_copies = true;
		component->members[node] =
			core_allocate(room_for(size) * sizeof(uint32_t));
		for (uint32_t copy = 0; copy < size; copy++)
			component->members[node][copy] = node;
	}
}

/* Allocate the arrays, and make groups. */
void
component_begin(Component *component)
{
	uint32_t	count = component->count;

	component->parents = core_allocate(count * sizeof(uint32_t));
	component->sizes = core_allocate(count * sizeof(uint32_t));
	component->members = core_allocate(count * sizeof(uint32_t *));
	component->num_refusals = 1;
	while (component->num_refusals < MAX_REFUSALS &&
		   component->num_refusals / REFUSALS_EACH < count)
		component->num_refusals *= 2;
	component->refusals = core_allocate_zeros(component->num_refusals * sizeof(Refusal));
	component->has_copies = false;
	for (uint32_t node = 0; node < count; node++)
	{
		make_group(component, node);
		pairs_tick_sometimes(component->search, node);
	}
	for (uint32_t node = 0; node < count && component->division->num_same > 0; node++)
	{
		join_same(component, node);
		pairs_tick_sometimes(component->search, node);
	}
}

/* Label signatures by the first ones of their groups. */
void
component_end(Component *component)
{
	uint32_t   *links = component->division->links;

	for (uint32_t node = 0; node < component->count; node++)
	{
		uint32_t	signature = component->nodes[node];

		component->search->parents[signature] =
			component->nodes[pairs_root(component->parents, node)];
		if (links != NULL && component->parents[node] == node)
			link_to(links, signature, signature);
		release_members(component, node);
		pairs_tick_sometimes(component->search, node);
	}
	core_release(component->parents);
	core_release(component->sizes);
	core_release(component->members);
	core_release(component->refusals);
}

/*-------------------------------------------------------------------------
 *
 * links.c
 *	  Link the signatures of each component by a tree of similar pairs, the
 *	  strongest first.
 *
 * The tree is a maximum spanning tree of the similar pairs (Kruskal 1956), but
 * for ties and rounding: a search for components at similarity .95 is followed
 * by one at .90, which starts from the components found so far, and so on down
 * to the threshold.  A pair that joins two components becomes a link.  So its
 * estimate is at least the level of the search that found it, and no pair of
 * a higher level could have joined the two components.  Within a level, the
 * order of the search decides.
 *
 * A pair must be similar under the plan of its level and under that of the
 * threshold.  The last search runs under the latter alone.  So the components
 * are those of a single search at the threshold.
 *
 * A tree is kept as links to a root.  To join two trees by a pair, the links
 * from its signature in the smaller tree up to that tree's root are reversed.
 * As a tree at least doubles where its links are reversed, n signatures take
 * O(n log n) time.
 *
 * Memory: 8 bytes for each signature, in addition to those of the search.
 *
 *-------------------------------------------------------------------------
 */
#include "links.h"

/* Link a signature to another one or to itself; make it the root until then. */
static void
turn_links(uint32_t *to, uint32_t signature, uint32_t target)
{
	uint32_t	next = to[signature];

	to[signature] = target;
	while (next != signature)
	{
		target = signature;
		signature = next;
		next = to[signature];
		to[signature] = target;
	}
}

/* Join the trees of a pair, whose components are about to be merged. */
static void
join_trees(PairSearch *search, uint32_t a, uint32_t b)
{
	Links	   *links = search->hook_data;
	uint32_t	root_a = pairs_root(search, a);
	uint32_t	root_b = pairs_root(search, b);

	if (links->sizes[root_a] >= links->sizes[root_b])
		turn_links(links->to, b, a);
	else
		turn_links(links->to, a, b);
	links->sizes[root_a] += links->sizes[root_b];
	links->sizes[root_b] = links->sizes[root_a];
}

/* Search at descending levels, then make the first signatures the roots. */
void
links_find(PairSearch *search, double recall, Links *links)
{
	BandPlan	last = search->plan;
	BandPlan	plan;
	int			level = LINK_LEVELS;

	for (size_t i = 0; i < search->added; i++)
	{
		links->to[i] = (uint32_t) i;
		links->sizes[i] = 1;
	}
	search->hook_data = links;
	search->joined = join_trees;
	search->within = &last;
	do
	{
		double		similarity = (double) --level / LINK_LEVELS;

		plan = similarity > last.threshold ?
			band_plan(similarity, recall, search->num_hashes) : last;
		pairs_change_plan(search, &plan);
		pairs_find(search);
	} while (plan.threshold > last.threshold);
	search->within = NULL;
	for (size_t i = 0; i < search->added; i++)
		if (pairs_root(search, (uint32_t) i) == i)
			turn_links(links->to, (uint32_t) i, (uint32_t) i);
}

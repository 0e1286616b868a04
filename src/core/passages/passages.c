/*-------------------------------------------------------------------------
 *
 * passages.c
 *	  The passages that two texts share.
 *
 * The seeds of all passages (seeds.c), longest first and the leftmost of equal
 * ones, are extended to passages (alignment.c).  Passages do not overlap in the
 * first text, but may in the second.  Without edits, this is greedy string
 * tiling (Wise 1993) with that difference.
 *
 * From a place in the first text, the longest seed is a candidate, at its first
 * place in the second.  Seeds that end where an earlier one does, or before, are
 * no candidates, so the candidates have increasing starts and ends.  They are
 * in a heap, ordered by length.  The top is cut at the passages that cover its
 * ends, and put back if it became shorter: at most once for each end, because
 * no passage lies inside a longer run.  Otherwise it is extended as far as the
 * passages on both sides permit.
 *
 * Memory: in addition to the units, the table of the second text and the longest
 * runs, 12 bytes for each candidate and 28 for each passage, up to doubled.
 *
 *-------------------------------------------------------------------------
 */
#include "passages.h"

#include <string.h>

#include "core/base/interrupt.h"

#define FIRST_ROOM 256

/* The state of a search. */
typedef struct Search
{
	const Memory *memory;
	const Units *a;
	const Units *b;
	SeedTable	table;			/* of the second text */
	Seed	   *heap;			/* candidates */
	size_t		heap_count;
	size_t		heap_room;
	Passage    *passages;		/* in units, as they were found */
	uint32_t   *order;			/* their numbers, from left to right */
	uint32_t	count;
	size_t		room;
} Search;

/*** Candidates ***/

/* Append a seed, in place of one that it continues from the same place. */
static void
add_candidate(Search *search, const Seed *seed)
{
	Seed	   *heap = search->heap;
	size_t		count = search->heap_count;

	if (count > 0 && heap[count - 1].at == seed->at)
		count--;
	if (count == search->heap_room)
	{
		search->heap_room *= 2;
		search->heap = memory_enlarge(heap, sizeof(Seed) * count,
							   sizeof(Seed) * search->heap_room, search->memory);
	}
	search->heap[count] = *seed;
	search->heap_count = count + 1;
}

/* Return true if a is longer than b, or as long and further to the left. */
static inline bool
comes_before(Seed a, Seed b)
{
	if (a.length != b.length)
		return a.length > b.length;
	return a.at < b.at || (a.at == b.at && a.at_kept < b.at_kept);
}

/* Move the candidate at a place of the heap down to where it belongs. */
static void
sink(Search *search, size_t place)
{
	Seed	   *heap = search->heap;
	Seed		moving = heap[place];

	for (;;)
	{
		size_t		child = 2 * place + 1;

		if (child + 1 < search->heap_count &&
			comes_before(heap[child + 1], heap[child]))
			child++;
		if (child >= search->heap_count || !comes_before(heap[child], moving))
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = moving;
}

/* Make a heap of the candidates. */
static void
collect_candidates(Search *search)
{
	SeedScan	scan;
	Seed		seed;
	Run		   *runs = runs_find_longest(search->a, search->b);

	search->heap_room = FIRST_ROOM;
	search->heap = search->memory->allocate(sizeof(Seed) * FIRST_ROOM);
	seeds_begin(&scan, &search->table);
	scan.units = search->a->list;
	scan.count = (uint32_t) search->a->count;
	scan.whole = true;
	scan.runs = runs;
	while (seeds_next(&scan, &seed))
		add_candidate(search, &seed);
	search->memory->release(runs);
	for (size_t i = search->heap_count / 2; i-- > 0;)
	{
		check_sometimes(i);
		sink(search, i);
	}
}

/*** Passages ***/

/* Return a passage by its place in the first text. */
static inline const Passage *
passage_at(const Search *search, uint32_t place)
{
	return &search->passages[search->order[place]];
}

/* Return the number of passages that end at a unit of the first text or before. */
static uint32_t
passages_before(const Search *search, uint32_t unit)
{
	uint32_t	low = 0;
	uint32_t	high = search->count;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (passage_at(search, middle)->a.end <= unit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Cut a candidate at the passages that cover its ends.  Sets *gap to the part
 * of the first text between passages in which it then lies, and returns the
 * number of passages before that.
 */
static uint32_t
cut_candidate(const Search *search, Seed *candidate, Span *gap)
{
	uint32_t	end = candidate->at + candidate->length;
	uint32_t	start = candidate->at;
	uint32_t	before = passages_before(search, start);

	while (before < search->count &&
		   passage_at(search, before)->a.start <= start)
		start = passage_at(search, before++)->a.end;
	gap->start = before > 0 ? passage_at(search, before - 1)->a.end : 0;
	gap->end = before < search->count ? passage_at(search, before)->a.start :
		(uint32_t) search->a->count;
	if (end > gap->end)
		end = gap->end;
	candidate->at_kept += start - candidate->at;
	candidate->at = start;
	candidate->length = start < end ? end - start : 0;
	return before;
}

/* Return true if a passage is better than another one with the same seed. */
static bool
is_better(const Passage *a, const Passage *b)
{
	if (a->equal != b->equal)
		return a->equal > b->equal;
	if (a->edits != b->edits)
		return a->edits < b->edits;
	if (a->a.end - a->a.start != b->a.end - b->a.start)
		return a->a.end - a->a.start < b->a.end - b->a.start;
	if (a->b.end - a->b.start != b->b.end - b->b.start)
		return a->b.end - a->b.start < b->b.end - b->b.start;
	return a->a.start < b->a.start ||
		(a->a.start == b->a.start && a->b.start < b->b.start);
}

/* Extend a seed to the best alignment with it in a gap of the first text. */
static Passage
extend_seed(const Search *search, Seed seed, Span gap)
{
	const uint32_t *a = search->a->list;
	const uint32_t *b = search->table.units;
	uint32_t	end_a = seed.at + seed.length;
	uint32_t	end_b = seed.at_kept + seed.length;
	uint32_t	edits = search->table.rule.edits;
	Reach		before[PASSAGE_MAX_EDITS + 1];
	Reach		after[PASSAGE_MAX_EDITS + 1];
	Passage		best = {0};

	alignment_extend((Ray) {a + end_a, gap.end - end_a},
					 (Ray) {b + end_b, search->table.count - end_b},
					 1, edits, UINT32_MAX, after);
	alignment_extend((Ray) {a + seed.at, seed.at - gap.start},
					 (Ray) {b + seed.at_kept, seed.at_kept},
					 -1, edits, UINT32_MAX, before);
	for (uint32_t i = 0; i <= edits; i++)
	{
		const Reach *left = &before[i];
		const Reach *right = &after[edits - i];
		Passage		passage = {
			.a = {seed.at - left->units_a, end_a + right->units_a},
			.b = {seed.at_kept - left->units_b, end_b + right->units_b},
			.equal = left->equal + seed.length + right->equal,
			.edits = left->edits + right->edits
		};

		if (is_better(&passage, &best))
			best = passage;
	}
	return best;
}

/* Add a passage that comes after a number of others. */
static void
add_passage(Search *search, const Passage *passage, uint32_t before)
{
	size_t		count = search->count;

	if (count == search->room)
	{
		search->room *= 2;
		search->passages = memory_enlarge(search->passages, sizeof(Passage) * count,
								   sizeof(Passage) * search->room,
								   search->memory);
		search->order = memory_enlarge(search->order, sizeof(uint32_t) * count,
								sizeof(uint32_t) * search->room, search->memory);
	}
	search->passages[count] = *passage;
	memmove(search->order + before + 1, search->order + before,
			sizeof(uint32_t) * (count - before));
	search->order[before] = search->count++;
}

/* Take passages, the longest seeds first. */
static void
take_passages(Search *search)
{
	const PassageRule *rule = &search->table.rule;
	size_t		steps = 0;

	search->room = FIRST_ROOM;
	search->passages = search->memory->allocate(sizeof(Passage) * FIRST_ROOM);
	search->order = search->memory->allocate(sizeof(uint32_t) * FIRST_ROOM);
	while (search->heap_count > 0)
	{
		Seed	   *top = &search->heap[0];
		Seed		cut = *top;
		Span		gap;
		uint32_t	before = cut_candidate(search, &cut, &gap);
		bool		was_cut = cut.length < top->length;

		check_sometimes(steps++);
		if (!was_cut)
		{
			Passage		passage = extend_seed(search, cut, gap);

			if (passage.equal >= rule->length)
				add_passage(search, &passage, before);
		}
		if (was_cut && cut.length >= search->table.size)
			*top = cut;
		else
			*top = search->heap[--search->heap_count];
		sink(search, 0);
	}
}

/*** Results ***/

/*
 * List the passages from left to right, with positions in the original texts;
 * return their number.
 */
static size_t
list_passages(const Search *search, Passage *list)
{
	const Span *b = search->b->spans;
	size_t		count = 0;
	uint32_t	after = 0;

	for (uint32_t i = 0; i < search->count; i++)
	{
		Passage		passage = *passage_at(search, i);

		check_sometimes(i);
		passage.a = (Span) {search->a->spans[passage.a.start].start,
		search->a->spans[passage.a.end - 1].end};
		passage.b = (Span) {b[passage.b.start].start, b[passage.b.end - 1].end};
		/* Units of two passages can come from one character, as a ligature. */
		if (passage.a.start < after)
			passage.a.start = after;
		if (passage.a.start >= passage.a.end)
			continue;
		after = passage.a.end;
		list[count++] = passage;
	}
	return count;
}

/* Find the passages that two texts share. */
size_t
passages_find(const Units *a, const Units *b, const PassageRule *rule,
			  uint64_t secret, Passage **passages)
{
	Search		search = {.memory = a->memory,.a = a,.b = b};
	size_t		count;

	seed_table_make(&search.table, rule, b->list, (uint32_t) b->count, secret,
					a->memory);
	collect_candidates(&search);
	take_passages(&search);
	*passages = a->memory->allocate(sizeof(Passage) * (search.count + 1));
	count = list_passages(&search, *passages);
	a->memory->release(search.heap);
	a->memory->release(search.passages);
	a->memory->release(search.order);
	seed_table_end(&search.table, a->memory);
	return count;
}

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
 * The first text is divided into parts, passages and the gaps between them, and
 * each unit has the number of its part.  A passage divides a gap; the smaller of
 * the two that remain gets a new number.  So a unit is numbered again only when
 * its gap has at most half the size, and all passages take O(n log n) time for n
 * units of the first text, in any order.
 *
 * Memory: in addition to the units, the table of the second text and the longest
 * runs, 4 bytes for each unit of the first text, 12 for each candidate and 48 for
 * each passage with a gap; the last two up to doubled.
 *
 *-------------------------------------------------------------------------
 */
#include "passages.h"

/* The state of a tiling. */
typedef struct Tiling
{
	const Units *a;
	const Units *b;
	SeedTable	table;			/* of the second text */
	Seed	   *heap;			/* candidates */
	size_t		heap_count;
	size_t		heap_room;
	Passage    *parts;			/* of the first text, in units; gaps have no
								 * equal units */
	uint32_t	part_count;
	size_t		part_room;
	uint32_t   *part_of;		/* the part of each unit */
	uint32_t	count;			/* passages */
	size_t		steps;			/* for interrupts */
} Tiling;

/*** Candidates ***/

/* Append a seed, in place of one that it continues from the same place. */
static void
add_candidate(Tiling *tiling, const Seed *seed)
{
	size_t		count = tiling->heap_count;

	if (count > 0 && tiling->heap[count - 1].at == seed->at)
		count--;
	tiling->heap = memory_grow(tiling->heap, count, 1, &tiling->heap_room,
							   sizeof(Seed));
	tiling->heap[count] = *seed;
	tiling->heap_count = count + 1;
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
sift_down(Tiling *tiling, size_t place)
{
	Seed	   *heap = tiling->heap;
	Seed		moving = heap[place];

	for (;;)
	{
		size_t		child = 2 * place + 1;

		if (child + 1 < tiling->heap_count &&
			comes_before(heap[child + 1], heap[child]))
			child++;
		if (child >= tiling->heap_count || !comes_before(heap[child], moving))
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = moving;
}

/* Make a heap of the candidates. */
static void
collect_candidates(Tiling *tiling)
{
	SeedScan	scan;
	Seed		seed;
	CommonRun  *runs = runs_find_longest(tiling->a, tiling->b);

	seeds_begin(&scan, &tiling->table);
	scan.units = tiling->a->list;
	scan.count = (uint32_t) tiling->a->count;
	scan.whole = true;
	scan.runs = runs;
	while (seeds_next(&scan, &seed))
		add_candidate(tiling, &seed);
	core_release(runs);
	for (size_t i = tiling->heap_count / 2; i-- > 0;)
	{
		check_sometimes(i);
		sift_down(tiling, i);
	}
}

/*** Passages ***/

/* Return the part of the first text with a unit. */
static inline const Passage *
part_with(const Tiling *tiling, uint32_t unit)
{
	return &tiling->parts[tiling->part_of[unit]];
}

/*
 * Cut a candidate at the passages that cover its ends, and return the gap in
 * which it then lies, unless nothing remains.  At most two passages adjoin at its
 * start: as they were taken first, each is at least as long as the candidate.
 */
static Span
cut_candidate(Tiling *tiling, Seed *candidate)
{
	uint32_t	end = candidate->at + candidate->length;
	uint32_t	start = candidate->at;
	Span		gap = {0, 0};

	while (start < end && part_with(tiling, start)->equal > 0)
	{
		check_sometimes(tiling->steps++);
		start = part_with(tiling, start)->a.end;
	}
	if (start < end)
		gap = part_with(tiling, start)->a;
	if (end > gap.end)
		end = gap.end;
	candidate->at_kept += start - candidate->at;
	candidate->at = start;
	candidate->length = start < end ? end - start : 0;
	return gap;
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
extend_seed(const Tiling *tiling, Seed seed, Span gap)
{
	const uint32_t *a = tiling->a->list;
	const uint32_t *b = tiling->table.units;
	uint32_t	end_a = seed.at + seed.length;
	uint32_t	end_b = seed.at_kept + seed.length;
	uint32_t	edits = tiling->table.rule.edits;
	Ray			left_a = {a + seed.at, seed.at - gap.start};
	Ray			left_b = {b + seed.at_kept, seed.at_kept};
	Ray			right_a = {a + end_a, gap.end - end_a};
	Ray			right_b = {b + end_b, tiling->table.count - end_b};
	Reach		before[PASSAGE_MAX_EDITS + 1];
	Reach		after[PASSAGE_MAX_EDITS + 1];
	Passage		best = {0};

	alignment_extend(right_a, right_b, 1, edits, UINT32_MAX, after);
	alignment_extend(left_a, left_b, -1, edits, UINT32_MAX, before);
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

/* Add a part, and number its units. */
static void
add_part(Tiling *tiling, const Passage *part)
{
	tiling->parts = memory_grow(tiling->parts, tiling->part_count, 1,
								&tiling->part_room, sizeof(Passage));
	for (uint32_t i = part->a.start; i < part->a.end; i++)
	{
		check_sometimes(tiling->steps++);
		tiling->part_of[i] = tiling->part_count;
	}
	tiling->parts[tiling->part_count++] = *part;
}

/* Add a passage, which divides a gap. */
static void
add_passage(Tiling *tiling, const Passage *passage)
{
	uint32_t	divided = tiling->part_of[passage->a.start];
	Span		gap = tiling->parts[divided].a;
	Span		left = {gap.start, passage->a.start};
	Span		right = {passage->a.end, gap.end};
	bool		left_is_larger = left.end - left.start > right.end - right.start;
	Passage		smaller = {.a = left_is_larger ? right : left};

	tiling->parts[divided].a = left_is_larger ? left : right;
	if (smaller.a.start < smaller.a.end)
		add_part(tiling, &smaller);
	add_part(tiling, passage);
	tiling->count++;
}

/* Take passages, the longest seeds first. */
static void
take_passages(Tiling *tiling)
{
	const PassageRule *rule = &tiling->table.rule;
	Passage		all = {.a = {0, (uint32_t) tiling->a->count}};

	tiling->part_of = core_allocate(sizeof(uint32_t) * (tiling->a->count + 1));
	add_part(tiling, &all);
	while (tiling->heap_count > 0)
	{
		Seed	   *top = &tiling->heap[0];
		Seed		cut = *top;
		Span		gap = cut_candidate(tiling, &cut);
		bool		was_cut = cut.length < top->length;

		check_sometimes(tiling->steps++);
		if (!was_cut)
		{
			Passage		passage = extend_seed(tiling, cut, gap);

			if (passage.equal >= rule->length)
				add_passage(tiling, &passage);
		}
		if (was_cut && cut.length >= tiling->table.size)
			*top = cut;
		else
			*top = tiling->heap[--tiling->heap_count];
		sift_down(tiling, 0);
	}
}

/*** Results ***/

/*
 * List the passages from left to right, with positions in the original texts;
 * return their number.
 */
static size_t
list_passages(Tiling *tiling, Passage *list)
{
	const Span *b = tiling->b->spans;
	size_t		count = 0;
	uint32_t	after = 0;

	for (uint32_t unit = 0; unit < tiling->a->count;)
	{
		Passage		passage = *part_with(tiling, unit);

		check_sometimes(tiling->steps++);
		unit = passage.a.end;
		if (passage.equal == 0)
			continue;
		passage.a = (Span) {tiling->a->spans[passage.a.start].start,
		tiling->a->spans[passage.a.end - 1].end};
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
	Tiling		tiling = {.a = a,.b = b};
	size_t		count;

	seed_table_make(&tiling.table, rule, b->list, (uint32_t) b->count, secret);
	collect_candidates(&tiling);
	take_passages(&tiling);
	*passages = core_allocate(sizeof(Passage) * (tiling.count + 1));
	count = list_passages(&tiling, *passages);
	if (tiling.heap != NULL)
		core_release(tiling.heap);
	core_release(tiling.parts);
	core_release(tiling.part_of);
	seed_table_end(&tiling.table);
	return count;
}

/*-------------------------------------------------------------------------
 *
 * passages.c
 *	  The passages that two texts share: runs of common shingles.
 *
 * For each unit (character or word) of the first text, find the longest run
 * from there that also occurs in the second text, and its first occurrence.
 * Runs of fewer units than a shingle do not count.  Then take passages
 * greedily, the longest first and the leftmost of equal ones; passages do not
 * overlap in the first text, but may in the second (greedy string tiling, Wise
 * 1993, with that difference).  If a passage covers part of a run, the rest of
 * the run stays a candidate.
 *
 * All runs are found in linear time by sorting the suffixes of both texts
 * (suffix_array.c): the longest run from a position is the one that its suffix
 * shares with the nearest suffix of the second text before or after it in the
 * order.  A pass from the left and a pass from the right keep a stack of the
 * overlaps of the current suffix with the suffixes of the second text passed
 * so far.
 *
 * Runs that end where the run from the previous position ends are not
 * candidates, so the candidates have increasing starts and ends.  They are in a
 * heap, ordered by length.  The top is cut at the passages that cover its ends,
 * and put back if it became shorter: at most once for each end, because no
 * passage lies inside a longer run.  The total time is O(N log N) for N units.
 *
 * Memory: 28 bytes for each unit of both texts.
 *
 *-------------------------------------------------------------------------
 */
#include "passages.h"

#include <string.h>

#include "interrupt.h"

#define UNKNOWN UINT32_MAX
#define SYMBOL_END 0			/* at the end of the string */
#define SYMBOL_BETWEEN 1		/* between the texts */
#define FIRST_SYMBOL 2			/* of the units */

/* The longest run from a position, and its first place in the second text. */
typedef struct Run
{
	uint32_t	length;
	uint32_t	at;
} Run;

/* Suffixes of the second text with the same overlap with the current suffix. */
typedef struct Group
{
	uint32_t	overlap;
	uint32_t	first;			/* the lowest of their positions */
} Group;

/* A run, or the rest of one, that may become a passage. */
typedef struct Candidate
{
	uint32_t	length;
	uint32_t	start;
} Candidate;

/* The state of a search. */
typedef struct Search
{
	const Memory *memory;
	Units	   *units;
	uint32_t	count_a;		/* units of the first text */
	uint32_t	length;			/* of the joined string */
	uint32_t	shingle_size;
	int32_t    *string;
	int32_t    *suffixes;
	int32_t    *overlaps;
	Run		   *runs;			/* from each position of the first text */
	Group	   *stack;
	uint32_t	depth;
	Candidate  *heap;
	uint32_t	heap_count;
	uint32_t   *covers;			/* for each unit, its passage, from 1, or 0 */
	Candidate  *taken;
	uint32_t	taken_count;
} Search;

/*** The longest runs ***/

/* Mark the end of a text. */
void
passages_end_text(Units *units)
{
	units_add(units, (Unit) {UNKNOWN, 0, 0});
}

/* Join the symbols of both texts to one string for the suffix array. */
static void
join_texts(Search *search)
{
	for (uint32_t i = 0; i < search->length; i++)
	{
		check_sometimes(i);
		search->string[i] = (int32_t) search->units->list[i].symbol + FIRST_SYMBOL;
	}
	search->string[search->count_a] = SYMBOL_BETWEEN;
	search->string[search->length - 1] = SYMBOL_END;
}

/* Reduce the overlaps on the stack to that of the next suffix. */
static void
limit_overlap(Search *search, uint32_t overlap)
{
	Group	   *stack = search->stack;
	uint32_t	first = UNKNOWN;

	while (search->depth > 0 && stack[search->depth - 1].overlap >= overlap)
	{
		search->depth--;
		if (stack[search->depth].first < first)
			first = stack[search->depth].first;
	}
	if (first != UNKNOWN)
		stack[search->depth++] = (Group) {overlap, first};
}

/* Push a suffix of the second text, or find the run of one of the first. */
static void
pass_suffix(Search *search, uint32_t suffix)
{
	Group	   *top = &search->stack[search->depth];
	Run		   *run;

	if (suffix > search->count_a)
	{
		*top = (Group) {UNKNOWN, suffix};
		search->depth++;
	}
	else if (suffix < search->count_a && search->depth > 0)
	{
		run = &search->runs[suffix];
		top--;
		if (top->overlap > run->length ||
			(top->overlap == run->length && top->first < run->at))
			*run = (Run) {top->overlap, top->first};
	}
}

/* Find the longest run from each position of the first text. */
static void
find_runs(Search *search)
{
	const int32_t *suffixes = search->suffixes;

	for (uint32_t i = 0; i < search->count_a; i++)
	{
		check_sometimes(i);
		search->runs[i] = (Run) {0, UNKNOWN};
	}
	search->depth = 0;
	for (uint32_t i = 0; i < search->length; i++)
	{
		check_sometimes(i);
		limit_overlap(search, (uint32_t) search->overlaps[suffixes[i]]);
		pass_suffix(search, (uint32_t) suffixes[i]);
	}
	search->depth = 0;
	for (uint32_t i = search->length; i-- > 0;)
	{
		check_sometimes(i);
		pass_suffix(search, (uint32_t) suffixes[i]);
		limit_overlap(search, (uint32_t) search->overlaps[suffixes[i]]);
	}
}

/*** Choosing passages ***/

/* Return true if a is longer than b, or as long and further to the left. */
static inline bool
comes_before(Candidate a, Candidate b)
{
	return a.length > b.length || (a.length == b.length && a.start < b.start);
}

/* Move the candidate at a place of the heap down to where it belongs. */
static void
sink(Search *search, uint32_t place)
{
	Candidate  *heap = search->heap;
	Candidate	moving = heap[place];

	for (;;)
	{
		uint64_t	child = 2 * (uint64_t) place + 1;

		if (child + 1 < search->heap_count &&
			comes_before(heap[child + 1], heap[child]))
			child++;
		if (child >= search->heap_count || !comes_before(heap[child], moving))
			break;
		heap[place] = heap[child];
		place = (uint32_t) child;
	}
	heap[place] = moving;
}

/* Make a heap of the runs that do not end where the previous one does. */
static void
collect_candidates(Search *search)
{
	uint32_t	end = 0;

	search->heap_count = 0;
	for (uint32_t i = 0; i < search->count_a; i++)
	{
		uint32_t	length = search->runs[i].length;

		check_sometimes(i);
		if (length >= search->shingle_size && i + length > end)
			search->heap[search->heap_count++] = (Candidate) {length, i};
		end = i + length;
	}
	for (uint32_t i = search->heap_count / 2; i-- > 0;)
	{
		check_sometimes(i);
		sink(search, i);
	}
}

/* Cut a candidate at the passages that cover its ends. */
static Candidate
cut_candidate(const Search *search, Candidate candidate)
{
	uint32_t	start = candidate.start;
	uint32_t	end = start + candidate.length;

	while (start < end && search->covers[start] != 0)
	{
		const Candidate *passage = &search->taken[search->covers[start] - 1];

		start = passage->start + passage->length;
	}
	if (start >= end)
		return (Candidate) {0, start};
	while (end > start && search->covers[end - 1] != 0)
		end = search->taken[search->covers[end - 1] - 1].start;
	return (Candidate) {end - start, start};
}

/* Take a candidate as a passage. */
static void
take_candidate(Search *search, Candidate candidate)
{
	search->taken[search->taken_count++] = candidate;
	for (uint32_t i = 0; i < candidate.length; i++)
	{
		check_sometimes(i);
		search->covers[candidate.start + i] = search->taken_count;
	}
}

/* Take passages, the longest first. */
static void
take_passages(Search *search)
{
	size_t		steps = 0;

	search->taken_count = 0;
	while (search->heap_count > 0)
	{
		Candidate	top = search->heap[0];
		Candidate	cut = cut_candidate(search, top);

		check_sometimes(steps++);
		if (cut.length == top.length)
			take_candidate(search, cut);	/* it will be cut to nothing next
											 * time */
		else if (cut.length >= search->shingle_size)
			search->heap[0] = cut;
		else
			search->heap[0] = search->heap[--search->heap_count];
		sink(search, 0);
	}
}

/*** Results ***/

/* Convert a run of units to a passage; return false if that is empty. */
static bool
make_passage(const Search *search, Candidate run, uint32_t after,
			 Passage *passage)
{
	const Unit *a = search->units->list + run.start;
	const Unit *b = search->units->list + search->runs[run.start].at;
	uint32_t	last = run.length - 1;
	uint32_t	start = a->start;
	uint32_t	end = a[last].end;

	/* Units of two passages can come from one character, such as a ligature. */
	if (start < after)
		start = after;
	*passage = (Passage) {
		.start_a = start,.length_a = end - start,
		.start_b = b->start,.length_b = b[last].end - b->start
	};
	return end > start;
}

/* List the passages taken, from left to right; return their number. */
static size_t
list_passages(const Search *search, Passage *passages)
{
	size_t		count = 0;
	uint32_t	after = 0;

	for (uint32_t i = 0; i < search->count_a; i++)
	{
		Candidate	run;

		check_sometimes(i);
		if (search->covers[i] == 0)
			continue;
		run = search->taken[search->covers[i] - 1];
		if (make_passage(search, run, after, &passages[count]))
		{
			after = passages[count].start_a + passages[count].length_a;
			count++;
		}
		i += run.length - 1;
	}
	return count;
}

/* Find the runs, and release the memory that only this needs. */
static void
search_runs(Search *search)
{
	const Memory *memory = search->memory;
	size_t		size = sizeof(int32_t) * search->length;

	search->string = memory->allocate(size);
	search->suffixes = memory->allocate(size);
	join_texts(search);
	suffix_array(search->string, search->suffixes, (int32_t) search->length,
				 (int32_t) search->units->interner.count + FIRST_SYMBOL, memory);
	search->overlaps = memory->allocate(size);
	suffix_array_overlaps(search->string, search->suffixes, search->overlaps,
						  (int32_t) search->length);
	memory->release(search->string);
	search->runs = memory->allocate(sizeof(Run) * search->count_a);
	search->stack = memory->allocate(sizeof(Group) *
									 (search->length - search->count_a));
	find_runs(search);
	memory->release(search->stack);
	memory->release(search->overlaps);
	memory->release(search->suffixes);
}

/* Choose passages among the runs. */
static void
choose_passages(Search *search)
{
	const Memory *memory = search->memory;

	search->heap = memory->allocate(sizeof(Candidate) * search->count_a);
	search->taken = memory->allocate(sizeof(Candidate) * search->count_a /
									 search->shingle_size);
	search->covers = allocate_zeros(sizeof(uint32_t) * search->count_a, memory);
	collect_candidates(search);
	take_passages(search);
	memory->release(search->heap);
}

/* Find the passages that two texts share. */
size_t
passages_find(Units *units, size_t count_a, size_t shingle_size,
			  Passage **passages)
{
	Search		search = {
		.memory = units->memory,.units = units,.count_a = (uint32_t) count_a,
		.length = (uint32_t) units->count
	};
	size_t		count_b = units->count - count_a - 2;
	size_t		count;

	*passages = NULL;
	/* A text of fewer units than a shingle is a single shingle. */
	if (count_a < shingle_size && count_a == count_b)
		shingle_size = count_a;
	if (count_a < shingle_size || count_b < shingle_size || count_a == 0)
		return 0;
	search.shingle_size = (uint32_t) shingle_size;
	search_runs(&search);
	choose_passages(&search);
	*passages = units->memory->allocate(sizeof(Passage) *
										(search.taken_count + 1));
	count = list_passages(&search, *passages);
	units->memory->release(search.covers);
	units->memory->release(search.taken);
	units->memory->release(search.runs);
	return count;
}

/*-------------------------------------------------------------------------
 *
 * runs.c
 *	  The longest run from each place of a text that another text has, too.
 *
 * All runs are found in linear time by sorting the suffixes of both texts
 * (suffix_array.c): the longest run from a place is the one that its suffix
 * shares with the nearest suffix of the second text before or after it in the
 * order.  A pass from the left and a pass from the right keep a stack of the
 * overlaps of the current suffix with the suffixes of the second text passed
 * so far.
 *
 * Memory: 28 bytes for each unit of both texts, of which the result keeps 8 for
 * each of the first.
 *
 *-------------------------------------------------------------------------
 */
#include "runs.h"

#include "interrupt.h"
#include "suffix_array.h"

#define NOWHERE UINT32_MAX
#define SYMBOL_END 0			/* at the end of the string */
#define SYMBOL_BETWEEN 1		/* between the texts */
#define SYMBOL_UNKNOWN 2		/* a unit that the second text does not have */
#define FIRST_SYMBOL 3			/* of the other units */

/* Suffixes of the second text with the same overlap with the current suffix. */
typedef struct Group
{
	uint32_t	overlap;
	uint32_t	first;			/* the lowest of their places */
} Group;

/* The state of a search in the joined string. */
typedef struct Search
{
	uint32_t	count_a;		/* units of the first text */
	uint32_t	length;
	int32_t    *suffixes;
	int32_t    *overlaps;
	Run		   *runs;
	Group	   *stack;
	uint32_t	depth;
} Search;

/* Append the symbols of a text to the string for the suffix array. */
static void
append_text(int32_t *string, const Units *units, int32_t after)
{
	for (size_t i = 0; i < units->count; i++)
	{
		check_sometimes(i);
		string[i] = units->list[i] == UNKNOWN_UNIT ? SYMBOL_UNKNOWN :
			(int32_t) units->list[i] + FIRST_SYMBOL;
	}
	string[units->count] = after;
}

/* Reduce the overlaps on the stack to that of the next suffix. */
static void
limit_overlap(Search *search, uint32_t overlap)
{
	Group	   *stack = search->stack;
	uint32_t	first = NOWHERE;

	while (search->depth > 0 && stack[search->depth - 1].overlap >= overlap)
	{
		search->depth--;
		if (stack[search->depth].first < first)
			first = stack[search->depth].first;
	}
	if (first != NOWHERE)
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
		*top = (Group) {NOWHERE, suffix - search->count_a - 1};
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

/* Find the longest run from each place of the first text. */
static void
find_runs(Search *search)
{
	const int32_t *suffixes = search->suffixes;

	for (uint32_t i = 0; i < search->count_a; i++)
	{
		check_sometimes(i);
		search->runs[i] = (Run) {0, NOWHERE};
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

/* Find the longest runs of two texts. */
Run *
longest_runs(const Units *a, const Units *b)
{
	const Memory *memory = a->memory;
	Search		search = {
		.count_a = (uint32_t) a->count,
		.length = (uint32_t) (a->count + b->count + 2)
	};
	size_t		size = sizeof(int32_t) * search.length;
	int32_t    *string = memory->allocate(size);

	search.suffixes = memory->allocate(size);
	append_text(string, a, SYMBOL_BETWEEN);
	append_text(string + a->count + 1, b, SYMBOL_END);
	suffix_array(string, search.suffixes, (int32_t) search.length,
				 (int32_t) b->interner->count + FIRST_SYMBOL, memory);
	search.overlaps = memory->allocate(size);
	suffix_array_overlaps(string, search.suffixes, search.overlaps,
						  (int32_t) search.length);
	memory->release(string);
	search.runs = memory->allocate(sizeof(Run) * a->count);
	search.stack = memory->allocate(sizeof(Group) * (b->count + 1));
	find_runs(&search);
	memory->release(search.stack);
	memory->release(search.overlaps);
	memory->release(search.suffixes);
	return search.runs;
}

/*-------------------------------------------------------------------------
 *
 * alignment.c
 *	  Extend a common run of two texts across edits.
 *
 * The alignment with the most equal units and a given number of edits is found
 * by furthest reaches (Ukkonen 1985; Myers 1986; Landau and Vishkin 1989): the
 * next units are aligned as long as they are equal, because an alignment with
 * the same edits that does otherwise has no more equal units.  So only the
 * places of the edits remain to be chosen.
 *
 * With the number of edits as the only measure, one furthest reach for each
 * diagonal would do.  Here equal units count, and a replaced unit costs one of
 * each text, whereas one left out on each side are two edits that end on the
 * same diagonal.  So there is one reach for each number of units that were
 * inserted (left out of b), removed (left out of a) and replaced.  The units of
 * a that it takes then determine its equal units, so the furthest is the best:
 * from a place further along a diagonal, at most as many equal units are missed
 * as lie between the two.
 *
 * A reach is useless if, with an insertion and a removal less and one
 * replacement more, another one gets as far: it has the same diagonal, the same
 * number of equal units or more, and an edit less.  Nearly all reaches are.
 *
 * Memory: none but the stack, 2.3 kB.  Time: at most (e + 3)^3 / 6 reaches for e
 * edits, each of which advances in units of equal text.
 *
 *-------------------------------------------------------------------------
 */
#include "alignment.h"

#include <stddef.h>

#include "core/base/host.h"

#define USELESS (-1)

/*
 * The furthest reaches with some number of edits, in units of a, by the numbers
 * of inserted and of removed units; the other edits replace units.
 */
typedef int32_t Level[PASSAGE_MAX_EDITS + 1][PASSAGE_MAX_EDITS + 1];

/* Return the size of a seed. */
uint32_t
passage_seed_size(const PassageRule *rule)
{
	uint32_t	longest = (rule->length + rule->edits) / (rule->edits + 1);

	return longest > rule->run ? longest : rule->run;
}

/* Raise a reach to another one, if that lies within the texts. */
static inline void
raise_to(int64_t *reach, int64_t other, int64_t limit)
{
	if (other > *reach && other <= limit)
		*reach = other;
}

/*
 * Return how far one more edit leads, before any equal units: before are the
 * reaches with an edit less, and limit is the most that the texts allow.
 */
static inline int64_t
place_edit(Level before, uint32_t edits, uint32_t inserted, uint32_t removed,
		   int64_t limit)
{
	int64_t		reach = USELESS;

	if (inserted > 0)
		raise_to(&reach, before[inserted - 1][removed], limit);
	if (removed > 0 && before[inserted][removed - 1] != USELESS)
		raise_to(&reach, before[inserted][removed - 1] + 1, limit);
	if (inserted + removed < edits && before[inserted][removed] != USELESS)
		raise_to(&reach, before[inserted][removed] + 1, limit);
	if (inserted > 0 && removed > 0 &&
		before[inserted - 1][removed - 1] >= reach)
		return USELESS;
	return reach;
}

/* Advance a reach over equal units, up to a limit. */
static inline int64_t
slide(Ray a, Ray b, int step, int64_t reach, int64_t diagonal, int64_t limit)
{
	int			first = step > 0 ? 0 : -1;

	while (reach < limit && a.units[first + reach * step] ==
		   b.units[first + (reach + diagonal) * step])
	{
		reach++;
		check_sometimes((size_t) reach);
	}
	return reach;
}

/* Take an alignment if it is better than the best one so far. */
static inline void
take_better(Reach *best, Reach reach)
{
	if (reach.equal < best->equal)
		return;
	if (reach.equal > best->equal ||
		(reach.edits == best->edits &&
		 (reach.units_a < best->units_a ||
		  (reach.units_a == best->units_a && reach.units_b < best->units_b))))
		*best = reach;
}

/* Find the best alignments with an edit more than before. */
static void
extend_level(Ray a, Ray b, int step, uint32_t edits, uint32_t enough,
			 Level before, Level now, Reach *best)
{
	for (uint32_t inserted = 0; inserted <= edits; inserted++)
		for (uint32_t removed = 0; inserted + removed <= edits; removed++)
		{
			int64_t		diagonal = (int64_t) inserted - removed;
			int64_t		lost = edits - inserted;
			int64_t		limit = b.count - diagonal;
			int64_t		reach = 0;

			if (limit > a.count)
				limit = a.count;
			if (limit > enough + lost)
				limit = enough + lost;
			if (edits > 0)
				reach = place_edit(before, edits, inserted, removed, limit);
			if (reach != USELESS)
			{
				Reach		aligned = {.edits = edits};

				reach = slide(a, b, step, reach, diagonal, limit);
				aligned.equal = (uint32_t) (reach - lost);
				aligned.units_a = (uint32_t) reach;
				aligned.units_b = (uint32_t) (reach + diagonal);
				take_better(best, aligned);
			}
			now[inserted][removed] = (int32_t) reach;
		}
}

/* Find the best alignments of two rays with 0, 1, ... edits. */
void
alignment_extend(Ray a, Ray b, int step, uint32_t edits, uint32_t enough,
				 Reach *reaches)
{
	Level		levels[2];
	Reach		best = {0};

	core_check_interrupts();	/* every time: many edits take microseconds */
	for (uint32_t i = 0; i <= edits; i++)
	{
		if (best.equal < enough)
			extend_level(a, b, step, i, enough, levels[(i + 1) % 2],
						 levels[i % 2], &best);
		reaches[i] = best;
	}
}

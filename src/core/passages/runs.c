/*-------------------------------------------------------------------------
 *
 * runs.c
 *	  The longest run from each place of a text that another text has, too.
 *
 * The suffix automaton of the second text accepts its runs (Blumer et al., The
 * Smallest Automaton Recognizing the Subwords of a Text, Theoretical Computer
 * Science 40, 1985).  A state stands for all runs that end at the same places;
 * each of them is a suffix of the longest.  The link of a state leads to that of
 * the longest suffix that also ends at other places.
 *
 * The automaton grows by one unit at a time.  The state of the text so far and
 * the states on its links get an edge for the unit, up to the first that has one
 * already.  If that edge leads to a state with longer runs, which do not end
 * here, the state is split.
 *
 * The first text is then read through a window that is always a run of the
 * second: it grows at its end as far as edges lead on, which makes it the longest
 * run from its start, and loses its first unit.
 *
 * Time: linear.  A text of n units has fewer than 2 n states, and fewer than n
 * edges in addition to the first of each state.
 *
 * Memory: 8 bytes for each unit of the first text, which are the result, and 60
 * to 110 for each unit of the second.
 *
 *-------------------------------------------------------------------------
 */
#include "seeds.h"

#define START 0					/* the state of the run of no units */
#define NOWHERE UINT32_MAX		/* the link of that state */

/* The runs that end at the same places of the text. */
typedef struct State
{
	uint32_t	length;			/* of the longest */
	uint32_t	end;			/* of the first place */
	uint32_t	link;
	uint32_t	unit;			/* of the first edge */
	uint32_t	next;			/* where it leads; START: there is no edge */
	uint32_t	more;			/* the unit + 1 of another edge, or 0 */
} State;

/* The automaton.  The table has all edges but the first of each state. */
typedef struct Automaton
{
	State	   *states;
	uint32_t	count;
	HashTable	edges;			/* value: a state; extra: as more */
	size_t		steps;
} Automaton;

/* Return the key of an edge in the hash table. */
static inline uint64_t
edge_key(uint32_t state, uint32_t unit)
{
	return (uint64_t) state << 32 | unit;
}

/* Return the state to which an edge leads, or START if there is none. */
static inline uint32_t
next_state(const Automaton *automaton, uint32_t state, uint32_t unit)
{
	const State *from = &automaton->states[state];

	if (from->unit == unit)
		return from->next;
	if (from->more == 0)
		return START;
	return hash_table_find(&automaton->edges, edge_key(state, unit))->value;
}

/* Add an edge, or lead it to another state. */
static inline void
set_edge(Automaton *automaton, uint32_t state, uint32_t unit, uint32_t next)
{
	State	   *from = &automaton->states[state];
	HashEntry  *edge;

	if (from->next == START || from->unit == unit)
	{
		from->unit = unit;
		from->next = next;
		return;
	}
	edge = hash_table_enter(&automaton->edges, edge_key(state, unit));
	if (edge->value == START)
	{
		edge->extra = from->more;
		from->more = unit + 1;
	}
	edge->value = next;
}

/*
 * Split a state: make one for its runs up to the one that an edge completes, and
 * lead the edges of these runs there.
 */
static uint32_t
split_state(Automaton *automaton, uint32_t from, uint32_t unit, uint32_t old)
{
	State	   *states = automaton->states;
	uint32_t	new = automaton->count++;
	uint32_t	more = states[old].more;

	states[new] = states[old];
	states[new].length = states[from].length + 1;
	states[new].more = 0;
	states[old].link = new;
	while (more != 0)
	{
		uint32_t	copied = more - 1;
		HashEntry  *edge = hash_table_find(&automaton->edges,
										   edge_key(old, copied));

		check_sometimes(automaton->steps++);
		more = edge->extra;
		set_edge(automaton, new, copied, edge->value);
	}
	for (; from != NOWHERE && next_state(automaton, from, unit) == old;
		 from = states[from].link)
	{
		check_sometimes(automaton->steps++);
		set_edge(automaton, from, unit, new);
	}
	return new;
}

/* Append a unit to the text whose state is last; return the state of both. */
static uint32_t
append_unit(Automaton *automaton, uint32_t last, uint32_t unit)
{
	State	   *states = automaton->states;
	uint32_t	new = automaton->count++;
	uint32_t	length = states[last].length + 1;
	uint32_t	from = last;
	uint32_t	old = START;

	states[new] = (State) {.length = length,.end = length};
	for (; from != NOWHERE; from = states[from].link)
	{
		check_sometimes(automaton->steps++);
		old = next_state(automaton, from, unit);
		if (old != START)
			break;
		set_edge(automaton, from, unit, new);
	}
	if (from != NOWHERE && states[old].length > states[from].length + 1)
		old = split_state(automaton, from, unit, old);
	states[new].link = old;
	return new;
}

/* Make the automaton of a text. */
static void
make_automaton(Automaton *automaton, const Units *text)
{
	uint32_t	last = START;

	automaton->states = core_allocate(sizeof(State) * (2 * (uint64_t) text->count + 1));
	automaton->states[START] = (State) {.link = NOWHERE};
	automaton->count = 1;
	automaton->steps = 0;
	hash_table_begin(&automaton->edges, text->count / 2, text->numbers->factor);
	for (size_t i = 0; i < text->count; i++)
		last = append_unit(automaton, last, text->list[i]);
}

/* Find the longest runs of two texts. */
CommonRun *
runs_find_longest(const Units *a, const Units *b)
{
	CommonRun  *runs = core_allocate(sizeof(CommonRun) * a->count);
	Automaton	automaton;
	const State *states;
	uint32_t	state = START;
	uint32_t	length = 0;

	make_automaton(&automaton, b);
	states = automaton.states;
	for (size_t i = 0; i < a->count; i++)
	{
		for (; i + length < a->count; length++)
		{
			uint32_t	next = next_state(&automaton, state, a->list[i + length]);

			check_sometimes(automaton.steps++);
			if (next == START)
				break;
			state = next;
		}
		runs[i] = (CommonRun) {length, states[state].end - length};
		if (length > 0 && --length == states[states[state].link].length)
			state = states[state].link;
	}
	hash_table_end(&automaton.edges);
	core_release(automaton.states);
	return runs;
}

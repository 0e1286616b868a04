/*-------------------------------------------------------------------------
 *
 * seeds.h
 *	  Find the common runs of two texts that are part of a passage.
 *
 * One text is kept in a table, and any number of others are scanned against it:
 * call seeds_begin(), set units, count and whole, and call seeds_next() until it
 * returns false.  Units may be added between two calls, also at another address.
 *
 * To list all seeds, set runs, too.  Without it, the time that is needed after
 * the first seed grows with the number of common runs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEEDS_H
#define SEEDS_H

#include "alignment.h"
#include "units.h"

/* The runs of a kept text that have the size of a seed. */
typedef struct SeedTable
{
	PassageRule rule;
	bool		is_short;		/* only an equal text shares a passage */
	const uint32_t *units;		/* of the kept text */
	uint32_t	count;
	uint32_t	size;			/* units of a seed */
	uint64_t	secret;			/* odd; makes places in the table
								 * unpredictable */
	uint64_t	base;			/* of the rolling hash */
	uint64_t	removal;		/* minus the base to the power of size */
	int			shift;			/* 64 - log2 of the number of heads */
	uint32_t   *heads;			/* the first of a chain of places, from 1; 0
								 * at its end */
	uint32_t   *next;			/* the next of each place */
	uint32_t   *skip;			/* the next after another unit */
	uint8_t    *filter;			/* a bit is set if a run maps to it */
} SeedTable;

/* A common run. */
typedef struct Seed
{
	uint32_t	at;				/* where it begins in the text */
	uint32_t	at_kept;		/* and in the kept text */
	uint32_t	length;
} Seed;

/* The longest run from a place, and its first place in the other text. */
typedef struct CommonRun
{
	uint32_t	length;
	uint32_t	at;				/* undefined if length is 0 */
} CommonRun;

/* The runs of the kept text that begin as the text does from a place. */
typedef struct SeedChain
{
	uint32_t	at;				/* the place in the text */
	uint32_t	next;			/* in the kept text, from 1; 0 at the end */
	const CommonRun *longest;	/* to be tried first; NULL if it is not known */
	uint64_t	around;			/* surroundings(), once it was needed, or 0 */
	bool		any_passed;		/* a run was a seed, or not measured */
} SeedChain;

#define SEED_FAILURES 512		/* surroundings to remember */

/* A text that is being scanned. */
typedef struct SeedScan
{
	const SeedTable *table;
	const uint32_t *units;
	uint32_t	count;
	bool		whole;			/* no more units will be added */
	const CommonRun *runs;		/* the longest from each unit; NULL if they
								 * are not known */
	uint32_t	read;			/* units that have been hashed */
	uint32_t	known;			/* known ones before it, at most a seed */
	uint64_t	hash;			/* of these */
	SeedChain	chain;			/* to be compared with the last ones */
	Seed		last;			/* the seed returned last */
	size_t		steps;			/* runs of chains that were compared */
	uint64_t	failed[SEED_FAILURES];	/* surroundings of places from which
										 * no run qualified */
} SeedScan;

/*
 * Make the table of a text, whose units must stay valid.  secret should be
 * random.
 *
 * Two texts of fewer units than the run share a passage if they are equal, with
 * any length and edits.
 */
extern void seed_table_make(SeedTable *table, const PassageRule *rule,
							const uint32_t *units, uint32_t count,
							uint64_t secret);

/* Release the memory of a table. */
extern void seed_table_end(SeedTable *table);

/*
 * Find the longest run from each place of a that b has, too, both numbered by
 * one table that has all units of b.  They have fewer than 2^30 units
 * together.  Returns an array of a->count runs in new memory.
 */
extern CommonRun *runs_find_longest(const Units *a, const Units *b);

/* Begin to scan a text of no units. */
extern void seeds_begin(SeedScan *scan, const SeedTable *table);

/*
 * Find the next seed: a longest common run of at least the table's size that is
 * part of a passage, and does not end before the last one does.  Seeds are in
 * the order of their places in the text, then of those in the kept text.
 *
 * Returns false if there is none, or if count has to grow first, which is so
 * unless whole is set.  Checks for interrupts.
 */
extern bool seeds_next(SeedScan *scan, Seed *seed);

#endif							/* SEEDS_H */

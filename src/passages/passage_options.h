/*-------------------------------------------------------------------------
 *
 * passage_options.h
 *	  Strategy and options of the operator classes passage_ops of GIN and lsh.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGE_OPTIONS_H
#define PASSAGE_OPTIONS_H

#include "access/stratnum.h"

#define PASSAGE_STRATEGY 1		/* text &&~ passage_query */

/*
 * Return the run of an index column, a valid shingling without "bag", given the
 * options of its operator class; NULL stands for the default, word:12.
 */
extern uint32 passage_index_run(const bytea *options);

#endif							/* PASSAGE_OPTIONS_H */

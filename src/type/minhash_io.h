/*-------------------------------------------------------------------------
 *
 * minhash_io.h
 *	  Input and output of signatures.
 *
 * minhash.h describes the forms.  Results are palloc'd.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_IO_H
#define MINHASH_IO_H

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/nodes.h"

#include "minhash.h"

/* Enough for the parameters in text form: shingling/method/k/seed */
#define MINHASH_KIND_SIZE (SHINGLING_TEXT_SIZE + 64)

extern Datum minhash_in(PG_FUNCTION_ARGS);
extern int	minhash_print_kind(const MinHashKind *kind, char *str);
extern char *minhash_to_cstring(const MinHash *sig);
extern MinHash *minhash_parse(const char *str, int32 typmod, Node *escontext);
extern MinHash *minhash_read_binary(StringInfo buf);
extern void minhash_write_binary(StringInfo buf, const MinHash *sig);

#endif							/* MINHASH_IO_H */

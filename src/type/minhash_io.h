/*-------------------------------------------------------------------------
 *
 * minhash_io.h
 *	  Input and output of signatures, input of shinglings.
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

/*
 * The type modifier of minhash(k).  Drivers that know only the catalogs, such as
 * psqlODBC, take a type modifier less 4 for the length of a text, as it is for
 * varchar.  So it exceeds the length of a signature's text by more than 4: up to 50
 * characters, and the slots in base64, 8/3 k.
 */
#define MINHASH_TYPMOD(num_hashes) (3 * ((num_hashes) + 43))

/* The number of hashes of a type modifier other than -1. */
#define MINHASH_TYPMOD_HASHES(typmod) ((typmod) / 3 - 43)

/* Declared so that the type can be recognized by its input function. */
extern Datum minhash_in(PG_FUNCTION_ARGS);

/*
 * The input function of shingling, for DirectFunctionCall1() with a cstring.  Raises
 * ERRCODE_INVALID_TEXT_REPRESENTATION for a string that is not a shingling.
 */
extern Datum shingling_in(PG_FUNCTION_ARGS);

/* Return the text form of a signature. */
extern char *minhash_to_cstring(const MinHash *sig);

/*
 * Parse the text form of a signature.  A type modifier other than -1
 * gives the number of hashes that it must have.  Returns NULL after a soft error in escontext,
 * ERRCODE_INVALID_TEXT_REPRESENTATION or, for another number of hashes,
 * ERRCODE_DATA_EXCEPTION; PostgreSQL 15 raises it instead.
 */
extern MinHash *minhash_parse(const char *str, int32 typmod, Node *escontext);

/*
 * Read the binary form of a signature, which must extend to the end of the
 * buffer.  Raises ERRCODE_INVALID_BINARY_REPRESENTATION if it is invalid.
 */
extern MinHash *minhash_read_binary(StringInfo buf);

/* Append the binary form of a signature to a buffer. */
extern void minhash_write_binary(StringInfo buf, const MinHash *sig);

#endif							/* MINHASH_IO_H */

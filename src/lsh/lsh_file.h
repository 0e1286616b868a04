/*-------------------------------------------------------------------------
 *
 * lsh_file.h
 *	  Reading the temporary files of CREATE INDEX.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_FILE_H
#define LSH_FILE_H

#include "storage/buffile.h"

/* Seek to the start of a file; raises an error if that fails. */
extern void lsh_file_rewind(BufFile *file);

/* Read wanted bytes; raises an error if the file has fewer. */
extern void lsh_file_read(BufFile *file, void *bytes, Size wanted);

#endif							/* LSH_FILE_H */

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

extern void lsh_file_rewind(BufFile *file);
extern void lsh_file_read(BufFile *file, void *bytes, Size wanted);

#endif							/* LSH_FILE_H */

/*-------------------------------------------------------------------------
 *
 * lsh_file.h
 *	  Read temporary files of the build of an lsh index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_FILE_H
#define LSH_FILE_H

#include "storage/buffile.h"

extern void lsh_file_rewind(BufFile *file);
extern void lsh_file_read(BufFile *file, void *bytes, Size wanted);

#endif							/* LSH_FILE_H */

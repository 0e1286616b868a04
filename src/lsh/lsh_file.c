/*-------------------------------------------------------------------------
 *
 * lsh_file.c
 *	  Reading the temporary files of CREATE INDEX.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lsh_file.h"

/* Seek to the start of a file. */
void
lsh_file_rewind(BufFile *file)
{
	if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind a temporary file of an index build: %m")));
}

/* Read an exact number of bytes. */
void
lsh_file_read(BufFile *file, void *bytes, Size wanted)
{
	Size		got = BufFileRead(file, bytes, wanted);

	if (got != wanted)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file of an index build: read only %zu of %zu bytes",
						got, wanted)));
}

/*-------------------------------------------------------------------------
 *
 * server_memory.c
 *	  Services for algorithms of core/: palloc'd memory of more than 1 GB,
 *	  interrupts, and a random number for hash tables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#ifndef WIN32
#include <sys/mman.h>
#endif

#include "miscadmin.h"
#include "utils/memutils.h"

#include "server_memory.h"

#define PAGE_ALIGNMENT 65536	/* a multiple of the page size everywhere */
#define HUGE_PAGE (2 * 1024 * 1024) /* on most systems; less is not worth it */

/* Process pending interrupts; does not return if the query is cancelled. */
void
core_check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Allocate memory; palloc reports a size over its limit. */
void *
core_allocate(uint64 size)
{
	CHECK_FOR_INTERRUPTS();
	return palloc_extended(Min(Max(size, 1), MaxAllocHugeSize + 1), MCXT_ALLOC_HUGE);
}

/* Allocate zeros. */
void *
core_allocate_zeros(uint64 size)
{
	return memset(core_allocate(size), 0, (Size) size);
}

/* Change the size of memory. */
void *
core_reallocate(void *memory, uint64 size)
{
	if (memory == NULL)
		return core_allocate(size);
	CHECK_FOR_INTERRUPTS();
	return repalloc_huge(memory, Min(size, MaxAllocHugeSize + 1));
}

/* Release memory. */
void
core_release(void *memory)
{
	pfree(memory);
}

/* Allocate an array. */
void *
server_alloc_array(uint64 count, Size size)
{
	return core_allocate(count <= MaxAllocHugeSize / size ? count * size : UINT64_MAX);
}

/* Allocate an array of zeros. */
void *
server_alloc_zeros(uint64 count, Size size)
{
	return memset(server_alloc_array(count, size), 0, (Size) count * size);
}

/*
 * Allocate memory in huge pages if possible; NULL if there is not enough.  They
 * save a page fault for every 4 kB: a quarter of the time it takes to cluster a
 * million rows.
 */
void *
server_alloc_huge(MemoryContext context, uint64 bytes)
{
	char	   *memory = NULL;

	if (bytes <= MaxAllocHugeSize)
		memory = MemoryContextAllocExtended(context, Max(bytes, 1),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
#ifdef MADV_HUGEPAGE
	if (memory != NULL && bytes >= HUGE_PAGE)
	{
		char	   *start = (char *) TYPEALIGN(PAGE_ALIGNMENT, memory);
		char	   *end = (char *) TYPEALIGN_DOWN(PAGE_ALIGNMENT, memory + bytes);

		(void) madvise(start, end - start, MADV_HUGEPAGE);
	}
#endif
	return memory;
}

/* Return the session's secret, drawn at the first call. */
uint64
server_secret(void)
{
	static uint64 secret = 0;

	if (secret == 0 && !pg_strong_random(&secret, sizeof(secret)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	return secret;
}

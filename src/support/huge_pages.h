/*-------------------------------------------------------------------------
 *
 * huge_pages.h
 *	  Large memory in huge pages.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HUGE_PAGES_H
#define HUGE_PAGES_H

extern void *allocate_huge(MemoryContext context, uint64 bytes);

#endif							/* HUGE_PAGES_H */

/*-------------------------------------------------------------------------
 *
 * huge_pages.h
 *	  Large memory in huge pages.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HUGE_PAGES_H
#define HUGE_PAGES_H

extern void advise_huge_pages(void *memory, Size bytes);

#endif							/* HUGE_PAGES_H */

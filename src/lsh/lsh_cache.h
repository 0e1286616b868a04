/*-------------------------------------------------------------------------
 *
 * lsh_cache.h
 *	  What a session remembers of an lsh index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_CACHE_H
#define LSH_CACHE_H

#include "lsh_page.h"

extern Buffer lsh_read_again(Relation index, BlockNumber block, int lock,
							 LshPageType type);
extern Buffer lsh_pin_again(Relation index, BlockNumber block);
extern BlockNumber lsh_cached_leaf(Relation index, uint64 key, bool leftmost);
extern void lsh_cache_prepare(Relation index);
extern void lsh_cache_moved(Relation index);
extern void lsh_fetch_leaf(Relation index, uint64 key);
extern void lsh_fetch_planes(Relation index, BlockNumber block);
extern void lsh_fetch_record(Relation index, const LshLayout *layout,
							 uint32 number);

#endif							/* LSH_CACHE_H */

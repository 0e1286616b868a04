/*-------------------------------------------------------------------------
 *
 * lsh_layout.c
 *	  Where the records of an index lie on a store page.
 *
 * A record of k hashes takes 6 bytes for the TID and 2k bytes for the slots,
 * plus up to 7 bytes if k is not a multiple of 8.  Planes of the same order
 * lie side by side so that a scan reads few cache lines (see core/sketch/planes.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "core/bands/bands.h"
#include "core/base/bits.h"
#include "lsh_layout.h"

#define PASSAGE_FLOOR 32		/* a key is 32 bits, then 32 zeros */

/* Compute where the records of a kind lie on a page. */
void
lsh_layout_init(LshLayout *layout, const MinHashKind *kind)
{
	memset(layout, 0, sizeof(LshLayout));
	layout->kind = *kind;
	layout->common.first = InvalidBlockNumber;
	layout->key_floor = lowest_bit(band_mask(BAND_ROWS));
	layout->start = LSH_SIGNATURES_START;
	layout->plane_size = plane_size(kind->num_hashes);
	layout->rest_size = sizeof(ItemPointerData) + kind->num_hashes;
	layout->per_page = (int) ((BLCKSZ - LSH_SIGNATURES_START) /
							  (4 * layout->plane_size + layout->rest_size));
	layout->per_page = Min(layout->per_page, (int) (8 * LSH_SIGNATURES_USED));
	layout->number_bits = pg_ceil_log2_32(layout->per_page);
}

/* Compute where the records of an index of passages lie on a page. */
void
lsh_layout_passages(LshLayout *layout, uint32 run, const LshGramList *common)
{
	memset(layout, 0, sizeof(LshLayout));
	layout->content = LSH_PASSAGES;
	layout->kind.shingling = run;
	layout->common = *common;
	layout->key_floor = PASSAGE_FLOOR;
	layout->start = LSH_PASSAGES_START;
	layout->rest_size = sizeof(ItemPointerData);
	layout->per_page = LSH_STORE_MAX;
	layout->number_bits = pg_ceil_log2_32(layout->per_page);
}

/* Make an empty store page. */
void
lsh_store_init(Page page, const LshLayout *layout)
{
	lsh_page_init(page, LSH_STORE);
	LshPageStore(page)->num_hashes = (uint16) layout->kind.num_hashes;
	/* Records lie at fixed places, so the page has no hole. */
	((PageHeader) page)->pd_lower = BLCKSZ;
}

/* Write the record of a row to a page in memory. */
void
lsh_store_write(Page page, const LshLayout *layout, int place,
				const MinHash *sig, ItemPointer tid)
{
	uint8	   *rest = lsh_record_rest(layout, page, place);
	PlaneBuffers planes = {
		lsh_record_first(layout, page, place),
		lsh_record_second(layout, page, place),
		lsh_record_third(layout, page, place),
		rest + sizeof(ItemPointerData)
	};

	LshPageStore(page)->used[place / 8] |= (uint8) (1 << place % 8);
	memcpy(rest, tid, sizeof(ItemPointerData));
	if (layout->content == LSH_SIGNATURES)
		planes_split(sig->slots, sig->num_hashes, sig->method, &planes);
}

/* Find the first place without a record. */
int
lsh_store_free_place(Page page, const LshLayout *layout)
{
	for (int place = 0; place < layout->per_page; place++)
		if (!lsh_record_is_used(page, place))
			return place;
	return -1;
}

/* Raise an error for a page with records of another size. */
void
lsh_check_records(Relation index, const LshLayout *layout, Buffer buffer)
{
	if (LshPageStore(BufferGetPage(buffer))->num_hashes != layout->kind.num_hashes)
		lsh_report_damage(index, BufferGetBlockNumber(buffer),
						  "It has records of another kind than the index.");
}

/*-------------------------------------------------------------------------
 *
 * lsh_page.c
 *	  Reading, checking and adding pages of an lsh index.
 *
 * Whenever a page is read, all fields that later code trusts are checked: a
 * damaged page may raise an error, but must not crash the server.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"

#include "compat.h"
#include "core/sketch/sketch.h"
#include "core/text/shingling.h"
#include "core/passages/winnow.h"
#include "lsh_page.h"

/* Report a damaged page. */
void
lsh_report_damage(Relation index, BlockNumber block, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" is damaged at block %u",
					RelationGetRelationName(index), block),
			 errdetail_internal("%s", detail),
			 errhint("Rebuild it with REINDEX INDEX.")));
}

/* Return true if an index holds passages. */
bool
lsh_holds_passages(Relation index)
{
	return index->rd_opcintype[0] == TEXTOID;
}

/* Make an empty page. */
void
lsh_page_init(Page page, LshPageType type)
{
	LshPageHead *head = LshHead(page);

	PageInit(page, BLCKSZ, 0);
	head->id = LSH_PAGE_ID;
	head->type = (uint16) type;
	head->right = InvalidBlockNumber;
	((PageHeader) page)->pd_lower = LSH_HEAD_END;
}

/* Append an item to a page of a list. */
void
lsh_list_append(Page page, const void *item, Size size)
{
	PageHeader	header = (PageHeader) page;

	memcpy((char *) page + header->pd_lower, item, size);
	header->pd_lower += size;
}

/* Return the fault of a tree page, a whole sentence, or NULL. */
static const char *
check_tree(Page page)
{
	LshTree    *tree = LshPageTree(page);
	int			width = tree->level == 0 ? 4 : 8;
	int			count = lsh_tree_count(page);

	if (((PageHeader) page)->pd_lower != LSH_TREE_START + width * count)
		return "Its page header and its number of entries do not match.";
	if (tree->sorted > count || tree->lo > tree->hi || tree->shift > 63)
		return "Its header is not valid.";
	if (tree->level == 0 &&
		(tree->hi >> tree->shift) - (tree->lo >> tree->shift) > PG_UINT32_MAX)
		return "Its fragments are too short for its keys.";
	if (tree->level > 0 && count == 0)
		return "It has no children.";
	return NULL;
}

/* Return the fault of a page of fixed-size items, or NULL. */
static const char *
check_list(Page page, Size item)
{
	Size		lower = ((PageHeader) page)->pd_lower;

	return (lower - LSH_HEAD_END) % item == 0 ? NULL : "Its end is not valid.";
}

/* Return the fault of the metapage, or NULL. */
static const char *
check_meta(Page page)
{
	LshMeta    *meta = LshPageMeta(page);

	if (((PageHeader) page)->pd_lower < SizeOfPageHeaderData + sizeof(LshMeta) ||
		meta->magic != LSH_MAGIC)
		return "It is not the first page of an lsh index.";
	if (meta->version != LSH_VERSION)
		return NULL;			/* lsh_meta_lock() reports it */
	if (meta->content > LSH_PASSAGES ||
		meta->common.count > COMMON_GRAMS_MAX ||
		meta->last_directory == InvalidBlockNumber ||
		(meta->first_nulls == InvalidBlockNumber) !=
		(meta->free_nulls == InvalidBlockNumber))
		return "Its header is not valid.";
	if (meta->content == LSH_PASSAGES)
		return meta->num_hashes == 0 && shingling_is_valid(meta->shingling) ?
			NULL : "Its run is not valid.";
	if (meta->num_hashes != 0 &&
		(meta->num_hashes < SKETCH_MIN_HASHES ||
		 meta->num_hashes > SKETCH_MAX_HASHES ||
		 meta->method < SKETCH_ONE_PERMUTATION ||
		 meta->method > SKETCH_LAST_METHOD ||
		 !shingling_is_valid(meta->shingling)))
		return "Its kind of signatures is not valid.";
	return NULL;
}

/* Return the fault of a page of a type, or NULL. */
static const char *
check_content(Page page, LshPageType type)
{
	switch (type)
	{
		case LSH_META:
			return check_meta(page);
		case LSH_TREE:
			return check_tree(page);
		case LSH_STORE:
			return NULL;		/* lsh_check_records() */
		case LSH_DIRECTORY:
			return check_list(page, sizeof(BlockNumber));
		case LSH_NULLS:
			return check_list(page, sizeof(ItemPointerData));
		case LSH_COMMON:
			return check_list(page, sizeof(uint64));
	}
	return "Its page type is unknown.";
}

/* Raise an error if a page is damaged or of another type. */
void
lsh_page_check(Relation index, Buffer buffer, LshPageType type)
{
	Page		page = BufferGetPage(buffer);
	PageHeader	header = (PageHeader) page;
	LshPageHead *head = LshHead(page);
	const char *wrong;

	if (head->id != LSH_PAGE_ID || head->type != type)
		wrong = PageIsNew(page) ? "It is empty." :
			"It is a page of another type.";
	else if (header->pd_lower < LSH_HEAD_END ||
			 header->pd_upper < header->pd_lower || header->pd_upper > BLCKSZ)
		wrong = "Its page header is not valid.";
	else
		wrong = check_content(page, type);
	if (wrong != NULL)
		lsh_report_damage(index, BufferGetBlockNumber(buffer), wrong);
}

/*
 * Raise an error if a block lies beyond the end of an index.
 *
 * Remember the length of the last index asked about, because lseek() for each
 * page read would be slow.  The file of an index never becomes shorter: REINDEX
 * and TRUNCATE create another.  The exception is TRUNCATE of a table created in
 * the same transaction; then ReadBuffer() refuses the block.
 */
void
lsh_check_block(Relation index, BlockNumber block)
{
	static Oid	known_index = InvalidOid;
	static Oid	known_file = InvalidOid;
	static BlockNumber known = 0;

	if (RelationGetRelid(index) == known_index &&
		lsh_file_number(index) == known_file && block < known)
		return;
	known_index = RelationGetRelid(index);
	known_file = lsh_file_number(index);
	known = RelationGetNumberOfBlocks(index);
	if (block >= known)
		lsh_report_damage(index, block, "It lies beyond the end of the index.");
}

/* Pin, lock and check a page, with a buffer access strategy. */
Buffer
lsh_read_with(Relation index, BlockNumber block, int lock, LshPageType type,
			  BufferAccessStrategy strategy)
{
	Buffer		buffer;

	lsh_check_block(index, block);
	buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL,
								strategy);
	LockBuffer(buffer, lock);
	lsh_page_check(index, buffer, type);
	return buffer;
}

/* Pin, lock and check a page. */
Buffer
lsh_read(Relation index, BlockNumber block, int lock, LshPageType type)
{
	return lsh_read_with(index, block, lock, type, NULL);
}

/* Extend an index by a page. */
Buffer
lsh_new_buffer(Relation index)
{
	Buffer		buffer;

	/* Lock also a new index, because the workers of its build extend it. */
	LockRelationForExtension(index, ExclusiveLock);
	buffer = ReadBuffer(index, P_NEW);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	UnlockRelationForExtension(index, ExclusiveLock);
	return buffer;
}

/* Extend an index that is being built. */
BlockNumber
lsh_append_page(Relation index)
{
	Buffer		buffer = lsh_new_buffer(index);
	BlockNumber block = BufferGetBlockNumber(buffer);

	/* A valid page in case it is written out; lsh_write_page() replaces it. */
	PageInit(BufferGetPage(buffer), BLCKSZ, 0);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
	return block;
}

/* Write a page of an index that is being built. */
void
lsh_write_page(Relation index, BlockNumber block, const char *image)
{
	Buffer		buffer = ReadBuffer(index, block);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	memcpy(BufferGetPage(buffer), image, BLCKSZ);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

/* Count a step along a list of pages, which damage could make endless. */
void
lsh_step(Relation index, BlockNumber block, BlockNumber *steps)
{
	if (++*steps % 4096 == 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (*steps > RelationGetNumberOfBlocks(index))
			lsh_report_damage(index, block, "A list of pages has no end.");
	}
}

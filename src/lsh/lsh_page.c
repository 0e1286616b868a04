/*-------------------------------------------------------------------------
 *
 * lsh_page.c
 *	  Pages of an lsh index: make them, read them, refuse damaged ones.
 *
 * Whatever is read is checked as far as a later step would trust it: a
 * damaged page may give an error, but never a crash.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/lmgr.h"

#include "lsh_page.h"
#include "type/minhash_io.h"

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

/* Make an empty page of the tree for a range of keys. */
void
lsh_tree_init(Page page, int level, uint64 lo, uint64 hi)
{
	LshTree    *tree = LshPageTree(page);

	lsh_page_init(page, LSH_TREE);
	tree->lo = lo;
	tree->hi = hi;
	tree->sorted = 0;
	tree->level = (uint8) level;
	tree->shift = 0;
	tree->unused = 0;
	((PageHeader) page)->pd_lower = LSH_TREE_START;
}

/* Make the page that tells what the index holds. */
void
lsh_meta_init(Page page, const LshLayout *layout, BlockNumber last_directory,
			  BlockNumber first_nulls, BlockNumber last_nulls)
{
	LshMeta    *meta = LshPageMeta(page);

	lsh_page_init(page, LSH_META);
	meta->magic = LSH_MAGIC;
	meta->version = LSH_VERSION;
	meta->num_hashes = (uint16) layout->kind.num_hashes;
	meta->method = (uint8) layout->kind.method;
	meta->forgetting = false;
	meta->shingling = layout->kind.shingling;
	meta->seed = layout->kind.seed;
	meta->generation = layout->generation;
	meta->last_directory = last_directory;
	meta->first_nulls = first_nulls;
	meta->free_nulls = last_nulls;
	((PageHeader) page)->pd_lower = SizeOfPageHeaderData + sizeof(LshMeta);
}

/* Tell what is wrong with a page of the tree; NULL if nothing is. */
static const char *
check_tree(Page page)
{
	LshTree    *tree = LshPageTree(page);
	int			width = tree->level == 0 ? 4 : 8;
	int			count = lsh_tree_count(page);

	if (((PageHeader) page)->pd_lower != LSH_TREE_START + width * count)
		return "The numbers of its keys and of its records differ.";
	if (tree->sorted > count || tree->lo > tree->hi || tree->shift > 63)
		return "Its header is not valid.";
	if (tree->level == 0 &&
		(tree->hi >> tree->shift) - (tree->lo >> tree->shift) > PG_UINT32_MAX)
		return "Its fragments are too short for its keys.";
	if (tree->level > 0 && count == 0)
		return "It has no children.";
	return NULL;
}

/* Return the fault of a store page, or NULL. */
static const char *
check_store(Page page)
{
	int			num_hashes = LshPageStore(page)->num_hashes;

	if (num_hashes < SKETCH_MIN_HASHES || num_hashes > SKETCH_MAX_HASHES)
		return "Its number of hashes is not valid.";
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
		return "It does not begin as an index of method lsh.";
	if (meta->version == LSH_VERSION && meta->num_hashes != 0 &&
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
			return check_store(page);
		case LSH_DIRECTORY:
			return check_list(page, sizeof(BlockNumber));
		case LSH_NULLS:
			return check_list(page, sizeof(ItemPointerData));
	}
	return "Its type is not known.";
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
			"It is a page of another kind.";
	else if (header->pd_lower < LSH_HEAD_END ||
			 header->pd_upper < header->pd_lower || header->pd_upper > BLCKSZ)
		wrong = "Its page header is not valid.";
	else
		wrong = check_content(page, type);
	if (wrong != NULL)
		lsh_report_damage(index, BufferGetBlockNumber(buffer), wrong);
}

/*
 * Refuse a block beyond the end of an index.
 *
 * A file of an index does not become shorter, as REINDEX and TRUNCATE make
 * another, so its length is only asked for again when the block lies beyond
 * what it was.  The one exception, TRUNCATE of a table that is as new as its
 * transaction, leaves it to the server to refuse the block.
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
	bool		lock = !RELATION_IS_LOCAL(index);
	Buffer		buffer;

	if (lock)
		LockRelationForExtension(index, ExclusiveLock);
	buffer = ReadBuffer(index, P_NEW);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	if (lock)
		UnlockRelationForExtension(index, ExclusiveLock);
	return buffer;
}

/* Find how records of a kind lie on a page; none of them may fit. */
void
lsh_layout_init(LshLayout *layout, const MinHashKind *kind)
{
	layout->kind = *kind;
	layout->generation = 0;
	layout->forgetting = false;
	layout->plane_size = plane_size(kind->num_hashes);
	layout->rest_size = sizeof(ItemPointerData) + kind->num_hashes;
	layout->per_page = (int) ((BLCKSZ - LSH_STORE_START) /
							  (4 * layout->plane_size + layout->rest_size));
	layout->per_page = Min(layout->per_page, LSH_STORE_MAX);
	layout->number_bits = 0;
	while (1 << layout->number_bits < layout->per_page)
		layout->number_bits++;
}

/* Read what an index holds from its first page. */
void
lsh_layout_read(Relation index, Page page, LshLayout *layout)
{
	LshMeta    *meta = LshPageMeta(page);
	MinHashKind kind = {
		.shingling = meta->shingling,
		.method = meta->method,
		.num_hashes = meta->num_hashes,
		.seed = meta->seed
	};

	if (meta->version != LSH_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index \"%s\" has format version %u, which this version of lshsim does not know",
						RelationGetRelationName(index), meta->version),
				 errdetail("The version that it knows is %u.", LSH_VERSION),
				 errhint("Rebuild the index with REINDEX INDEX.")));
	lsh_layout_init(layout, &kind);
	layout->generation = meta->generation;
	layout->forgetting = meta->forgetting;
	if (layout->kind.num_hashes != 0 && layout->per_page == 0)
		lsh_report_damage(index, LSH_META_BLOCK,
						  "Its signatures are too large for a page.");
}

/* Tell whether a signature is of the kind that an index holds. */
bool
lsh_same_kind(const LshLayout *layout, const MinHash *sig)
{
	return minhash_is_of_kind(sig, &layout->kind);
}

/* Refuse a signature of another kind than the index holds. */
void
lsh_check_kind(Relation index, const LshLayout *layout, const MinHash *sig)
{
	MinHashKind kind = minhash_kind_of(sig);
	char		held[MINHASH_KIND_SIZE];
	char		new[MINHASH_KIND_SIZE];

	if (lsh_same_kind(layout, sig))
		return;
	minhash_print_kind(&layout->kind, held);
	minhash_print_kind(&kind, new);
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("index \"%s\" cannot hold signatures of different kinds",
					RelationGetRelationName(index)),
			 errdetail("It holds %s, the new signature is %s.",
					   held, new),
			 errhint("Use a GIN index, or a partial index or a partition for each kind.")));
}

/* Refuse a signature that does not fit a page. */
void
lsh_check_size(Relation index, const MinHash *sig)
{
	MinHashKind kind = minhash_kind_of(sig);
	LshLayout	layout;

	lsh_layout_init(&layout, &kind);
	if (layout.per_page == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a signature of %d hashes is too large for index \"%s\"",
						kind.num_hashes, RelationGetRelationName(index)),
				 errdetail("An index of method lsh holds signatures that fit a page."),
				 errhint("Use a GIN index, or fewer hashes.")));
}

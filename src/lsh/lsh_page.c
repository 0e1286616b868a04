/*-------------------------------------------------------------------------
 *
 * lsh_page.c
 *	  Reading, checking and adding pages of an lsh index; the metapage, and the
 *	  lists that begin there.
 *
 * Whenever a page is read, all fields that later code trusts are checked: a
 * damaged page may raise an error, but must not crash the server.  Only the
 * number of records on a store page depends on the layout, so lsh_store.c checks
 * that.
 *
 * A row that is NULL has no record, only a TID in a list of pages.  The
 * metapage names the page of the list where to look for room; VACUUM sets it
 * back to the first page that has some.  If that page and some behind it are
 * full, a new page is added right behind it, where the search after the next
 * VACUUM finds it.
 *
 * The build sets the kind of signatures, or the first insertion if the build
 * has met no signature, even if that is rolled back.  Only a new build can
 * change it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "storage/buf_internals.h"
#include "storage/lmgr.h"

#include "core/base/processor.h"
#include "core/passages/winnow.h"
#include "core/sketch/sketch.h"
#include "core/text/shingling.h"
#include "lsh.h"
#include "passages/passage_keys.h"
#include "type/minhash_io.h"

#define PASSAGE_FLOOR 32		/* a key is 32 bits, then 32 zeros */
#define MAX_TRIES 16			/* pages of a list in which to look for room */

/*** Checks ***/

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

/* Return the fault of a tree page, a whole sentence, or NULL. */
static const char *
tree_fault(Page page)
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

/* Return the fault of the metapage, or NULL. */
static const char *
meta_fault(Page page)
{
	LshMeta    *meta = LshPageMeta(page);

	if (((PageHeader) page)->pd_lower < SizeOfPageHeaderData + sizeof(LshMeta) ||
		meta->magic != LSH_MAGIC)
		return "It is not the first page of an lsh index.";
	if (meta->version != LSH_VERSION)
		return NULL;			/* read_layout() reports it */
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
page_fault(Page page, LshPageType type)
{
	/* Records of a store page are checked by lsh_check_store(). */
	static const Size item_sizes[] = {
		[LSH_STORE] = 1,
		[LSH_DIRECTORY] = sizeof(BlockNumber),
		[LSH_NULLS] = sizeof(ItemPointerData),
		[LSH_COMMON] = sizeof(uint64)
	};

	if (type == LSH_META)
		return meta_fault(page);
	if (type == LSH_TREE)
		return tree_fault(page);
	return (((PageHeader) page)->pd_lower - LSH_HEAD_END) % item_sizes[type] == 0 ?
		NULL : "Its end is not valid.";
}

/* Raise an error if a page is damaged or of another type. */
void
lsh_check_page(Relation index, Buffer buffer, LshPageType type)
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
		wrong = page_fault(page, type);
	if (wrong != NULL)
		lsh_report_damage(index, BufferGetBlockNumber(buffer), wrong);
}

/*** Reading pages ***/

/* Return the place that caches the buffer of a page, or NULL. */
static Buffer *
cached_buffer(Relation index, BlockNumber block)
{
	LshCache   *cache = index->rd_amcache;

	if (cache == NULL || cache->pages == 0)
		return NULL;
	return &lsh_cache_buffers(cache)[block & (cache->pages - 1)];
}

/* Pin a page, in its cached buffer if that still holds it. */
Buffer
lsh_pin(Relation index, BlockNumber block, BufferAccessStrategy strategy)
{
	Buffer	   *recent = cached_buffer(index, block);
	Buffer		buffer;

	if (block == P_NEW)
		lsh_report_damage(index, block, "The index has no such page.");
	if (recent != NULL && BufferIsValid(*recent) &&
		ReadRecentBuffer(compat_relation_file(index), MAIN_FORKNUM, block,
						 *recent))
		return *recent;
	buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL,
								strategy);
	recent = cached_buffer(index, block);
	if (recent != NULL)
		*recent = buffer;
	return buffer;
}

/* Pin, lock and check a page. */
Buffer
lsh_read(Relation index, BlockNumber block, int lock, LshPageType type,
		 BufferAccessStrategy strategy)
{
	Buffer		buffer = lsh_pin(index, block, strategy);

	LockBuffer(buffer, lock);
	lsh_check_page(index, buffer, type);
	return buffer;
}

/* Return the page in the cached buffer of a block, and prefetch its descriptor. */
char *
lsh_cached_page(Relation index, BlockNumber block)
{
	Buffer	   *recent = cached_buffer(index, block);

	if (recent == NULL || *recent <= 0)
		return NULL;
	prefetch_line(GetBufferDescriptor(*recent - 1));
	return (char *) BufferGetBlock(*recent);
}

/*** Adding pages ***/

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

/* Append an item to a page of a list in memory, which has room for it. */
static void
append_item(Page page, const void *item, Size size)
{
	PageHeader	header = (PageHeader) page;

	memcpy((char *) page + header->pd_lower, item, size);
	header->pd_lower += size;
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

/* Write the open page of a list with its link to the right. */
void
lsh_list_close_page(Relation index, LshOpenList *list, BlockNumber right)
{
	LshHead(list->image.data)->right = right;
	lsh_write_page(index, list->block, list->image.data);
}

/* Open a page that has been appended to the index, as the last of a list. */
void
lsh_list_open_page(LshOpenList *list, BlockNumber block, LshPageType type)
{
	if (list->first == InvalidBlockNumber)
		list->first = block;
	list->block = block;
	lsh_page_init((Page) list->image.data, type);
}

/* Append an item to a list of an index that is being built. */
void
lsh_list_write(Relation index, LshOpenList *list, LshPageType type,
			   const void *item, Size size)
{
	Page		page = (Page) list->image.data;

	if (list->first == InvalidBlockNumber || !lsh_list_has_room(page, size))
	{
		BlockNumber block = lsh_append_page(index);

		if (list->first != InvalidBlockNumber)
			lsh_list_close_page(index, list, block);
		lsh_list_open_page(list, block, type);
	}
	append_item(page, item, size);
}

/*** Layouts ***/

/*
 * Compute the layout of an index of a content and a kind; per_page is 0 if its
 * records exceed a page.
 */
static void
init_layout(LshLayout *layout, LshContent content, const MinHashKind *kind,
			const LshGramList *common)
{
	bool		passages = content == LSH_PASSAGES;

	*layout = (LshLayout) {
		.content = content,
		.kind = *kind,
		.common = *common,
		.key_floor = passages ? PASSAGE_FLOOR : 0,
		.start = passages ? LSH_PASSAGES_START : LSH_SIGNATURES_START,
		.plane_size = plane_size(kind->num_hashes),
		.rest_size = sizeof(ItemPointerData) + kind->num_hashes
	};
	layout->per_page = (int) Min((BLCKSZ - layout->start) /
								 (4 * layout->plane_size + layout->rest_size),
								 passages ? LSH_STORE_MAX : 8 * LSH_SIGNATURES_USED);
	layout->number_bits = pg_ceil_log2_32(layout->per_page);
}

/* Compute the layout of an index without rows. */
void
lsh_layout_init(Relation index, const LshGramList *common, LshLayout *layout)
{
	bool		passages = lsh_holds_passages(index->rd_opcintype[0]);
	MinHashKind kind = {.shingling = passages ? lsh_index_run(index) : 0};

	init_layout(layout, passages ? LSH_PASSAGES : LSH_SIGNATURES, &kind, common);
}

/* Let the layout of an index of signatures take the kind of one. */
void
lsh_layout_set_kind(Relation index, const MinHash *sig, LshLayout *layout)
{
	MinHashKind kind = minhash_kind_of(sig);
	LshGramList common = layout->common;

	init_layout(layout, LSH_SIGNATURES, &kind, &common);
	if (layout->per_page == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("signature of %d hashes is too large for index \"%s\"",
						kind.num_hashes, RelationGetRelationName(index)),
				 errdetail("A signature in an lsh index must fit on a page."),
				 errhint("Use a GIN index, or fewer hashes.")));
}

/*** The metapage ***/

/* Return the run of an index of passages. */
uint32
lsh_index_run(Relation index)
{
	return passage_index_run(RelationGetIndexAttOptions(index, false)[0]);
}

/* Put the kind of signatures into a metapage. */
static void
put_kind(LshMeta *meta, const MinHashKind *kind)
{
	meta->num_hashes = (uint16) kind->num_hashes;
	meta->method = (uint8) kind->method;
	meta->shingling = kind->shingling;
	meta->seed = kind->seed;
}

/* Make a metapage. */
void
lsh_meta_init(Page page, const LshLayout *layout, BlockNumber last_directory,
			  BlockNumber first_nulls, BlockNumber free_nulls)
{
	LshMeta    *meta = LshPageMeta(page);

	lsh_page_init(page, LSH_META);
	meta->magic = LSH_MAGIC;
	meta->version = LSH_VERSION;
	put_kind(meta, &layout->kind);
	meta->last_directory = last_directory;
	meta->first_nulls = first_nulls;
	meta->free_nulls = free_nulls;
	meta->content = layout->content;
	meta->common = layout->common;
	((PageHeader) page)->pd_lower = SizeOfPageHeaderData + sizeof(LshMeta);
}

/* Compute the layout of the kind that a metapage holds. */
static void
read_layout(Relation index, const LshMeta *meta, LshLayout *layout)
{
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
	init_layout(layout, meta->content, &kind, &meta->common);
	if (layout->kind.num_hashes != 0 && layout->per_page == 0)
		lsh_report_damage(index, LSH_META_BLOCK,
						  "Its signatures are too large for a page.");
}

/* Lock the metapage and copy it. */
Buffer
lsh_meta_lock(Relation index, int lock, LshMeta *meta)
{
	Buffer		buffer = lsh_read(index, LSH_META_BLOCK, lock, LSH_META, NULL);

	*meta = *LshPageMeta(BufferGetPage(buffer));
	return buffer;
}

/* Read the metapage. */
LshMeta
lsh_meta_read(Relation index, Snapshot snapshot, LshLayout *layout)
{
	LshMeta		meta;
	Buffer		buffer = lsh_meta_lock(index, BUFFER_LOCK_SHARE, &meta);

	compat_test_snapshot(snapshot, index, BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	read_layout(index, &meta, layout);
	/* This can read catalogs, so the page is not locked any more. */
	if (lsh_holds_passages(index->rd_opcintype[0]) ?
		meta.content != LSH_PASSAGES || meta.shingling != lsh_index_run(index) :
		meta.content != LSH_SIGNATURES)
		lsh_report_damage(index, LSH_META_BLOCK,
						  "It does not fit the definition of the index.");
	return meta;
}

/* Add the metapage to a change, unless it stays the same. */
void
lsh_meta_put(LshWal *wal, Buffer buffer, const LshMeta *meta)
{
	LshMeta    *old = LshPageMeta(BufferGetPage(buffer));

	if (memcmp(old, meta, sizeof(LshMeta)) != 0)
		lsh_wal_put(wal, buffer, old, meta, sizeof(LshMeta));
}

/* Replace the metapage, unless it stays the same. */
void
lsh_meta_log(Relation index, Buffer buffer, const LshMeta *meta)
{
	LshWal		wal;

	lsh_wal_begin(&wal, index);
	lsh_meta_put(&wal, buffer, meta);
	lsh_wal_finish(&wal);
}

/* Raise an error for a signature of another kind. */
void
lsh_check_kind(Relation index, const LshLayout *layout, const MinHash *sig)
{
	if (minhash_is_of_kind(sig, &layout->kind))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("index \"%s\" cannot hold signatures of different kinds",
					RelationGetRelationName(index)),
			 errdetail("It holds %s, the new signature is %s.",
					   minhash_kind_text(layout->kind),
					   minhash_kind_text(minhash_kind_of(sig))),
			 errhint("Use a GIN index, or a partial index or a partition for each kind. If no signature of the old kind is left in the table, run REINDEX INDEX.")));
}

/* Set the kind of an index that has none, and check that of a signature. */
void
lsh_meta_take_kind(Relation index, const MinHash *sig, LshLayout *layout)
{
	LshMeta		meta;
	Buffer		buffer;

	if (!lsh_layout_is_known(layout))
	{
		buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, &meta);
		read_layout(index, &meta, layout);
		if (!lsh_layout_is_known(layout))
		{
			lsh_layout_set_kind(index, sig, layout);
			put_kind(&meta, &layout->kind);
			lsh_meta_log(index, buffer, &meta);
		}
		UnlockReleaseBuffer(buffer);
	}
	lsh_check_kind(index, layout, sig);
}

/*** Lists of pages ***/

/*
 * Lock a page of a list that has room for an item: one of MAX_TRIES from a block
 * on, or InvalidBuffer.  A longer search would keep others waiting for the
 * metapage, whose lock also keeps the list as it is.
 */
static Buffer
find_room(Relation index, BlockNumber block, LshPageType type, Size size)
{
	for (int i = 0; i < MAX_TRIES && block != InvalidBlockNumber; i++)
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_EXCLUSIVE, type, NULL);

		if (lsh_list_has_room(BufferGetPage(buffer), size))
			return buffer;
		block = LshHead(BufferGetPage(buffer))->right;
		UnlockReleaseBuffer(buffer);
	}
	return InvalidBuffer;
}

/* Append an item to a page of a list as a part of a change. */
static void
put_item(LshWal *wal, Buffer buffer, const void *item, Size size)
{
	PageHeader	header = (PageHeader) BufferGetPage(buffer);
	LocationIndex lower = header->pd_lower + size;

	lsh_wal_put(wal, buffer, &header->pd_lower, &lower, sizeof(lower));
	lsh_wal_put(wal, buffer, (char *) header + header->pd_lower, item, size);
}

/* Add an item to the directory or to the list of NULLs, and log it. */
void
lsh_list_add(Relation index, LshPageType type, const void *item, Size size,
			 Buffer store, const char *store_image)
{
	LshMeta		meta;
	Buffer		meta_buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, &meta);
	BlockNumber *tail = type == LSH_NULLS ? &meta.free_nulls : &meta.last_directory;
	Buffer		buffer = find_room(index, *tail, type, size);
	bool		is_new = !BufferIsValid(buffer);
	Buffer		old = InvalidBuffer;	/* the page before a new one */
	PGAlignedBlock image;
	LshWal		wal;

	if (is_new)
	{
		lsh_page_init((Page) image.data, type);
		append_item((Page) image.data, item, size);
		if (*tail != InvalidBlockNumber)
		{
			old = lsh_read(index, *tail, BUFFER_LOCK_EXCLUSIVE, type, NULL);
			LshHead(image.data)->right = LshHead(BufferGetPage(old))->right;
		}
		buffer = lsh_new_buffer(index);
	}
	*tail = BufferGetBlockNumber(buffer);
	if (type == LSH_NULLS && meta.first_nulls == InvalidBlockNumber)
		meta.first_nulls = *tail;
	lsh_wal_begin(&wal, index);
	lsh_meta_put(&wal, meta_buffer, &meta);
	if (BufferIsValid(old))
		lsh_wal_put(&wal, old, &LshHead(BufferGetPage(old))->right, tail,
					sizeof(*tail));
	if (is_new)
		lsh_wal_page(&wal, buffer, image.data);
	else
		put_item(&wal, buffer, item, size);
	if (BufferIsValid(store))
		lsh_wal_page(&wal, store, store_image);
	lsh_wal_finish(&wal);
	if (BufferIsValid(old))
		UnlockReleaseBuffer(old);
	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(meta_buffer);
}

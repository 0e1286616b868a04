/*-------------------------------------------------------------------------
 *
 * lsh_meta.c
 *	  The metapage of an lsh index: the kind of its signatures.
 *
 * The build sets the kind, or the first insertion if the build has met no
 * signature, even if that is rolled back.  Only a new build can change it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "lsh_meta.h"
#include "passages/passage_gin.h"
#include "type/minhash_io.h"

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
			  BlockNumber first_nulls, BlockNumber last_nulls)
{
	LshMeta    *meta = LshPageMeta(page);

	lsh_page_init(page, LSH_META);
	meta->magic = LSH_MAGIC;
	meta->version = LSH_VERSION;
	put_kind(meta, &layout->kind);
	meta->last_directory = last_directory;
	meta->first_nulls = first_nulls;
	meta->free_nulls = last_nulls;
	meta->content = layout->content;
	meta->common = layout->common;
	((PageHeader) page)->pd_lower = SizeOfPageHeaderData + sizeof(LshMeta);
}

/* Compute the layout of the kind that a metapage holds. */
static void
read_layout(Relation index, Page page, LshLayout *layout)
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
	if ((meta->content == LSH_PASSAGES) != lsh_holds_passages(index) ||
		(meta->content == LSH_PASSAGES &&
		 meta->shingling != lsh_index_run(index)))
		lsh_report_damage(index, LSH_META_BLOCK,
						  "It does not fit the definition of the index.");
	if (meta->content == LSH_PASSAGES)
	{
		lsh_layout_passages(layout, meta->shingling, &meta->common);
		return;
	}
	lsh_layout_init(layout, &kind);
	if (layout->kind.num_hashes != 0 && layout->per_page == 0)
		lsh_report_damage(index, LSH_META_BLOCK,
						  "Its signatures are too large for a page.");
}

/* Lock the metapage and read it. */
Buffer
lsh_meta_lock(Relation index, int lock, LshMeta *meta, LshLayout *layout)
{
	Buffer		buffer = lsh_read(index, LSH_META_BLOCK, lock, LSH_META);
	LshLayout	unused;

	read_layout(index, BufferGetPage(buffer), layout ? layout : &unused);
	if (meta != NULL)
		*meta = *LshPageMeta(BufferGetPage(buffer));
	return buffer;
}

/* Read the metapage. */
LshMeta
lsh_meta_read(Relation index, Snapshot snapshot, LshLayout *layout)
{
	LshMeta		meta;
	Buffer		buffer = lsh_meta_lock(index, BUFFER_LOCK_SHARE, &meta, layout);

	if (snapshot != NULL)
		lsh_test_snapshot(snapshot, index, BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	return meta;
}

/* Add the metapage to a change, unless it stays the same. */
void
lsh_meta_put(LshWal *wal, Buffer buffer, const LshMeta *meta)
{
	LshMeta    *old = LshPageMeta(BufferGetPage(buffer));

	if (memcmp(old, meta, sizeof(LshMeta)) == 0)
		return;
	lsh_wal_page(wal, buffer);
	lsh_wal_put(wal, old, meta, sizeof(LshMeta));
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

/* Compute the layout of an index that takes the kind of a signature. */
void
lsh_layout_of(Relation index, const MinHash *sig, LshLayout *layout)
{
	MinHashKind kind = minhash_kind_of(sig);

	lsh_layout_init(layout, &kind);
	if (layout->per_page == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a signature of %d hashes is too large for index \"%s\"",
						kind.num_hashes, RelationGetRelationName(index)),
				 errdetail("A signature in an lsh index must fit on a page."),
				 errhint("Use a GIN index, or fewer hashes.")));
}

/* Set the kind of an index that has none. */
void
lsh_meta_set_kind(Relation index, const MinHash *sig, LshLayout *layout)
{
	LshMeta		meta;
	Buffer		buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, &meta,
									   layout);

	if (!lsh_has_kind(layout))
	{
		lsh_layout_of(index, sig, layout);
		put_kind(&meta, &layout->kind);
		lsh_meta_log(index, buffer, &meta);
	}
	UnlockReleaseBuffer(buffer);
}

/* Raise an error for a signature of another kind. */
void
lsh_check_kind(Relation index, const LshLayout *layout, const MinHash *sig)
{
	MinHashKind kind;
	char		held[MINHASH_KIND_SIZE];
	char		new[MINHASH_KIND_SIZE];

	if (minhash_is_of_kind(sig, &layout->kind))
		return;
	kind = minhash_kind_of(sig);
	minhash_print_kind(&layout->kind, held);
	minhash_print_kind(&kind, new);
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("index \"%s\" cannot hold signatures of different kinds",
					RelationGetRelationName(index)),
			 errdetail("It holds %s, the new signature is %s.",
					   held, new),
			 errhint("Use a GIN index, or a partial index or a partition for each kind. If no signature of the old kind is left in the table, run REINDEX INDEX.")));
}

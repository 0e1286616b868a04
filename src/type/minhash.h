/*-------------------------------------------------------------------------
 *
 * minhash.h
 *	  The type minhash: its format, its invariants, and access to values.
 *
 * A signature is a fixed-size summary of a set.  Its format is frozen: the
 * same set gives the same bytes on every platform, in every locale and
 * database encoding, and under every PostgreSQL version.
 *
 * In memory and in a table (native byte order; alignment 4):
 *
 *	offset	size	field
 *	0		4		varlena header
 *	4		1		version, 1
 *	5		1		method: 1 one-permutation, 2 k-permutation, 3 weighted,
 *					4 imported
 *	6		2		number of hashes k, 16 to 4096
 *	8		4		shingling: unit | n << 8 | flags << 16 (see core/text/shingling.h)
 *	12		4		seed
 *	16		4		reserved, zero
 *	20		2 * k	slots
 *
 * Binary form (minhash_send, a cast to bytea, binary COPY): the same fields
 * without the varlena header, in the same order, every number big-endian.
 *
 * Text form: shingling, method, k and seed separated by slashes, a slash,
 * then the slots as base64 of their big-endian bytes:
 *
 *	char:5/one-permutation/128/0/AqMFcw...
 *
 * A slot holds the minimum of the hash values assigned to it, rounded down to
 * a 16-bit floating-point code (see core/sketch/slots.c), or SLOT_EMPTY.  A slot of a
 * weighted set holds a hash of the dart of the lowest rank instead (see
 * core/sketch/weighted.c), which can be compared for equality but has no order.
 *
 * Invariants, checked by every input function: a code is in 0 .. SLOT_MAX (0 ..
 * SLOT_MAX_WEIGHTED for a weighted set, 0 .. SLOT_MAX_IMPORTED for an imported
 * signature) or is SLOT_EMPTY.  Unless the method is one-permutation, either
 * no slot is empty or all are.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_H
#define MINHASH_H

#include "fmgr.h"

#include "compat.h"
#include "core/sketch/sketch.h"
#include "core/text/shingling.h"

#define MINHASH_VERSION 1

typedef struct MinHash
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint8		version;		/* MINHASH_VERSION */
	uint8		method;			/* a SketchMethod */
	uint16		num_hashes;		/* number of slots, k */
	uint32		shingling;		/* see core/text/shingling.h */
	int32		seed;			/* seed of the element hash */
	uint32		reserved;		/* always zero */
	uint16		slots[FLEXIBLE_ARRAY_MEMBER];
} MinHash;

StaticAssertDecl(sizeof(int32) + 16 == offsetof(MinHash, slots),
				 "the header of a signature is 20 bytes, without padding");
StaticAssertDecl(SLOT_EMPTY == 0xFFFF, "the code of an empty slot is frozen");
StaticAssertDecl(SLOT_MAX == 45055, "the largest code is frozen");
StaticAssertDecl(SLOT_MAX_WEIGHTED == 65534, "the largest code is frozen");
StaticAssertDecl(SLOT_MAX_IMPORTED == 56319, "the largest code is frozen");
StaticAssertDecl(SKETCH_ONE_PERMUTATION == 1 && SKETCH_K_PERMUTATION == 2 &&
				 SKETCH_WEIGHTED == 3 && SKETCH_IMPORTED == 4,
				 "the numbers of the methods are frozen");

/* The part of a signature after the varlena header, and its size in bytes. */
#define MINHASH_BODY(sig) ((const unsigned char *) &(sig)->version)
#define MINHASH_BODY_SIZE(sig) (VARSIZE(sig) - offsetof(MinHash, version))

/* Bytes of a signature of k hashes; k is at most 4096, so no overflow. */
#define MINHASH_SIZE(k) (offsetof(MinHash, slots) + sizeof(uint16) * (Size) (k))

/* The parameters of a signature; comparable ones have all four in common. */
typedef struct MinHashKind
{
	uint32		shingling;
	SketchMethod method;
	int			num_hashes;
	int32		seed;
} MinHashKind;

/*
 * Fetch a signature and check its header, so that its size can be trusted.  The
 * result is the datum itself, or a detoasted copy in the current memory
 * context.  Raises ERRCODE_DATA_CORRUPTED.
 */
extern MinHash *DatumGetMinHash(Datum datum);

/*
 * Fetch a signature as DatumGetMinHash() does, and check its slots, too.  Use it
 * where slots are shown or decoded; comparing damaged slots for equality does no
 * harm.
 */
extern MinHash *DatumGetWholeMinHash(Datum datum);

/* Copy a signature into a memory context; the caller may pfree() the copy. */
extern MinHash *minhash_copy(MemoryContext context, const MinHash *sig);

/*
 * Allocate a signature of a valid kind in the current memory context.  All slots
 * are 0, and the caller fills them.
 */
extern MinHash *minhash_alloc(const MinHashKind *kind);

/*
 * Make a signature of a kind from a sketch begun for it, which is not modified, in
 * the current memory context.
 */
extern MinHash *minhash_from_sketch(const Sketch *sketch, const MinHashKind *kind);

/*
 * Hash the parameters of a signature: XXH3 of shingling, method, number of
 * hashes and seed, each 4 bytes, little-endian.  lsh_band_keys() and a
 * key of GIN indexes depend on it.
 */
extern uint64 minhash_kind_hash(const MinHash *sig);

/* Return the parameters of a signature as text, palloc'd: shingling/method/k/seed. */
extern char *minhash_kind_text(MinHashKind kind);

/*
 * Raise ERRCODE_DATA_EXCEPTION for two signatures that are not comparable, with
 * their parameters.  Does not return.
 */
extern void minhash_report_incomparable(const MinHash *a, const MinHash *b);

/*
 * Raise ERRCODE_DATA_EXCEPTION for two signatures that are not comparable, and
 * ERRCODE_FEATURE_NOT_SUPPORTED for those of weighted sets, which have no union.
 */
extern void minhash_check_union(const MinHash *a, const MinHash *b);

/* Return the parameters of a signature. */
static inline MinHashKind
minhash_kind_of(const MinHash *sig)
{
	return (MinHashKind) {
		.shingling = sig->shingling,
		.method = sig->method,
		.num_hashes = sig->num_hashes,
		.seed = sig->seed
	};
}

/* Return true if a signature has these parameters. */
static inline bool
minhash_is_of_kind(const MinHash *sig, const MinHashKind *kind)
{
	return sig->shingling == kind->shingling && sig->method == kind->method &&
		sig->num_hashes == kind->num_hashes && sig->seed == kind->seed;
}

/* Return true if two signatures have the same parameters. */
static inline bool
minhash_is_comparable(const MinHash *a, const MinHash *b)
{
	return memcmp(&a->version, &b->version,
				  offsetof(MinHash, slots) - offsetof(MinHash, version)) == 0;
}

/* Raise ERRCODE_DATA_EXCEPTION for two signatures that are not comparable. */
static inline void
minhash_check_comparable(const MinHash *a, const MinHash *b)
{
	if (!minhash_is_comparable(a, b))
		minhash_report_incomparable(a, b);
}

#define PG_GETARG_MINHASH_P(n) DatumGetMinHash(PG_GETARG_DATUM(n))
#define PG_GETARG_WHOLE_MINHASH_P(n) DatumGetWholeMinHash(PG_GETARG_DATUM(n))
#define PG_RETURN_MINHASH_P(x) PG_RETURN_POINTER(x)

#endif							/* MINHASH_H */

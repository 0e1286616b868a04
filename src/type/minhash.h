/*-------------------------------------------------------------------------
 *
 * minhash.h
 *	  The minhash type: its format and its invariants.
 *
 * A signature is a fixed-size summary of a set.  It is also a file format:
 * the same set gives the same bytes on every platform, in every locale and
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
 *	8		4		shingling: unit | n << 8 | flags << 16 (see core/shingling.h)
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
 * A slot holds the minimum of the hash values that fell to it, rounded down
 * to a floating-point code of 16 bits (see core/slots.c), or SLOT_EMPTY.  Only
 * that of a weighted set holds a hash, of the dart of the lowest rank (see
 * core/weighted.c), so it can be compared for equality but has no order.
 *
 * Invariants, checked by every input function: codes lie in 0 .. SLOT_MAX, in
 * 0 .. SLOT_MAX_WEIGHTED for a weighted set, in 0 .. SLOT_MAX_IMPORTED for an
 * imported signature, or are SLOT_EMPTY; a signature of any method but
 * one-permutation has either no empty slot or only empty ones.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_H
#define MINHASH_H

#include "fmgr.h"

#include "compat.h"
#include "core/shingling.h"
#include "core/sketch.h"

#define MINHASH_VERSION 1

typedef struct MinHash
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint8		version;		/* MINHASH_VERSION */
	uint8		method;			/* a SketchMethod */
	uint16		num_hashes;		/* number of slots, k */
	uint32		shingling;		/* how the document became a set */
	int32		seed;			/* seed of the element hash */
	uint32		reserved;		/* for future use, always zero */
	uint16		slots[FLEXIBLE_ARRAY_MEMBER];
} MinHash;

StaticAssertDecl(sizeof(int32) + 16 == offsetof(MinHash, slots),
				 "the header of a signature is 20 bytes");
StaticAssertDecl(offsetof(MinHash, version) == 4, "offset of version");
StaticAssertDecl(offsetof(MinHash, method) == 5, "offset of method");
StaticAssertDecl(offsetof(MinHash, num_hashes) == 6, "offset of num_hashes");
StaticAssertDecl(offsetof(MinHash, shingling) == 8, "offset of shingling");
StaticAssertDecl(offsetof(MinHash, seed) == 12, "offset of seed");
StaticAssertDecl(offsetof(MinHash, reserved) == 16, "offset of reserved");
StaticAssertDecl(SLOT_EMPTY == 0xFFFF, "the code of an empty slot is frozen");
StaticAssertDecl(SLOT_MAX == 45055, "the largest code is frozen");
StaticAssertDecl(SLOT_MAX_WEIGHTED == 65534, "the largest code is frozen");
StaticAssertDecl(SLOT_MAX_IMPORTED == 56319, "the largest code is frozen");
StaticAssertDecl(SKETCH_ONE_PERMUTATION == 1 && SKETCH_K_PERMUTATION == 2 &&
				 SKETCH_WEIGHTED == 3 && SKETCH_IMPORTED == 4,
				 "the numbers of the methods are frozen");

/* The part of a signature behind the varlena header, and its size. */
#define MINHASH_BODY(sig) ((const unsigned char *) &(sig)->version)
#define MINHASH_BODY_SIZE(sig) (VARSIZE(sig) - offsetof(MinHash, version))

/* k is at most 4096, so the product cannot overflow. */
#define MINHASH_SIZE(k) (offsetof(MinHash, slots) + sizeof(uint16) * (Size) (k))

/*
 * What a signature is, apart from its slots: two signatures can be compared
 * only if all four agree.
 */
typedef struct MinHashKind
{
	uint32		shingling;
	SketchMethod method;
	int			num_hashes;
	int32		seed;
} MinHashKind;

extern MinHash *DatumGetMinHash(Datum datum);
extern MinHash *DatumGetWholeMinHash(Datum datum);
extern MinHash *minhash_copy(MemoryContext context, const MinHash *sig);
extern MinHash *minhash_alloc(const MinHashKind *kind);
extern MinHash *minhash_from_sketch(const Sketch *sketch, uint32 shingling);
extern uint64 minhash_kind_hash(const MinHash *sig);
extern void minhash_report_incomparable(const MinHash *a, const MinHash *b);
extern void minhash_check_union(const MinHash *a, const MinHash *b);

/* Return how a signature was made. */
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

/* Tell whether a signature was made in a way. */
static inline bool
minhash_is_of_kind(const MinHash *sig, const MinHashKind *kind)
{
	return sig->shingling == kind->shingling && sig->method == kind->method &&
		sig->num_hashes == kind->num_hashes && sig->seed == kind->seed;
}

/* Tell whether two signatures are made in the same way. */
static inline bool
minhash_is_comparable(const MinHash *a, const MinHash *b)
{
	return memcmp(&a->version, &b->version,
				  offsetof(MinHash, slots) - offsetof(MinHash, version)) == 0;
}

/* Refuse to compare two signatures that are made in different ways. */
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

/*-------------------------------------------------------------------------
 *
 * minhash.h
 *	  The minhash type: its format, its invariants, and the functions that
 *	  the PostgreSQL side of the extension shares.
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
 *	8		4		shingling: unit | n << 8 | flags << 16 (see shingling.h)
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
 * to a floating-point code of 16 bits (see sketch.c), or SLOT_EMPTY.  Only
 * that of a weighted set holds a hash, of the dart of the lowest rank (see
 * darts.c), so it can be compared for equality but has no order.
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

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/nodes.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#include "bands.h"
#include "shingling.h"
#include "sketch.h"

#if PG_VERSION_NUM < 140000
#error "lshsim requires PostgreSQL 14 or later"
#endif

#define MINHASH_VERSION 1

#define CACHE_LINE 64			/* bytes that a processor fetches at once */

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

/* minhash.c */
extern MinHash *DatumGetMinHash(Datum datum);
extern MinHash *DatumGetWholeMinHash(Datum datum);
extern MinHash *minhash_copy(MemoryContext context, const MinHash *sig);
extern MinHash *minhash_alloc(const MinHashKind *kind);
extern MinHash *minhash_from_sketch(const Sketch *sketch, uint32 shingling);
extern uint64 minhash_kind_hash(const MinHash *sig);
extern void minhash_report_incomparable(const MinHash *a, const MinHash *b);
extern void minhash_check_unitable(const MinHash *a, const MinHash *b);

/* minhash_io.c */
extern Datum minhash_in(PG_FUNCTION_ARGS);
extern char *minhash_to_cstring(const MinHash *sig);
extern int	minhash_quoted_length(const char *str);
extern MinHash *minhash_parse(const char *str, int32 typmod, Node *escontext);
extern MinHash *minhash_read_binary(StringInfo buf);
extern void minhash_write_binary(StringInfo buf, const MinHash *sig);

/* estimate.c */
extern bool minhash_estimate(const MinHash *a, const MinHash *b,
							 double *jaccard);

/* similar.c */
extern const BandPlan *minhash_plan(double threshold, double recall,
									int num_hashes);

/* shingling_io.c */
extern Datum shingling_in(PG_FUNCTION_ARGS);

/* row.c */
extern Datum minhash_make_row(FunctionCallInfo fcinfo, Datum *values,
							  bool *nulls);

/* utf8.c */
extern char *bytes_to_utf8(const char *bytes, Size len, Size *utf8_len);
extern void report_not_utf8(void);

/* arguments.c */
extern SketchMethod method_from_text(text *name);
extern bool method_parse(const char *name, Size len, SketchMethod *method);
extern const char *method_name(SketchMethod method);
extern int	check_num_hashes(int num_hashes);
extern uint32 check_shingling(uint32 shingling);
extern uint32 check_text_shingling(uint32 shingling);
extern double check_unit_interval(double value, const char *what);

/* settings: lshsim.c */
extern double lshsim_similarity_threshold;
extern double lshsim_recall;
extern bool lshsim_progress;
extern uint64 lshsim_secret(void);

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

/* Tell whether two signatures are similar. */
static inline bool
minhash_is_similar(const MinHash *a, const MinHash *b, double threshold,
				   double recall)
{
	minhash_check_comparable(a, b);
	return slots_are_similar(a->slots, b->slots, a->num_hashes,
							 minhash_plan(threshold, recall, a->num_hashes));
}

/*
 * Let the processor fetch what the next call will read: the first so many bytes
 * of its arguments, and the line of the row's header in front of them.
 *
 * A sequential scan calls a function with values that lie at equal distances
 * within a page.  Processors do not see this by themselves where more than one
 * line of each row is read, and wait for memory twice a row.  A guess that is
 * wrong does no harm.
 */
static inline void
minhash_fetch_ahead(FunctionCallInfo fcinfo, Size size)
{
#if defined(__GNUC__)
	static uintptr_t last[2];

	for (int i = 0; i < 2; i++)
	{
		uintptr_t	value = (uintptr_t) PG_GETARG_POINTER(i);
		uintptr_t	distance = value - last[i];

		last[i] = value;
		if (distance == 0 || distance + BLCKSZ >= 2 * BLCKSZ)
			continue;			/* a constant, or another page */
		value += distance - CACHE_LINE / 2;
		for (Size offset = 0; offset < size + CACHE_LINE; offset += CACHE_LINE)
			__builtin_prefetch((const void *) (value + offset));
	}
#endif
}

#define PG_GETARG_MINHASH_P(n) DatumGetMinHash(PG_GETARG_DATUM(n))
#define PG_GETARG_WHOLE_MINHASH_P(n) DatumGetWholeMinHash(PG_GETARG_DATUM(n))
#define PG_RETURN_MINHASH_P(x) PG_RETURN_POINTER(x)

#endif							/* MINHASH_H */

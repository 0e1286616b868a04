/*-------------------------------------------------------------------------
 *
 * lsh_band_keys.c
 *	  Band keys for arrays, band tables and other engines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "core/bands.h"
#include "core/hash.h"
#include "support/arguments.h"
#include "type/minhash.h"

/* Refuse a banding that needs more slots than a signature has. */
static void
check_banding(int64 bands, int64 rows, int num_hashes)
{
	if (bands * rows > num_hashes)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("too many bands for a signature of %d hashes",
						num_hashes),
				 errdetail("%lld bands of %lld rows need %lld hashes.",
						   (long long) bands, (long long) rows,
						   (long long) (bands * rows)),
				 errhint("Use fewer bands or rows, or build the signatures with more hashes.")));
}

/*
 * Return the keys of any banding.
 *
 * The key of a band is the XXH3 hash of its densified rows, each 4 bytes,
 * little-endian, with the hash of the kind plus the number of the band, from
 * 0, as the seed.
 */
PG_FUNCTION_INFO_V1(lsh_band_keys);
Datum
lsh_band_keys(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	int			bands = check_positive(PG_GETARG_INT32(1), "bands");
	int			rows = check_positive(PG_GETARG_INT32(2), "rows");
	uint32		densified[SKETCH_MAX_HASHES];
	Datum	   *keys;
	uint64		kind = minhash_kind_hash(sig);

	check_banding(bands, rows, sig->num_hashes);
	if (slots_are_empty(sig->slots, sig->num_hashes))
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	densify(sig->slots, sig->num_hashes, densified, bands * rows);
	keys = palloc(sizeof(Datum) * bands);
	for (int band = 0; band < bands; band++)
		keys[band] = Int64GetDatum((int64) shingle_hash_words(densified + band * rows,
															  rows, kind + band));
	PG_RETURN_ARRAYTYPE_P(construct_array(keys, bands, INT8OID, sizeof(int64),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

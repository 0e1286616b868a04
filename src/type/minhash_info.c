/*-------------------------------------------------------------------------
 *
 * minhash_info.c
 *	  Show the parameters and slots of a signature.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "minhash.h"
#include "support/arguments.h"

/* Return the parameters of a signature, and the number of empty slots. */
PG_FUNCTION_INFO_V1(minhash_info);
Datum
minhash_info(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_WHOLE_MINHASH_P(0);
	Datum		values[5];
	bool		nulls[5] = {false};
	int			empty = 0;

	for (int i = 0; i < sig->num_hashes; i++)
		empty += (sig->slots[i] == SLOT_EMPTY);
	values[0] = UInt32GetDatum(sig->shingling);
	values[1] = CStringGetTextDatum(sketch_method_name(sig->method));
	values[2] = Int32GetDatum(sig->num_hashes);
	values[3] = Int32GetDatum(sig->seed);
	values[4] = Int32GetDatum(empty);
	return row_make(fcinfo, values, nulls);
}

/* Return the parameters of a signature as its text form begins. */
PG_FUNCTION_INFO_V1(minhash_kind);
Datum
minhash_kind(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(minhash_kind_text(minhash_kind_of(PG_GETARG_MINHASH_P(0)))));
}

/* Return the slots of a signature, NULL where one is empty. */
PG_FUNCTION_INFO_V1(minhash_slots);
Datum
minhash_slots(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_WHOLE_MINHASH_P(0);
	ArrayBuildState *slots = initArrayResult(INT4OID, CurrentMemoryContext, false);

	for (int i = 0; i < sig->num_hashes; i++)
		accumArrayResult(slots, Int32GetDatum(sig->slots[i]),
						 sig->slots[i] == SLOT_EMPTY, INT4OID, CurrentMemoryContext);
	PG_RETURN_DATUM(makeArrayResult(slots, CurrentMemoryContext));
}

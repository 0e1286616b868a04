/*-------------------------------------------------------------------------
 *
 * groups_judge.c
 *	  Judgments of pairs of rows.
 *
 * A judgment says that two rows are the same, or that they are not.  The latest
 * judgment of a pair counts, of those with the same time the last one.
 * Judgments of rows that do not exist, of rows in different scopes, and of a row
 * and itself are ignored.  core/bands/division.c says how they form groups.
 * Where pairs judged the same connect two rows judged different, the former
 * count, and a warning names the latter.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/base/bits.h"
#include "groups.h"
#include "support/server_memory.h"

#define NAMED_PAIRS 5			/* pairs that the warning names */

/*
 * Read the judgments of $1 rows: a row of SPI for each pair judged, with the numbers of
 * its rows, the judgment, and the names of both keys.
 *
 * Keys are compared by GROUP BY: each key collects the answers that name it, with
 * a minus sign at the second place.
 */
static const char judgments[] =
"WITH answers(answer, same, {a}, {b}) AS MATERIALIZED ("
"SELECT row_number() OVER (ORDER BY judged_at, judgment, same DESC), same, {a}, {b} FROM ONLY {judged}), "
"ends AS (SELECT max(num) AS num, array_agg(answer) AS answers FROM ("
"SELECT {k}, row_number() OVER () - 1, NULL::int8 FROM (TABLE lshsim_rows LIMIT $1) AS r({k}) "
"UNION ALL SELECT {a}, NULL, answer FROM answers "
"UNION ALL SELECT {b}, NULL, -answer FROM answers"
") AS u({k}, num, answer) GROUP BY {k} HAVING count(num) > 0 AND count(answer) > 0), "
"pairs AS (SELECT abs(x) AS answer, min(num) AS first, max(num) AS last "
"FROM ends, unnest(answers) AS x WHERE x IS NOT NULL GROUP BY abs(x) HAVING min(num) <> max(num)) "
"SELECT DISTINCT ON (p.first, p.last) p.first, p.last, q.same::bool, "
"format('(%s) and (%s)', concat_ws(', ', {q.a}), concat_ws(', ', {q.b})) "
"FROM pairs AS p JOIN answers AS q ON q.answer = p.answer ORDER BY p.first, p.last, p.answer DESC";

/* Return the pairs with a judgment, in both directions, and their number. */
static uint64 *
pairs_judged(bool same, size_t *count)
{
	uint64	   *pairs = server_alloc_array(2 * SPI_processed, sizeof(uint64));

	*count = 0;
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		uint32		a = (uint32) DatumGetInt64(groups_result(i, 1));
		uint32		b = (uint32) DatumGetInt64(groups_result(i, 2));

		CHECK_FOR_INTERRUPTS();
		if (DatumGetBool(groups_result(i, 3)) != same)
			continue;
		pairs[(*count)++] = division_pair(a, b);
		pairs[(*count)++] = division_pair(b, a);
	}
	qsort(pairs, *count, sizeof(uint64), compare_uint64);
	return pairs;
}

/*
 * Read the judgments, and sort their pairs.  Call it after the rows have been read.
 * Reading them takes the notes of changed judgments, so that this refresh must use
 * these, even if they are the first ones.
 */
bool
groups_judgments(const Groups *groups, int64 num_rows, Division *division)
{
	Oid			type = INT8OID;
	Datum		value = Int64GetDatum(num_rows);

	groups_run(groups, "SELECT FROM ONLY {judged} LIMIT 1", SPI_OK_SELECT);
	if (SPI_processed == 0)
		return false;
	if (SPI_execute_with_args(groups_sql(groups, judgments), 1, &type, &value, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read judgments");
	division->same = pairs_judged(true, &division->num_same);
	division->different = pairs_judged(false, &division->num_different);
	return true;
}

/* Warn that pairs judged the same connect pairs judged different. */
void
groups_warn_of_conflicts(const int64 *components)
{
	StringInfoData pairs;
	uint64		count = 0;

	initStringInfo(&pairs);
	for (uint64 i = 0; i < SPI_processed; i++)
		if (!DatumGetBool(groups_result(i, 3)) &&
			components[DatumGetInt64(groups_result(i, 1))] ==
			components[DatumGetInt64(groups_result(i, 2))] &&
			count++ < NAMED_PAIRS)
			appendStringInfo(&pairs, "%s%s", count > 1 ? ", " : "",
							 TextDatumGetCString(groups_result(i, 4)));
	if (count > 0)
		ereport(WARNING,
				(errmsg_plural("%llu pair judged different is in one group",
							   "%llu pairs judged different are in one group",
							   (unsigned long) count, (unsigned long long) count),
				 errdetail("Pairs judged the same connect the rows with the keys %s%s.",
						   pairs.data, count > NAMED_PAIRS ? ", ..." : ""),
				 errhint("Correct one of the judgments.")));
}

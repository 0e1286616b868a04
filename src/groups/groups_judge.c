/*-------------------------------------------------------------------------
 *
 * groups_judge.c
 *	  Components of rows under judgments.
 *
 * A judgment says that two rows are the same, or that they are not.  Components
 * are built pair by pair: first of the pairs that are judged the same, then of
 * the links that minhash_link() returns, the strongest first.  A link is left out
 * if it would connect two rows judged different, directly or through the rows
 * between them.  So a group falls apart at its weakest links, and rows that are
 * held apart stay apart, whichever rows come between them later.
 *
 * The latest judgment of a pair counts, of those with the same time the last
 * one.  Judgments of rows that do not exist, of
 * rows in different scopes, and of a row and itself are ignored.  Where pairs
 * judged the same connect two rows judged different, the former count, and a
 * warning names the latter.
 *
 * Each component lists the rows that its own are held apart from.  Before a link
 * connects two components, the shorter of their lists is searched.
 *
 * Memory: 40 bytes for each row, in addition to those of lshsim_rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "groups.h"
#include "support/server_memory.h"

#define NAMED_PAIRS 5			/* pairs that the warning names */

/* A row, and for the first one of a component, the component. */
typedef struct Row
{
	int64		parent;
	List	   *apart;			/* rows that the component is held apart from */
} Row;

/* Find the first row of a component. */
static int64
find_root(Row *rows, int64 row)
{
	while (rows[row].parent != row)
		row = rows[row].parent = rows[rows[row].parent].parent;
	return row;
}

/* Connect two components, given by their first rows. */
static void
join_components(Row *rows, int64 a, int64 b)
{
	Row		   *first = &rows[Min(a, b)];
	Row		   *second = &rows[Max(a, b)];

	if (a == b)
		return;
	second->parent = Min(a, b);
	first->apart = list_length(first->apart) < list_length(second->apart) ?
		list_concat(second->apart, first->apart) :
		list_concat(first->apart, second->apart);
}

/* Return true if two components, given by their first rows, are held apart. */
static bool
are_apart(Row *rows, int64 a, int64 b)
{
	bool		is_shorter = list_length(rows[a].apart) <= list_length(rows[b].apart);
	int64		longer = is_shorter ? b : a;
	ListCell   *cell;

	foreach(cell, rows[is_shorter ? a : b].apart)
	{
		if (find_root(rows, lfirst_int(cell)) == longer)
			return true;
	}
	return false;
}

/* Hold a component, given by its first row, apart from a row. */
static void
hold_apart(Row *rows, int64 component, int64 row)
{
	rows[component].apart = lappend_int(rows[component].apart, (int) row);
}

/*
 * Read the judgments: a row of SPI for each pair judged, with the numbers of its
 * rows, the judgment, and the names of both keys; those judged the same first.
 *
 * Keys are compared by GROUP BY: each key collects the answers that name it, with
 * a minus sign at the second place.
 */
static void
read_judgments(const Groups *groups)
{
	char	   *k = groups_key_aliases(groups, "k");
	char	   *a = groups_key_aliases(groups, "a");
	char	   *b = groups_key_aliases(groups, "b");

	groups_run(psprintf("WITH answers(answer, same, %2$s, %3$s) AS MATERIALIZED ("
						"SELECT row_number() OVER (ORDER BY judged_at, judgment, same DESC), same, %5$s, %6$s "
						"FROM ONLY %4$s), "
						"ends AS (SELECT max(num) AS num, max(scope) AS scope, array_agg(answer) AS answers FROM ("
						"SELECT %1$s, num, scope, NULL::int8 FROM lshsim_rows AS r(%1$s, num, scope) "
						"UNION ALL SELECT %2$s, NULL, NULL, answer FROM answers "
						"UNION ALL SELECT %3$s, NULL, NULL, -answer FROM answers"
						") AS u(%1$s, num, scope, answer) "
						"GROUP BY %1$s HAVING count(num) > 0 AND count(answer) > 0), "
						"pairs AS (SELECT abs(x) AS answer, min(num) AS a, max(num) AS b "
						"FROM ends, unnest(answers) AS x WHERE x IS NOT NULL GROUP BY abs(x) "
						"HAVING min(num) <> max(num) AND min(scope) = max(scope)) "
						"SELECT * FROM (SELECT DISTINCT ON (p.a, p.b) p.a, p.b, q.same::bool, "
						"format('(%%s) and (%%s)', concat_ws(', ', %2$s), concat_ws(', ', %3$s)) "
						"FROM pairs AS p JOIN answers AS q ON q.answer = p.answer "
						"ORDER BY p.a, p.b, p.answer DESC) AS latest ORDER BY same DESC, a, b",
						k, a, b, groups->tables[GROUPS_JUDGED],
						groups_columns(groups_judged_key(groups, "a"), ""),
						groups_columns(groups_judged_key(groups, "b"), "")), SPI_OK_SELECT);
}

/* Warn that pairs judged the same connect pairs judged different. */
static void
warn_of_conflicts(uint64 count, const char *pairs)
{
	if (count > 0)
		ereport(WARNING,
				(errmsg_plural("%llu pair judged different is in one group",
							   "%llu pairs judged different are in one group",
							   (unsigned long) count, (unsigned long long) count),
				 errdetail("Pairs judged the same connect the rows with the keys %s%s.",
						   pairs, count > NAMED_PAIRS ? ", ..." : ""),
				 errhint("Correct one of the judgments.")));
}

/* Connect the rows judged the same, then hold those judged different apart. */
static void
apply_judgments(Row *rows)
{
	StringInfoData pairs;
	uint64		count = 0;

	initStringInfo(&pairs);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int64		a = DatumGetInt64(groups_result(i, 1));
		int64		b = DatumGetInt64(groups_result(i, 2));
		int64		root_a = find_root(rows, a);
		int64		root_b = find_root(rows, b);

		CHECK_FOR_INTERRUPTS();
		if (DatumGetBool(groups_result(i, 3)))
			join_components(rows, root_a, root_b);
		else if (root_a != root_b)
		{
			hold_apart(rows, root_a, b);
			hold_apart(rows, root_b, a);
		}
		else if (count++ < NAMED_PAIRS)
			appendStringInfo(&pairs, "%s%s", count > 1 ? ", " : "",
							 TextDatumGetCString(groups_result(i, 4)));
	}
	warn_of_conflicts(count, pairs.data);
}

/* Connect linked rows, the strongest links first, unless they are held apart. */
static void
apply_links(Row *rows, const char *extension, const Groups *groups)
{
	char	   *k = groups_key_aliases(groups, "k");
	int64		count;
	const int64 *from;
	const int64 *to;

	groups_run(psprintf("SELECT array_agg(num), array_agg(link) FROM ("
						"SELECT r.num, r.link FROM lshsim_rows AS r(%1$s, num, scope, sig, link) "
						"JOIN lshsim_rows AS l(%1$s, num, scope, sig) ON l.num = r.link "
						"ORDER BY %2$s.jaccard(r.sig, l.sig) DESC, r.num) AS links HAVING count(*) > 0",
						k, extension), SPI_OK_SELECT);
	if (SPI_processed == 0)
		return;
	from = groups_elements(groups_result(0, 1), &count);
	to = groups_elements(groups_result(0, 2), &count);
	for (int64 i = 0; i < count; i++)
	{
		int64		a = find_root(rows, from[i]);
		int64		b = find_root(rows, to[i]);

		CHECK_FOR_INTERRUPTS();
		if (!are_apart(rows, a, b))
			join_components(rows, a, b);
	}
}

/* Judge, link, and number the components by their first rows, from 1 on. */
Datum
groups_judge(const char *extension, const Groups *groups, int64 num_rows)
{
	Row		   *rows = server_alloc_zeros((uint64) num_rows + 1, sizeof(Row));
	ArrayType  *components = groups_make_array(num_rows);

	for (int64 i = 1; i <= num_rows; i++)
		rows[i].parent = i;
	read_judgments(groups);
	apply_judgments(rows);
	apply_links(rows, extension, groups);
	for (int64 i = 1; i <= num_rows; i++)
		((int64 *) ARR_DATA_PTR(components))[i - 1] = find_root(rows, i);
	pfree(rows);
	return PointerGetDatum(components);
}

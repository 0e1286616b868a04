/*-------------------------------------------------------------------------
 *
 * division.c
 *	  Test src/core/bands/division.c and component.c against the rule of division.h.
 *
 * Groups by sorted pairs must be those of a program that takes all pairs in order and
 * counts at each join.  Groups by levels need only keep the promises:
 * in each group at least the share of the agreement is similar, no two groups are
 * left that might join, and no pair judged different is in one group.  Other rows
 * must not change the groups of a component.
 *
 *-------------------------------------------------------------------------
 */
#include "components.h"

#define MAX_ROWS 120

/* Rows, judgments, and what they imply. */
typedef struct Case
{
	Rows		rows;
	BandPlan	plan;
	double		agreement;
	bool		same[MAX_ROWS][MAX_ROWS];	/* judged, in both directions */
	bool		different[MAX_ROWS][MAX_ROWS];
	bool		together[MAX_ROWS][MAX_ROWS];	/* judged the same, by a chain */
	bool		judged[MAX_ROWS];
	uint8_t    *similar;
	double		strengths[MAX_ROWS][MAX_ROWS];	/* estimates of similar pairs, or -1 */
	uint64_t	same_pairs[MAX_ROWS * MAX_ROWS];
	uint64_t	different_pairs[MAX_ROWS * MAX_ROWS];
	Division	division;
} Case;

/*** Cases ***/

/* Fill rows with families around random rows, with copies, NULLs and empty sets. */
static void
fill_rows(Rows *rows, int values)
{
	for (size_t row = 0; row < rows->count; row++)
	{
		int			kind = random_below(20);
		size_t		from = row > 0 ? (size_t) random_below((int) row) : 0;

		if (kind == 0)
			rows->is_null[row] = true;
		for (int i = 0; i < rows->num_hashes && kind > 1; i++)
			row_slots(rows, row)[i] = row == 0 || kind < 5 ? (uint16_t) random_below(values) :
				row_slots(rows, from)[i];
		for (int i = 0; i < rows->num_hashes / 3 && kind > 8 && row > 0; i++)
			row_slots(rows, row)[random_below(rows->num_hashes)] = (uint16_t) random_below(values);
	}
}

/* Judge pairs at random. */
static void
judge(Case *c, int judgments)
{
	int			count = (int) c->rows.count;

	while (judgments-- > 0)
	{
		int			a = random_below(count);
		int			b = random_below(count);
		bool		same = random_below(3) == 0;

		if (a == b)
			continue;
		c->same[a][b] = c->same[b][a] = same;
		c->different[a][b] = c->different[b][a] = !same;
		c->judged[a] = c->judged[b] = true;
	}
	memcpy(c->together, c->same, sizeof(c->same));
	for (int k = 0; k < count; k++)
		for (int a = 0; a < count; a++)
			for (int b = 0; b < count; b++)
				c->together[a][b] |= c->together[a][k] && c->together[k][b];
}

/* List the judged pairs of rows, whose numbers begin at an offset. */
static void
list_judged(Case *c, uint32_t offset)
{
	Division   *division = &c->division;

	*division = (Division) {.agreement = c->agreement,.recall = 0.99,
		.same = c->same_pairs,.different = c->different_pairs};
	for (uint32_t a = 0; a < c->rows.count; a++)
		for (uint32_t b = 0; b < c->rows.count; b++)
		{
			if (c->same[a][b])
				c->same_pairs[division->num_same++] = division_pair(a + offset, b + offset);
			if (c->different[a][b])
				c->different_pairs[division->num_different++] = division_pair(a + offset, b + offset);
		}
}

/* Note the estimates of pairs as the order of pairs has them; -1 for others. */
static void
note_strengths(Case *c)
{
	size_t		count = c->rows.count;

	for (size_t a = 0; a < count; a++)
		for (size_t b = 0; b < count; b++)
		{
			int			equal;
			int			compared;

			slots_compare(row_slots(&c->rows, a), row_slots(&c->rows, b), c->rows.num_hashes,
						  &equal, &compared);
			c->strengths[a][b] = c->similar[a * count + b] ? (double) equal / compared : -1;
		}
}

/* Make a case. */
static Case *
make_case(size_t count, int num_hashes, int values, double threshold, double agreement,
		  int judgments)
{
	Case	   *c = calloc(1, sizeof(Case));

	c->rows = make_rows(count, num_hashes);
	fill_rows(&c->rows, values);
	c->plan = band_plan(threshold, 0.99, num_hashes);
	c->agreement = agreement;
	c->similar = similar_pairs(&c->rows, &c->plan);
	note_strengths(c);
	judge(c, judgments);
	list_judged(c, 0);
	return c;
}

/* Free a case. */
static void
free_case(Case *c)
{
	free_rows(&c->rows);
	free(c->similar);
	free(c);
}

/*** The rule ***/

/*
 * Return true if two groups of labels may join: at least one pair is similar, at
 * least the share of the agreement is, and no pair was judged different.
 */
static bool
may_join_simply(const Case *c, const uint32_t *labels, uint32_t a, uint32_t b)
{
	double		pairs = 0;
	double		similar = 0;

	for (size_t x = 0; x < c->rows.count; x++)
		for (size_t y = 0; labels[x] == a && y < c->rows.count; y++)
			if (labels[y] == b)
			{
				if (c->different[x][y])
					return false;
				pairs++;
				similar += c->similar[x * c->rows.count + y];
			}
	return similar > 0 && similar / pairs >= c->agreement;
}

/* Give all rows of two groups the smaller label. */
static void
join_simply(const Case *c, uint32_t *labels, uint32_t a, uint32_t b)
{
	for (size_t x = 0; x < c->rows.count; x++)
		if (labels[x] == a || labels[x] == b)
			labels[x] = a < b ? a : b;
}

/* Return true if a row is a copy of another one, and neither was judged. */
static bool
is_copy(const Case *c, size_t row, size_t other)
{
	return c->strengths[row][other] == 1 && !c->judged[row] && !c->judged[other];
}

/* Join rows judged the same, and copies that were not judged. */
static void
join_first(const Case *c, uint32_t *labels)
{
	for (size_t a = 0; a < c->rows.count; a++)
		for (size_t b = 0; b < a; b++)
			if (c->same[a][b] || is_copy(c, a, b))
				join_simply(c, labels, labels[a], labels[b]);
}

/* Return true if a row is not the first of its copies. */
static bool
is_later_copy(const Case *c, size_t row)
{
	for (size_t other = 0; other < row; other++)
		if (is_copy(c, row, other))
			return true;
	return false;
}

/* A pair, and the strength that gives it its place. */
typedef struct Strong
{
	double		strength;
	uint32_t	a;
	uint32_t	b;
} Strong;

/* Order pairs, the strongest first, and equally strong ones by their rows. */
static int
compare_strong(const void *x, const void *y)
{
	const Strong *p = x;
	const Strong *q = y;

	if (p->strength != q->strength)
		return p->strength > q->strength ? -1 : 1;
	return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

/* Find the groups by taking all pairs, the strongest first; the caller frees them. */
static uint32_t *
groups_simply(const Case *c)
{
	size_t		count = c->rows.count;
	uint32_t   *labels = malloc(sizeof(uint32_t) * count);
	bool		later[MAX_ROWS];
	static Strong pairs[MAX_ROWS * MAX_ROWS];
	size_t		num_pairs = 0;

	for (size_t row = 0; row < count; row++)
	{
		labels[row] = (uint32_t) row;
		later[row] = is_later_copy(c, row);
	}
	join_first(c, labels);
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = a + 1; b < count; b++)
			if (!later[a] && !later[b] && c->strengths[a][b] >= 0)
				pairs[num_pairs++] = (Strong) {c->strengths[a][b], a, b};
	qsort(pairs, num_pairs, sizeof(Strong), compare_strong);
	for (size_t i = 0; i < num_pairs; i++)
	{
		uint32_t	a = labels[pairs[i].a];
		uint32_t	b = labels[pairs[i].b];

		if (a != b && may_join_simply(c, labels, a, b))
			join_simply(c, labels, a, b);
	}
	return labels;
}

/* Return true if groups keep the promises. */
static bool
promises_hold(const Case *c, const uint32_t *labels)
{
	for (uint32_t a = 0; a < c->rows.count; a++)
	{
		double		pairs = 0;
		double		similar = 0;

		if (labels[a] > a)
			return false;
		for (size_t x = 0; x < c->rows.count; x++)
			for (size_t y = 0; labels[x] == a && y < x; y++)
				if (labels[y] == a)
				{
					pairs++;
					similar += c->similar[x * c->rows.count + y] || c->together[x][y];
					if (c->different[x][y] && !c->together[x][y])
						return false;
				}
				else if (c->same[x][y] && labels[x] != labels[y])
					return false;
		if (pairs > 0 && similar / pairs < c->agreement - 1e-9)
			return false;
		for (uint32_t b = 0; b < a; b++)
			if (labels[a] == a && labels[b] == b && may_join_simply(c, labels, a, b))
				return false;
	}
	return true;
}

/* Return true if links are trees of similar pairs, one for each group. */
static bool
links_are_trees(const Case *c, const uint32_t *links, const uint32_t *labels)
{
	for (uint32_t row = 0; row < c->rows.count; row++)
	{
		uint32_t	root = row;

		for (size_t steps = 0; links[root] != root; steps++)
		{
			if (steps > c->rows.count || !c->similar[root * c->rows.count + links[root]])
				return false;
			root = links[root];
		}
		if (root != labels[row])
			return false;
	}
	return true;
}

/*** Tests ***/

/* Divide, and check; return the groups. */
static void
check_case(Case *c, int *wrong, int *broken)
{
	uint32_t   *simple = groups_simply(c);
	uint32_t	links[MAX_ROWS];

	for (size_t max_sorted = 0; max_sorted < 2; max_sorted++)
		for (int with_links = 0; with_links < 2; with_links++)
		{
			uint32_t   *labels;

			c->division.max_sorted = max_sorted;
			c->division.links = with_links ? links : NULL;
			labels = search_groups(&c->rows, &c->plan, &c->division);
			*wrong += max_sorted == 0 &&
				memcmp(labels, simple, sizeof(uint32_t) * c->rows.count) != 0;
			*broken += !promises_hold(c, labels) ||
				(with_links && c->division.num_same == 0 && !links_are_trees(c, links, labels));
			free(labels);
		}
	free(simple);
}

/* Check many cases of a kind. */
static void
test_cases(size_t count, int num_hashes, int values, double agreement, int judgments)
{
	static const double thresholds[] = {0.2, 0.5, 0.7};
	int			wrong = 0;
	int			broken = 0;

	for (int i = 0; i < cases_of(30); i++)
	{
		Case	   *c = make_case(count, num_hashes, values, thresholds[i % 3], agreement, judgments);

		check_case(c, &wrong, &broken);
		free_case(c);
	}
	ok(wrong == 0 && broken == 0,
	   "%zu rows, k %d, agreement %g, %d judgments: %d wrong, %d broken promises",
	   count, num_hashes, agreement, judgments, wrong, broken);
}

/* Return true if the groups of a case are the same among other rows. */
static bool
groups_are_stable(Case *c, size_t max_sorted)
{
	uint32_t	before = 50;
	Rows		rows = make_rows(before + c->rows.count + 50, c->rows.num_hashes);
	bool		good = true;
	uint32_t   *alone;
	uint32_t   *among;

	for (size_t row = 0; row < rows.count; row++)
	{
		size_t		own = row - before;
		bool		is_own = row >= before && own < c->rows.count;

		rows.is_null[row] = is_own && c->rows.is_null[own];
		for (int i = 0; i < rows.num_hashes; i++)
			row_slots(&rows, row)[i] = is_own ? row_slots(&c->rows, own)[i] :
				(uint16_t) (1000 + random_below(20000));
	}
	list_judged(c, 0);
	c->division.max_sorted = max_sorted;
	alone = search_groups(&c->rows, &c->plan, &c->division);
	list_judged(c, before);
	c->division.max_sorted = max_sorted;
	among = search_groups(&rows, &c->plan, &c->division);
	for (size_t row = 0; row < c->rows.count; row++)
		good &= among[row + before] == alone[row] + before;
	free(alone);
	free(among);
	free_rows(&rows);
	return good;
}

/* Other rows before and behind do not change groups. */
static void
test_stability(size_t max_sorted)
{
	int			changed = 0;

	for (int i = 0; i < cases_of(60); i++)
	{
		Case	   *c = make_case(100, 64, 500, 0.3, i % 2 / 2.0 + 0.5, i % 20);

		changed += !groups_are_stable(c, max_sorted);
		free_case(c);
	}
	ok(changed == 0, "max_sorted %zu: other rows change the groups of %d cases", max_sorted, changed);
}

/*
 * Fill every step-th row from first to last with one value for the left slots of a row and
 * one for the right; all rows have the same in the middle.  If the rows differ, each has a
 * slot of its own on the left.
 */
static void
fill_family(Rows *rows, size_t first, size_t last, size_t step, bool differ, int left, int right)
{
	for (size_t row = first; row <= last; row += step)
	{
		for (int i = 0; i < rows->num_hashes; i++)
			row_slots(rows, row)[i] = (uint16_t) (i < 62 ? left : i < 66 ? 0 : right);
		if (differ)
			row_slots(rows, row)[row % 60] = (uint16_t) (1000 + row);
	}
}

/*
 * Two families whose pairs use up the budget at the threshold before others are compared:
 * copies of A, B and C, of which A and C are similar, and B and C.  A and B may not join, A
 * and C may, and A must then be asked about B again.  The last two rows connect all.
 */
static void
test_grown_groups(void)
{
	Rows		rows = make_rows(1902, 128);
	BandPlan	plan = band_plan(0.5, 1, 128);
	Division	division = {.agreement = 0.5,.recall = 1,.max_sorted = 1};
	uint32_t   *labels;

	fill_family(&rows, 0, 1399, 2, true, 1, 2);
	fill_family(&rows, 1, 1399, 2, true, 3, 4);
	fill_family(&rows, 1400, 1549, 1, false, 5, 6);
	fill_family(&rows, 1550, 1699, 1, false, 7, 8);
	fill_family(&rows, 1700, 1899, 1, false, 5, 8);
	fill_family(&rows, 1900, 1900, 1, false, 1, 4);
	fill_family(&rows, 1901, 1901, 1, false, 1, 6);
	labels = search_groups(&rows, &plan, &division);
	ok(labels[1398] == 0 && labels[1399] == 1 && labels[1549] == 1400 && labels[1899] == 1400,
	   "two families, and a group of copies that has grown");
	ok(labels[1699] == 1400, "it is asked again about copies that it was kept apart from");
	free(labels);
	free_rows(&rows);
}

int
main(void)
{
	static const double agreements[] = {0, 0.3, 0.5, 1};

	for (int i = 0; i < 4; i++)
	{
		test_cases(40, 64, 300, agreements[i], 0);
		test_cases(40, 64, 300, agreements[i], 15);
		test_cases(MAX_ROWS, 32, 4, agreements[i], 0);
		test_cases(MAX_ROWS, 128, 500, agreements[i], 40);
	}
	test_stability(0);
	test_stability(1);
	test_grown_groups();
	return done_testing();
}

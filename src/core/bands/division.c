/*-------------------------------------------------------------------------
 *
 * division.c
 *	  Divide connected components into groups in which enough pairs are similar.
 *
 * A component keeps only the pairs' transitive closure: by a chain of similar
 * pairs, its first and last signature need have nothing in common.  The rule of
 * division.h is Kruskal's algorithm (1956) with a condition at each join, and
 * lies between single linkage (agreement 0) and complete linkage (1).
 *
 * Components first.  Groups are parts of connected components, so pairs_find()
 * finds these, with copies set aside, and each is then divided by itself.  So
 * the groups of a component depend on its own signatures and on their order
 * alone.  Most components of most tables are pairs, or need no division.
 *
 * By matrix.  For each two groups of a component, a matrix has the number of
 * similar pairs between them.  It starts with the similar pairs of signatures,
 * weighted by their copies; when two groups join, their rows are added (Lance and
 * Williams 1967).  So each join is decided by all pairs.  The similar pairs are
 * sorted by their estimate, ties by their first and then their second signature.
 * Groups that are held apart have an infinite number, and so has any group that
 * one of them joins.
 *
 * Larger components, with more than MATRIX_NODES signatures or MATRIX_EDGES
 * similar pairs, are divided by large_division.c.
 *
 * Completeness.  If the last similar pair between two groups has been taken, the
 * groups may not join: either it was refused, or a group has grown since.  Then
 * the share of the grown group is a mean of those of its two parts, and at most
 * the larger; by induction neither part might join, or it had no similar pair.
 * So no two groups are left that might join.
 *
 * Copies have weight but are not compared.  Judged signatures are not set aside
 * as copies, because a judgment holds only one of them apart.
 *
 * Memory: 4 bytes for each signature; a matrix of up to 17 MB, and as much as
 * 2 MB of pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "division.h"

#include <math.h>

#include "bucket.h"
#include "core/sketch/slots.h"
#include "judged.h"
#include "large_division.h"

#define MATRIX_NODES 2048
#define MATRIX_EDGES 131072		/* all pairs of 512 signatures */

/* A component that is divided by its matrix. */
typedef struct Matrix
{
	uint32_t	count;			/* of nodes: its signatures */
	uint32_t	nodes[MATRIX_NODES];	/* in ascending order */
	uint32_t	parents[MATRIX_NODES];	/* the forest of groups, by node */
	double		sizes[MATRIX_NODES];	/* of groups: signatures with copies */
	double	   *similar;		/* similar pairs between two groups */
	size_t		num_edges;
	uint64_t	edges[2 * MATRIX_EDGES];	/* similar pairs, and to sort them */
} Matrix;

/*** Similar pairs ***/

/*
 * Make an entry of a similar pair.  Its high half orders it by descending
 * estimates, which differ by more than 2^-24.
 */
static uint64_t
make_edge(const PairSearch *search, const Matrix *matrix, uint32_t a, uint32_t b)
{
	int			equal;
	int			compared;

	slots_compare(pairs_slots(search, matrix->nodes[a]),
				  pairs_slots(search, matrix->nodes[b]), search->num_hashes,
				  &equal, &compared);
	return make_entry(UINT32_MAX - (uint32_t) (((uint64_t) equal << 31) / (uint64_t) compared),
					  a << 16 | b);
}

/* Add the similar pairs of a node and later ones; return false if there are too many. */
static bool
add_edges(PairSearch *search, Matrix *matrix, uint32_t a)
{
	uint32_t	signature = matrix->nodes[a];

	pairs_tick(search);
	if (search->skipped[signature])
		return true;
	for (uint32_t b = a + 1; b < matrix->count; b++)
	{
		uint32_t	other = matrix->nodes[b];

		pairs_count_verified(search);
		if (search->skipped[other] || !pairs_are_similar(search, signature, other))
			continue;
		if (matrix->num_edges == MATRIX_EDGES)
			return false;
		matrix->edges[matrix->num_edges++] = make_edge(search, matrix, a, b);
	}
	return true;
}

/* Find the similar pairs of a component, the strongest first. */
static bool
find_edges(PairSearch *search, Matrix *matrix)
{
	Bucket		edges = {matrix->edges, matrix->edges + MATRIX_EDGES, 0, 0, 1};

	matrix->num_edges = 0;
	for (uint32_t a = 0; a < matrix->count; a++)
		if (!add_edges(search, matrix, a))
			return false;
	edges.count = matrix->num_edges;
	bucket_sort(&edges);
	return true;
}

/*** Groups ***/

/* Return the place of two different groups in the matrix. */
static double *
similar_pairs(const Matrix *matrix, uint32_t a, uint32_t b)
{
	size_t		high = a > b ? a : b;
	size_t		low = a > b ? b : a;

	return &matrix->similar[high * (high - 1) / 2 + low];
}

/* Return the first node of the group of a node. */
static uint32_t
matrix_root(Matrix *matrix, uint32_t node)
{
	while (matrix->parents[node] != node)
		node = matrix->parents[node] = matrix->parents[matrix->parents[node]];
	return node;
}

/* Join two groups, given by their first nodes. */
static void
matrix_join(Matrix *matrix, uint32_t a, uint32_t b)
{
	uint32_t	first = a < b ? a : b;
	uint32_t	second = a < b ? b : a;

	matrix->parents[second] = first;
	matrix->sizes[first] += matrix->sizes[second];
	for (uint32_t node = 0; node < matrix->count; node++)
		if (matrix->parents[node] == node && node != first)
			*similar_pairs(matrix, first, node) += *similar_pairs(matrix, second, node);
}

/* Join the groups of two nodes judged the same. */
static void
join_nodes(void *data, uint32_t a, uint32_t b)
{
	uint32_t	root_a = matrix_root(data, a);
	uint32_t	root_b = matrix_root(data, b);

	if (root_a != root_b)
		matrix_join(data, root_a, root_b);
}

/* Hold the groups of two nodes apart, unless they have joined. */
static void
part_nodes(void *data, uint32_t a, uint32_t b)
{
	uint32_t	root_a = matrix_root(data, a);
	uint32_t	root_b = matrix_root(data, b);

	if (root_a != root_b)
		*similar_pairs(data, root_a, root_b) = INFINITY;
}

/* Make a group of each node, and fill the matrix. */
static void
fill_matrix(Matrix *matrix, const Division *division)
{
	size_t		count = matrix->count;

	matrix->similar = memory_allocate_zeros(count * (count - 1) / 2 * sizeof(double),
											division->memory);
	for (uint32_t node = 0; node < count; node++)
	{
		matrix->parents[node] = node;
		matrix->sizes[node] = division->weights[matrix->nodes[node]];
	}
	for (size_t i = 0; i < matrix->num_edges; i++)
	{
		uint32_t	a = entry_signature(matrix->edges[i]) >> 16;
		uint32_t	b = entry_signature(matrix->edges[i]) & UINT16_MAX;

		*similar_pairs(matrix, a, b) = matrix->sizes[a] * matrix->sizes[b];
	}
	judged_pairs(division, true, matrix->nodes, matrix->count, join_nodes, matrix);
	judged_pairs(division, false, matrix->nodes, matrix->count, part_nodes, matrix);
}

/* Take a similar pair: join the groups of its nodes if they may join. */
static void
take_edge(Matrix *matrix, const Division *division, uint64_t edge)
{
	uint32_t	a = entry_signature(edge) >> 16;
	uint32_t	b = entry_signature(edge) & UINT16_MAX;
	uint32_t	root_a = matrix_root(matrix, a);
	uint32_t	root_b = matrix_root(matrix, b);
	double		similar;

	if (root_a == root_b)
		return;
	similar = *similar_pairs(matrix, root_a, root_b);
	if (similar == INFINITY ||
		similar / (matrix->sizes[root_a] * matrix->sizes[root_b]) < division->agreement)
		return;
	links_add(division->links, matrix->nodes[a], matrix->nodes[b],
			  matrix->sizes[root_a] >= matrix->sizes[root_b]);
	matrix_join(matrix, root_a, root_b);
}

/* Divide a component by its matrix; return false if it has too many similar pairs. */
static bool
divide_by_matrix(PairSearch *search, Division *division, Matrix *matrix)
{
	if (!find_edges(search, matrix))
		return false;
	fill_matrix(matrix, division);
	for (size_t i = 0; i < matrix->num_edges; i++)
	{
		take_edge(matrix, division, matrix->edges[i]);
		pairs_tick_sometimes(search, i);
	}
	for (uint32_t node = 0; node < matrix->count; node++)
	{
		uint32_t	signature = matrix->nodes[node];

		search->parents[signature] = matrix->nodes[matrix_root(matrix, node)];
		if (division->links != NULL && search->parents[signature] == signature)
			links_turn(division->links, signature, signature);
	}
	division->memory->release(matrix->similar);
	return true;
}

/*** Components ***/

/* Return true for a signature that is in a judged pair. */
static bool
is_judged(PairSearch *search, uint32_t signature)
{
	const Division *division = search->hook_data;

	return judged_any(division->same, division->num_same, signature) ||
		judged_any(division->different, division->num_different, signature);
}

/* Merge the components of signatures that were judged the same. */
static void
join_same(PairSearch *search, const Division *division)
{
	for (size_t i = 0; i < division->num_same; i++)
	{
		uint32_t	a = (uint32_t) (division->same[i] >> 32);
		uint32_t	b = (uint32_t) division->same[i];
		uint32_t	root_a = pairs_root(search, a);
		uint32_t	root_b = pairs_root(search, b);

		pairs_tick_sometimes(search, i);
		if (root_a == root_b)
			continue;
		search->parents[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
		if (!search->skipped[a] && !search->skipped[b])
			search->components--;
	}
}

/* Find a signature of the component of each one.  Copies stay linked to the first. */
static void
find_components(PairSearch *search, uint32_t *components)
{
	for (size_t i = 0; i < search->added; i++)
	{
		components[i] = pairs_root(search, search->skipped[i] ? search->parents[i] : (uint32_t) i);
		pairs_tick_sometimes(search, i);
	}
}

/* Weigh each signature by its copies, which are linked to it. */
static void
weigh(PairSearch *search, Division *division)
{
	for (size_t i = 0; i < search->added; i++)
	{
		uint32_t	first = search->parents[i];

		pairs_tick_sometimes(search, i);
		if (!search->skipped[i] || is_judged(search, (uint32_t) i))
			first = (uint32_t) i;
		division->weights[first]++;
		if (division->links != NULL)
			division->links[i] = first;
	}
}

/* Return all signatures that are to be divided, sorted by component. */
static Bucket
sort_components(PairSearch *search, const Division *division)
{
	Bucket		all = {search->work, search->work + search->max_signatures, 0, 0, 1};

	for (size_t i = 0; i < search->added; i++)
	{
		if (!search->skipped[i] ||
			judged_any(division->same, division->num_same, (uint32_t) i))
			all.entries[all.count++] = make_entry(pairs_root(search, (uint32_t) i), i);
		pairs_tick_sometimes(search, i);
	}
	bucket_sort(&all);
	return all;
}

/* Return true if a component may consist of several groups, or links are wanted. */
static bool
needs_division(PairSearch *search, const Division *division, const Bucket *component)
{
	if (component->count == 1)
		return false;
	if (division->links != NULL || (division->agreement > 0 && component->count > 2))
		return true;
	for (size_t i = 0; i < component->count && division->num_different > 0; i++)
	{
		pairs_tick_sometimes(search, i);
		if (judged_any(division->different, division->num_different,
					   entry_signature(component->entries[i])))
			return true;
	}
	return false;
}

/* Divide a component, or add it to the large ones. */
static void
divide(PairSearch *search, Division *division, const Bucket *component,
	   Matrix *matrix, LargeComponent **large)
{
	if (component->count <= MATRIX_NODES &&
		(division->max_matrix == 0 || component->count <= division->max_matrix))
	{
		matrix->count = (uint32_t) component->count;
		for (size_t i = 0; i < component->count; i++)
			matrix->nodes[i] = entry_signature(component->entries[i]);
		if (divide_by_matrix(search, division, matrix))
			return;
	}
	*large = large_component(division, component->entries, component->count, *large);
}

/* Find components, and divide those that need it, the large ones last. */
void
division_find(PairSearch *search, Division *division)
{
	const Memory *memory = division->memory;
	Matrix	   *matrix = NULL;
	LargeComponent *large = NULL;
	Bucket		all;
	size_t		end;

	division->weights = memory_allocate_zeros(search->added * sizeof(uint32_t), memory);
	search->hook_data = division;
	search->is_single = is_judged;
	join_same(search, division);
	pairs_find(search);
	if (division->components != NULL)
		find_components(search, division->components);
	weigh(search, division);
	all = sort_components(search, division);
	for (size_t i = 0; i < all.count; i = end)
	{
		Bucket		component;

		end = bucket_run_end(&all, i);
		component = bucket_part(&all, i, end - i);
		pairs_tick_between(search, i, end);
		if (!needs_division(search, division, &component))
			continue;
		if (matrix == NULL)
			matrix = memory->allocate(sizeof(Matrix));
		divide(search, division, &component, matrix, &large);
	}
	if (matrix != NULL)
		memory->release(matrix);
	while (large != NULL)
		large = large_divide(search, division, large);
	memory->release(division->weights);
}

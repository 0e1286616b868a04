/*-------------------------------------------------------------------------
 *
 * golden.c
 *	  The golden vectors, computed by src/core alone.
 *
 * golden.py describes the file.  No server is needed, so that the vectors can
 * be checked on 32-bit and big-endian platforms, under valgrind and with other
 * compilers.  Vectors of elements that are neither integers nor strings need the
 * server; canonical.c tests the forms of these elements.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "core/bands/bands.h"
#include "core/sketch/weighted.h"
#include "unit.h"

#define VECTORS "test/data/golden.tsv"
#define MAX_LINE (1 << 20)
#define MAX_ELEMENTS 40000

/* A line of the file. */
typedef struct Vector
{
	char	   *id;
	char	   *kind;
	char	   *input;
	uint32_t	shingling;
	int			num_hashes;
	int32_t		seed;
	SketchMethod method;
	char	   *bytes;
	char	   *keys;
} Vector;

static const char *const methods[] = {
	[SKETCH_ONE_PERMUTATION] = "one-permutation",
	[SKETCH_K_PERMUTATION] = "k-permutation",
	[SKETCH_WEIGHTED] = "weighted",
	[SKETCH_IMPORTED] = "imported"
};

static uint64_t hashes[MAX_ELEMENTS];
static WeightedElement elements[MAX_ELEMENTS];
static WeightedElement scratch[MAX_ELEMENTS];

/* Return the next field of a line, unescaped, and move past it. */
static char *
next_field(char **line)
{
	char	   *field = *line;
	char	   *in = field;
	char	   *out = field;

	for (; *in != '\t' && *in != '\n' && *in != '\0'; in++)
	{
		char		c = *in;

		if (c == '\\')
		{
			c = *++in;
			c = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
		}
		*out++ = c;
	}
	*line = *in == '\0' ? in : in + 1;
	*out = '\0';
	return field;
}

/* Read a line. */
static Vector
read_vector(char *line)
{
	Vector		vector;
	char	   *shingling;
	char	   *method;

	vector.id = next_field(&line);
	vector.kind = next_field(&line);
	vector.input = next_field(&line);
	shingling = next_field(&line);
	vector.num_hashes = atoi(next_field(&line));
	vector.seed = (int32_t) strtol(next_field(&line), NULL, 10);
	method = next_field(&line);
	vector.bytes = next_field(&line);
	vector.keys = next_field(&line);
	if (shingling_parse(shingling, strlen(shingling), &vector.shingling) != SHINGLING_OK)
		abort();
	vector.method = SKETCH_ONE_PERMUTATION;
	while (strcmp(methods[vector.method], method) != 0)
		vector.method++;
	return vector;
}

/* Find the next quoted string of a literal, and unescape it. */
static size_t
next_string(char **literal, char quote, char **string)
{
	char	   *in = *literal + 1;
	char	   *out = in;

	*string = in;
	while (*in != quote || (quote == '\'' && in[1] == quote))
	{
		if (*in == '\\' || *in == quote)
			in++;
		*out++ = *in++;
	}
	*literal = in + 1;
	return (size_t) (out - *string);
}

/* Hash the next member of an array literal; return false at its end. */
static bool
next_member(char **literal, uint32_t shingling, uint32_t seed, bool *null,
			uint64_t *hash)
{
	char	   *string;
	size_t		len;

	*literal += strspn(*literal, "{},");
	*null = **literal == 'N';
	if (*null)
		*literal += strlen("NULL");
	else if (**literal == '"')
	{
		len = next_string(literal, '"', &string);
		*hash = shingle_hash(string, len, seed);
	}
	else if (**literal != '\0')
		*hash = shingling_unit(shingling) == SHINGLE_OTHER ?
			(uint64_t) strtoll(*literal, literal, 10) :
			shingle_hash_integer(strtoll(*literal, literal, 10), seed);
	else
		return false;
	return true;
}

/* Hash the members of an array; imported values are not hashed. */
static int
read_array(const Vector *vector)
{
	char	   *literal = vector->input;
	int			count = 0;
	bool		null;

	while (next_member(&literal, vector->shingling, (uint32_t) vector->seed, &null,
					   &hashes[count]))
		count += !null;
	return count;
}

/* Hash the lexemes of a tsvector. */
static int
read_lexemes(const Vector *vector)
{
	char	   *literal = vector->input;
	char	   *lexeme;
	int			count = 0;

	while ((literal = strchr(literal, '\'')) != NULL)
	{
		size_t		len = next_string(&literal, '\'', &lexeme);

		hashes[count++] = shingle_hash(lexeme, len, (uint32_t) vector->seed);
	}
	return count;
}

/* Hash the shingles of a text. */
static int
read_text(const Vector *vector)
{
	ShingleReader reader;
	int			count = 0;
	int			first = 0;

	shingle_begin(&reader, vector->shingling, vector->seed, vector->input,
				  strlen(vector->input));
	while (!reader.done)
	{
		int			read = shingle_next(&reader, hashes + count, MAX_ELEMENTS - count);

		if (count + read == MAX_ELEMENTS)
			abort();
		count += read;
	}
	if (!shingling_is_bag(vector->shingling))
		return count;
	qsort(hashes, (size_t) count, sizeof(uint64_t), compare_hashes);
	for (int i = 0; i < count; i++)
	{
		uint64_t	hash = hashes[i];

		hashes[i] = shingle_hash_occurrence(hash, (uint64_t) (i - first + 1),
											(uint32_t) vector->seed);
		if (i + 1 < count && hashes[i + 1] != hash)
			first = i + 1;
	}
	return count;
}

/* Read pairs of an element and a weight. */
static size_t
read_weights(const Vector *vector)
{
	char	   *literal = vector->input;
	size_t		count = 0;
	bool		null;

	while (next_member(&literal, vector->shingling, (uint32_t) vector->seed, &null,
					   &elements[count].hash))
	{
		literal += strspn(literal, ",");
		elements[count].weight = strtod(literal, &literal);
		count += !null && elements[count].weight > 0;
	}
	return weighted_unique(elements, scratch, count);
}

/* Write the slots of a weighted set that is not empty. */
static void
sketch_weights(const Vector *vector, size_t count, uint16_t *slots)
{
	static Darts darts;

	darts_begin(&darts, vector->num_hashes, elements, count);
	darts_throw(&darts, elements, count, slots);
}

/* Return true if imported values are those of an empty set. */
static bool
all_are(const uint64_t *values, int count, uint64_t value)
{
	while (count > 0 && values[count - 1] == value)
		count--;
	return count == 0;
}

/* Compute the slots of a vector. */
static void
compute_slots(const Vector *vector, uint16_t *slots)
{
	int			k = vector->num_hashes;
	int			count;

	memset(slots, 0xFF, sizeof(uint16_t) * (size_t) k);
	if (vector->method == SKETCH_WEIGHTED)
	{
		count = (int) read_weights(vector);
		if (count > 0)
			sketch_weights(vector, (size_t) count, slots);
		return;
	}
	count = strcmp(vector->kind, "text") == 0 ? read_text(vector) :
		strcmp(vector->kind, "tsvector") == 0 ? read_lexemes(vector) :
		read_array(vector);
	if (vector->method != SKETCH_IMPORTED)
		sketch_hashes(vector->method, k, vector->seed, hashes, count, slots);
	else if (!all_are(hashes, k, UINT32_MAX) && !all_are(hashes, k, UINT64_MAX))
		for (int i = 0; i < k; i++)
			slots[i] = slot_encode_imported(hashes[i]);
}

/* Write a number of some bytes in hexadecimal. */
static char *
put_hex(char *out, uint32_t number, int bytes)
{
	return out + sprintf(out, "%0*" PRIx32, 2 * bytes, number);
}

/* Return true if only the server can read the elements of a vector. */
static bool
is_foreign(const Vector *vector)
{
	return shingling_unit(vector->shingling) == SHINGLE_OTHER &&
		vector->method != SKETCH_IMPORTED;
}

/* Return true if the computed vector is that of the file. */
static bool
is_right(const Vector *vector)
{
	static char bytes[32 + 4 * SKETCH_MAX_HASHES + 1];
	char		list[24 * BAND_MAX];
	uint16_t	slots[SKETCH_MAX_HASHES];
	uint64_t	keys[BAND_MAX];
	char	   *out = put_hex(bytes, 1, 1);
	int			count;

	compute_slots(vector, slots);
	out = put_hex(out, vector->method, 1);
	out = put_hex(out, (uint32_t) vector->num_hashes, 2);
	out = put_hex(out, vector->shingling, 4);
	out = put_hex(out, (uint32_t) vector->seed, 4);
	out = put_hex(out, 0, 4);
	for (int i = 0; i < vector->num_hashes; i++)
		out = put_hex(out, slots[i], 2);
	out = list;
	*out++ = '{';
	count = band_keys(slots, vector->num_hashes, keys);
	for (int i = 0; i < count; i++)
		out += sprintf(out, "%s%" PRIu64, i > 0 ? "," : "", keys[i]);
	strcpy(out, "}");
	return strcmp(bytes, vector->bytes) == 0 && strcmp(list, vector->keys) == 0;
}

int
main(void)
{
	static char line[MAX_LINE];
	int			vectors[lengthof(methods)] = {0};
	int			right[lengthof(methods)] = {0};
	FILE	   *file = fopen(VECTORS, "r");

	if (file == NULL)
		return 1;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		Vector		vector = read_vector(line);
		bool		same;

		if (is_foreign(&vector))
			continue;
		same = is_right(&vector);
		vectors[vector.method]++;
		right[vector.method] += same;
		if (!same)
			note("%s", vector.id);
	}
	fclose(file);
	for (int method = SKETCH_ONE_PERMUTATION; method < lengthof(methods); method++)
		ok(vectors[method] > 0 && right[method] == vectors[method],
		   "golden vectors, %s: %d of %d", methods[method], right[method],
		   vectors[method]);
	return done_testing();
}

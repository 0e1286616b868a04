/*-------------------------------------------------------------------------
 *
 * truth.c
 *	  The exact similarities that searches are judged by.
 *
 * Usage: truth DOCUMENTS PROBES
 *
 * DOCUMENTS holds lines of a number and a text, as COPY writes them (UTF-8),
 * PROBES the numbers of some of them.  For each of these and every other
 * document with a Jaccard similarity of at least 0.3 it prints both numbers,
 * the sizes of the intersection and the union, and the similarity.
 *
 * The sets are those of char:5: lower case, white space collapsed, every run
 * of five code points.  They are compared code point by code point; nothing
 * here is hashed, sketched or shared with src/.
 *
 *-------------------------------------------------------------------------
 */
#define _POSIX_C_SOURCE 200809L

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#define RUN 5					/* code points of a shingle */
#define POINT_BITS 21

/* Code points, 21 bits each: 105 bits. */
__extension__ typedef unsigned __int128 Shingle;

typedef struct Entry
{
	Shingle		shingle;
	int			probe;			/* which of the probes has it */
} Entry;

typedef struct Set
{
	Shingle    *members;
	size_t		count;
	size_t		room;
} Set;

typedef struct Probes
{
	int		   *numbers;		/* of the documents, ascending */
	size_t	   *sizes;			/* of their sets */
	size_t	   *common;			/* with the document at hand */
	size_t		count;
	Entry	   *entries;		/* of all their sets, ordered by shingle */
	size_t		entry_count;
	size_t		room;
} Probes;

/* Allocate memory, or give up. */
static void *
allocate(void *old, size_t size)
{
	void	   *memory = realloc(old, size);

	if (memory == NULL)
	{
		perror("truth");
		exit(1);
	}
	return memory;
}

/* Open a file, or give up. */
static FILE *
open_file(const char *path)
{
	FILE	   *file = fopen(path, "r");

	if (file == NULL)
	{
		perror(path);
		exit(1);
	}
	return file;
}

/* Order two shingles. */
static int
order(Shingle a, Shingle b)
{
	return a < b ? -1 : a > b;
}

/* Order shingles for qsort. */
static int
order_shingles(const void *a, const void *b)
{
	return order(*(const Shingle *) a, *(const Shingle *) b);
}

/* Order entries for qsort. */
static int
order_entries(const void *a, const void *b)
{
	return order(((const Entry *) a)->shingle, ((const Entry *) b)->shingle);
}

/* Order numbers for qsort. */
static int
order_numbers(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

/* Undo the escapes of COPY in place; return the code points as a new string. */
static wchar_t *
decode(char *text)
{
	static const char escapes[] = "b\bf\fn\nr\rt\tv\v";
	char	   *to = text;
	size_t		length;
	wchar_t    *points;

	for (char *from = text; *from && *from != '\n'; from++)
	{
		if (*from == '\\')
		{
			const char *known = strchr(escapes, *++from);

			*to++ = known ? known[1] : *from;
		}
		else
			*to++ = *from;
	}
	*to = '\0';
	length = mbstowcs(NULL, text, 0);
	if (length == (size_t) -1)
	{
		fprintf(stderr, "truth: not UTF-8: %s\n", text);
		exit(1);
	}
	points = allocate(NULL, (length + 1) * sizeof(wchar_t));
	mbstowcs(points, text, length + 1);
	return points;
}

/* Normalise a text in place; return its length. */
static size_t
normalise(wchar_t *text)
{
	size_t		length = 0;

	for (const wchar_t *from = text; *from; from++)
	{
		if (!iswspace((wint_t) *from))
			text[length++] = (wchar_t) towlower((wint_t) *from);
		else if (length > 0 && text[length - 1] != L' ')
			text[length++] = L' ';
	}
	if (length > 0 && text[length - 1] == L' ')
		length--;
	return length;
}

/* Make the set of a text. */
static void
make_set(char *text, Set *set)
{
	const Shingle mask = ((Shingle) 1 << RUN * POINT_BITS) - 1;
	wchar_t    *points = decode(text);
	size_t		length = normalise(points);
	Shingle		shingle = 0;

	set->count = 0;
	if (set->room < length)
	{
		set->room = 2 * length;
		set->members = allocate(set->members, set->room * sizeof(Shingle));
	}
	for (size_t i = 0; i < length; i++)
	{
		shingle = (shingle << POINT_BITS | (Shingle) points[i]) & mask;
		if (i + 1 >= RUN || i + 1 == length)
			set->members[set->count++] = shingle;
	}
	free(points);
	if (set->count > 1)
	{
		size_t		distinct = 1;

		qsort(set->members, set->count, sizeof(Shingle), order_shingles);
		for (size_t i = 1; i < set->count; i++)
			if (set->members[i] != set->members[i - 1])
				set->members[distinct++] = set->members[i];
		set->count = distinct;
	}
}

/* Read the next document: its number and its text; NULL at the end. */
static char *
next_document(FILE *file, int *number)
{
	static char *line = NULL;
	static size_t size = 0;
	char	   *text;

	if (getline(&line, &size, file) < 0)
		return NULL;
	*number = (int) strtol(line, &text, 10);
	if (*text != '\t')
	{
		fprintf(stderr, "truth: not a number and a text: %s", line);
		exit(1);
	}
	return text + 1;
}

/* Read the numbers of the probes. */
static void
read_numbers(const char *path, Probes *probes)
{
	FILE	   *file = open_file(path);
	int			number;

	while (fscanf(file, "%d", &number) == 1)
	{
		probes->numbers = allocate(probes->numbers, (probes->count + 1) * sizeof(int));
		probes->numbers[probes->count++] = number;
	}
	fclose(file);
	qsort(probes->numbers, probes->count, sizeof(int), order_numbers);
	probes->sizes = allocate(NULL, (probes->count + 1) * sizeof(size_t));
	probes->common = allocate(NULL, (probes->count + 1) * sizeof(size_t));
}

/* Add the set of a document to the entries, if it is a probe. */
static void
add_probe(Probes *probes, int number, char *text, Set *set)
{
	const int  *place = bsearch(&number, probes->numbers, probes->count,
								sizeof(int), order_numbers);

	if (place == NULL)
		return;
	make_set(text, set);
	if (probes->room < probes->entry_count + set->count)
	{
		probes->room = 2 * (probes->entry_count + set->count);
		probes->entries = allocate(probes->entries, probes->room * sizeof(Entry));
	}
	probes->sizes[place - probes->numbers] = set->count;
	for (size_t i = 0; i < set->count; i++)
		probes->entries[probes->entry_count++] =
			(Entry) {set->members[i], (int) (place - probes->numbers)};
}

/* Count what a document has in common with each of the probes. */
static void
count_common(Probes *probes, const Set *set)
{
	memset(probes->common, 0, probes->count * sizeof(size_t));
	for (size_t i = 0; i < set->count; i++)
	{
		size_t		low = 0;
		size_t		high = probes->entry_count;

		while (low < high)
		{
			size_t		middle = (low + high) / 2;

			if (probes->entries[middle].shingle < set->members[i])
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < probes->entry_count &&
			 probes->entries[low].shingle == set->members[i]; low++)
			probes->common[probes->entries[low].probe]++;
	}
}

/* Print the similarities of a document to the probes. */
static void
print_similarities(const Probes *probes, int number, size_t size)
{
	for (size_t i = 0; i < probes->count; i++)
	{
		size_t		common = probes->common[i];
		size_t		all = probes->sizes[i] + size - common;

		if (probes->numbers[i] != number && common > 0 && 10 * common >= 3 * all)
			printf("%d\t%d\t%zu\t%zu\t%.6f\n", probes->numbers[i], number, common,
				   all, (double) common / (double) all);
	}
}

int
main(int argc, char **argv)
{
	Probes		probes = {0};
	Set			set = {0};
	FILE	   *file;
	int			number;
	char	   *text;

	if (argc != 3 || setlocale(LC_ALL, "C.UTF-8") == NULL)
	{
		fprintf(stderr, "usage: %s DOCUMENTS PROBES, where there is a locale C.UTF-8\n", argv[0]);
		return 1;
	}
	read_numbers(argv[2], &probes);
	file = open_file(argv[1]);
	while ((text = next_document(file, &number)) != NULL)
		add_probe(&probes, number, text, &set);
	qsort(probes.entries, probes.entry_count, sizeof(Entry), order_entries);
	rewind(file);
	while ((text = next_document(file, &number)) != NULL)
	{
		make_set(text, &set);
		count_common(&probes, &set);
		print_similarities(&probes, number, set.count);
	}
	fclose(file);
	return 0;
}

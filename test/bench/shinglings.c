/*-------------------------------------------------------------------------
 *
 * shinglings.c
 *	  How well every shingling, at every threshold, tells labelled pairs.
 *
 * Usage: shinglings DOCUMENTS LABELS [OTHERS]
 *
 * DOCUMENTS holds lines of a key and a text, LABELS lines of two keys that
 * belong together, OTHERS documents with which alone the first are compared.
 * For every shingling from char:2 to char:9 and word:1 to word:5 all pairs of
 * documents are compared exactly.  It prints a line for every threshold in
 * steps of 0.01: shingling, threshold, pairs at or above it, labelled pairs
 * among them, and F1, which is 2 right / (pairs + labelled pairs).
 *
 * The shingles are the product's own (src/core), by their hashes.
 *
 *-------------------------------------------------------------------------
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "shingle.h"

#define STEPS 100
#define NO_DOC (-1)

typedef struct Doc
{
	char	   *key;
	char	   *text;
	bool		other;
	uint64_t   *hashes;			/* sorted and different */
	int			count;
} Doc;

/* A shingle of a document. */
typedef struct Entry
{
	uint64_t	hash;
	int			doc;
} Entry;

static Doc *docs;
static int	doc_count;
static int *by_key;
static int (*labels)[2];
static int	label_count;

/* Nothing interrupts. */
void
core_check_interrupts(void)
{
}

/* Allocate memory, or give up. */
static void *
enlarge(void *old, size_t size)
{
	void	   *memory = realloc(old, size > 0 ? size : 1);

	if (memory == NULL)
		exit(1);
	return memory;
}

/* Undo the escapes of COPY. */
static void
unescape(char *text)
{
	char	   *to = text;

	for (; *text != '\0'; text++)
	{
		char		c = *text;

		if (c == '\\' && text[1] != '\0')
			switch (c = *++text)
			{
				case 'n':
					c = '\n';
					break;
				case 't':
					c = '\t';
					break;
				case 'r':
					c = '\r';
					break;
			}
		*to++ = c;
	}
	*to = '\0';
}

/* Read documents. */
static void
read_docs(const char *path, bool other)
{
	FILE	   *file = fopen(path, "r");
	char	   *line = NULL;
	size_t		room = 0;

	while (file != NULL && getline(&line, &room, file) > 0)
	{
		char	   *tab = strchr(line, '\t');

		if (tab == NULL)
			exit(1);
		*tab = '\0';
		tab[1 + strcspn(tab + 1, "\n")] = '\0';
		unescape(tab + 1);
		docs = enlarge(docs, sizeof(Doc) * (size_t) (doc_count + 1));
		docs[doc_count++] = (Doc) {
			.key = strdup(line),.text = strdup(tab + 1),.other = other
		};
	}
	if (file == NULL || fclose(file) != 0)
		exit(1);
	free(line);
}

/* Compare the keys of two documents. */
static int
compare_keys(const void *a, const void *b)
{
	return strcmp(docs[*(const int *) a].key, docs[*(const int *) b].key);
}

/* Find the document of a key. */
static int
find_doc(const char *key)
{
	int			low = 0;
	int			high = doc_count;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (strcmp(docs[by_key[middle]].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < doc_count && strcmp(docs[by_key[low]].key, key) == 0 ?
		by_key[low] : NO_DOC;
}

/* Compare two labelled pairs. */
static int
compare_labels(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(int[2]));
}

/* Read the labelled pairs. */
static void
read_labels(const char *path)
{
	FILE	   *file = fopen(path, "r");
	char	   *line = NULL;
	size_t		room = 0;

	by_key = enlarge(NULL, sizeof(int) * (size_t) doc_count);
	for (int i = 0; i < doc_count; i++)
		by_key[i] = i;
	qsort(by_key, (size_t) doc_count, sizeof(int), compare_keys);
	while (file != NULL && getline(&line, &room, file) > 0)
	{
		char	   *a = strtok(line, "\t\n");
		char	   *b = strtok(NULL, "\t\n");
		int			x = a ? find_doc(a) : NO_DOC;
		int			y = b ? find_doc(b) : NO_DOC;

		if (x == NO_DOC || y == NO_DOC)
			exit(1);
		labels = enlarge(labels, sizeof(int[2]) * (size_t) (label_count + 1));
		labels[label_count][0] = x < y ? x : y;
		labels[label_count++][1] = x < y ? y : x;
	}
	if (file == NULL || fclose(file) != 0)
		exit(1);
	qsort(labels, (size_t) label_count, sizeof(int[2]), compare_labels);
	free(line);
}

/* Compare hashes. */
static int
compare_hashes(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* Compare entries. */
static int
compare_entries(const void *a, const void *b)
{
	const Entry *x = a;
	const Entry *y = b;

	return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : x->doc - y->doc;
}

/* Make the set of a document's shingles. */
static void
shingle_doc(Doc *doc, uint32_t shingling)
{
	static ShingleReader reader;
	size_t		room = 1024;
	int			different = 0;

	doc->count = 0;
	doc->hashes = enlarge(doc->hashes, sizeof(uint64_t) * room);
	shingle_begin(&reader, shingling, 0, doc->text, strlen(doc->text));
	while (!reader.done)
	{
		int			count;

		if (room - (size_t) doc->count < 1024)
		{
			room *= 2;
			doc->hashes = enlarge(doc->hashes, sizeof(uint64_t) * room);
		}
		count = shingle_next(&reader, doc->hashes + doc->count, 1024);
		if (count < 0)
			exit(1);
		doc->count += count;
	}
	qsort(doc->hashes, (size_t) doc->count, sizeof(uint64_t), compare_hashes);
	for (int i = 0; i < doc->count; i++)
		if (different == 0 || doc->hashes[different - 1] != doc->hashes[i])
			doc->hashes[different++] = doc->hashes[i];
	doc->count = different;
}

/* Return true if a pair is labelled. */
static bool
is_labelled(int a, int b)
{
	int			pair[2] = {a, b};

	return bsearch(pair, labels, (size_t) label_count, sizeof(int[2]),
				   compare_labels) != NULL;
}

/* Count the pairs of a document with those before it. */
static void
count_pairs(int doc, const int *common, long *pairs, long *right)
{
	for (int i = 0; i < doc; i++)
	{
		int			either = docs[doc].count + docs[i].count - common[i];
		int			step;

		if (common[i] == 0 || (docs[doc_count - 1].other &&
							   docs[doc].other == docs[i].other))
			continue;
		step = (int) ((long) STEPS * common[i] / either);
		pairs[step]++;
		right[step] += is_labelled(i, doc);
	}
}

/* List all shingles of all documents, in order. */
static Entry *
list_entries(uint32_t shingling, size_t *count)
{
	Entry	   *entries = NULL;

	*count = 0;
	for (int i = 0; i < doc_count; i++)
	{
		shingle_doc(&docs[i], shingling);
		entries = enlarge(entries, sizeof(Entry) *
						  (*count + (size_t) docs[i].count));
		for (int j = 0; j < docs[i].count; j++)
			entries[(*count)++] = (Entry) {docs[i].hashes[j], i};
	}
	qsort(entries, *count, sizeof(Entry), compare_entries);
	return entries;
}

/* Find the first entry of a shingle. */
static size_t
first_entry(const Entry *entries, size_t count, uint64_t hash)
{
	size_t		low = 0;

	while (low < count)
	{
		size_t		middle = (low + count) / 2;

		if (entries[middle].hash < hash)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Compare all pairs under a shingling, and print the lines. */
static void
try_shingling(const char *name)
{
	uint32_t	shingling;
	long		pairs[STEPS + 1] = {0};
	long		right[STEPS + 1] = {0};
	size_t		count;
	Entry	   *entries;
	int		   *common = enlarge(NULL, sizeof(int) * (size_t) doc_count);

	if (shingling_parse(name, strlen(name), &shingling) != SHINGLING_OK)
		exit(1);
	entries = list_entries(shingling, &count);
	for (int doc = 1; doc < doc_count; doc++)
	{
		memset(common, 0, sizeof(int) * (size_t) doc);
		for (int i = 0; i < docs[doc].count; i++)
			for (size_t j = first_entry(entries, count, docs[doc].hashes[i]);
				 entries[j].doc < doc; j++)
				common[entries[j].doc]++;
		count_pairs(doc, common, pairs, right);
	}
	for (int step = STEPS; step > 0; step--)
	{
		printf("%s\t%.2f\t%ld\t%ld\t%.4f\n", name, (double) step / STEPS,
			   pairs[step], right[step], 2.0 * (double) right[step] /
			   (double) (pairs[step] + label_count));
		pairs[step - 1] += pairs[step];
		right[step - 1] += right[step];
	}
	free(entries);
	free(common);
}

int
main(int argc, char **argv)
{
	static const char *const shinglings[] = {
		"char:2", "char:3", "char:4", "char:5", "char:6", "char:7", "char:8",
		"char:9", "word:1", "word:2", "word:3", "word:4", "word:5"
	};

	if (argc < 3)
		return 1;
	read_docs(argv[1], false);
	if (argc > 3)
		read_docs(argv[3], true);
	read_labels(argv[2]);
	for (size_t i = 0; i < sizeof(shinglings) / sizeof(*shinglings); i++)
		try_shingling(shinglings[i]);
	return 0;
}

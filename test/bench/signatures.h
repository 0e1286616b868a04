/*-------------------------------------------------------------------------
 *
 * signatures.h
 *	  Read a column of signatures from a binary COPY, for programs that
 *	  measure.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIGNATURES_H
#define SIGNATURES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sketch.h"

#define COPY_HEADER_SIZE 19		/* of a binary COPY without extensions */
#define SIGNATURE_HEADER_SIZE 16	/* of minhash_send */

typedef struct Table
{
	size_t		rows;
	size_t		room;
	int			num_hashes;
	uint16_t   *slots;
} Table;

/* Give up. */
static void
die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/* Allocate memory, or give up. */
static void *
allocate(void *old, size_t size)
{
	void	   *memory = realloc(old, size);

	if (memory == NULL)
		die("out of memory");
	return memory;
}

/* Read a number of some bytes, big-endian. */
static uint32_t
get_number(const unsigned char *bytes, int count)
{
	uint32_t	number = 0;

	for (int i = 0; i < count; i++)
		number = number << 8 | bytes[i];
	return number;
}

/* Read bytes from the standard input. */
static void
read_bytes(unsigned char *bytes, size_t count)
{
	if (fread(bytes, 1, count, stdin) != count)
		die("unexpected end of input");
}

/* Return the slots of a row. */
static inline uint16_t *
table_slots(const Table *table, size_t row)
{
	return table->slots + row * (size_t) table->num_hashes;
}

/* Append a signature to a table. */
static void
add_row(Table *table, const unsigned char *sig, uint32_t len)
{
	uint16_t   *slots;

	if (table->rows == 0)
		table->num_hashes = (int) get_number(sig + 2, 2);
	if (len != SIGNATURE_HEADER_SIZE + 2 * (uint32_t) table->num_hashes)
		die("signatures of different sizes");
	if (table->rows == table->room)
	{
		table->room = table->room * 2 + 1000;
		table->slots = allocate(table->slots, table->room * 2 *
								(size_t) table->num_hashes);
	}
	slots = table->slots + table->rows++ * (size_t) table->num_hashes;
	for (int i = 0; i < table->num_hashes; i++)
		slots[i] = (uint16_t) get_number(sig + SIGNATURE_HEADER_SIZE + 2 * i, 2);
}

/* Read a binary COPY of one column of signatures; NULLs are left out. */
static Table
read_table(void)
{
	Table		table = {0};
	unsigned char buffer[SIGNATURE_HEADER_SIZE + 2 * SKETCH_MAX_HASHES];

	read_bytes(buffer, COPY_HEADER_SIZE);
	for (;;)
	{
		uint32_t	len;

		read_bytes(buffer, 2);
		if (get_number(buffer, 2) == 0xFFFF)
			return table;
		if (get_number(buffer, 2) != 1)
			die("not one column");
		read_bytes(buffer, 4);
		len = get_number(buffer, 4);
		if (len == UINT32_MAX)
			continue;
		if (len > sizeof(buffer))
			die("not a signature");
		read_bytes(buffer, len);
		add_row(&table, buffer, len);
	}
}

#endif							/* SIGNATURES_H */

/*-------------------------------------------------------------------------
 *
 * shingling.c
 *	  Fuzz the text form of shinglings.
 *
 * What is accepted is a shingling, whose printed form says the same; what is
 * refused is nothing that could have been printed.
 *
 *-------------------------------------------------------------------------
 */
#include "fuzz.h"
#include "core/text/shingling.h"

/* Check that a shingling survives being printed. */
static void
check_printed(uint32_t shingling)
{
	char		str[SHINGLING_TEXT_SIZE];
	uint32_t	again;

	shingling_print(shingling, str);
	check(strlen(str) + 1 < sizeof(str));
	check(shingling_parse(str, strlen(str), &again) == SHINGLING_OK);
	check(again == shingling);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint32_t	shingling = (uint32_t) take(&input, 4);

	if (shingling_is_valid(shingling))
		check_printed(shingling);
	if (shingling_parse((const char *) data, size, &shingling) == SHINGLING_OK)
	{
		check(shingling_is_valid(shingling));
		check(memchr(data, '\0', size) == NULL);
		check_printed(shingling);
	}
	return 0;
}

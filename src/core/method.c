/*-------------------------------------------------------------------------
 *
 * method.c
 *	  The names of the methods by which signatures are made.
 *
 *-------------------------------------------------------------------------
 */
#include "method.h"

#include <string.h>

/* The names of the sketch methods. */
static const char *const method_names[] = {
	[SKETCH_ONE_PERMUTATION] = "one-permutation",
	[SKETCH_K_PERMUTATION] = "k-permutation",
	[SKETCH_WEIGHTED] = "weighted",
	[SKETCH_IMPORTED] = "imported",
};

/* Return the name of a sketch method. */
const char *
method_name(SketchMethod method)
{
	return method_names[method];
}

/* Find the sketch method of a name; false if there is none. */
bool
method_parse(const char *name, size_t len, SketchMethod *method)
{
	for (int i = SKETCH_ONE_PERMUTATION; i <= SKETCH_LAST_METHOD; i++)
		if (strlen(method_names[i]) == len &&
			memcmp(method_names[i], name, len) == 0)
		{
			*method = i;
			return true;
		}
	return false;
}

/*-------------------------------------------------------------------------
 *
 * method.h
 *	  The methods by which signatures are made.
 *
 *-------------------------------------------------------------------------
 */
#ifndef METHOD_H
#define METHOD_H

#include <stdbool.h>
#include <stddef.h>

typedef enum SketchMethod
{
	SKETCH_ONE_PERMUTATION = 1,
	SKETCH_K_PERMUTATION = 2,
	SKETCH_WEIGHTED = 3,		/* see weighted.c */
	SKETCH_IMPORTED = 4			/* made elsewhere */
} SketchMethod;

#define SKETCH_LAST_METHOD SKETCH_IMPORTED

extern const char *method_name(SketchMethod method);
extern bool method_parse(const char *name, size_t len, SketchMethod *method);

#endif							/* METHOD_H */

/*-------------------------------------------------------------------------
 *
 * frames.h
 *	  Choose representatives within the frames of a window.
 *
 * In the window's order, each row joins the first earlier representative in its
 * frame that it is similar to, or becomes one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FRAMES_H
#define FRAMES_H

#include "windowapi.h"

typedef struct Frames Frames;

/* Return true if the frame of a row may lack rows before it. */
extern bool frames_matter(WindowObject winobj);

/*
 * Start with a partition, in the current memory context; threshold and recall are
 * those of minhash_similar().
 */
extern Frames *frames_begin(uint64 rows, double threshold, double recall);

/*
 * Return the representative of the current row.  Argument 0 of the window function
 * is its signature, component the first row of its component in the partition.  Call
 * it once for each row, in the window's order.
 */
extern uint32 frames_representative(Frames *frames, WindowObject winobj, uint32 component);

#endif							/* FRAMES_H */

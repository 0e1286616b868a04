/*-------------------------------------------------------------------------
 *
 * frames.c
 *	  Choose representatives within the frames of a window.
 *
 * A row and its representative are in one component of the whole partition, so
 * that each row is compared only with the representatives of its component, in the
 * window's order.  Frames begin ever later, so that a list of representatives loses
 * those before the frame for good.
 *
 * The API of window functions does not tell where a frame begins and ends, so the
 * bounds are read from the state of the window, after a call that computes them.
 *
 * Memory: 24 bytes for each row, and the signatures of representatives.
 *
 * Limits: a component with many representatives in a frame takes time that grows
 * with the number of its rows times that of these representatives.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"
#include "utils/memutils.h"

#include "compat.h"
#include "frames.h"
#include "search/similar.h"

#define NO_ROW PG_UINT32_MAX

/* A row, in one array for the lists of all components. */
typedef struct FrameRow
{
	MinHash    *sig;			/* of a representative */
	uint32		next;			/* the next one of its component */
	uint32		first;			/* of the component that begins with this row */
	uint32		last;
} FrameRow;

struct Frames
{
	MemoryContext context;
	double		threshold;
	double		recall;
	FrameRow	rows[FLEXIBLE_ARRAY_MEMBER];
};

/*
 * The first members of a WindowObject in PostgreSQL 8.4 to 19.  Its type is private
 * to nodeWindowAgg.c, so that the compiler cannot compare it.
 */
#if PG_VERSION_NUM >= 200000
#error "compare WindowStart with WindowObjectData in nodeWindowAgg.c"
#endif
typedef struct WindowStart
{
	NodeTag		type;
	WindowAggState *state;
} WindowStart;

/* Return the state of the window of a window function. */
static const WindowAggState *
window_state(WindowObject winobj)
{
	const WindowStart *start = (const WindowStart *) winobj;

	if (!WindowObjectIsValid(winobj) || !IsA(start->state, WindowAggState))
		elog(ERROR, "unexpected state of a window function");
	return start->state;
}

/* Return true if the frame of a row may lack rows before it. */
bool
frames_matter(WindowObject winobj)
{
	int			options = window_state(winobj)->frameOptions;

	return !(options & FRAMEOPTION_START_UNBOUNDED_PRECEDING) ||
		(options & (FRAMEOPTION_END_OFFSET_PRECEDING |
					FRAMEOPTION_EXCLUDE_GROUP | FRAMEOPTION_EXCLUDE_TIES));
}

/* Start with empty lists. */
Frames *
frames_begin(uint64 rows, double threshold, double recall)
{
	Size		bytes = offsetof(Frames, rows) + sizeof(FrameRow) * rows;
	Frames	   *frames = MemoryContextAllocHuge(CurrentMemoryContext, bytes);

	frames->context = CurrentMemoryContext;
	frames->threshold = threshold;
	frames->recall = recall;
	for (uint64 i = 0; i < rows; i++)
		frames->rows[i].first = NO_ROW;
	return frames;
}

/* Compute the frame of the current row; fetch no row, which may be far away. */
static const WindowAggState *
current_frame(WindowObject winobj)
{
	bool		isnull;
	bool		isout;

	(void) WinGetFuncArgInFrame(winobj, 0, PG_INT32_MAX, WINDOW_SEEK_HEAD, false,
								&isnull, &isout);
	(void) WinGetFuncArgInFrame(winobj, 0, -PG_INT32_MAX, WINDOW_SEEK_TAIL, false,
								&isnull, &isout);
	return window_state(winobj);
}

/* Return true if a row before the current one is excluded from its frame. */
static bool
is_excluded(WindowObject winobj, int options, int64 row, int64 current)
{
	return (options & (FRAMEOPTION_EXCLUDE_GROUP | FRAMEOPTION_EXCLUDE_TIES)) &&
		WinRowsArePeers(winobj, row, current);
}

/* Make the current row a representative. */
static void
add_representative(Frames *frames, uint32 component, uint32 row, const MinHash *sig)
{
	FrameRow   *list = &frames->rows[component];

	frames->rows[row].sig = minhash_copy(frames->context, sig);
	frames->rows[row].next = NO_ROW;
	if (list->first == NO_ROW)
		list->first = row;
	else
		frames->rows[list->last].next = row;
	list->last = row;
}

/* Return the representative of the current row. */
uint32
frames_representative(Frames *frames, WindowObject winobj, uint32 component)
{
	FrameRow   *list = &frames->rows[component];
	uint32		current = (uint32) WinGetCurrentPosition(winobj);
	const WindowAggState *frame = current_frame(winobj);
	bool		isnull;
	Datum		arg = WinGetFuncArgCurrent(winobj, 0, &isnull);
	const MinHash *sig;
	const BandPlan *plan;

	if (isnull)
		return current;
	sig = DatumGetMinHash(arg);
	plan = minhash_plan(frames->threshold, frames->recall, sig->num_hashes);
	while (list->first != NO_ROW && list->first < frame->frameheadpos)
		list->first = frames->rows[list->first].next;
	for (uint32 row = list->first; row != NO_ROW && row < frame->frametailpos;
		 row = frames->rows[row].next)
	{
		CHECK_FOR_INTERRUPTS();
		if (slots_are_similar(frames->rows[row].sig->slots, sig->slots,
							  sig->num_hashes, plan) &&
			!is_excluded(winobj, frame->frameOptions, row, current))
			return row;
	}
	add_representative(frames, component, current, sig);
	return current;
}

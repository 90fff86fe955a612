// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole stack of one thread, with the calls of runtimes on it.

#ifndef OMPDBG_STACK_WALK_H
#define OMPDBG_STACK_WALK_H

#include "stack/room.h"

enum { NO_CALL = -1 };

/** A call of a runtime on a stack. */
struct runtime_call {
	size_t begin;  // index of its innermost frame
	size_t caller; // index of the user frame that made it; the stack's depth if there is none
	size_t depth; // number of the runtime's own frames; 0: the user's code runs the region, or has
		      // not reached the runtime
	struct runtime *runtime;
	int kind; // enum ompd_ext_wait_kind; NOT_KNOWN
};

/** The regions of a thread in one runtime. */
struct view {
	struct thread *thread;
	struct team **formed; // regions that it opened itself, innermost first
	size_t num_formed;
	struct team *worker_region; // in which it is a worker, around all of these; NULL
	size_t *calls;		    // indices of the calls that opened regions, innermost first
	size_t num_calls;
};

struct walk {
	struct thread *thread;
	struct stack *stack;
	struct stack_frame **frames;
	enum code_owner *owners; // of the frames, but what starts the program is the system's
	size_t depth;
	struct view *views; // one for each runtime that knows the thread, its own first
	size_t num_views;
	struct runtime_call *calls; // innermost first
	size_t num_calls, capacity;
	int *call_at; // by index of a call's innermost frame: index of the call, or NO_CALL
	struct logical_frame *logical; // NULL: not asked yet
};

/** Find the calls of runtimes on the stack. (calls.c) */
void find_calls(struct walk *walk);
/** Add the regions that the user's code runs without a call of the runtime. */
void add_regions_run_by_code(struct walk *walk);
/** Name the frames of the source. (constructs.c) */
void name_frames(struct walk *walk);

/** Return the call whose innermost frame has that index; NULL. */
static inline const struct runtime_call *call_at(const struct walk *walk, size_t index)
{
	if (index >= walk->depth || walk->call_at[index] == NO_CALL)
		return NULL;
	return &walk->calls[walk->call_at[index]];
}
/** Return the symbol of a frame's function; NULL. */
static inline const char *symbol_of(const struct walk *walk, size_t index)
{
	return stack_place(walk->stack, walk->frames[index])->symbol;
}
/** Return the name of a frame's function, as debuggers have it; NULL. */
static inline const char *function_of(const struct walk *walk, size_t index)
{
	return stack_place(walk->stack, walk->frames[index])->name;
}
/** Check that @p outer only calls @p inner: Clang makes two functions of a region's code with -g. */
bool only_passes_on(const char *outer, const char *inner);

/** Find the region for which its runtime made the thread; NULL. */
struct team *walk_worker_region(struct walk *walk);
/** Find the number of the thread in a team of any runtime; NOT_KNOWN. */
int walk_number_in(struct walk *walk, struct team *team);
/** Find the index of the frame that called the runtime to open a region of this thread; the depth of
 *  the stack if that frame is gone; SIZE_MAX: it was not found. */
size_t walk_opening_of(struct walk *walk, struct team *region);
/** Find the region of the initial thread of a league that this is; NULL. */
struct team *walk_league(struct walk *walk);
/** Find the call that made a league; NULL. */
const struct runtime_call *walk_teams_call(struct walk *walk);
/** Find the team in which the thread works where it opened a region, at the frame of that index. It
 *  may be one of another runtime. */
struct team *walk_team_around(struct walk *walk, struct team *opened, size_t begin);

#endif

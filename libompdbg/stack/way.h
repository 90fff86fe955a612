// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread goes on, for whoever steps through a program: after the runtime, after a region, after
// a task.

#ifndef OMPDBG_STACK_WAY_H
#define OMPDBG_STACK_WAY_H

#include "stack/stack.h"

/** A frame in which a thread goes on. */
struct way {
	struct thread *thread;
	const struct logical_frame *frame; // NULL: there is none
};

/** Check that a thread executes neither the runtime nor anything that it called. */
bool is_in_users_code(struct thread *thread);
/** Find the user's code that called the runtime. */
struct way way_back(struct thread *thread);
/** Find where the thread that encountered a worker's region goes on after it. */
struct way way_after_region(struct thread *thread);
/** Find where the innermost region of a thread is over, whoever encountered it. */
struct way way_after_innermost_region(struct thread *thread);
/** Find where the task goes on that generated @p task. */
struct way way_to_parent(struct task *task);

enum way_out {
	TO_RUNTIME,	// which called the code of a region
	TO_END_OF_TASK, // to the runtime, which called the code of a task
	TO_CONSTRUCT,	// to code of a construct
	TO_USER,	// which executes a region itself, and called its code
};
/** Find where the function returns to that a thread is in, if debuggers would show nothing of OpenMP
 *  there. */
struct way way_out(struct thread *thread, enum way_out *kind);

/** The innermost construct of a thread. */
struct innermost_construct {
	enum construct construct; // NO_CONSTRUCT: there is none
	const char *function;	  // that contains it; NULL: unknown
	bool is_own;		  // user's code executes it itself, as its condition is false
	struct way after; // a region: where code goes on. A task: the runtime that called its code
};
void find_innermost_construct(struct thread *thread, struct innermost_construct *ret);

#endif

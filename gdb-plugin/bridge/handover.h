// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the code of a construct is handed over, begins and ends, for steps and breakpoints.

#ifndef OMPDBG_BRIDGE_HANDOVER_H
#define OMPDBG_BRIDGE_HANDOVER_H

#include "model/model.h"

enum handover_kind {
	HANDOVER_REGION,      // the code of a parallel region is passed
	HANDOVER_SERIALIZED,  // its condition is false: the caller executes it itself
	HANDOVER_TASK,	      // the code of a task is passed
	HANDOVER_TASKLOOP,    // the code of several tasks is passed
	HANDOVER_TASK_BEGINS, // the caller is about to execute a task itself
	HANDOVER_TASK_ENDS,   // it has executed it
};
/** Name a kind for Python. A serialized region is a region. */
const char *handover_kind_name(enum handover_kind kind);

struct handover_function {
	const char *name; // NULL after the last one
	enum handover_kind kind;
	int argument; // number of the one that is the code, or the task
};
extern const struct handover_function handover_functions[];

struct handover {
	enum handover_kind kind;
	uint64_t code;		// entry point of the construct's code; 0: it is unknown
	uint64_t jumps_to;	// the function with that code, if `code` only jumps to it; 0
	uint64_t back;		// where the caller goes on, after a region; 0: unknown
	uint64_t stack_pointer; // of the caller there
	uint64_t task;		// the runtime's address of a task that the caller executes
	bool is_called;		// the caller calls the code of that task, which is a function
	bool waits;		// the caller goes on after the tasks
};
/** Find what a thread hands over that is at the first instruction of the function with that name. */
struct ompdbg_error *find_handover(struct thread *thread, const char *name, struct handover *ret);

/** Find where code goes on after the region that it executes itself, from a place in that; 0: unknown.
 *  *code: the function with the region's code, if it is called on the way; 0. */
uint64_t serialized_region_end(struct process *process, uint64_t pc, uint64_t *code);

/** A function with the code of a construct. */
struct handover_body {
	uint64_t start, end;
	uint64_t pointer_call; // its first call, if that is through a pointer in a register; 0
	bool makes_frame;      // before it does anything else
};
/** List the functions with the code of a construct: Clang makes two of it with -g. */
const struct handover_body *find_bodies(struct process *process, uint64_t code, size_t *count);

/** List the jumps with which a function leaves for a runtime: its last calls. */
const uint64_t *find_last_jumps(struct process *process, uint64_t pc, size_t *count);

#endif

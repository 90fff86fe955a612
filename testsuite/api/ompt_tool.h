// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool (OMPT) within a test program. It numbers every thread, region and task, in their data.
#pragma once

#include <stdint.h>

/** ompt_data_t */
union data {
	uint64_t value;
	void *pointer;
};

typedef void (*any_function)(void);
typedef any_function (*lookup_function)(const char *name);

/** Numbers given to the thread and to its implicit task. */
extern __thread uint64_t tool_thread, tool_task;
/** Numbers given last by any thread. */
extern uint64_t tool_newest_region, tool_newest_task;

/** If a test has it: called when the runtime starts, to look up functions of OMPT. */
void tool_starts(lookup_function lookup) __attribute__((weak));

/** If a test has it: called by each thread of a team at the end of its implicit task. */
void tool_implicit_task_ends(void) __attribute__((weak));

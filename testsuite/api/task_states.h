// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of tasks in known states share: handles of the calling thread, and threads that
// wait for one another in their own code, where they meet no task scheduling point.

#ifndef TASK_STATES_H
#define TASK_STATES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_list.h"

extern ompd_address_space_handle_t *space;
extern struct task_list list;

/** Handles of the calling thread. */
struct here {
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
	uint64_t parallel_id, task_id;
};

void open_here(struct here *here);
void close_here(struct here *here);

/** Begins anew: stage 0, nobody arrived. */
void restart(void);
void begin_stage(int which);
void wait_for_stage(int wanted);
void arrive(void);
void wait_for_arrivals(int wanted);

// Setup and teardown of a group of tests.
int open_space(void **state);
int close_space(void **state);

/** The number of tests that failed; another number if the runtime keeps no priorities. */
int run_task_tests(const struct CMUnitTest *tests, size_t count);

#endif

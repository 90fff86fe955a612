// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A runtime that does nothing but send the recorder, which is linked in, what a test wants.

#ifndef OMPDBG_TEST_FAKE_RUNTIME_H
#define OMPDBG_TEST_FAKE_RUNTIME_H

#include "include/ompt/omp-tools.h"

/** What the recorder registered. */
struct fake_runtime {
	ompt_callback_thread_begin_t thread_begin;
	ompt_callback_thread_end_t thread_end;
	ompt_callback_parallel_begin_t parallel_begin;
	ompt_callback_parallel_end_t parallel_end;
	ompt_callback_implicit_task_t implicit_task;
	ompt_callback_task_create_t task_create;
	ompt_callback_task_schedule_t task_schedule;
	ompt_callback_dependences_t dependences;
	ompt_callback_work_t work;
	ompt_callback_dispatch_t dispatch;
	ompt_callback_sync_region_t sync, wait;
	ompt_callback_mutex_acquire_t acquire;
	ompt_callback_mutex_t acquired, released, lock_destroy;
	ompt_callback_mutex_acquire_t lock_init;
	ompt_callback_nest_lock_t nest_lock;
	ompt_callback_masked_t masked;
	ompt_callback_cancel_t cancel;
	ompt_callback_target_t target;
	ompt_finalize_t finalize;
};

extern struct fake_runtime omp;

void start_fake_runtime(void);

// A place in the program.
#define CODE(number) ((const void *)(uintptr_t)(0x400000 + (number)))

#endif

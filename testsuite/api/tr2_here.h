// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of 2016 for the thread that asks, and what each test begins and ends with.

#ifndef TR2_HERE_H
#define TR2_HERE_H

#include "tr2_host.h"

enum { THREADS = 3 };

/** Handles of the calling thread. */
struct handles {
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
};

/** pthread_self(). */
uint64_t self(void);
/** A barrier: a region has as many threads as it asked for, behind it. */
void meet(void);

ompd_rc_t open_handles(struct handles *handles);
void close_handles(struct handles *handles);

int initialize(void **state);
/** Fails if a block was not given back. */
int finalize(void **state);

#endif

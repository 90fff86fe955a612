// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions for explicit tasks share.

#ifndef OMPT_GOMP_TASK_H
#define OMPT_GOMP_TASK_H

#include "state.h"

/** A task as it is prepared, on the stack of the thread that makes it. */
struct source {
	struct task task; // its front is what libgomp writes to, and reads
	void *data;	  // of the program
	gomp_copy_fn *copy;
	void **depend; // null: none
	const void *code;
};

void gomp_copy_task(void *to, void *from);
void gomp_task_body(void *arg);

/** Prepare a task's header; return the alignment of the whole. */
long gomp_prepare_task(struct thread *thread, struct task *task, gomp_body_fn *fn, bool has_copy,
		       long size, long align, unsigned flags);

/** Return the number of dependences in an array as the compiler makes it. */
size_t gomp_num_dependences(void **depend);
/** Tell the tool of the dependences of a task. */
void gomp_dependences(ompt_data_t *task, void **depend);

/** Note a detachable task, whose event libgomp has just made. */
void gomp_add_detachable(struct task *task);
/** Forget a detachable task that will not run; libgomp need not wait for its event. */
void gomp_drop_detachable(struct task *task);
/** Note that the body of a detachable task is done; return whether its event was fulfilled. */
bool gomp_body_done(struct task *task);

#endif

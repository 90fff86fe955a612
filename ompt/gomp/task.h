// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions for explicit tasks share.

#ifndef OMPT_GOMP_TASK_H
#define OMPT_GOMP_TASK_H

#include "state.h"

/** A task that is to be made, on the stack of the thread that makes it. */
struct source {
	uint64_t front[3]; // as in a task: what libgomp writes, and reads
	gomp_body_fn *fn;  // this and the next of the program
	void *data;
	gomp_copy_fn *copy;
	void **depend; // null: none
	const void *code;
	uint64_t step;	      // of a taskloop
	uint32_t header_size; // of the task
	uint32_t size;
	long align; // of header and data
	int flags;  // ompt_task_flag_t
	uint16_t traits;
};

void gomp_copy_task(void *to, void *from);
void gomp_task_body(void *arg);

/** Check for a thread in a final task: it executes the tasks that it creates at once. */
static inline bool is_in_final(const struct thread *thread)
{
	return (thread->task->flags & ompt_task_explicit) &&
	       (thread->task->flags & ompt_task_final);
}

/** Prepare the source of a task. */
void gomp_prepare_task(struct thread *thread, struct source *source, gomp_body_fn *fn, void *data,
		       gomp_copy_fn *copy, long size, long align, unsigned flags);
/** Fill the header of a task. */
void gomp_init_task(struct thread *thread, struct task *task, const struct source *source);

/** Tell the tool of a task that has just been made, and of its dependences; null: none. */
void gomp_task_created(struct thread *thread, struct task *task, void **depend, const void *code);

/** Return the number of dependences in an array as the compiler makes it. */
size_t gomp_num_dependences(void **depend);
/** Tell the tool of the dependences of a task. */
void gomp_dependences(ompt_data_t *task, void **depend);

/** Note a detachable task, whose event libgomp has just made. */
void gomp_add_detachable(struct task *task);
/** Forget a detachable task that will not run; libgomp need not wait for its event. */
void gomp_drop_detachable(struct task *task);
/** Note that the body of a detachable task is done, and the thread goes on with the task @p next.
 *  Return whether the task's event was fulfilled; if it was not, the tool has been told. */
bool gomp_body_done(struct task *task, struct task *next);

#endif

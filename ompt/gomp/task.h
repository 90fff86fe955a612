// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions for explicit tasks share.

#ifndef OMPT_GOMP_TASK_H
#define OMPT_GOMP_TASK_H

#include "state.h"

/** A task that is to be made, on the stack of the thread that makes it. */
struct source {
	uint64_t front[3]; // as in a task: what libgomp writes, and reads; not set
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

/** Return what libgomp's setting of cancellation makes of a task without a copy function. */
unsigned gomp_traits_by_cancellation(void);
extern int gomp_cancellation; // that setting, which never changes; -1: not asked yet

/** Return the tool's flags of a task, as far as most have any. */
INLINED int flags_of_task(const struct thread *thread, unsigned flags)
{
	return (int)ompt_task_explicit | (thread->task->flags & (int)ompt_task_final) |
	       (flags & GOMP_TASK_UNTIED ? (int)ompt_task_untied : 0);
}

/** Prepare the source of a task. */
INLINED void prepare_task(struct thread *thread, struct source *source, gomp_body_fn *fn,
			  void *data, gomp_copy_fn *copy, long size, long align, unsigned flags)
{
	int result = flags_of_task(thread, flags);

	source->fn = fn;
	source->data = data;
	source->copy = copy;
	source->depend = NULL;
	source->header_size = sizeof(struct task);
	source->size = (uint32_t)size;
	source->align = _Alignof(struct task);
	if (UNLIKELY(align > (long)_Alignof(struct task))) {
		source->header_size = (uint32_t)(((long)sizeof(struct task) + align - 1) & -align);
		source->align = align;
	}
	source->traits = 0;
	if (UNLIKELY(flags)) {
		if (flags & GOMP_TASK_FINAL)
			result |= (int)ompt_task_final;
		if (flags & GOMP_TASK_MERGEABLE)
			result |= (int)ompt_task_mergeable;
		if (flags & GOMP_TASK_DETACH)
			source->traits = TASK_DETACHABLE;
	}
	source->flags = result;
	if (UNLIKELY(gomp_cancellation) && !copy)
		source->traits |= gomp_traits_by_cancellation();
}

/** Fill the header of a task. Field by field, from what was written field by field: wider moves would
 *  have to wait for it. */
INLINED void init_task(struct thread *thread, struct task *task, const struct source *source)
{
	task->fn = source->fn;
	task->data.value = 0;
	task->region = thread->task->region;
	task->header_size = source->header_size;
	task->size = source->size;
	task->flags = source->flags;
	task->traits = source->traits;
	if (UNLIKELY(source->traits)) {
		task->front[0] = source->front[0];
		task->step = source->step;
		task->fulfilled = task->body_done = false;
	}
}

/** Return the number of dependences in an array as the compiler makes it. */
size_t gomp_num_dependences(void **depend);
/** Tell the tool of the dependences of a task. */
void gomp_dependences(ompt_data_t *task, void **depend);

/** Tell the tool of a task that has just been made, and of its dependences; null: none. */
INLINED void task_created(struct thread *thread, struct task *task, void **depend, const void *code)
{
	ompt_callback_task_create_t create = CALLBACK(ompt_callback_task_create);
	struct task *parent = thread->task;

	if (UNLIKELY(depend != NULL)) {
		if (create)
			create(&parent->data, &parent->frame, &task->data, task->flags,
			       gomp_num_dependences(depend) != 0, code);
		gomp_dependences(&task->data, depend);
	} else if (create) {
		create(&parent->data, &parent->frame, &task->data, task->flags, 0, code);
	}
}

/** Note a detachable task, whose event libgomp has just made. */
void gomp_add_detachable(struct task *task);
/** Forget a detachable task that will not run; libgomp need not wait for its event. */
void gomp_drop_detachable(struct task *task);
/** Note that the body of a detachable task is done, and the thread goes on with the task @p next.
 *  Return whether the task's event was fulfilled; if it was not, the tool has been told. */
bool gomp_body_done(struct task *task, struct task *next);

#endif

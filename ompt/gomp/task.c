// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit tasks. libgomp is given the body here in place of the program's function, and a copy
// function that puts a header in front of the program's data, in libgomp's own memory of the task.

#include <string.h>

#include "loop.h"
#include "task.h"

const void *gomp_code_of_task(void)
{
	const struct task *task = gomp_thread.task;
	gomp_body_fn *fn = NULL;

	if (task)
		fn = task->fn || !task->region ? task->fn : task->region->fn;
	return fn ? (const char *)(uintptr_t)fn + 1 : NULL;
}

/** Copy a task into libgomp's memory of it: what libgomp calls as the copy function. It does so in
 *  the thread that makes the task. */
void gomp_copy_task(void *to, void *from)
{
	struct source *source = from;
	struct thread *thread = &gomp_thread;
	struct task *task = to;
	char *data = (char *)to + source->header_size;

	init_task(thread, task, source);
	if (UNLIKELY(source->traits & TASK_DETACHABLE) && source->data)
		*(uint64_t *)source->data = task->front[0];
	if (source->copy)
		source->copy(data, source->data);
	else if (source->data)
		memcpy(data, source->data, source->size);
	// A task that is not deferred lives on the stack, below its source.
	if ((char *)to > (char *)FRAME_ADDRESS && (char *)to < (char *)from) {
		task->flags |= (int)ompt_task_undeferred;
		task->traits &= ~TASK_CANCELLABLE;
	}
	if (UNLIKELY(source->traits & TASK_DETACHABLE))
		gomp_add_detachable(task);
	task_created(thread, task, source->depend, source->code);
}

/** End a task that was cancelled before it began: the tool does not see it begin. */
static void discard(struct thread *thread, struct task *task)
{
	ompt_callback_task_schedule_t schedule = CALLBACK(ompt_callback_task_schedule);
	ompt_callback_cancel_t cancel = CALLBACK(ompt_callback_cancel);

	if (task->traits & TASK_DETACHABLE)
		gomp_drop_detachable(task);
	if (cancel)
		cancel(&task->data, ompt_cancel_taskgroup | ompt_cancel_discarded_task, NULL);
	if (schedule)
		schedule(&task->data, ompt_task_cancel, &thread->task->data);
}

/** Tell the tool of the iterations that a task of a taskloop has. */
static void taskloop_chunk(struct task *task)
{
	ompt_callback_dispatch_t dispatch = CALLBACK(ompt_callback_dispatch);
	struct loop loop = { .step = task->step,
			     .down = task->traits & TASK_LOOP_DOWN,
			     .is_signed = task->traits & TASK_LOOP_SIGNED };
	ompt_dispatch_chunk_t chunk = { .start = task->front[0] };
	ompt_data_t instance = { .ptr = &chunk };

	if (!dispatch)
		return;
	chunk.iterations = num_iterations(task->front[0], task->front[1], loop);
	dispatch(task->region ? &task->region->parallel_data : NULL, &task->data,
		 ompt_dispatch_taskloop_chunk, instance);
}

/** Run the program's part of a task. */
static void run(struct thread *thread, struct task *task, void *frame)
{
	char *data = (char *)task + task->header_size;

	if (UNLIKELY(task->traits & TASK_LOOP)) {
		memcpy(data, task->front, 2 * sizeof(task->front[0]));
		taskloop_chunk(task);
	}
	task->frame.exit_frame.ptr = frame;
	thread->state = thread->implicit->task.flags & ompt_task_initial ? ompt_state_work_serial :
									   ompt_state_work_parallel;
	task->fn(data);
	task->frame.exit_frame.ptr = NULL;
}

/** Do what some tasks need before they begin. Return false if one does not. */
static bool is_to_begin(struct thread *thread, struct task *task)
{
	if (task->traits & TASK_TOLD_LATE) {
		task->data = (ompt_data_t){ 0 };
		task_created(thread, task, NULL, task->code);
	}
	if ((task->traits & TASK_CANCELLABLE) &&
	    gomp_real.GOMP_cancellation_point(GOMP_CANCEL_TASKGROUP)) {
		discard(thread, task);
		return false;
	}
	return true;
}

/** Run a task: what libgomp calls in place of the program's function. */
void gomp_task_body(void *arg)
{
	ompt_callback_task_schedule_t schedule = CALLBACK(ompt_callback_task_schedule);
	struct thread *thread = this_thread();
	struct task *task = arg, *before = thread->task;
	ompt_task_status_t status = ompt_task_complete;
	int state = thread->state;

	if (UNLIKELY(task->traits & (TASK_TOLD_LATE | TASK_CANCELLABLE)) &&
	    !is_to_begin(thread, task))
		return;
	thread->bodies++;
	task->frame =
		(ompt_frame_t){ .enter_frame_flags = FRAME_FLAGS, .exit_frame_flags = FRAME_FLAGS };
	task->parent = before;
	task->thread_num = thread->implicit->task.thread_num;
	thread->task = task;
	thread->state = ompt_state_overhead;
	if (schedule)
		schedule(&before->data, ompt_task_switch, &task->data);
	run(thread, task, FRAME_ADDRESS);
	thread->task = before;
	thread->state = state;
	if (UNLIKELY(task->traits)) {
		if (task->traits & TASK_CANCELLED)
			status = ompt_task_cancel;
		if ((task->traits & TASK_DETACHABLE) && !gomp_body_done(task, before))
			return;
	}
	schedule = CALLBACK(ompt_callback_task_schedule);
	if (schedule)
		schedule(&task->data, status, &before->data);
}

int gomp_cancellation = -1;

// libgomp drops cancelled tasks that have no copy function; with one it would run them.
unsigned gomp_traits_by_cancellation(void)
{
	if (gomp_cancellation < 0)
		gomp_cancellation = gomp_ask.omp_get_cancellation &&
				    gomp_ask.omp_get_cancellation();
	return gomp_cancellation ? TASK_CANCELLABLE : 0;
}

ENTRY(void, GOMP_task,
      (gomp_body_fn * fn, void *data, gomp_copy_fn *copy, long size, long align, bool if_clause,
       unsigned flags, void **depend, int priority, void *detach),
      (fn, data, copy, size, align, if_clause, flags, depend, priority, detach))
{
	struct thread *thread = this_thread();
	int state = set_state(thread, ompt_state_overhead);
	gomp_task_phase_t phase;
	struct source source;
	unsigned bodies;

	enter_frame(thread, FRAME_ADDRESS);
	prepare_task(thread, &source, fn, data, copy, size, align, flags);
	source.code = RETURN_ADDRESS;
	if (flags & GOMP_TASK_DEPEND)
		source.depend = depend;
	phase = begin_creation(thread, source.code, !if_clause);
	bodies = phase ? thread->bodies : 0;
	gomp_real.GOMP_task(gomp_task_body, &source, gomp_copy_task, source.header_size + size,
			    source.align, if_clause, flags, depend, priority, detach);
	if (UNLIKELY(phase != NULL))
		phase(GOMP_TASK_CREATE_END, source.code, bodies != thread->bodies);
	leave_frame(thread);
	thread->state = state;
}

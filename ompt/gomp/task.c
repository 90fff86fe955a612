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

void gomp_task_created(struct thread *thread, struct task *task, void **depend, const void *code)
{
	ompt_callback_task_create_t create = CALLBACK(ompt_callback_task_create);

	if (create)
		create(&thread->task->data, &thread->task->frame, &task->data, task->flags,
		       depend && gomp_num_dependences(depend), code);
	if (depend)
		gomp_dependences(&task->data, depend);
}

// Field by field, from what was written field by field: wider moves would have to wait for it.
void gomp_init_task(struct thread *thread, struct task *task, const struct source *source)
{
	task->front[0] = source->front[0];
	task->front[1] = task->front[2] = 0;
	task->fn = source->fn;
	task->data.value = 0;
	task->frame.enter_frame.ptr = task->frame.exit_frame.ptr = NULL;
	task->frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_framepointer;
	task->frame.exit_frame_flags = ompt_frame_runtime | ompt_frame_framepointer;
	task->parent = NULL;
	task->region = thread->task->region;
	task->code = source->code;
	task->header_size = source->header_size;
	task->size = source->size;
	task->flags = source->flags;
	task->thread_num = 0;
	task->traits = source->traits;
	task->fulfilled = task->body_done = false;
	task->step = source->step;
	task->next_detached = NULL;
}

/** Copy a task into libgomp's memory of it: what libgomp calls as the copy function. It does so in
 *  the thread that makes the task. */
void gomp_copy_task(void *to, void *from)
{
	struct source *source = from;
	struct thread *thread = &gomp_thread;
	struct task *task = to;
	char *data = (char *)to + source->header_size;

	gomp_init_task(thread, task, source);
	if (UNLIKELY(task->traits & TASK_DETACHABLE) && source->data)
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
	if (UNLIKELY(task->traits & TASK_DETACHABLE))
		gomp_add_detachable(task);
	gomp_task_created(thread, task, source->depend, source->code);
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

/** Run a task: what libgomp calls in place of the program's function. */
void gomp_task_body(void *arg)
{
	ompt_callback_task_schedule_t schedule = CALLBACK(ompt_callback_task_schedule);
	struct thread *thread = this_thread();
	struct task *task = arg, *before = thread->task;
	ompt_task_status_t status = ompt_task_complete;
	int state = thread->state;

	if (UNLIKELY(task->traits & TASK_TOLD_LATE)) {
		task->data = (ompt_data_t){ 0 };
		gomp_task_created(thread, task, NULL, task->code);
	}
	if (UNLIKELY(task->traits & TASK_CANCELLABLE) &&
	    gomp_real.GOMP_cancellation_point(GOMP_CANCEL_TASKGROUP)) {
		discard(thread, task);
		return;
	}
	thread->bodies++;
	task->parent = before;
	task->thread_num = thread->implicit->task.thread_num;
	thread->task = task;
	thread->state = ompt_state_overhead;
	if (schedule)
		schedule(&before->data, ompt_task_switch, &task->data);
	run(thread, task, FRAME_ADDRESS);
	if (UNLIKELY(task->traits & TASK_CANCELLED))
		status = ompt_task_cancel;
	thread->task = before;
	thread->state = state;
	if (UNLIKELY(task->traits & TASK_DETACHABLE) && !gomp_body_done(task, before))
		return;
	schedule = CALLBACK(ompt_callback_task_schedule);
	if (schedule)
		schedule(&task->data, status, &before->data);
}

/** Return the flags of a new task for the tool. */
static int task_flags(const struct thread *thread, unsigned flags)
{
	int result = ompt_task_explicit;

	if (flags & GOMP_TASK_UNTIED)
		result |= (int)ompt_task_untied;
	if ((flags & GOMP_TASK_FINAL) || is_in_final(thread))
		result |= (int)ompt_task_final;
	if (flags & GOMP_TASK_MERGEABLE)
		result |= (int)ompt_task_mergeable;
	return result;
}

void gomp_prepare_task(struct thread *thread, struct source *source, gomp_body_fn *fn, void *data,
		       gomp_copy_fn *copy, long size, long align, unsigned flags)
{
	static int cancellation = -1; // a setting that never changes

	if (align < (long)_Alignof(struct task))
		align = _Alignof(struct task);
	source->front[0] = 0;
	source->fn = fn;
	source->data = data;
	source->copy = copy;
	source->depend = NULL;
	source->step = 0;
	source->header_size = (uint32_t)(((long)sizeof(struct task) + align - 1) & -align);
	source->size = (uint32_t)size;
	source->align = align;
	source->flags = task_flags(thread, flags);
	source->traits = 0;
	if (UNLIKELY(cancellation < 0))
		cancellation = gomp_ask.omp_get_cancellation && gomp_ask.omp_get_cancellation();
	// libgomp drops cancelled tasks that have no copy function; with one it would run them.
	if (UNLIKELY(cancellation) && !copy)
		source->traits |= TASK_CANCELLABLE;
	if (UNLIKELY(flags & GOMP_TASK_DETACH))
		source->traits |= TASK_DETACHABLE;
}

ENTRY(void, GOMP_task,
      (gomp_body_fn * fn, void *data, gomp_copy_fn *copy, long size, long align, bool if_clause,
       unsigned flags, void **depend, int priority, void *detach),
      (fn, data, copy, size, align, if_clause, flags, depend, priority, detach))
{
	struct thread *thread = this_thread();
	int state = set_state(thread, ompt_state_overhead);
	unsigned bodies = thread->bodies;
	gomp_task_phase_t phase;
	struct source source;

	enter_frame(thread, FRAME_ADDRESS);
	gomp_prepare_task(thread, &source, fn, data, copy, size, align, flags);
	source.code = RETURN_ADDRESS;
	if (flags & GOMP_TASK_DEPEND)
		source.depend = depend;
	phase = begin_creation(source.code, !if_clause || is_in_final(thread));
	gomp_real.GOMP_task(gomp_task_body, &source, gomp_copy_task, source.header_size + size,
			    source.align, if_clause, flags, depend, priority, detach);
	if (UNLIKELY(phase != NULL))
		phase(GOMP_TASK_CREATE_END, source.code, bodies != thread->bodies);
	leave_frame(thread);
	thread->state = state;
}

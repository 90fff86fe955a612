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

/** Check whether a task is not deferred: it lives on the stack then, between that of its copy function,
 *  which ends at @p end, and its source. */
INLINED bool is_on_stack(const void *task, const void *source, const void *end)
{
	return (const char *)task >= (const char *)end && (const char *)task < (const char *)source;
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
	if (is_on_stack(to, from, FRAME_ADDRESS)) {
		task->flags |= (int)ompt_task_undeferred;
		task->traits &= ~TASK_CANCELLABLE;
	}
	if (UNLIKELY(source->traits & TASK_DETACHABLE))
		gomp_add_detachable(task);
	task_created(thread, task, source->depend, source->code);
}

/** Check whether copy_plain_task() can copy a task. */
INLINED bool is_plain(gomp_copy_fn *copy, long align, unsigned flags)
{
	return LIKELY(!copy) && LIKELY(align <= (long)_Alignof(struct task)) &&
	       LIKELY(!(flags & ~(unsigned)GOMP_TASK_UNTIED)) && LIKELY(!gomp_cancellation);
}

/** Make the header of a task from its source, of which `fn`, `data`, `code`, `size` and `flags` are set. */
INLINED void init_plain_task(struct task *task, const struct source *source, const void *end)
{
	struct source plain = { .fn = source->fn,
				.header_size = sizeof(struct task),
				.size = source->size,
				.flags = source->flags };

	if (UNLIKELY(is_on_stack(task, source, end)))
		plain.flags |= (int)ompt_task_undeferred;
	init_task(&gomp_thread, task, &plain);
}

/** Do what copy_plain_task() does for any data. */
static __attribute__((noinline)) void copy_plain_task_with_call(void *to, void *from)
{
	const struct source *source = from;
	struct task *task = to;

	init_plain_task(task, source, FRAME_ADDRESS);
	memcpy(task + 1, source->data, source->size);
	task_created(&gomp_thread, task, NULL, source->code);
}

/** Do what gomp_copy_task() does for most tasks, whose data are a word or two: without calls, and so
 *  without registers to save. */
static void copy_plain_task(void *to, void *from)
{
	const struct source *source = from;
	const uint64_t *data = source->data;
	struct task *task = to;
	uint64_t *copy = (uint64_t *)(task + 1);

	if (source->size != sizeof(*data) && source->size != 2 * sizeof(*data)) {
		copy_plain_task_with_call(to, from);
		return;
	}
	init_plain_task(task, source, __builtin_dwarf_cfa());
	copy[0] = data[0];
	if (source->size != sizeof(*data))
		copy[1] = data[1];
	task_created(&gomp_thread, task, NULL, source->code);
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

/** Give the program's part of a taskloop's task its iterations, and tell the tool of them. */
static __attribute__((noinline)) void begin_chunk(struct task *task)
{
	ompt_callback_dispatch_t dispatch = CALLBACK(ompt_callback_dispatch);
	struct loop loop = { .step = task->step,
			     .down = task->traits & TASK_LOOP_DOWN,
			     .is_signed = task->traits & TASK_LOOP_SIGNED };
	ompt_dispatch_chunk_t chunk = { .start = task->front[0] };
	ompt_data_t instance = { .ptr = &chunk };

	memcpy((char *)task + task->header_size, task->front, 2 * sizeof(task->front[0]));
	if (!dispatch)
		return;
	chunk.iterations = num_iterations(task->front[0], task->front[1], loop);
	dispatch(task->region ? &task->region->parallel_data : NULL, &task->data,
		 ompt_dispatch_taskloop_chunk, instance);
}

/** Run the program's part of a task. */
static void run(struct thread *thread, struct task *task, void *frame)
{
	if (UNLIKELY(task->traits & TASK_LOOP))
		begin_chunk(task);
	task->frame.exit_frame.ptr = frame;
	thread->state = thread->implicit->task.flags & ompt_task_initial ? ompt_state_work_serial :
									   ompt_state_work_parallel;
	task->fn((char *)task + task->header_size);
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
	ompt_callback_task_schedule_t schedule;
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
	thread->task = task;
	thread->state = ompt_state_overhead;
	schedule = CALLBACK(ompt_callback_task_schedule);
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
	gomp_copy_fn *copy_task = copy_plain_task;
	gomp_task_phase_t phase;
	struct source source;
	unsigned bodies;

	enter_frame(thread, FRAME_ADDRESS);
	if (LIKELY(is_plain(copy, align, flags))) {
		source.fn = fn;
		source.data = data;
		source.size = (uint32_t)size;
		source.flags = flags_of_task(thread, flags);
		size += (long)sizeof(struct task);
		align = _Alignof(struct task);
	} else {
		copy_task = gomp_copy_task;
		prepare_task(thread, &source, fn, data, copy, size, align, flags);
		if (flags & GOMP_TASK_DEPEND)
			source.depend = depend;
		size += source.header_size;
		align = source.align;
	}
	source.code = RETURN_ADDRESS;
	phase = begin_creation(thread, source.code, !if_clause);
	bodies = phase ? thread->bodies : 0;
	gomp_real.GOMP_task(gomp_task_body, &source, copy_task, size, align, if_clause, flags,
			    depend, priority, detach);
	if (UNLIKELY(phase != NULL))
		phase(GOMP_TASK_CREATE_END, source.code, bodies != thread->bodies);
	leave_frame(thread);
	thread->state = state;
}

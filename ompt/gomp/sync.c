// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, taskwait, taskgroup, single, scope and cancellation.

#include "task.h"

void gomp_sync(struct thread *thread, ompt_callbacks_t event, ompt_sync_region_t kind,
	       ompt_scope_endpoint_t endpoint, const void *code)
{
	ompt_callback_sync_region_t callback = CALLBACK_AS(event, ompt_callback_sync_region_t);
	struct region *region = thread->task->region;

	if (callback)
		callback(kind, endpoint, region ? &region->parallel_data : NULL,
			 &thread->task->data, code);
}

void gomp_leave_region(struct thread *thread, struct implicit *implicit, const void *code)
{
	ompt_callback_sync_region_t wait =
		CALLBACK_AS(ompt_callback_sync_region_wait, ompt_callback_sync_region_t);
	ompt_callback_sync_region_t sync = CALLBACK(ompt_callback_sync_region);
	ompt_callback_implicit_task_t event = CALLBACK(ompt_callback_implicit_task);
	ompt_data_t *data = &implicit->task.data;

	thread->state = ompt_state_overhead;
	if (wait)
		wait(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL, data, code);
	if (sync)
		sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL, data, code);
	if (event)
		event(ompt_scope_end, NULL, data, 0, implicit->index, ompt_task_implicit);
}

void gomp_work_event(struct thread *thread, ompt_scope_endpoint_t endpoint, const struct work *work,
		     const void *code)
{
	ompt_callback_work_t callback = CALLBACK(ompt_callback_work);
	struct task *task = &thread->implicit->task;

	if (callback)
		callback((ompt_work_t)work->kind, endpoint,
			 task->region ? &task->region->parallel_data : NULL, &task->data,
			 work->count, code);
}

void gomp_end_single(struct thread *thread)
{
	struct work *single = &thread->implicit->single;

	if (LIKELY(!single->kind))
		return;
	gomp_work_event(thread, ompt_scope_end, single, single->code);
	single->kind = 0;
}

/** Tell the tool of a cancellation. */
static void cancelled(struct thread *thread, int flags, const void *code)
{
	ompt_callback_cancel_t callback = CALLBACK(ompt_callback_cancel);

	if (callback)
		callback(&thread->task->data, flags, code);
}

ENTRY(void, GOMP_barrier, (void), ())
{
	struct thread *thread = this_thread();
	int state;

	enter_frame(thread, FRAME_ADDRESS);
	gomp_end_single(thread);
	state = begin_wait(thread, ompt_sync_region_barrier_explicit,
			   ompt_state_wait_barrier_explicit, RETURN_ADDRESS);
	gomp_real.GOMP_barrier();
	end_wait(thread, ompt_sync_region_barrier_explicit, state, RETURN_ADDRESS);
	leave_frame(thread);
}

ENTRY(bool, GOMP_barrier_cancel, (void), ())
{
	struct thread *thread = this_thread();
	bool result;
	int state;

	enter_frame(thread, FRAME_ADDRESS);
	gomp_end_single(thread);
	state = begin_wait(thread, ompt_sync_region_barrier_explicit,
			   ompt_state_wait_barrier_explicit, RETURN_ADDRESS);
	result = gomp_real.GOMP_barrier_cancel();
	end_wait(thread, ompt_sync_region_barrier_explicit, state, RETURN_ADDRESS);
	if (result)
		cancelled(thread, ompt_cancel_parallel | ompt_cancel_detected, RETURN_ADDRESS);
	leave_frame(thread);
	return result;
}

ENTRY(void, GOMP_taskwait, (void), ())
{
	struct thread *thread = this_thread();
	int state;

	enter_frame(thread, FRAME_ADDRESS);
	state = begin_wait(thread, ompt_sync_region_taskwait, ompt_state_wait_taskwait,
			   RETURN_ADDRESS);
	gomp_real.GOMP_taskwait();
	end_wait(thread, ompt_sync_region_taskwait, state, RETURN_ADDRESS);
	leave_frame(thread);
}

#define TASKWAIT_FLAGS (int)(ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable)

// A taskwait with dependences is a mergeable task without a body, which waits.
ENTRY(void, GOMP_taskwait_depend, (void **depend), (depend))
{
	ompt_callback_task_create_t create = CALLBACK(ompt_callback_task_create);
	ompt_callback_task_schedule_t schedule = CALLBACK(ompt_callback_task_schedule);
	struct thread *thread = this_thread();
	ompt_data_t data = { 0 };
	int state;

	enter_frame(thread, FRAME_ADDRESS);
	if (create)
		create(&thread->task->data, &thread->task->frame, &data, TASKWAIT_FLAGS,
		       gomp_num_dependences(depend) != 0, RETURN_ADDRESS);
	gomp_dependences(&data, depend);
	state = set_state(thread, ompt_state_wait_taskwait);
	gomp_real.GOMP_taskwait_depend(depend);
	thread->state = state;
	if (schedule)
		schedule(&data, ompt_taskwait_complete, NULL);
	leave_frame(thread);
}

ENTRY(void, GOMP_taskgroup_start, (void), ())
{
	struct thread *thread = this_thread();

	enter_frame(thread, FRAME_ADDRESS);
	gomp_real.GOMP_taskgroup_start();
	gomp_sync(thread, ompt_callback_sync_region, ompt_sync_region_taskgroup, ompt_scope_begin,
		  RETURN_ADDRESS);
	leave_frame(thread);
}

ENTRY(void, GOMP_taskgroup_end, (void), ())
{
	struct thread *thread = this_thread();
	int state;

	enter_frame(thread, FRAME_ADDRESS);
	gomp_sync(thread, ompt_callback_sync_region_wait, ompt_sync_region_taskgroup,
		  ompt_scope_begin, RETURN_ADDRESS);
	state = set_state(thread, ompt_state_wait_taskgroup);
	gomp_real.GOMP_taskgroup_end();
	end_wait(thread, ompt_sync_region_taskgroup, state, RETURN_ADDRESS);
	leave_frame(thread);
}

// At the end of a construct with task reductions: a wait for its tasks, and a barrier.
ENTRY(void, GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled))
{
	struct thread *thread = this_thread();
	int state;

	enter_frame(thread, FRAME_ADDRESS);
	gomp_end_single(thread);
	state = begin_wait(thread, ompt_sync_region_barrier_implicit_workshare,
			   ompt_state_wait_barrier_implicit_workshare, RETURN_ADDRESS);
	gomp_real.GOMP_workshare_task_reduction_unregister(cancelled);
	end_wait(thread, ompt_sync_region_barrier_implicit_workshare, state, RETURN_ADDRESS);
	leave_frame(thread);
}

/** Begin a single region in the thread that executes it, or tell that another does. */
static void single(struct thread *thread, bool executes, const void *code)
{
	struct work work = { executes ? ompt_work_single_executor : ompt_work_single_other, 1,
			     code };

	gomp_end_single(thread);
	gomp_work_event(thread, ompt_scope_begin, &work, code);
	if (executes)
		thread->implicit->single = work;
	else
		gomp_work_event(thread, ompt_scope_end, &work, code);
}

ENTRY(bool, GOMP_single_start, (void), ())
{
	struct thread *thread = this_thread();
	bool executes;

	enter_frame(thread, FRAME_ADDRESS);
	executes = gomp_real.GOMP_single_start();
	single(thread, executes, RETURN_ADDRESS);
	leave_frame(thread);
	return executes;
}

// All but the executing thread wait here for what it copies to them.
ENTRY(void *, GOMP_single_copy_start, (void), ())
{
	struct thread *thread = this_thread();
	int state;
	void *data;

	enter_frame(thread, FRAME_ADDRESS);
	gomp_end_single(thread);
	state = set_state(thread, ompt_state_wait_barrier_implementation);
	data = gomp_real.GOMP_single_copy_start();
	thread->state = state;
	single(thread, !data, RETURN_ADDRESS);
	leave_frame(thread);
	return data;
}

ENTRY(void, GOMP_single_copy_end, (void *data), (data))
{
	struct thread *thread = this_thread();
	int state;

	enter_frame(thread, FRAME_ADDRESS);
	gomp_end_single(thread);
	state = begin_wait(thread, ompt_sync_region_barrier_implementation,
			   ompt_state_wait_barrier_implementation, RETURN_ADDRESS);
	gomp_real.GOMP_single_copy_end(data);
	end_wait(thread, ompt_sync_region_barrier_implementation, state, RETURN_ADDRESS);
	leave_frame(thread);
}

// Scopes call libgomp only if they have task reductions; their end is a barrier, or is not seen.
ENTRY(void, GOMP_scope_start, (uintptr_t * reductions), (reductions))
{
	struct thread *thread = this_thread();
	struct work work = { ompt_work_scope, 1, RETURN_ADDRESS };

	enter_frame(thread, FRAME_ADDRESS);
	gomp_end_single(thread);
	gomp_real.GOMP_scope_start(reductions);
	gomp_work_event(thread, ompt_scope_begin, &work, RETURN_ADDRESS);
	thread->implicit->single = work;
	leave_frame(thread);
}

/** Return the tool's flag of what is cancelled. */
static int cancel_flag(int which)
{
	switch (which) {
	case GOMP_CANCEL_PARALLEL:
		return ompt_cancel_parallel;
	case GOMP_CANCEL_LOOP:
		return ompt_cancel_loop;
	case GOMP_CANCEL_SECTIONS:
		return ompt_cancel_sections;
	default:
		return ompt_cancel_taskgroup;
	}
}

/** Tell the tool what a cancellation point found, and mark a task that ends there. */
static void at_cancellation(struct thread *thread, int which, int how, const void *code)
{
	if (which == GOMP_CANCEL_TASKGROUP && (thread->task->flags & ompt_task_explicit))
		thread->task->traits |= TASK_CANCELLED;
	cancelled(thread, cancel_flag(which) | how, code);
}

ENTRY(bool, GOMP_cancel, (int which, bool activate), (which, activate))
{
	struct thread *thread = this_thread();
	bool result;

	enter_frame(thread, FRAME_ADDRESS);
	result = gomp_real.GOMP_cancel(which, activate);
	if (result)
		at_cancellation(thread, which,
				activate ? ompt_cancel_activated : ompt_cancel_detected,
				RETURN_ADDRESS);
	leave_frame(thread);
	return result;
}

ENTRY(bool, GOMP_cancellation_point, (int which), (which))
{
	struct thread *thread = this_thread();
	bool result;

	enter_frame(thread, FRAME_ADDRESS);
	result = gomp_real.GOMP_cancellation_point(which);
	if (result)
		at_cancellation(thread, which, ompt_cancel_detected, RETURN_ADDRESS);
	leave_frame(thread);
	return result;
}

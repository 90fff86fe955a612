// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions, and leagues of teams on the host.

#include "parallel.h"

/** Begin an implicit task. */
static void begin_implicit(struct thread *thread, struct implicit *implicit, struct region *region,
			   void *frame)
{
	ompt_callback_implicit_task_t event = CALLBACK(ompt_callback_implicit_task);
	unsigned size = (unsigned)gomp_ask.omp_get_num_threads();
	unsigned index = (unsigned)gomp_ask.omp_get_thread_num();

	__atomic_store_n(&region->size, size, __ATOMIC_RELAXED);
	gomp_init_implicit(implicit, region, ompt_task_implicit);
	// As in libomp: the encountering task waits for the only task of a team of one.
	if (size == 1)
		implicit->task.flags |= (int)ompt_task_undeferred;
	implicit->task.parent = region->encountering;
	implicit->task.thread_num = (int)index;
	implicit->index = index;
	implicit->work = region->work;
	implicit->loop = region->loop;
	implicit->single.kind = 0;
	thread->implicit = implicit;
	thread->task = &implicit->task;
	thread->state = ompt_state_overhead;
	if (event)
		event(ompt_scope_begin, &region->parallel_data, &implicit->task.data, size, index,
		      ompt_task_implicit);
	if (implicit->work.kind)
		gomp_work_event(thread, ompt_scope_begin, &implicit->work, region->code);
	implicit->task.frame.exit_frame.ptr = frame;
	thread->state = ompt_state_work_parallel;
}

/** Leave the program's part of an implicit task: it comes to the barrier at the region's end. */
static void reach_end(struct thread *thread, struct implicit *implicit, const void *code)
{
	implicit->task.frame.exit_frame.ptr = NULL;
	gomp_end_single(thread);
	begin_wait(thread, ompt_sync_region_barrier_implicit_parallel,
		   ompt_state_wait_barrier_implicit_parallel, code);
	thread->state = ompt_state_wait_barrier_implicit_parallel;
}

void gomp_parallel_body(void *data)
{
	struct region *region = data;
	struct thread *thread = &gomp_thread;
	struct implicit *implicit;

	if (thread == region->owner) {
		implicit = &region->primary;
	} else {
		if (UNLIKELY(!thread->type))
			gomp_thread_begin(thread, ompt_thread_worker);
		gomp_worker_end(thread);
		implicit = &thread->base;
	}
	begin_implicit(thread, implicit, region, FRAME_ADDRESS);
	region->fn(region->data);
	// Any thread but the primary one does not know when it leaves the barrier: the tool hears later.
	reach_end(thread, implicit, thread == region->owner ? region->code : NULL);
	if (thread != region->owner)
		implicit->at_end = true;
}

void gomp_region_begin(struct thread *thread, struct region *region, unsigned requested)
{
	ompt_callback_parallel_begin_t begin = CALLBACK(ompt_callback_parallel_begin);

	region->encountering = thread->task;
	region->owner = thread;
	if (begin)
		begin(&thread->task->data, &thread->task->frame, &region->parallel_data, requested,
		      region->flags, region->code);
}

void gomp_region_end(struct thread *thread, struct region *region, struct implicit *outer,
		     int state)
{
	ompt_callback_parallel_end_t end = CALLBACK(ompt_callback_parallel_end);

	if (thread->task == &region->primary.task)
		gomp_leave_region(thread, &region->primary, region->code);
	thread->implicit = outer;
	thread->task = region->encountering;
	if (outer == &thread->base && (region->flags & (int)ompt_parallel_team))
		thread->last_team = region->size;
	if (end)
		end(&region->parallel_data, &thread->task->data, region->flags, region->code);
	thread->state = state;
	leave_frame(thread);
}

ENTRY(void, GOMP_parallel, (gomp_body_fn * fn, void *data, unsigned num_threads, unsigned flags),
      (fn, data, num_threads, flags))
{
	REGION_BEGIN(fn, data, num_threads)
	gomp_real.GOMP_parallel(gomp_parallel_body, &region, num_threads, flags);
	REGION_END
}

ENTRY(unsigned, GOMP_parallel_reductions,
      (gomp_body_fn * fn, void *data, unsigned num_threads, unsigned flags),
      (fn, data, num_threads, flags))
{
	unsigned size;

	REGION_BEGIN(fn, data, num_threads)
	region.front = *(uint64_t *)data;
	size = gomp_real.GOMP_parallel_reductions(gomp_parallel_body, &region, num_threads, flags);
	REGION_END
	return size;
}

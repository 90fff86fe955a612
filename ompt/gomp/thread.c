// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads: their beginning, with the first event, and their end.

#include <pthread.h>
#include <unistd.h>

#include "parallel.h"

__thread struct thread gomp_thread;

static pthread_key_t end_key;
static pid_t process; // whose threads are known

void gomp_init_implicit(struct implicit *implicit, struct region *region, int flags)
{
	implicit->task.region = region;
	implicit->task.flags = flags;
	implicit->task.frame.enter_frame_flags = FRAME_FLAGS;
	implicit->task.frame.exit_frame_flags = FRAME_FLAGS;
}

void gomp_thread_begin(struct thread *thread, ompt_thread_t type)
{
	ompt_callback_thread_begin_t begin = CALLBACK(ompt_callback_thread_begin);
	ompt_callback_implicit_task_t implicit = CALLBACK(ompt_callback_implicit_task);

	thread->type = type;
	thread->task = &thread->base.task;
	thread->implicit = &thread->base;
	pthread_setspecific(end_key, thread);
	if (type == ompt_thread_worker) {
		gomp_init_implicit(&thread->base, NULL, ompt_task_implicit);
		thread->state = ompt_state_overhead;
		if (begin)
			begin(type, &thread->data);
		return;
	}
	thread->outside.size = 1;
	thread->outside.owner = thread;
	gomp_init_implicit(&thread->base, &thread->outside, ompt_task_initial);
	thread->state = ompt_state_overhead;
	if (begin)
		begin(type, &thread->data);
	if (implicit)
		implicit(ompt_scope_begin, &thread->outside.parallel_data, &thread->base.task.data,
			 1, 1, ompt_task_initial);
	thread->state = ompt_state_work_serial;
}

void gomp_worker_end(struct thread *thread)
{
	struct implicit *base = &thread->base;

	if (!base->at_end)
		return;
	base->task.region = NULL;
	base->task.parent = NULL;
	// A signal handler that asks for the region finds none before, and none after.
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	base->at_end = false;
	gomp_leave_region(thread, base, NULL);
	base->task.data = (ompt_data_t){ 0 };
	thread->state = ompt_state_idle;
}

/** End a worker before the tool ends: libgomp itself leaves it waiting until the system ends it. */
static void end_worker(void *owner)
{
	struct thread *thread = &gomp_thread;

	if (thread != owner && thread->type == ompt_thread_worker) {
		gomp_thread_end_events(thread);
		thread->type = 0;
	}
}

void gomp_end_workers(struct thread *thread)
{
	// Only a thread that is in its program's code, and in no region, can begin one; and a child of a
	// fork that nobody has heard of has no workers.
	if (thread->last_team < 2 || getpid() != process || thread->type != ompt_thread_initial ||
	    thread->task != &thread->base.task || thread->task->frame.enter_frame.ptr ||
	    gomp_ask.omp_get_level())
		return;
	gomp_real.GOMP_parallel(end_worker, thread, thread->last_team, 0);
}

void gomp_thread_end_events(struct thread *thread)
{
	ompt_callback_implicit_task_t implicit = CALLBACK(ompt_callback_implicit_task);
	ompt_callback_thread_end_t end = CALLBACK(ompt_callback_thread_end);

	if (!thread->type)
		return;
	gomp_worker_end(thread);
	// A thread may end, by exit or otherwise, where regions go on.
	if (thread->type == ompt_thread_initial && thread->task == &thread->base.task && implicit)
		implicit(ompt_scope_end, NULL, &thread->base.task.data, 0, 1, ompt_task_initial);
	if (end)
		end(&thread->data);
}

static void end_of_thread(void *data)
{
	struct thread *thread = data;

	gomp_thread_end_events(thread);
	*thread = (struct thread){ 0 };
}

static void after_fork(void)
{
	process = getpid();
	gomp_thread.last_team = 0; // its workers are not here
	gomp_detach_after_fork();
}

void gomp_threads_init(void)
{
	process = getpid();
	pthread_key_create(&end_key, end_of_thread);
	pthread_atfork(NULL, NULL, after_fork);
}

uint64_t gomp_unique_id(void)
{
	enum { AT_ONCE = 4096 };
	static uint64_t given = 1;
	struct thread *thread = &gomp_thread;

	if (thread->next_id == thread->end_id) {
		thread->next_id = __atomic_fetch_add(&given, AT_ONCE, __ATOMIC_RELAXED);
		thread->end_id = thread->next_id + AT_ONCE;
	}
	return thread->next_id++;
}

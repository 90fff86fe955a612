// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Taskloops. libgomp calls the copy function once for each task that it makes: that is when the tool
// hears of it. But libgomp keeps all tasks on the stack at once if it defers none of them and there is
// a copy function, so one that the program does not have is passed only if there is room. Otherwise
// the tool hears of a task when it begins: libgomp runs them all where they were prepared, one after
// the other, or, rarely, copies what was prepared.

#include <alloca.h>
#include <pthread.h>
#include <string.h>

#include "loop.h"
#include "task.h"

/** Bytes that libgomp may need for each task besides its data. */
#define TASK_OVERHEAD 512
#define SMALL_STACK (128 * 1024ul)

/** Return how much is left of the stack. */
static unsigned long stack_left(struct thread *thread)
{
	pthread_attr_t attributes;
	void *lowest;
	size_t size;

	if (!thread->stack_limit) {
		thread->stack_limit = FRAME_ADDRESS; // nothing, if the system does not tell
		if (!pthread_getattr_np(pthread_self(), &attributes)) {
			if (!pthread_attr_getstack(&attributes, &lowest, &size))
				thread->stack_limit = lowest;
			pthread_attr_destroy(&attributes);
		}
	}
	return (char *)FRAME_ADDRESS > thread->stack_limit ?
		       (unsigned long)((char *)FRAME_ADDRESS - thread->stack_limit) :
		       0;
}

/** Return how many tasks a taskloop makes at most. */
static unsigned long most_tasks(unsigned flags, unsigned long num_tasks, uint64_t iterations)
{
	if (flags & GOMP_TASK_GRAINSIZE)
		return num_tasks ? iterations / num_tasks + 1 : iterations;
	if (!num_tasks)
		num_tasks = (unsigned long)gomp_ask.omp_get_num_threads();
	return num_tasks < iterations ? num_tasks : iterations;
}

/** Check whether libgomp may keep all tasks of a taskloop on the stack. */
static bool has_room(struct thread *thread, unsigned long tasks, long size)
{
	unsigned long most = 64ul * (unsigned long)gomp_ask.omp_get_num_threads(), bytes;

	// More than that are never deferred, and then no copies are needed.
	if (tasks > most)
		return false;
	bytes = tasks * (TASK_OVERHEAD + (unsigned long)size);
	return bytes < SMALL_STACK || bytes < stack_left(thread) / 2;
}

/** Tell the tool that a taskloop begins or ends. */
static void taskloop_event(struct thread *thread, ompt_scope_endpoint_t endpoint, uint64_t count,
			   const void *code)
{
	ompt_callback_work_t callback = CALLBACK(ompt_callback_work);
	struct task *task = thread->task;

	if (callback)
		callback(ompt_work_taskloop, endpoint,
			 task->region ? &task->region->parallel_data : NULL, &task->data, count,
			 code);
}

/** A taskloop as a program asks for it. */
struct taskloop {
	gomp_body_fn *fn;
	void *data;
	gomp_copy_fn *copy;
	long size, align; // of the data; then with the header
	unsigned flags;
	uint64_t iterations;
	unsigned long num_tasks;
	struct loop loop;
	const void *code;
	int state;
};

/** Begin a taskloop, and the taskgroup around it unless it has none. */
static void begin_taskloop(struct thread *thread, struct taskloop *loop, void *frame)
{
	loop->state = set_state(thread, ompt_state_overhead);
	enter_frame(thread, frame);
	if (!(loop->flags & GOMP_TASK_NOGROUP)) {
		if (!(loop->flags & GOMP_TASK_REDUCTION))
			gomp_real.GOMP_taskgroup_start();
		gomp_sync(thread, ompt_callback_sync_region, ompt_sync_region_taskgroup,
			  ompt_scope_begin, loop->code);
	}
	taskloop_event(thread, ompt_scope_begin, loop->iterations, loop->code);
}

static void end_taskloop(struct thread *thread, struct taskloop *loop)
{
	taskloop_event(thread, ompt_scope_end, loop->iterations, loop->code);
	if (!(loop->flags & GOMP_TASK_NOGROUP)) {
		gomp_sync(thread, ompt_callback_sync_region_wait, ompt_sync_region_taskgroup,
			  ompt_scope_begin, loop->code);
		if (!(loop->flags & GOMP_TASK_REDUCTION)) {
			thread->state = ompt_state_wait_taskgroup;
			gomp_real.GOMP_taskgroup_end();
		}
		end_wait(thread, ompt_sync_region_taskgroup, loop->state, loop->code);
	}
	leave_frame(thread);
	thread->state = loop->state;
}

/** Return the flags for libgomp. It need not make the taskgroup that is made here, but must where
 *  it registers reductions with it. */
static unsigned real_flags(unsigned flags)
{
	return flags & GOMP_TASK_REDUCTION ? flags : flags | GOMP_TASK_NOGROUP;
}

/** Prepare the task that all tasks of a taskloop are copied from. Return whether the tool can hear
 *  of each when it is made. */
static bool prepare(struct thread *thread, struct taskloop *loop, struct source *source)
{
	prepare_task(thread, source, loop->fn, loop->data, loop->copy, loop->size, loop->align,
		     loop->flags);
	source->traits |= TASK_LOOP | (loop->loop.down ? TASK_LOOP_DOWN : 0) |
			  (loop->loop.is_signed ? TASK_LOOP_SIGNED : 0);
	source->front[0] = source->front[2] = 0;
	source->step = loop->loop.step;
	source->code = loop->code;
	// libgomp reads the reductions where the program's data have them.
	if (loop->flags & GOMP_TASK_REDUCTION)
		source->front[2] = ((uint64_t *)loop->data)[2];
	loop->size += source->header_size;
	loop->align = source->align;
	return loop->copy ||
	       has_room(thread, most_tasks(loop->flags, loop->num_tasks, loop->iterations),
			loop->size);
}

/** Prepare a block of memory that is a task already: header and data. */
static void *prepare_block(struct thread *thread, char *memory, struct taskloop *loop,
			   struct source *source)
{
	char *block = (char *)(((uintptr_t)memory + (uintptr_t)loop->align - 1) &
			       -(uintptr_t)loop->align);
	struct task *task = (struct task *)block;

	init_task(thread, task, source);
	task->front[2] = source->front[2];
	task->code = source->code;
	memcpy(block + task->header_size, source->data, task->size);
	task->traits |= TASK_TOLD_LATE;
	if (!(loop->flags & GOMP_TASK_IF))
		task->flags |= (int)ompt_task_undeferred;
	return block;
}

#define TASKLOOP(name, type, loop_)                                                            \
	ENTRY(void, name,                                                                      \
	      (gomp_body_fn * fn, void *data, gomp_copy_fn *copy, long size, long align,       \
	       unsigned flags, unsigned long num_tasks, int priority, type start, type end,    \
	       type step),                                                                     \
	      (fn, data, copy, size, align, flags, num_tasks, priority, start, end, step))     \
	{                                                                                      \
		struct thread *thread = this_thread();                                         \
		struct taskloop loop = { .fn = fn,                                             \
					 .data = data,                                         \
					 .copy = copy,                                         \
					 .size = size,                                         \
					 .align = align,                                       \
					 .flags = flags,                                       \
					 .num_tasks = num_tasks,                               \
					 .loop = loop_,                                        \
					 .code = RETURN_ADDRESS };                             \
		gomp_copy_fn *copy_task = gomp_copy_task;                                      \
		unsigned bodies = thread->bodies;                                              \
		gomp_task_phase_t phase;                                                       \
		struct source source;                                                          \
		void *from = &source;                                                          \
                                                                                               \
		loop.iterations = num_iterations((uint64_t)start, (uint64_t)end, loop.loop);   \
		begin_taskloop(thread, &loop, FRAME_ADDRESS);                                  \
		if (!prepare(thread, &loop, &source)) {                                        \
			from = prepare_block(thread, alloca((size_t)(loop.size + loop.align)), \
					     &loop, &source);                                  \
			copy_task = NULL;                                                      \
		}                                                                              \
		phase = begin_creation(thread, loop.code, !(flags & GOMP_TASK_IF));            \
		gomp_real.name(gomp_task_body, from, copy_task, loop.size, loop.align,         \
			       real_flags(flags), num_tasks, priority, start, end, step);      \
		if (UNLIKELY(phase != NULL))                                                   \
			phase(GOMP_TASK_CREATE_LOOP_END, loop.code, bodies != thread->bodies); \
		end_taskloop(thread, &loop);                                                   \
	}

TASKLOOP(GOMP_taskloop, long, signed_loop(step))
TASKLOOP(GOMP_taskloop_ull, ull, unsigned_loop(flags &GOMP_TASK_UP, step))

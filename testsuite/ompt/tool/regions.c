// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads, parallel and teams regions, and their implicit and initial tasks.

#include "tool.h"

enum { PARALLEL, LEAGUE };
enum { IMPLICIT, INITIAL };

static uint64_t next_number(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	struct thread *thread;

	if (this_thread && !this_thread->ended)
		complain("thread_begin: the thread began before");
	if (data->ptr)
		complain("thread_begin: the thread has data");
	thread = this_thread = keep(sizeof(*thread));
	thread->number = next_number();
	thread->type = (int)type;
	data->ptr = thread;
	count(EVENT_THREAD_BEGIN, type);
	check_callbacks();
}

static void on_thread_end(ompt_data_t *data)
{
	struct thread *thread = this_thread;

	if (!thread || !data || data->ptr != thread) {
		complain("thread_end: it is not this thread's");
		return;
	}
	if (thread->ended)
		complain("thread_end: the thread ended before");
	if (thread->held_count && thread->type == ompt_thread_worker)
		complain("thread_end: the thread holds %u locks", thread->held_count);
	thread->ended = true;
	count(EVENT_THREAD_END, (unsigned int)thread->type);
}

static struct region *new_region(ompt_data_t *data, int flags)
{
	struct region *region = keep(sizeof(*region));

	region->magic = REGION_MAGIC;
	region->flags = flags;
	data->ptr = region;
	return region;
}

static void on_parallel_begin(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *data,
			      unsigned int requested, int flags, const void *code)
{
	unsigned int kind = flags & ompt_parallel_league ? LEAGUE : PARALLEL;
	struct thread *thread = enter(EVENT_PARALLEL_BEGIN, kind);
	struct task *task = check_task(thread, EVENT_PARALLEL_BEGIN, task_data);
	struct region *region;

	if (data->ptr)
		complain("parallel_begin: the region has data");
	if (!frame)
		complain("parallel_begin: there is no frame");
	if (!(flags & (ompt_parallel_league | ompt_parallel_team)))
		complain("parallel_begin: neither a league nor a team");
	// 0 where the program leaves the number to the runtime.
	(void)requested;
	region = new_region(data, flags);
	region->encountering = task;
	region->outer = task ? task->region : NULL;
	check_code(EVENT_PARALLEL_BEGIN, code);
	scope_begin(task, EVENT_PARALLEL_BEGIN, kind, region);
}

static void on_parallel_end(ompt_data_t *data, ompt_data_t *task_data, int flags, const void *code)
{
	unsigned int kind = flags & ompt_parallel_league ? LEAGUE : PARALLEL;
	struct thread *thread = enter(EVENT_PARALLEL_END, kind);
	struct task *task = check_task(thread, EVENT_PARALLEL_END, task_data);
	struct region *region = region_of(data);
	unsigned int begun;

	check_code(EVENT_PARALLEL_END, code);
	if (!region) {
		complain("parallel_end: the region has no data");
		return;
	}
	if (task && task->scope_count && task->scope[task->scope_count - 1].region != region)
		complain("parallel_end: the innermost scope is not this region");
	scope_end(task, EVENT_PARALLEL_BEGIN, kind);
	if (region->ended)
		complain("parallel_end: the region ended before");
	if (region->flags != flags)
		complain("parallel_end: flags %#x, not %#x", (unsigned int)flags,
			 (unsigned int)region->flags);
	begun = __atomic_load_n(&region->begun, __ATOMIC_RELAXED);
	if (begun == 0 || begun != __atomic_load_n(&region->team_size, __ATOMIC_RELAXED))
		complain("parallel_end: %u implicit tasks began, of %u", begun, region->team_size);
	region->ended = true;
}

static void begin_implicit(struct thread *thread, unsigned int kind, ompt_data_t *region_data,
			   ompt_data_t *task_data, unsigned int size, unsigned int index, int flags)
{
	struct region *region = region_of(region_data);
	struct task *task = keep(sizeof(*task));
	unsigned int old = 0;

	if (!task_data) {
		complain("implicit_begin: no data");
		return;
	}
	if (task_data->ptr)
		complain("implicit_begin: the task has data");
	task->magic = TASK_MAGIC;
	task->id = next_number();
	task->flags = flags;
	task->state = TASK_RUNNING;
	task->outer = thread->task;
	task->index = index;
	task->team_size = size;
	task_data->ptr = task;
	thread->task = task;
	if (!region && kind == INITIAL && !task->outer && region_data)
		region = new_region(region_data, 0); // around the whole program
	task->region = region;
	if (!region) {
		complain("implicit_begin: the region has no data");
		return;
	}
	task->creator = region->encountering;
	if (region->ended)
		complain("implicit_begin: the region has ended");
	if (index >= size && !(kind == INITIAL && !task->outer))
		complain("implicit_begin: number %u of %u", index, size);
	if (!__atomic_compare_exchange_n(&region->team_size, &old, size, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED) &&
	    old != size)
		complain("implicit_begin: %u tasks, and %u before", size, old);
	__atomic_add_fetch(&region->begun, 1, __ATOMIC_RELAXED);
	if (index < 64) {
		uint64_t bit = 1ULL << index;

		if (__atomic_fetch_or(&region->seen, bit, __ATOMIC_RELAXED) & bit)
			complain("implicit_begin: two have the number %u", index);
	}
	if (kind == IMPLICIT && index == 0 && task->outer != region->encountering)
		complain("implicit_begin: number 0 is not the thread that encountered the region");
	if (kind == IMPLICIT && index != 0 && task->outer)
		complain("implicit_begin: worker %u has another task", index);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region_data,
			     ompt_data_t *task_data, unsigned int size, unsigned int index,
			     int flags)
{
	unsigned int kind = flags & ompt_task_initial ? INITIAL : IMPLICIT;
	struct thread *thread;
	struct task *task;

	if (endpoint == ompt_scope_begin) {
		thread = enter(EVENT_IMPLICIT_BEGIN, kind);
		begin_implicit(thread, kind, region_data, task_data, size, index, flags);
		return;
	}
	if (endpoint != ompt_scope_end)
		complain("implicit_task: endpoint %d", (int)endpoint);
	thread = enter(EVENT_IMPLICIT_END, kind);
	task = task_of(task_data);
	if (!task) {
		complain("implicit_end: the task has no data");
		return;
	}
	if (task->state == TASK_ENDED)
		complain("implicit_end: the task ended before");
	if (task != thread->task)
		complain("implicit_end: task %llu is not the current one",
			 (unsigned long long)task->id);
	if (task->index != index)
		complain("implicit_end: number %u, not %u", index, task->index);
	if (task->scope_count)
		complain("implicit_end: %s.%s has not ended",
			 event_name(task->scope[task->scope_count - 1].event),
			 kind_name(task->scope[task->scope_count - 1].event,
				   task->scope[task->scope_count - 1].kind));
	__atomic_store_n(&task->state, TASK_ENDED, __ATOMIC_RELAXED);
	if (task->region)
		__atomic_add_fetch(&task->region->left, 1, __ATOMIC_RELAXED);
	thread->task = task->outer;
	// LLVM's runtime keeps a worker's, and fails an assertion at a later taskwait with dependences.
	task_data->ptr = NULL;
}

void register_region_callbacks(void)
{
	SET(thread_begin, always);
	SET(thread_end, sometimes_paired);
	SET(parallel_begin, always);
	SET(parallel_end, always);
	SET(implicit_task, sometimes_paired);
}

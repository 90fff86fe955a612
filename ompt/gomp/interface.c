// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points that a tool looks up (19.6.1 of OpenMP 5.2), and how many of each event a tool gets.

#include <sched.h>
#include <string.h>

#include "state.h"

/** A number and its name, in the lists that a tool enumerates. */
struct named {
	int number;
	const char *name;
};

#define NAMED(name)         \
	{                   \
		name, #name \
	}

static const struct named states[] = {
	NAMED(ompt_state_undefined), // where a tool begins
	NAMED(ompt_state_work_serial),
	NAMED(ompt_state_work_parallel),
	NAMED(ompt_state_wait_barrier_implicit_parallel),
	NAMED(ompt_state_wait_barrier_implicit_workshare),
	NAMED(ompt_state_wait_barrier_explicit),
	NAMED(ompt_state_wait_barrier_implementation),
	NAMED(ompt_state_wait_taskwait),
	NAMED(ompt_state_wait_taskgroup),
	NAMED(ompt_state_wait_lock),
	NAMED(ompt_state_wait_critical),
	NAMED(ompt_state_wait_atomic),
	NAMED(ompt_state_wait_ordered),
	NAMED(ompt_state_wait_target),
	NAMED(ompt_state_idle),
	NAMED(ompt_state_overhead),
};

static const struct named mutexes[] = {
	{ ompt_mutex_impl_none, "ompt_mutex_impl_none" },
	{ GOMP_MUTEX_FUTEX, "gomp_mutex_impl_futex" },
};

/** How often a tool gets each event. Those that it never gets have no row.
 *
 *  What keeps an event from `always`: workers that wait when the program ends do not say that they
 *  have left their region; loops with a static schedule, masked regions, scopes without task
 *  reductions and atomic updates without a lock never call libgomp; and of devices other than the
 *  host only what routines do is seen. Target events of the other kind, with one endpoint, are the
 *  device layer's. */
static const ompt_set_result_t told[CALLBACKS] = {
	[ompt_callback_thread_begin] = ompt_set_always,
	[ompt_callback_thread_end] = ompt_set_sometimes,
	[ompt_callback_parallel_begin] = ompt_set_always,
	[ompt_callback_parallel_end] = ompt_set_always,
	[ompt_callback_task_create] = ompt_set_sometimes,
	[ompt_callback_task_schedule] = ompt_set_sometimes,
	[ompt_callback_implicit_task] = ompt_set_sometimes,
	[ompt_callback_control_tool] = ompt_set_always,
	[ompt_callback_sync_region_wait] = ompt_set_sometimes,
	[ompt_callback_sync_region] = ompt_set_sometimes,
	[ompt_callback_mutex_acquire] = ompt_set_always,
	[ompt_callback_mutex_acquired] = ompt_set_always,
	[ompt_callback_mutex_released] = ompt_set_always,
	[ompt_callback_nest_lock] = ompt_set_always,
	[ompt_callback_lock_init] = ompt_set_always,
	[ompt_callback_lock_destroy] = ompt_set_always,
	[ompt_callback_dependences] = ompt_set_sometimes,
	[ompt_callback_work] = ompt_set_sometimes,
	[ompt_callback_dispatch] = ompt_set_sometimes,
	[ompt_callback_cancel] = ompt_set_sometimes,
	[ompt_callback_device_initialize] = ompt_set_sometimes,
	[ompt_callback_device_finalize] = ompt_set_sometimes,
	[ompt_callback_target_emi] = ompt_set_sometimes_paired,
	[ompt_callback_target_data_op_emi] = ompt_set_sometimes_paired,
	[ompt_callback_target_submit_emi] = ompt_set_sometimes_paired,
	[ompt_callback_error] = ompt_set_always,
};

/** Find what follows a number in a list. Return 0 after the last. */
static int enumerate(const struct named *list, int count, int current, int *next, const char **name)
{
	int i = 0;

	while (i < count && list[i].number != current)
		i++;
	if (i + 1 >= count)
		return 0;
	*next = list[i + 1].number;
	*name = list[i + 1].name;
	return 1;
}

static int enumerate_states(int current, int *next, const char **name)
{
	return enumerate(states, sizeof(states) / sizeof(states[0]), current, next, name);
}

static int enumerate_mutex_impls(int current, int *next, const char **name)
{
	return enumerate(mutexes, sizeof(mutexes) / sizeof(mutexes[0]), current, next, name);
}

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
	if ((int)event <= 0 || (int)event >= CALLBACKS)
		return ompt_set_error;
	__atomic_store_n(&gomp_callbacks[event], callback, __ATOMIC_RELAXED);
	return told[event] ? told[event] : ompt_set_never;
}

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
	ompt_callback_t set = NULL;

	if ((int)event > 0 && (int)event < CALLBACKS)
		set = __atomic_load_n(&gomp_callbacks[event], __ATOMIC_RELAXED);
	if (!set)
		return 0;
	*callback = set;
	return 1;
}

static ompt_data_t *get_thread_data(void)
{
	return gomp_thread.type ? &gomp_thread.data : NULL;
}

static int get_state(ompt_wait_id_t *wait_id)
{
	const struct thread *thread = &gomp_thread;

	if (!thread->type)
		return ompt_state_undefined;
	if (wait_id)
		*wait_id = thread->state & ompt_state_wait_mutex ? thread->wait_id :
								   ompt_wait_id_none;
	return thread->state;
}

/** Return the region of a task. A worker that waits at the end of its region does not know whether that is
 *  over, and its memory used again: then the answer is none. */
static struct region *region_of(const struct task *task)
{
	const struct thread *thread = &gomp_thread;

	if (!task || (task == thread->task && task == &thread->base.task && thread->base.at_end))
		return NULL;
	return task->region;
}

/** Return the region around this thread's task, or one further out; or null. */
static struct region *find_region(int level)
{
	struct region *region = region_of(gomp_thread.task);

	for (; region && level > 0; level--)
		region = region_of(region->encountering);
	return level < 0 ? NULL : region;
}

/** Return this thread's task, or one below it; or null. */
static struct task *find_task(int level)
{
	struct task *task = gomp_thread.task;

	for (; task && level > 0; level--)
		task = region_of(task) ? task->parent : NULL;
	return level < 0 ? NULL : task;
}

static int get_parallel_info(int level, ompt_data_t **data, int *team_size)
{
	struct region *region = find_region(level);

	if (!region)
		return 0;
	if (data)
		*data = &region->parallel_data;
	if (team_size)
		*team_size = (int)__atomic_load_n(&region->size, __ATOMIC_RELAXED);
	return 2;
}

/** Return the number of the thread that runs a task in the team of its region. */
static int thread_num_of(const struct task *task)
{
	while (task->flags & ompt_task_explicit)
		task = task->parent; // of the same thread: what the task interrupts
	return task->thread_num;
}

static int get_task_info(int level, int *flags, ompt_data_t **data, ompt_frame_t **frame,
			 ompt_data_t **parallel_data, int *thread_num)
{
	struct task *task = find_task(level);
	struct region *region = region_of(task);

	if (!task)
		return 0;
	if (flags)
		*flags = task->flags;
	if (data)
		*data = &task->data;
	if (frame)
		*frame = &task->frame;
	if (parallel_data)
		*parallel_data = region ? &region->parallel_data : NULL;
	if (thread_num)
		*thread_num = thread_num_of(task);
	return 2;
}

static int get_task_memory(void **address, size_t *size, int block)
{
	struct task *task = gomp_thread.task;
	bool explicit = task && (task->flags & ompt_task_explicit) && block == 0;

	if (address)
		*address = explicit ? (char *)task + task->header_size : NULL;
	if (size)
		*size = explicit ? task->size : 0;
	return 0;
}

static int get_num_procs(void)
{
	return gomp_ask.omp_get_num_procs ? gomp_ask.omp_get_num_procs() : 0;
}

static int get_num_places(void)
{
	return gomp_ask.omp_get_num_places ? gomp_ask.omp_get_num_places() : 0;
}

static int get_place_proc_ids(int place, int size, int *ids)
{
	int count;

	if (place < 0 || place >= get_num_places())
		return 0;
	count = gomp_ask.omp_get_place_num_procs(place);
	if (ids && size >= count)
		gomp_ask.omp_get_place_proc_ids(place, ids);
	return count;
}

static int get_place_num(void)
{
	return gomp_thread.type && gomp_ask.omp_get_place_num ? gomp_ask.omp_get_place_num() : -1;
}

static int get_partition_place_nums(int size, int *places)
{
	int count = 0;

	if (gomp_thread.type && gomp_ask.omp_get_partition_num_places)
		count = gomp_ask.omp_get_partition_num_places();
	if (places && size >= count && count > 0)
		gomp_ask.omp_get_partition_place_nums(places);
	return count;
}

static int get_proc_id(void)
{
	return gomp_thread.type ? sched_getcpu() : -1;
}

static int get_num_devices(void)
{
	return gomp_ask.omp_get_num_devices ? gomp_ask.omp_get_num_devices() : 0;
}

/** Return the function that the compiler made of a region, as tools of 2013 ask for it; or null. */
static void *get_parallel_function(int level)
{
	const struct region *region = find_region(level);

	return region ? (void *)region->fn : NULL;
}

/** Return the function that the compiler made of a task; null for implicit ones. */
static void *get_task_function(int level)
{
	const struct task *task = find_task(level);

	return task ? (void *)task->fn : NULL;
}

gomp_task_phase_t gomp_task_phase;

static void set_task_phase(gomp_task_phase_t callback)
{
	__atomic_store_n(&gomp_task_phase, callback, __ATOMIC_RELAXED);
}

ompt_interface_fn_t gomp_lookup(const char *name)
{
	static const struct {
		const char *name;
		ompt_interface_fn_t function;
	} functions[] = {
		{ "ompt_enumerate_states", (ompt_interface_fn_t)enumerate_states },
		{ "ompt_enumerate_mutex_impls", (ompt_interface_fn_t)enumerate_mutex_impls },
		{ "ompt_set_callback", (ompt_interface_fn_t)set_callback },
		{ "ompt_get_callback", (ompt_interface_fn_t)get_callback },
		{ "ompt_get_thread_data", (ompt_interface_fn_t)get_thread_data },
		{ "ompt_get_num_procs", (ompt_interface_fn_t)get_num_procs },
		{ "ompt_get_num_places", (ompt_interface_fn_t)get_num_places },
		{ "ompt_get_place_proc_ids", (ompt_interface_fn_t)get_place_proc_ids },
		{ "ompt_get_place_num", (ompt_interface_fn_t)get_place_num },
		{ "ompt_get_partition_place_nums", (ompt_interface_fn_t)get_partition_place_nums },
		{ "ompt_get_proc_id", (ompt_interface_fn_t)get_proc_id },
		{ "ompt_get_state", (ompt_interface_fn_t)get_state },
		{ "ompt_get_parallel_info", (ompt_interface_fn_t)get_parallel_info },
		{ "ompt_get_task_info", (ompt_interface_fn_t)get_task_info },
		{ "ompt_get_task_memory", (ompt_interface_fn_t)get_task_memory },
		{ "ompt_get_num_devices", (ompt_interface_fn_t)get_num_devices },
		{ "ompt_get_unique_id", (ompt_interface_fn_t)gomp_unique_id },
		{ "ompt_finalize_tool", (ompt_interface_fn_t)gomp_finalize },
		{ "ompdbg_get_parallel_function", (ompt_interface_fn_t)get_parallel_function },
		{ "ompdbg_get_task_function", (ompt_interface_fn_t)get_task_function },
		{ GOMP_SET_TASK_PHASE, (ompt_interface_fn_t)set_task_phase },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	return NULL;
}

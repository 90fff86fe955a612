// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool as the document of 2013 has them: it counts all events, and checks what it is told.

#include <string.h>

#include "ompt_2013.h"
#include "report.h"

// What the program knows of a place (programs/places.c).
struct place {
	int level, size, outer, in_task, is_undeferred;
	const void *frame, *code;
};
void check_place(const struct place *place);
const void *parallel_frame;

static __thread struct instance *thread;
static __thread int idle;
static int has_shut_down;

// ---- Threads ---------------------------------------------------------------------------------

static void on_thread_create(ompt_data_t *data)
{
	count("thread_create", NULL, NULL);
	REQUIRE(!data->ptr);
	REQUIRE(data == ompt_get_thread_data());
	thread = new_instance();
	data->ptr = thread;
	idle = 0;
}

static void on_thread_exit(ompt_data_t *data)
{
	count("thread_exit", NULL, NULL);
	REQUIRE(lives(thread) && data->ptr == thread);
	REQUIRE(!idle);
	if (thread)
		thread->magic = ENDED;
}

static void on_idle_begin(ompt_data_t *data)
{
	count("idle_begin", NULL, NULL);
	REQUIRE(data->ptr == thread && lives(thread));
	REQUIRE(!idle);
	idle = 1;
}

static void on_idle_end(ompt_data_t *data)
{
	count("idle_end", NULL, NULL);
	REQUIRE(data->ptr == thread && lives(thread));
	REQUIRE(idle);
	idle = 0;
}

static void on_flush(ompt_data_t *data)
{
	count("flush", NULL, NULL);
	REQUIRE(data->ptr == thread);
}

// ---- Regions and tasks -----------------------------------------------------------------------

/** Return the task that data are of; null for the initial one, of which no event tells. */
static struct instance *task_of(const ompt_data_t *data)
{
	REQUIRE(data);
	if (!data || !data->ptr)
		return NULL;
	REQUIRE(lives(data->ptr));
	return data->ptr;
}

static int is_new(ompt_parallel_id_t id)
{
	enum { IDS = 65536 };
	static char seen[IDS];

	return id && (id >= IDS || !__atomic_exchange_n(&seen[id], 1, __ATOMIC_RELAXED));
}

static void on_parallel_create(ompt_data_t *parent, ompt_frame_t *frame, ompt_parallel_id_t id)
{
	count("parallel_create", NULL, NULL);
	task_of(parent);
	REQUIRE(is_new(id));
	REQUIRE(frame && is_around(frame->reenter_runtime_frame));
	REQUIRE(!parallel_frame || task_of(parent) ||
		frame->reenter_runtime_frame < parallel_frame);
	REQUIRE(!idle && lives(thread));
}

static void on_parallel_exit(ompt_data_t *parent, ompt_frame_t *frame, ompt_parallel_id_t id)
{
	count("parallel_exit", NULL, NULL);
	task_of(parent);
	REQUIRE(id);
	REQUIRE(frame);
}

static void on_implicit_task_create(ompt_data_t *data, ompt_parallel_id_t id)
{
	struct instance *task = new_instance();

	count("implicit_task_create", NULL, NULL);
	REQUIRE(!idle && lives(thread));
	REQUIRE(!data->ptr);
	REQUIRE(id);
	REQUIRE(ompt_get_parallel_id(0) == id);
	REQUIRE(ompt_get_task_data(0) == data);
	task->region = id;
	data->ptr = task;
}

static void on_implicit_task_exit(ompt_data_t *data, ompt_parallel_id_t id)
{
	struct instance *task = task_of(data);

	count("implicit_task_exit", NULL, NULL);
	REQUIRE(task && task->region == id);
	if (task)
		task->magic = ENDED;
}

static void on_task_create(ompt_data_t *parent, ompt_frame_t *frame, ompt_data_t *data)
{
	count("task_create", NULL, NULL);
	task_of(parent);
	REQUIRE(frame);
	REQUIRE(!data->ptr);
	data->ptr = new_instance();
}

static void on_task_exit(ompt_data_t *data)
{
	struct instance *task = task_of(data);

	count("task_exit", NULL, NULL);
	if (task)
		task->magic = ENDED;
}

static void on_task_switch(ompt_data_t *suspended, ompt_data_t *resumed)
{
	struct instance *from, *to;

	count("task_switch", NULL, NULL);
	REQUIRE(suspended != resumed);
	from = task_of(suspended);
	to = task_of(resumed);
	// Of the initial task no event tells; implicit ones are in their region from their begin on.
	REQUIRE(!from || from->region || from->has_begun);
	if (to)
		to->has_begun = true;
}

/** Check what a task does in its region. */
static void in_region(const char *event, ompt_data_t *data, ompt_parallel_id_t id)
{
	struct instance *task = task_of(data);

	count(event, NULL, NULL);
	if (task && task->region && task->region != id)
		complain("%s: another region than the task's", event);
}

#define IN_REGION(event)                                                 \
	static void on_##event(ompt_data_t *data, ompt_parallel_id_t id) \
	{                                                                \
		in_region(#event, data, id);                             \
	}
IN_REGION(wait_barrier_begin)
IN_REGION(wait_barrier_end)
IN_REGION(wait_taskwait_begin)
IN_REGION(wait_taskwait_end)
IN_REGION(wait_taskgroup_begin)
IN_REGION(wait_taskgroup_end)
IN_REGION(loop_begin)
IN_REGION(loop_end)
IN_REGION(section_begin)
IN_REGION(section_end)
IN_REGION(single_in_block_begin)
IN_REGION(single_in_block_end)
IN_REGION(single_others_begin)
IN_REGION(single_others_end)
IN_REGION(master_begin)
IN_REGION(master_end)
IN_REGION(barrier_begin)
IN_REGION(barrier_end)
IN_REGION(taskwait_begin)
IN_REGION(taskwait_end)
IN_REGION(taskgroup_begin)
IN_REGION(taskgroup_end)
IN_REGION(release_nest_lock_prev)
IN_REGION(acquired_nest_lock_next)

// ---- Mutual exclusion ------------------------------------------------------------------------

#define MUTEX(event)                              \
	static void on_##event(ompt_wait_id_t id) \
	{                                         \
		count(#event, NULL, NULL);        \
		REQUIRE(id);                      \
	}
MUTEX(release_lock)
MUTEX(release_nest_lock_last)
MUTEX(release_critical)
MUTEX(release_atomic)
MUTEX(release_ordered)
MUTEX(wait_lock)
MUTEX(wait_nest_lock)
MUTEX(wait_critical)
MUTEX(wait_atomic)
MUTEX(wait_ordered)
MUTEX(acquired_lock)
MUTEX(acquired_nest_lock_first)
MUTEX(acquired_critical)
MUTEX(acquired_atomic)
MUTEX(acquired_ordered)
MUTEX(init_lock)
MUTEX(init_nest_lock)
MUTEX(destroy_lock)
MUTEX(destroy_nest_lock)

// ---- The rest --------------------------------------------------------------------------------

static void on_control(uint64_t command, uint64_t modifier)
{
	count("control", NULL, NULL);
	note("control", "command", command);
	note("control", "modifier", modifier);
}

static void on_runtime_shutdown(void)
{
	count("runtime_shutdown", NULL, NULL);
	REQUIRE(!has_shut_down++);
	report();
}

/** Check whether code is in a function. Those of the program are small. */
static int is_in(const void *code, const void *function)
{
	return (const char *)code > (const char *)function &&
	       (const char *)code < (const char *)function + 4096;
}

void check_place(const struct place *place)
{
	const ompt_frame_t *frame = ompt_get_task_frame(0);
	const ompt_data_t *data = ompt_get_task_data(0);
	void *function = ompt_get_parallel_function(0);
	ompt_wait_id_t id = 1;
	char name[64];

	count("place", NULL, NULL);
	REQUIRE(ompt_get_state(&id) ==
		(place->level ? ompt_state_work_parallel : ompt_state_work_serial));
	REQUIRE(!id);
	for (int level = 0; level < place->level + 2; level++)
		REQUIRE(!ompt_get_parallel_id(level) == (level >= place->level));
	REQUIRE(!ompt_get_parallel_id(-1) && !ompt_get_task_data(-1) && !ompt_get_task_frame(-1));
	REQUIRE(!ompt_get_task_data(100) && !ompt_get_task_frame(100));
	REQUIRE(!ompt_get_parallel_function(100) && !ompt_get_task_function(100));
	REQUIRE(ompt_get_thread_data() && ompt_get_thread_data()->ptr == thread);
	REQUIRE(data && !data->ptr == (!place->level && !place->in_task));
	if (data && data->ptr) {
		const struct instance *task = data->ptr;

		REQUIRE(lives(task) && (task->region == 0) == place->in_task);
	}
	REQUIRE(frame && !frame->reenter_runtime_frame);
	// LLVM's runtime may have a frame of the program for an undeferred task, or none.
	if (frame && place->is_undeferred)
		REQUIRE(frame->exit_runtime_frame >= place->frame || !frame->exit_runtime_frame);
	else if (frame && (place->level || place->in_task))
		REQUIRE(frame->exit_runtime_frame > place->frame);
	else
		REQUIRE(frame && !frame->exit_runtime_frame);
	// Only one of the runtimes knows the functions.
	ompt_get_runtime_version(name, sizeof(name));
	if (!strstr(name, "gomp"))
		REQUIRE(!function && !ompt_get_task_function(0));
	else if (place->in_task)
		REQUIRE(is_in(place->code, ompt_get_task_function(0)));
	else if (place->level)
		REQUIRE(function && !ompt_get_task_function(0));
	else
		REQUIRE(!function && !ompt_get_task_function(0));
}

/** Ask whatever may be asked in a signal handler. */
void take_sample(void);
void take_sample(void)
{
	ompt_wait_id_t id;

	REQUIRE(ompt_get_state(&id) != ompt_state_undefined);
	for (int level = 0; level < 5; level++) {
		const ompt_frame_t *frame = ompt_get_task_frame(level);

		REQUIRE(!frame == !ompt_get_task_data(level));
		REQUIRE(ompt_get_parallel_id(level) || !ompt_get_parallel_id(level + 1));
		ompt_get_parallel_function(level);
		ompt_get_task_function(level);
	}
	count("sample", NULL, NULL);
}

static void check_routines(void)
{
	int state, previous = -1, ok;
	char version[8];
	const char *name;
	ompt_callback_t callback = NULL;

	for (ok = ompt_enumerate_state(ompt_state_first, &state, &name);
	     ok && state != ompt_state_last; ompt_enumerate_state(state, &state, &name)) {
		note("state", name, (uint64_t)state);
		REQUIRE(state != previous);
		previous = state;
	}
	REQUIRE(ok);
	REQUIRE(!ompt_enumerate_state(0x7f, &state, &name) || state == ompt_state_last);
	REQUIRE(ompt_get_ompt_version() == 1);
	REQUIRE(ompt_get_runtime_version(version, sizeof(version)) > 0);
	REQUIRE(strlen(version) == sizeof(version) - 1);
	REQUIRE(ompt_get_callback(ompt_event_control, &callback) == 1);
	REQUIRE(callback == (ompt_callback_t)on_control);
	REQUIRE(ompt_set_callback(0, callback) == 1 && ompt_set_callback(58, callback) == 1);
	REQUIRE(ompt_get_callback(58, &callback) == 0);
}

int ompt_initialize(void)
{
#define SET(event)          \
	note("set", #event, \
	     (uint64_t)ompt_set_callback(ompt_event_##event, (ompt_callback_t)on_##event))
	SET(parallel_create);
	SET(parallel_exit);
	SET(task_create);
	SET(task_exit);
	SET(thread_create);
	SET(thread_exit);
	SET(control);
	SET(runtime_shutdown);
	SET(idle_begin);
	SET(idle_end);
	SET(implicit_task_create);
	SET(implicit_task_exit);
	SET(task_switch);
	SET(flush);
	SET(wait_barrier_begin);
	SET(wait_barrier_end);
	SET(wait_taskwait_begin);
	SET(wait_taskwait_end);
	SET(wait_taskgroup_begin);
	SET(wait_taskgroup_end);
	SET(loop_begin);
	SET(loop_end);
	SET(section_begin);
	SET(section_end);
	SET(single_in_block_begin);
	SET(single_in_block_end);
	SET(single_others_begin);
	SET(single_others_end);
	SET(master_begin);
	SET(master_end);
	SET(barrier_begin);
	SET(barrier_end);
	SET(taskwait_begin);
	SET(taskwait_end);
	SET(taskgroup_begin);
	SET(taskgroup_end);
	SET(release_nest_lock_prev);
	SET(acquired_nest_lock_next);
	SET(release_lock);
	SET(release_nest_lock_last);
	SET(release_critical);
	SET(release_atomic);
	SET(release_ordered);
	SET(wait_lock);
	SET(wait_nest_lock);
	SET(wait_critical);
	SET(wait_atomic);
	SET(wait_ordered);
	SET(acquired_lock);
	SET(acquired_nest_lock_first);
	SET(acquired_critical);
	SET(acquired_atomic);
	SET(acquired_ordered);
	SET(init_lock);
	SET(init_nest_lock);
	SET(destroy_lock);
	SET(destroy_nest_lock);
	check_routines();
	return 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front for tools of 2013 (include/ompt/ompt_2013.h has their view of it).

#include <stdio.h>
#include <string.h>

#include "fronts.h"
#include "ompt/test_locks.h"

enum {
#define EVENT_2013(number, name, source, limit) OLD_##name = (number),
#include "events.def"
	EVENT_COUNT
};

static const struct event events[EVENT_COUNT] = {
#define EVENT_2013(number, name, source, limit) [number] = { ompt_callback_##source, limit, true },
#include "events.def"
};

typedef uint64_t region_id_t;

/** Tell of a thread. */
static void tell_thread(int event, ompt_data_t *data)
{
	TELL(event, (ompt_data_t *), data);
}

/** Tell of what a task does in its region. */
static void tell_region(int event, const ompt_data_t *parallel_data, ompt_data_t *task_data)
{
	if (!parallel_data)
		parallel_data = fronts_region();
	TELL(event, (ompt_data_t *, region_id_t), task_data, parallel_data->value);
}

/** Tell of the begin of something, or its end, whose event is the next one; or both. */
static void tell_scope(int begin, ompt_scope_endpoint_t endpoint, const ompt_data_t *parallel_data,
		       ompt_data_t *task_data)
{
	if (endpoint & ompt_scope_begin)
		tell_region(begin, parallel_data, task_data);
	if (endpoint & ompt_scope_end)
		tell_region(begin + 1, parallel_data, task_data);
}

// ---- Callbacks for the runtime ---------------------------------------------------------------

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	bool is_idle = fronts_thread_begin(type);

	tell_thread(OLD_thread_create, data);
	if (is_idle)
		tell_thread(OLD_idle_begin, data);
}

static void on_thread_end(ompt_data_t *data)
{
	if (fronts_thread.is_idle)
		tell_thread(OLD_idle_end, data);
	if (data->value)
		tell_thread(OLD_thread_exit, data);
}

static void on_parallel_begin(ompt_data_t *task_data, const ompt_frame_t *frame,
			      ompt_data_t *parallel_data, unsigned int requested, int flags,
			      const void *code)
{
	static region_id_t last;

	if (flags & ompt_parallel_league)
		return;
	parallel_data->value = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	TELL(OLD_parallel_create, (ompt_data_t *, const ompt_frame_t *, region_id_t), task_data,
	     frame, parallel_data->value);
}

static void on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *task_data, int flags,
			    const void *code)
{
	ompt_frame_t *frame = NULL;

	if (flags & ompt_parallel_league)
		return;
	fronts_task(&frame);
	TELL(OLD_parallel_exit, (ompt_data_t *, ompt_frame_t *, region_id_t), task_data, frame,
	     parallel_data->value);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
			     ompt_data_t *task_data, unsigned int size, unsigned int index,
			     int flags)
{
	if (endpoint == ompt_scope_begin && fronts_enter_region(parallel_data))
		tell_thread(OLD_idle_end, fronts_runtime.get_thread_data());
	if (!(flags & ompt_task_initial) && (endpoint == ompt_scope_begin || task_data->value))
		tell_region(endpoint == ompt_scope_begin ? OLD_implicit_task_create :
							   OLD_implicit_task_exit,
			    parallel_data, task_data);
	if (endpoint == ompt_scope_end && fronts_leave_region())
		tell_thread(OLD_idle_begin, fronts_runtime.get_thread_data());
}

static void on_task_create(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *new_data,
			   int flags, int has_dependences, const void *code)
{
	if (fronts_is_task(new_data, flags))
		TELL(OLD_task_create, (ompt_data_t *, const ompt_frame_t *, ompt_data_t *),
		     task_data, frame, new_data);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
	enum leaving leaving = fronts_leaving(prior, status);

	if (leaving == SUSPENDS || leaving == COMPLETES)
		TELL(OLD_task_switch, (ompt_data_t *, ompt_data_t *), prior, next);
	if ((leaving == COMPLETES || leaving == COMPLETES_ELSEWHERE) && prior->value)
		TELL(OLD_task_exit, (ompt_data_t *), prior);
}

/** Return the begin of barriers and the like for a kind, or 0. */
static int sync_event(ompt_sync_region_t kind, int barrier, int taskwait, int taskgroup)
{
	switch (kind) {
	case ompt_sync_region_taskwait:
		return taskwait;
	case ompt_sync_region_taskgroup:
		return taskgroup;
	case ompt_sync_region_reduction:
		return 0;
	default:
		return barrier;
	}
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		    ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	int event = sync_event(kind, OLD_barrier_begin, OLD_taskwait_begin, OLD_taskgroup_begin);

	if (event)
		tell_scope(event, endpoint, parallel_data, task_data);
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		    ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	int event = sync_event(kind, OLD_wait_barrier_begin, OLD_wait_taskwait_begin,
			       OLD_wait_taskgroup_begin);

	if (event)
		tell_scope(event, endpoint, parallel_data, task_data);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
		    ompt_data_t *task_data, uint64_t count, const void *code)
{
	static const int begins[] = {
		[ompt_work_loop] = OLD_loop_begin,
		[ompt_work_sections] = OLD_section_begin,
		[ompt_work_single_executor] = OLD_single_in_block_begin,
		[ompt_work_single_other] = OLD_single_others_begin,
		[ompt_work_loop_static] = OLD_loop_begin,
		[ompt_work_loop_dynamic] = OLD_loop_begin,
		[ompt_work_loop_guided] = OLD_loop_begin,
		[ompt_work_loop_other] = OLD_loop_begin,
	};

	if ((size_t)kind < LENGTH(begins) && begins[kind])
		tell_scope(begins[kind], endpoint, parallel_data, task_data);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
		      ompt_data_t *task_data, const void *code)
{
	tell_scope(OLD_master_begin, endpoint, parallel_data, task_data);
}

/** Events of each kind of mutex. A test of a lock is no wait. */
static const struct {
	int init, destroy, wait, acquired, released;
} mutexes[] = {
	[ompt_mutex_lock] = { OLD_init_lock, OLD_destroy_lock, OLD_wait_lock, OLD_acquired_lock,
			      OLD_release_lock },
	[ompt_mutex_test_lock] = { .acquired = OLD_acquired_lock, .released = OLD_release_lock },
	[ompt_mutex_nest_lock] = { OLD_init_nest_lock, OLD_destroy_nest_lock, OLD_wait_nest_lock,
				   OLD_acquired_nest_lock_first, OLD_release_nest_lock_last },
	[ompt_mutex_test_nest_lock] = { .acquired = OLD_acquired_nest_lock_first,
					.released = OLD_release_nest_lock_last },
	[ompt_mutex_critical] = { 0, 0, OLD_wait_critical, OLD_acquired_critical,
				  OLD_release_critical },
	[ompt_mutex_atomic] = { 0, 0, OLD_wait_atomic, OLD_acquired_atomic, OLD_release_atomic },
	[ompt_mutex_ordered] = { 0, 0, OLD_wait_ordered, OLD_acquired_ordered,
				 OLD_release_ordered },
};

/** Tell of a mutex, by a column of the table. */
#define TELL_MUTEX(column, kind, lock)                                      \
	do {                                                                \
		if ((size_t)(kind) < LENGTH(mutexes))                       \
			TELL(mutexes[kind].column, (ompt_wait_id_t), lock); \
	} while (0)

static void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
			 ompt_wait_id_t lock, const void *code)
{
	TELL_MUTEX(init, kind, lock);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t lock, const void *code)
{
	TELL_MUTEX(destroy, kind, lock);
}

static void on_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t lock,
		       const void *code)
{
	if (!tests_lock((uintptr_t)__builtin_return_address(0)) &&
	    (kind != ompt_mutex_nest_lock || !fronts_holds(lock)))
		TELL_MUTEX(wait, kind, lock);
}

static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t lock, const void *code)
{
	fronts_acquired(kind, lock);
	TELL_MUTEX(acquired, kind, lock);
}

static void on_released(ompt_mutex_t kind, ompt_wait_id_t lock, const void *code)
{
	fronts_released(kind, lock);
	TELL_MUTEX(released, kind, lock);
}

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t lock, const void *code)
{
	tell_region(endpoint == ompt_scope_begin ? OLD_acquired_nest_lock_next :
						   OLD_release_nest_lock_prev,
		    fronts_parallel_data(0, NULL), fronts_task(NULL));
}

static void on_flush(ompt_data_t *thread_data, const void *code)
{
	tell_thread(OLD_flush, thread_data);
}

static const struct handler handlers[] = {
	HANDLER(thread_begin, on_thread_begin),
	HANDLER(thread_end, on_thread_end),
	HANDLER(parallel_begin, on_parallel_begin),
	HANDLER(parallel_end, on_parallel_end),
	HANDLER(implicit_task, on_implicit_task),
	HANDLER(task_create, on_task_create),
	HANDLER(task_schedule, on_task_schedule),
	HANDLER(cancel, fronts_cancelled),
	HANDLER(sync_region, on_sync),
	HANDLER(sync_region_wait, on_wait),
	HANDLER(work, on_work),
	HANDLER(masked, on_masked),
	HANDLER(lock_init, on_lock_init),
	HANDLER(lock_destroy, on_lock_destroy),
	HANDLER(mutex_acquire, on_acquire),
	HANDLER(mutex_acquired, on_acquired),
	HANDLER(mutex_released, on_released),
	HANDLER(nest_lock, on_nest_lock),
	HANDLER(flush, on_flush),
};

/** Pass a command of the program on. */
static void control(uint64_t command, uint64_t modifier, const void *code)
{
	TELL(OLD_control, (uint64_t, uint64_t), command, modifier);
}

extern int ompt_initialize(void) __attribute__((weak));

/** Let the old tool register its callbacks. */
static bool start(void)
{
	return ompt_initialize() != 0;
}

const struct front front_2013 = {
	.events = events,
	.num_events = EVENT_COUNT,
	.handlers = handlers,
	.num_handlers = LENGTH(handlers),
	.start = start,
	.control = control,
	.shutdown = OLD_runtime_shutdown,
};

// ---- Routines (ompt_2013.h) ------------------------------------------------------------------

#define ROUTINE(type, name, params) \
	PUBLIC type name params;    \
	PUBLIC type name params

/** Return whether the old tool is one of 2013, and runs. */
static bool is_running(void)
{
	return fronts_current == &front_2013;
}

ROUTINE(int, ompt_set_callback, (int event, ompt_callback_t callback))
{
	static const int answers[ANSWERS] = {
		[NO_EVENT] = 1,
		[NO_CALLBACK] = 0,
		[SOMETIMES] = 2,
		[ALWAYS] = 3,
	};

	return answers[fronts_set_callback(&front_2013, event, callback)];
}

ROUTINE(int, ompt_get_callback, (int event, ompt_callback_t *callback))
{
	return fronts_get_callback(&front_2013, event, callback);
}

enum { FIRST_STATE = 0x61, LAST_STATE = 0x62 };

ROUTINE(int, ompt_enumerate_state, (int current, int *next, const char **name))
{
	const struct state *state;

	if (!is_running() || current == LAST_STATE)
		return 0;
	state = fronts_next_state(current, current == FIRST_STATE,
				  offsetof(struct state, old_2013));
	*next = state ? state->old_2013 : LAST_STATE;
	*name = state ? state->name_2013 : "ompt_state_last";
	return 1;
}

ROUTINE(ompt_data_t *, ompt_get_thread_data, (void))
{
	return is_running() ? fronts_runtime.get_thread_data() : NULL;
}

ROUTINE(int, ompt_get_state, (ompt_wait_id_t * wait_id))
{
	ompt_wait_id_t id = 0;
	int state = is_running() ? fronts_runtime.get_state(&id) : ompt_state_undefined;

	if (wait_id)
		*wait_id = state & ompt_state_wait_mutex && state < ompt_state_idle ? id : 0;
	return fronts_state(state)->old_2013;
}

ROUTINE(region_id_t, ompt_get_parallel_id, (int level))
{
	const ompt_data_t *data = is_running() ? fronts_parallel_data(level, NULL) : NULL;

	return data ? data->value : 0;
}

ROUTINE(void *, ompt_get_parallel_function, (int level))
{
	return is_running() && fronts_runtime.get_parallel_function ?
		       fronts_runtime.get_parallel_function(level) :
		       NULL;
}

ROUTINE(ompt_data_t *, ompt_get_task_data, (int level))
{
	ompt_data_t *data = NULL;

	return fronts_task_info(level, NULL, &data, NULL, NULL) ? data : NULL;
}

ROUTINE(ompt_frame_t *, ompt_get_task_frame, (int level))
{
	ompt_frame_t *frame = NULL;

	return fronts_task_info(level, NULL, NULL, &frame, NULL) ? frame : NULL;
}

ROUTINE(void *, ompt_get_task_function, (int level))
{
	return is_running() && fronts_runtime.get_task_function ?
		       fronts_runtime.get_task_function(level) :
		       NULL;
}

ROUTINE(int, ompt_get_ompt_version, (void))
{
	return 1;
}

ROUTINE(int, ompt_get_runtime_version, (char *buffer, int length))
{
	int missing = (int)strlen(fronts_runtime.name) + 1 - length;

	if (length > 0)
		snprintf(buffer, (size_t)length, "%s", fronts_runtime.name);
	return missing > 0 ? missing : 0;
}

ROUTINE(int32_t, ompt_get_runtime_version_, (char *buffer, const int32_t *length, size_t size))
{
	size_t room = *length > 0 && (size_t)*length < size ? (size_t)*length : size;
	size_t used = strlen(fronts_runtime.name);

	if (used > room)
		used = room;
	memcpy(buffer, fronts_runtime.name, used);
	memset(buffer + used, ' ', size - used);
	return (int32_t)(strlen(fronts_runtime.name) - used);
}

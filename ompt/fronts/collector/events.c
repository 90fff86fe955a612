// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events: what OMPT reports, told to the collector.

#include <stdlib.h>

#include "collector.h"
#include "include/ompt/gomp.h"
#include "ompt/test_locks.h"

__thread struct thread this_thread;

static uint64_t last_task, last_region;
static ompt_get_state_t get_state;

// What ompt_set_callback answered; the best answer, if there are several runtimes.
#define OMPT_EVENTS (ompt_callback_error + 1)
static ompt_set_result_t answers[OMPT_EVENTS];
static bool sees_creation; // from its beginning

/** The event of OMPT that each of the collector's needs; 0: none, whatever the runtime. */
static const uint8_t needs[EVENTS] = {
	[OMP_EVENT_FORK] = ompt_callback_parallel_begin,
	[OMP_EVENT_JOIN] = ompt_callback_parallel_end,
	[OMP_EVENT_THR_END_IDLE] = ompt_callback_implicit_task,
	[OMP_EVENT_THR_BEGIN_IBAR] = ompt_callback_sync_region_wait,
	[OMP_EVENT_THR_END_IBAR] = ompt_callback_sync_region_wait,
	[OMP_EVENT_THR_BEGIN_EBAR] = ompt_callback_sync_region_wait,
	[OMP_EVENT_THR_END_EBAR] = ompt_callback_sync_region_wait,
	[OMP_EVENT_THR_BEGIN_LKWT] = ompt_callback_mutex_acquire,
	[OMP_EVENT_THR_END_LKWT] = ompt_callback_mutex_acquired,
	[OMP_EVENT_THR_BEGIN_CTWT] = ompt_callback_mutex_acquire,
	[OMP_EVENT_THR_END_CTWT] = ompt_callback_mutex_acquired,
	[OMP_EVENT_THR_BEGIN_ODWT] = ompt_callback_mutex_acquire,
	[OMP_EVENT_THR_END_ODWT] = ompt_callback_mutex_acquired,
	[OMP_EVENT_THR_BEGIN_MASTER] = ompt_callback_masked,
	[OMP_EVENT_THR_END_MASTER] = ompt_callback_masked,
	[OMP_EVENT_THR_BEGIN_SINGLE] = ompt_callback_work,
	[OMP_EVENT_THR_END_SINGLE] = ompt_callback_work,
	[OMP_EVENT_THR_BEGIN_ORDERED] = ompt_callback_mutex_acquired,
	[OMP_EVENT_THR_END_ORDERED] = ompt_callback_mutex_released,
	[OMP_EVENT_THR_BEGIN_ATWT] = ompt_callback_mutex_acquire,
	[OMP_EVENT_THR_END_ATWT] = ompt_callback_mutex_acquired,
	[OMP_EVENT_THR_END_CREATE_TASK_IMM] = ompt_callback_task_create,
	[OMP_EVENT_THR_END_CREATE_TASK_DEL] = ompt_callback_task_create,
	[OMP_EVENT_THR_BEGIN_SUSPEND_TASK] = ompt_callback_sync_region_wait,
	[OMP_EVENT_THR_END_SUSPEND_TASK] = ompt_callback_sync_region_wait,
	[OMP_EVENT_THR_BEGIN_EXEC_TASK] = ompt_callback_task_schedule,
	[OMP_EVENT_THR_BEGIN_FINISH_TASK] = ompt_callback_task_schedule,
	[OMP_EVENT_THR_END_FINISH_TASK] = ompt_callback_task_schedule,
};

bool is_supported(int event)
{
	if (event == OMP_EVENT_THR_BEGIN_CREATE_TASK)
		return sees_creation;
	return needs[event] && answers[needs[event]] >= ompt_set_sometimes;
}

bool is_overhead(void)
{
	return get_state && get_state(NULL) == ompt_state_overhead;
}

/** Call the collector's callback of an event. */
static void tell(struct thread *thread, int event)
{
	event_callback *callback = __atomic_load_n(&collector_callbacks[event], __ATOMIC_ACQUIRE);

	if (!callback || __atomic_load_n(&collector_paused, __ATOMIC_RELAXED))
		return;
	thread->telling++;
	callback((OMP_COLLECTORAPI_EVENT)event);
	thread->telling--;
}

/** Tell an event about a task that the thread is not in. */
static void tell_about(struct thread *thread, int event, struct task *task)
{
	struct task *before = thread->about;

	thread->about = task;
	ordered();
	tell(thread, event);
	thread->about = before;
	ordered();
}

/** Return this thread, at the beginning of a callback of OMPT. The runtime has by now removed a task that
 *  ended before. */
static struct thread *enter(void)
{
	struct thread *thread = &this_thread;
	struct task *finished = thread->finished;

	if (finished) {
		thread->finished = NULL;
		tell_about(thread, OMP_EVENT_THR_END_FINISH_TASK, finished);
		free(finished);
	}
	return thread;
}

static struct task *task_of(const ompt_data_t *data)
{
	return data ? data->ptr : NULL;
}

/** Return a new task in its working state, or null if there is no memory. */
static struct task *new_task(uint64_t parent, OMP_COLLECTOR_API_THR_STATE work)
{
	struct task *task = calloc(1, sizeof(*task));

	if (task) {
		task->id = __atomic_add_fetch(&last_task, 1, __ATOMIC_RELAXED);
		task->parent = parent;
		task->state = task->work = work;
	}
	return task;
}

/** Let a thread go on with another task, or none. */
static void switch_to(struct thread *thread, struct task *task, struct task *implicit)
{
	thread->implicit = implicit;
	thread->task = task;
	ordered();
}

/** Let a task enter a state. */
static void enter_state(struct task *task, OMP_COLLECTOR_API_THR_STATE state, uint64_t wait_id)
{
	if (!task)
		return;
	task->wait_id = wait_id;
	ordered();
	task->state = state;
	ordered();
}

/** Let a task leave a state. Return whether it was in it. */
static bool leave_state(struct task *task, OMP_COLLECTOR_API_THR_STATE state)
{
	if (!task || task->state != state)
		return false;
	task->state = task->work;
	ordered();
	return true;
}

/** Tell that a wait begins or ends. */
static void wait_event(struct thread *thread, int begin, ompt_scope_endpoint_t endpoint,
		       OMP_COLLECTOR_API_THR_STATE state, uint64_t wait_id)
{
	if (endpoint & ompt_scope_begin) {
		enter_state(thread->task, state, wait_id);
		tell(thread, begin);
	}
	if (endpoint & ompt_scope_end) {
		leave_state(thread->task, state);
		tell(thread, begin + 1);
	}
}

/** Tell that something else begins or ends. */
static void scope_event(struct thread *thread, int begin, ompt_scope_endpoint_t endpoint)
{
	if (endpoint & ompt_scope_begin)
		tell(thread, begin);
	if (endpoint & ompt_scope_end)
		tell(thread, begin + 1);
}

// ---- Threads and regions ---------------------------------------------------------------------

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	struct thread *thread = enter();

	thread->is_worker = type == ompt_thread_worker;
}

static void on_thread_end(ompt_data_t *data)
{
	enter();
}

/** Free a region that nobody uses any more. */
static void release_region(struct region *region)
{
	if (region && !__atomic_sub_fetch(&region->users, 1, __ATOMIC_ACQ_REL))
		free(region);
}

static void on_parallel_begin(ompt_data_t *encountering, const ompt_frame_t *frame,
			      ompt_data_t *data, unsigned int requested, int flags,
			      const void *code)
{
	struct thread *thread = enter();
	struct region *region;

	if (flags & (int)ompt_parallel_league)
		return;
	thread->depth++;
	region = calloc(1, sizeof(*region));
	data->ptr = region;
	if (!region)
		return;
	region->depth = thread->depth;
	region->id = __atomic_add_fetch(&last_region, 1, __ATOMIC_RELAXED);
	region->users = 1;
	if (thread->task)
		region->encountered = thread->task->id;
	if (thread->implicit && thread->implicit->region)
		region->parent = thread->implicit->region->id;
	region->below = thread->encountered;
	thread->encountered = region;
	enter_state(thread->task, THR_OVHD_STATE, 0);
	thread->forking = region;
	ordered();
	tell(thread, OMP_EVENT_FORK);
	thread->forking = NULL;
	ordered();
}

static void on_parallel_end(ompt_data_t *data, ompt_data_t *encountering, int flags,
			    const void *code)
{
	struct thread *thread = enter();
	struct region *region = thread->encountered;

	// The data may be another region's: LLVM's runtime has put the team away, and another thread may
	// have taken it.
	if (flags & (int)ompt_parallel_league)
		return;
	thread->depth--;
	if (!region || region->depth <= thread->depth)
		return;
	thread->encountered = region->below;
	__atomic_store_n(&region->ended, 1, __ATOMIC_RELAXED);
	leave_state(thread->task, THR_OVHD_STATE);
	tell(thread, OMP_EVENT_JOIN);
	release_region(region);
}

static void begin_implicit(struct thread *thread, struct region *region, ompt_data_t *data,
			   unsigned int index)
{
	struct task *task = new_task(region ? region->encountered : 0,
				     region ? THR_WORK_STATE : THR_SERIAL_STATE);

	data->ptr = task;
	if (task) {
		task->begun = true;
		task->index = index;
		task->region = region;
		if (region)
			__atomic_add_fetch(&region->users, 1, __ATOMIC_RELAXED);
		task->below = thread->task;
		task->implicit_below = thread->implicit;
		switch_to(thread, task, task);
	}
	if (thread->is_worker && (!task || !task->below))
		tell(thread, OMP_EVENT_THR_END_IDLE);
}

static void end_implicit(struct thread *thread, ompt_data_t *data)
{
	struct task *task = task_of(data);

	if (!task)
		return;
	switch_to(thread, task->below, task->implicit_below);
	data->ptr = NULL;
	release_region(task->region);
	free(task);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
			     ompt_data_t *task_data, unsigned int size, unsigned int index,
			     int flags)
{
	struct thread *thread = enter();

	if (endpoint == ompt_scope_begin)
		begin_implicit(thread,
			       parallel_data && !(flags & ompt_task_initial) ? parallel_data->ptr :
									       NULL,
			       task_data, flags & ompt_task_initial ? 0 : index);
	else
		end_implicit(thread, task_data);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
		    ompt_data_t *task_data, uint64_t count, const void *code)
{
	struct thread *thread = enter();

	if (kind == ompt_work_single_executor)
		scope_event(thread, OMP_EVENT_THR_BEGIN_SINGLE, endpoint);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
		      ompt_data_t *task_data, const void *code)
{
	struct thread *thread = enter();

	scope_event(thread, OMP_EVENT_THR_BEGIN_MASTER, endpoint);
}

// ---- Waits -----------------------------------------------------------------------------------

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		    ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	struct thread *thread = enter();
	const struct region *region = thread->implicit ? thread->implicit->region : NULL;

	switch (kind) {
	case ompt_sync_region_taskwait:
	case ompt_sync_region_taskgroup:
		wait_event(thread, OMP_EVENT_THR_BEGIN_SUSPEND_TASK, endpoint,
			   THR_TASK_SUSPEND_STATE, 0);
		break;
	case ompt_sync_region_reduction:
		break;
	case ompt_sync_region_barrier_explicit:
		if (region)
			wait_event(thread, OMP_EVENT_THR_BEGIN_EBAR, endpoint, THR_EBAR_STATE,
				   region->id);
		break;
	default:
		if (region)
			wait_event(thread, OMP_EVENT_THR_BEGIN_IBAR, endpoint, THR_IBAR_STATE,
				   region->id);
	}
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
			 ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	struct task *task = enter()->task;
	OMP_COLLECTOR_API_THR_STATE before;

	if (!task || task->work == THR_SERIAL_STATE)
		return;
	before = task->work;
	task->work = endpoint == ompt_scope_begin ? THR_REDUC_STATE : THR_WORK_STATE;
	ordered();
	leave_state(task, before);
}

/** Return the event and the state of the wait for a mutex; the event is 0 if nobody waits for it. */
static int wait_for(ompt_mutex_t kind, OMP_COLLECTOR_API_THR_STATE *state)
{
	switch (kind) {
	case ompt_mutex_lock:
	case ompt_mutex_nest_lock:
		*state = THR_LKWT_STATE;
		return OMP_EVENT_THR_BEGIN_LKWT;
	case ompt_mutex_critical:
		*state = THR_CTWT_STATE;
		return OMP_EVENT_THR_BEGIN_CTWT;
	case ompt_mutex_ordered:
		*state = THR_ODWT_STATE;
		return OMP_EVENT_THR_BEGIN_ODWT;
	case ompt_mutex_atomic:
		*state = THR_ATWT_STATE;
		return OMP_EVENT_THR_BEGIN_ATWT;
	default:
		return 0;
	}
}

static void on_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
		       ompt_wait_id_t wait_id, const void *code)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	struct thread *thread = enter();
	OMP_COLLECTOR_API_THR_STATE state;
	int begin = wait_for(kind, &state);

	if (begin && !tests_lock(caller))
		wait_event(thread, begin, ompt_scope_begin, state, wait_id);
}

/** Tell that a thread has what it waited for. */
static void acquired(struct thread *thread, ompt_mutex_t kind)
{
	OMP_COLLECTOR_API_THR_STATE state;
	int begin = wait_for(kind, &state);

	if (begin && leave_state(thread->task, state))
		tell(thread, begin + 1);
}

static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();

	acquired(thread, kind);
	if (kind == ompt_mutex_ordered)
		tell(thread, OMP_EVENT_THR_BEGIN_ORDERED);
}

static void on_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();

	if (kind == ompt_mutex_ordered)
		tell(thread, OMP_EVENT_THR_END_ORDERED);
}

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();

	if (endpoint == ompt_scope_begin)
		acquired(thread, ompt_mutex_nest_lock);
}

// ---- Tasks -----------------------------------------------------------------------------------

static void on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *data,
			   int flags, int has_dependences, const void *code)
{
	struct thread *thread = enter();
	struct task *parent = task_of(encountering), *task;

	if (flags & ompt_task_taskwait)
		wait_event(thread, OMP_EVENT_THR_BEGIN_SUSPEND_TASK, ompt_scope_begin,
			   THR_TASK_SUSPEND_STATE, 0);
	if (!(flags & ompt_task_explicit))
		return;
	task = new_task(parent ? parent->id : 0, THR_WORK_STATE);
	data->ptr = task;
	if (!task)
		return;
	leave_state(thread->task, THR_TASK_CREATE_STATE);
	tell_about(thread,
		   flags & (int)ompt_task_undeferred ? OMP_EVENT_THR_END_CREATE_TASK_IMM :
						       OMP_EVENT_THR_END_CREATE_TASK_DEL,
		   task);
}

/** Tell that a thread begins to create a task. Then on_task_create() tells the end, unless the task is
 *  cancelled before it is made. */
static void on_task_phase(enum gomp_task_phase phase, const void *code, int ran)
{
	struct thread *thread = enter();

	if (phase == GOMP_TASK_CREATE_BEGIN) {
		enter_state(thread->task, THR_TASK_CREATE_STATE, 0);
		tell(thread, OMP_EVENT_THR_BEGIN_CREATE_TASK);
	} else {
		leave_state(thread->task, THR_TASK_CREATE_STATE);
	}
}

/** Check whether a task is over once its thread has left it so. */
static bool is_over(ompt_task_status_t status)
{
	return status == ompt_task_complete || status == ompt_task_cancel ||
	       status == ompt_task_late_fulfill;
}

/** Tell that a task's execution has ended. */
static void end_execution(struct thread *thread, struct task *task)
{
	enter_state(task, THR_TASK_FINISH_STATE, 0);
	tell_about(thread, OMP_EVENT_THR_BEGIN_FINISH_TASK, task);
}

static void on_task_schedule(ompt_data_t *prior_data, ompt_task_status_t status,
			     ompt_data_t *next_data)
{
	struct thread *thread = enter();
	struct task *prior = task_of(prior_data), *next = task_of(next_data);

	if (prior && prior->begun &&
	    (status == ompt_task_complete || status == ompt_task_cancel ||
	     status == ompt_task_detach))
		end_execution(thread, prior);
	if (status == ompt_taskwait_complete)
		wait_event(thread, OMP_EVENT_THR_BEGIN_SUSPEND_TASK, ompt_scope_end,
			   THR_TASK_SUSPEND_STATE, 0);
	if (next)
		switch_to(thread, next, thread->implicit);
	else if (prior && prior == thread->task && is_over(status))
		switch_to(thread, thread->implicit, thread->implicit);
	if (prior && is_over(status)) {
		prior_data->ptr = NULL;
		if (prior->begun)
			thread->finished = prior;
		else
			free(prior);
	}
	if (next && !next->begun) {
		next->begun = true;
		tell(thread, OMP_EVENT_THR_BEGIN_EXEC_TASK);
	}
}

bool set_callbacks(ompt_function_lookup_t lookup)
{
	static const struct {
		ompt_callbacks_t event;
		ompt_callback_t callback;
	} callbacks[] = {
		{ ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin },
		{ ompt_callback_thread_end, (ompt_callback_t)on_thread_end },
		{ ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin },
		{ ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end },
		{ ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task },
		{ ompt_callback_work, (ompt_callback_t)on_work },
		{ ompt_callback_masked, (ompt_callback_t)on_masked },
		{ ompt_callback_sync_region_wait, (ompt_callback_t)on_wait },
		{ ompt_callback_reduction, (ompt_callback_t)on_reduction },
		{ ompt_callback_mutex_acquire, (ompt_callback_t)on_acquire },
		{ ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired },
		{ ompt_callback_mutex_released, (ompt_callback_t)on_released },
		{ ompt_callback_nest_lock, (ompt_callback_t)on_nest_lock },
		{ ompt_callback_task_create, (ompt_callback_t)on_task_create },
		{ ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule },
	};
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
	gomp_set_task_phase_t set_phase = (gomp_set_task_phase_t)lookup(GOMP_SET_TASK_PHASE);

	if (!set)
		return false;
	find_lock_tests();
	for (size_t i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++) {
		ompt_set_result_t answer = set(callbacks[i].event, callbacks[i].callback);

		if (answer > answers[callbacks[i].event])
			answers[callbacks[i].event] = answer;
	}
	if (set_phase) {
		set_phase(on_task_phase);
		sees_creation = true;
	}
	get_state = (ompt_get_state_t)lookup("ompt_get_state");
	return true;
}

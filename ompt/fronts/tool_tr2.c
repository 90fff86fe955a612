// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front for tools of TR2 (include/ompt/ompt_tr2.h has their view of it).

#include <stdlib.h>
#include <string.h>

#include "fronts.h"
#include "ompt/test_locks.h"

enum {
#define EVENT_TR2(number, name, source, limit) OLD_##name = (number),
#include "events.def"
	EVENT_COUNT
};

static const struct event events[EVENT_COUNT] = {
#define EVENT_TR2(number, name, source, limit) [number] = { ompt_callback_##source, limit, true },
#include "events.def"
};

/** A frame as TR2 has it. */
struct frame {
	void *exit, *enter;
};

struct dependence {
	void *variable;
	uint32_t flags;
};

/** Return a frame in TR2's terms: where a task enters the runtime is an address of the program's frame. The
 *  runtimes have the frame of their own function there. It begins with a return address and a frame
 *  pointer; what is above is the program's. Other flags than these may not have been set. */
static struct frame old_frame(const ompt_frame_t *frame)
{
	struct frame old = { frame->exit_frame.ptr, frame->enter_frame.ptr };

	if (old.enter &&
	    frame->enter_frame_flags != (ompt_frame_application | ompt_frame_framepointer))
		old.enter = (void **)old.enter + 2;
	return old;
}

/** Return TR2's invoker of a region. */
static int invoker(int flags)
{
	return flags & ompt_parallel_invoker_program ? 1 : 2;
}

// ---- Callbacks for the runtime ---------------------------------------------------------------

static void tell_idle(ompt_scope_endpoint_t endpoint)
{
	TELL(OLD_idle, (ompt_scope_endpoint_t), endpoint);
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	bool is_idle = fronts_thread_begin(type);

	TELL(OLD_thread_begin, (ompt_thread_t, ompt_data_t *), type, data);
	if (is_idle)
		tell_idle(ompt_scope_begin);
}

static void on_thread_end(ompt_data_t *data)
{
	if (fronts_thread.is_idle)
		tell_idle(ompt_scope_end);
	TELL(OLD_thread_end, (ompt_data_t *), data);
}

static void on_parallel_begin(ompt_data_t *task_data, const ompt_frame_t *frame,
			      ompt_data_t *parallel_data, unsigned int requested, int flags,
			      const void *code)
{
	struct frame old = old_frame(frame);

	if (!(flags & ompt_parallel_league))
		TELL(OLD_parallel_begin,
		     (ompt_data_t *, const struct frame *, ompt_data_t *, uint32_t, int,
		      const void *),
		     task_data, &old, parallel_data, requested, invoker(flags), code);
}

static void on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *task_data, int flags,
			    const void *code)
{
	if (!(flags & ompt_parallel_league))
		TELL(OLD_parallel_end, (ompt_data_t *, ompt_data_t *, int, const void *),
		     parallel_data, task_data, invoker(flags), code);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
			     ompt_data_t *task_data, unsigned int size, unsigned int index,
			     int flags)
{
	if (endpoint == ompt_scope_begin && fronts_enter_region(parallel_data))
		tell_idle(ompt_scope_end);
	if (!(flags & ompt_task_initial))
		TELL(OLD_implicit_task, (ompt_scope_endpoint_t, ompt_data_t *, ompt_data_t *),
		     endpoint, parallel_data ? parallel_data : fronts_region(), task_data);
	if (endpoint == ompt_scope_end && fronts_leave_region())
		tell_idle(ompt_scope_begin);
}

enum { TASK_INITIAL = 1, TASK_IMPLICIT, TASK_EXPLICIT, TASK_TARGET };

/** Return TR2's type of a task. */
static int task_type(int flags)
{
	if (flags & ompt_task_target)
		return TASK_TARGET;
	if (flags & ompt_task_explicit)
		return TASK_EXPLICIT;
	return flags & ompt_task_initial ? TASK_INITIAL : TASK_IMPLICIT;
}

static void on_task_create(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *new_data,
			   int flags, int has_dependences, const void *code)
{
	struct frame old = frame ? old_frame(frame) : (struct frame){ 0 };

	if (fronts_is_task(new_data, flags))
		TELL(OLD_task_create,
		     (ompt_data_t *, const struct frame *, ompt_data_t *, int, const void *),
		     task_data, &old, new_data, task_type(flags), code);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
	enum leaving leaving = fronts_leaving(prior, status);

	if (leaving != LEAVES_NOTHING)
		TELL(OLD_task_schedule, (ompt_data_t *, bool, ompt_data_t *), prior,
		     leaving != SUSPENDS, next ? next : fronts_task(NULL));
}

static void on_dependences(ompt_data_t *task_data, const ompt_dependence_t *new, int count)
{
	enum { OUT = 1, IN = 2, INOUT = 3 };
	struct dependence *old;

	// Not those of ordered constructs and taskwaits, which are no tasks.
	if (!fronts_callbacks[OLD_task_dependences] || task_data == fronts_thread.ignored ||
	    count < 1 || new[0].dependence_type == ompt_dependence_type_source ||
	    new[0].dependence_type == ompt_dependence_type_sink)
		return;
	old = calloc((size_t)count, sizeof(*old));
	if (!old)
		return;
	for (int i = 0; i < count; i++) {
		int type = new[i].dependence_type;

		old[i].variable = new[i].variable.ptr;
		old[i].flags = INOUT;
		if (type == ompt_dependence_type_in)
			old[i].flags = IN;
		else if (type == ompt_dependence_type_out ||
			 type == ompt_dependence_type_out_all_memory)
			old[i].flags = OUT;
	}
	TELL(OLD_task_dependences, (ompt_data_t *, const struct dependence *, int), task_data, old,
	     count);
	free(old);
}

static void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
	if (sink != fronts_thread.ignored)
		TELL(OLD_task_dependence_pair, (ompt_data_t *, ompt_data_t *), source, sink);
}

/** Tell of a barrier, a taskwait or a taskgroup, or of the wait in it. */
static void tell_sync(int event, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		      ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	enum { BARRIER = 1, TASKWAIT, TASKGROUP };
	int old = BARRIER;

	if (kind == ompt_sync_region_reduction)
		return;
	if (kind == ompt_sync_region_taskwait)
		old = TASKWAIT;
	else if (kind == ompt_sync_region_taskgroup)
		old = TASKGROUP;
	TELL(event, (int, ompt_scope_endpoint_t, ompt_data_t *, ompt_data_t *, const void *), old,
	     endpoint, parallel_data ? parallel_data : fronts_region(), task_data, code);
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		    ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	tell_sync(OLD_sync_region, kind, endpoint, parallel_data, task_data, code);
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		    ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	tell_sync(OLD_sync_region_wait, kind, endpoint, parallel_data, task_data, code);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
		    ompt_data_t *task_data, uint64_t count, const void *code)
{
	int old = kind >= ompt_work_loop_static ? ompt_work_loop : kind;

	// Later kinds, of taskloops and scopes, are none of TR2's.
	if (old <= ompt_work_distribute)
		TELL(OLD_worksharing,
		     (int, ompt_scope_endpoint_t, ompt_data_t *, ompt_data_t *, const void *), old,
		     endpoint, parallel_data, task_data, code);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
		      ompt_data_t *task_data, const void *code)
{
	TELL(OLD_master, (ompt_scope_endpoint_t, ompt_data_t *, ompt_data_t *, const void *),
	     endpoint, parallel_data, task_data, code);
}

/** Return TR2's kind of a mutex. */
static int mutex_kind(ompt_mutex_t kind)
{
	static const int kinds[] = {
		[ompt_mutex_lock] = 0x11,      [ompt_mutex_test_lock] = 0x11,
		[ompt_mutex_nest_lock] = 0x12, [ompt_mutex_test_nest_lock] = 0x12,
		[ompt_mutex_critical] = 0x13,  [ompt_mutex_atomic] = 0x14,
		[ompt_mutex_ordered] = 0x20
	};

	return kind <= ompt_mutex_ordered ? kinds[kind] : 0x10;
}

static void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
			 ompt_wait_id_t lock, const void *code)
{
	TELL(OLD_init_lock, (bool, ompt_wait_id_t, uint32_t, uint32_t, const void *),
	     fronts_is_nest(kind), lock, hint, impl, code);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t lock, const void *code)
{
	TELL(OLD_destroy_lock, (bool, ompt_wait_id_t, const void *), fronts_is_nest(kind), lock,
	     code);
}

static void tell_nested(ompt_scope_endpoint_t endpoint, ompt_wait_id_t lock, const void *code)
{
	TELL(OLD_nested_lock, (ompt_scope_endpoint_t, ompt_wait_id_t, const void *), endpoint, lock,
	     code);
}

static void on_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t lock,
		       const void *code)
{
	if (fronts_is_nest(kind) && fronts_holds(lock))
		tell_nested(ompt_scope_begin, lock, code);
	else if (kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock &&
		 !tests_lock((uintptr_t)__builtin_return_address(0)))
		TELL(OLD_mutex_acquire, (int, uint32_t, uint32_t, ompt_wait_id_t, const void *),
		     mutex_kind(kind), hint, impl, lock, code);
}

static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t lock, const void *code)
{
	fronts_acquired(kind, lock);
	TELL(OLD_mutex_acquired, (int, ompt_wait_id_t, const void *), mutex_kind(kind), lock, code);
}

static void on_released(ompt_mutex_t kind, ompt_wait_id_t lock, const void *code)
{
	fronts_released(kind, lock);
	TELL(OLD_mutex_release, (int, ompt_wait_id_t, const void *), mutex_kind(kind), lock, code);
}

// In TR2 both ends are of taking a lock once more; giving it back once is no event.
static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t lock, const void *code)
{
	if (endpoint == ompt_scope_begin)
		tell_nested(ompt_scope_end, lock, code);
}

static void on_flush(ompt_data_t *thread_data, const void *code)
{
	TELL(OLD_flush, (ompt_data_t *, const void *), thread_data, code);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
		      ompt_data_t *task_data, ompt_id_t target_id, const void *code)
{
	int old = kind >= ompt_target_nowait ? kind - ompt_target_nowait + ompt_target : kind;

	TELL(OLD_target,
	     (int32_t, int, ompt_data_t *, ompt_scope_endpoint_t, ompt_id_t, const void *), device,
	     old, task_data, endpoint, target_id, code);
}

static void on_target_data(ompt_id_t target_id, ompt_id_t op_id, ompt_target_data_op_t type,
			   void *from, int from_device, void *to, int to_device, size_t bytes,
			   const void *code)
{
	int old = type >= ompt_target_data_alloc_async ?
			  type - ompt_target_data_alloc_async + ompt_target_data_alloc :
			  type;
	bool from_host = old <= ompt_target_data_transfer_to_device;

	// Associations are no activity of a device.
	if (old <= ompt_target_data_delete)
		TELL(OLD_target_data, (ompt_id_t, ompt_id_t, int, void *, void *, size_t),
		     target_id, op_id, old, from_host ? from : to, from_host ? to : from, bytes);
}

static void on_target_map(ompt_id_t target_id, unsigned int count, void **host, void **device,
			  size_t *bytes, unsigned int *flags, const void *code)
{
	TELL(OLD_target_data_map, (ompt_id_t, uint32_t, void **, void **, size_t *, unsigned int *),
	     target_id, count, host, device, bytes, flags);
}

// How many teams were granted, OMPT 5.x does not say here.
static void on_target_submit(ompt_id_t target_id, ompt_id_t op_id, unsigned int teams)
{
	TELL(OLD_target_submit, (ompt_id_t, ompt_id_t, uint32_t, uint32_t), target_id, op_id, teams,
	     0);
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
	HANDLER(dependences, on_dependences),
	HANDLER(task_dependence, on_task_dependence),
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
	HANDLER(target, on_target),
	HANDLER(target_data_op, on_target_data),
	HANDLER(target_map, on_target_map),
	HANDLER(target_submit, on_target_submit),
};

// ---- Routines --------------------------------------------------------------------------------

static int set_callback(int event, ompt_callback_t callback)
{
	static const int answers[ANSWERS] = {
		[NO_EVENT] = 0,
		[NO_CALLBACK] = 1,
		[SOMETIMES] = 3,
		[ALWAYS] = 4,
	};

	return answers[fronts_set_callback(&front_tr2, event, callback)];
}

static int get_callback(int event, ompt_callback_t *callback)
{
	return fronts_get_callback(&front_tr2, event, callback);
}

enum { UNDEFINED_STATE = 0x80 };

static bool enumerate_states(int current, int *next, const char **name)
{
	const struct state *state = fronts_next_state(current, current == UNDEFINED_STATE,
						      offsetof(struct state, old_tr2));

	if (!state || state->old_tr2 == UNDEFINED_STATE)
		return false;
	*next = state->old_tr2;
	*name = state->name_tr2;
	return true;
}

static bool enumerate_mutex_kinds(uint32_t current, uint32_t *next, const char **name)
{
	int following;

	if (!fronts_runtime.enumerate_mutex_impls((int)current, &following, name))
		return false;
	*next = (uint32_t)following;
	return true;
}

static ompt_data_t *get_thread_data(void)
{
	return fronts_runtime.get_thread_data();
}

static int get_state(ompt_wait_id_t *wait_id)
{
	ompt_wait_id_t unused;

	return fronts_state(fronts_runtime.get_state(wait_id ? wait_id : &unused))->old_tr2;
}

static bool get_parallel_info(int level, ompt_data_t **data, int *team_size)
{
	ompt_data_t *found = fronts_parallel_data(level, team_size);

	if (data)
		*data = found;
	return found != NULL;
}

static bool get_task_info(int level, int *type, ompt_data_t **data, struct frame **frame,
			  ompt_data_t **parallel_data)
{
	ompt_data_t *region = NULL;
	ompt_frame_t *new_frame = NULL;
	int flags = 0;

	if (!fronts_task_info(level, &flags, data, &new_frame, &region))
		return false;
	if (type)
		*type = task_type(flags);
	if (frame) {
		*frame =
			(struct frame *)&fronts_thread.frames[level % LENGTH(fronts_thread.frames)];
		**frame = new_frame ? old_frame(new_frame) : (struct frame){ 0 };
	}
	if (parallel_data)
		*parallel_data = fronts_is_around(region) ? region : NULL;
	return true;
}

static bool get_target_info(ompt_id_t *target_id, ompt_id_t *host_op_id)
{
	uint64_t device;

	return fronts_runtime.get_target_info &&
	       fronts_runtime.get_target_info(&device, target_id, host_op_id);
}

static int get_num_devices(void)
{
	return fronts_runtime.get_num_devices ? fronts_runtime.get_num_devices() : 0;
}

static int get_device_id(void)
{
	ompt_id_t target_id, host_op_id;
	uint64_t device;

	if (!fronts_runtime.get_target_info ||
	    !fronts_runtime.get_target_info(&device, &target_id, &host_op_id))
		return -1;
	return (int)device;
}

#define DEVICE_PREFIX "ompt_target_"

/** Look a routine up. Those for devices (5.7 and 6) are what the runtime has of these names: libompt-gomp.so
 *  and libompdbg-device.so, which trace devices, may have them. */
static ompt_interface_fn_t lookup(const char *name)
{
	static const struct {
		const char *name;
		ompt_interface_fn_t function;
	} routines[] = {
		{ "ompt_set_callback", (ompt_interface_fn_t)set_callback },
		{ "ompt_get_callback", (ompt_interface_fn_t)get_callback },
		{ "ompt_enumerate_states", (ompt_interface_fn_t)enumerate_states },
		{ "ompt_enumerate_mutex_kinds", (ompt_interface_fn_t)enumerate_mutex_kinds },
		{ "ompt_get_thread_data", (ompt_interface_fn_t)get_thread_data },
		{ "ompt_get_state", (ompt_interface_fn_t)get_state },
		{ "ompt_get_parallel_info", (ompt_interface_fn_t)get_parallel_info },
		{ "ompt_get_task_info", (ompt_interface_fn_t)get_task_info },
		{ "ompt_get_target_info", (ompt_interface_fn_t)get_target_info },
		{ "ompt_get_num_devices", (ompt_interface_fn_t)get_num_devices },
		{ "ompt_target_get_device_id", (ompt_interface_fn_t)get_device_id },
	};

	for (size_t i = 0; i < LENGTH(routines); i++)
		if (!strcmp(name, routines[i].name))
			return routines[i].function;
	return strncmp(name, DEVICE_PREFIX, strlen(DEVICE_PREFIX)) ? NULL :
								     fronts_runtime.lookup(name);
}

/** Pass a command of the program on. */
static void control(uint64_t command, uint64_t modifier, const void *code)
{
	TELL(OLD_control, (uint64_t, uint64_t, const void *), command, modifier, code);
}

typedef void (*initializer_t)(ompt_function_lookup_t, const char *, unsigned int);
initializer_t fronts_tr2_initializer;

/** Let the old tool look routines up and register its callbacks. */
static bool start(void)
{
	fronts_tr2_initializer(lookup, fronts_runtime.name, 2);
	return true;
}

const struct front front_tr2 = {
	.events = events,
	.num_events = EVENT_COUNT,
	.handlers = handlers,
	.num_handlers = LENGTH(handlers),
	.start = start,
	.control = control,
	.shutdown = OLD_runtime_shutdown,
};

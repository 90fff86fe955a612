// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool as TR2 has them: it counts all events, and checks what it is told.

#include <string.h>

#include "ompt_tr2.h"
#include "report.h"

static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_enumerate_states_t enumerate_states;
static ompt_enumerate_mutex_kinds_t enumerate_mutex_kinds;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_state_t get_state;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;
static ompt_get_target_info_t get_target_info;
static ompt_get_num_devices_t get_num_devices;
static ompt_target_get_device_id_t get_device_id;

// What the program knows of a place (programs/places.c).
struct place {
	int level, size, outer, in_task, is_undeferred;
	const void *frame, *code;
};
void check_place(const struct place *place);
const void *parallel_frame;

static __thread struct instance *thread;
static __thread int idle;
static __thread bool is_worker, has_rested; // since its last region
static __thread int depth;		    // of regions
static int has_shut_down;

static const char *const endpoints[] = { [1] = "begin", "end" };

static const char *end_name(ompt_scope_endpoint_t endpoint)
{
	REQUIRE(endpoint == ompt_scope_begin || endpoint == ompt_scope_end);
	return endpoints[endpoint];
}

/** Check a return address: count those that are missing. */
static void check_code(const char *event, const void *code)
{
	if (!code)
		count("no_code", event, NULL);
}

// ---- Threads ---------------------------------------------------------------------------------

static void on_thread_begin(ompt_thread_type_t type, ompt_thread_data_t *data)
{
	static const char *const types[] = { [1] = "initial", "worker", "other", "unknown" };

	count("thread_begin", types[type], NULL);
	REQUIRE(!data->ptr);
	REQUIRE(data == get_thread_data());
	thread = new_instance();
	data->ptr = thread;
	idle = 0;
	is_worker = type == ompt_thread_worker;
	has_rested = false;
	depth = 0;
}

static void on_thread_end(ompt_thread_data_t *data)
{
	count("thread_end", NULL, NULL);
	REQUIRE(lives(thread) && data->ptr == thread);
	REQUIRE(!idle);
	if (thread)
		thread->magic = ENDED;
}

static void on_idle(ompt_scope_endpoint_t endpoint)
{
	count("idle", end_name(endpoint), NULL);
	REQUIRE(idle == (endpoint == ompt_scope_end));
	REQUIRE(lives(thread));
	idle = endpoint == ompt_scope_begin;
	has_rested |= !idle;
}

static void on_flush(ompt_thread_data_t *data, const void *code)
{
	count("flush", NULL, NULL);
	REQUIRE(data->ptr == thread);
	REQUIRE(code);
}

// ---- Regions and tasks -----------------------------------------------------------------------

/** Return the task that data are of; null for the initial one, of which no event tells. */
static struct instance *task_of(const ompt_task_data_t *data)
{
	REQUIRE(data);
	if (!data || !data->ptr)
		return NULL;
	REQUIRE(lives(data->ptr));
	return data->ptr;
}

static void on_parallel_begin(ompt_task_data_t *parent, const ompt_frame_t *frame,
			      ompt_parallel_data_t *region, uint32_t requested,
			      ompt_invoker_t invoker, const void *code)
{
	(void)requested;
	count("parallel_begin", NULL, NULL);
	task_of(parent);
	REQUIRE(!region->ptr);
	REQUIRE(frame && is_around(frame->enter_frame));
	// Where the program's function ends: in front of the return address of its call.
	if (frame && parallel_frame && !task_of(parent))
		REQUIRE(frame->enter_frame < parallel_frame &&
			((const void *const *)frame->enter_frame)[-1] == code);
	REQUIRE(invoker == ompt_invoker_program || invoker == ompt_invoker_runtime);
	check_code("parallel_begin", code);
	REQUIRE(!idle && lives(thread));
	region->ptr = new_instance();
}

static void on_parallel_end(ompt_parallel_data_t *region, ompt_task_data_t *parent,
			    ompt_invoker_t invoker, const void *code)
{
	count("parallel_end", NULL, NULL);
	task_of(parent);
	REQUIRE(lives(region->ptr));
	REQUIRE(invoker == ompt_invoker_program || invoker == ompt_invoker_runtime);
	check_code("parallel_end", code);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_parallel_data_t *region,
			     ompt_task_data_t *data)
{
	ompt_parallel_data_t *current = NULL;
	int size = 0;

	count("implicit_task", end_name(endpoint), NULL);
	REQUIRE(lives(region->ptr));
	REQUIRE(!idle && lives(thread));
	if (endpoint == ompt_scope_begin) {
		struct instance *task = new_instance();

		REQUIRE(!is_worker || depth || has_rested);
		has_rested = false;
		depth++;
		REQUIRE(!data->ptr);
		REQUIRE(get_parallel_info(0, &current, &size) && current == region && size > 0);
		task->region = region->value;
		data->ptr = task;
	} else {
		struct instance *task = task_of(data);

		depth--;
		REQUIRE(task && task->region == region->value);
		if (task)
			task->magic = ENDED;
	}
}

static void on_task_create(ompt_task_data_t *parent, const ompt_frame_t *frame,
			   ompt_task_data_t *data, ompt_task_type_t type, const void *code)
{
	static const char *const types[] = {
		[1] = "initial", "implicit", "explicit", "target", "degenerate"
	};

	count("task_create", types[type], NULL);
	task_of(parent);
	REQUIRE(frame && code);
	REQUIRE(!data->ptr);
	data->ptr = new_instance();
}

static void on_task_schedule(ompt_task_data_t *prior, bool completed, ompt_task_data_t *next)
{
	struct instance *task = task_of(prior);

	count("task_schedule", completed ? "completed" : "suspended", NULL);
	REQUIRE(prior != next);
	task_of(next);
	REQUIRE(!completed || task);
	if (completed && task)
		task->magic = ENDED;
}

static void on_task_dependences(ompt_task_data_t *data, const ompt_task_dependence_t *deps, int n)
{
	static const char *const types[] = { [1] = "out", "in", "inout" };

	REQUIRE(task_of(data));
	for (int i = 0; i < n; i++) {
		REQUIRE(deps[i].variable_addr);
		count("task_dependences", types[deps[i].dependence_flags], NULL);
	}
}

static void on_task_dependence_pair(ompt_task_data_t *source, ompt_task_data_t *sink)
{
	count("task_dependence_pair", NULL, NULL);
	// LLVM's runtime tells of a task's completion before it takes the task out of its lists of
	// dependences, so the source may have completed meanwhile.
	REQUIRE(source && was_instance(source->ptr));
	REQUIRE(task_of(sink));
}

static void check_region(const char *event, const ompt_parallel_data_t *region,
			 const ompt_task_data_t *data)
{
	struct instance *task = task_of(data);

	REQUIRE(region);
	if (task && task->region && region->value != task->region)
		complain("%s: another region than the task's", event);
}

static const char *const syncs[] = { [1] = "barrier", "taskwait", "taskgroup" };

static void on_sync_region(ompt_sync_region_kind_t kind, ompt_scope_endpoint_t endpoint,
			   ompt_parallel_data_t *region, ompt_task_data_t *data, const void *code)
{
	(void)code;
	count("sync_region", syncs[kind], end_name(endpoint));
	check_region("sync_region", region, data);
}

static void on_sync_region_wait(ompt_sync_region_kind_t kind, ompt_scope_endpoint_t endpoint,
				ompt_parallel_data_t *region, ompt_task_data_t *data,
				const void *code)
{
	(void)code;
	count("sync_region_wait", syncs[kind], end_name(endpoint));
	check_region("sync_region_wait", region, data);
}

static void on_worksharing(ompt_worksharing_type_t type, ompt_scope_endpoint_t endpoint,
			   ompt_parallel_data_t *region, ompt_task_data_t *data, const void *code)
{
	static const char *const types[] = { [1] = "loop",   "sections",  "single_executor",
					     "single_other", "workshare", "distribute" };

	count("worksharing", types[type], end_name(endpoint));
	check_region("worksharing", region, data);
	REQUIRE(code || endpoint == ompt_scope_end);
}

static void on_master(ompt_scope_endpoint_t endpoint, ompt_parallel_data_t *region,
		      ompt_task_data_t *data, const void *code)
{
	(void)code;
	count("master", end_name(endpoint), NULL);
	check_region("master", region, data);
}

// ---- Mutual exclusion ------------------------------------------------------------------------

static const char *mutex_name(ompt_mutex_kind_t kind)
{
	static const char *const names[] = { [ompt_mutex_lock] = "lock",
					     [ompt_mutex_nest_lock] = "nest_lock",
					     [ompt_mutex_critical] = "critical",
					     [ompt_mutex_atomic] = "atomic",
					     [ompt_mutex_ordered] = "ordered" };

	REQUIRE(kind <= ompt_mutex_ordered && names[kind]);
	return names[kind];
}

static void on_init_lock(bool is_nest, ompt_wait_id_t id, uint32_t hint, uint32_t kind,
			 const void *code)
{
	(void)hint;
	(void)kind;
	count("init_lock", is_nest ? "nest_lock" : "lock", NULL);
	REQUIRE(id && code);
}

static void on_destroy_lock(bool is_nest, ompt_wait_id_t id, const void *code)
{
	count("destroy_lock", is_nest ? "nest_lock" : "lock", NULL);
	REQUIRE(id && code);
}

static void on_mutex_acquire(ompt_mutex_kind_t kind, uint32_t hint, uint32_t impl,
			     ompt_wait_id_t id, const void *code)
{
	(void)hint;
	(void)impl;
	count("mutex_acquire", mutex_name(kind), NULL);
	REQUIRE(id && code);
}

static void on_mutex_acquired(ompt_mutex_kind_t kind, ompt_wait_id_t id, const void *code)
{
	count("mutex_acquired", mutex_name(kind), NULL);
	REQUIRE(id && code);
}

static void on_mutex_release(ompt_mutex_kind_t kind, ompt_wait_id_t id, const void *code)
{
	count("mutex_release", mutex_name(kind), NULL);
	REQUIRE(id);
	check_code("mutex_release", code);
}

static void on_nested_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void *code)
{
	count("nested_lock", end_name(endpoint), NULL);
	REQUIRE(id && code);
}

// ---- Devices and the rest --------------------------------------------------------------------

static void on_target(int32_t device, ompt_target_type_t type, ompt_task_data_t *data,
		      ompt_scope_endpoint_t endpoint, ompt_target_id_t id, const void *code)
{
	static const char *const types[] = { [1] = "region", "enter_data", "exit_data", "update" };
	ompt_target_id_t now = 0, op = 1;

	count("target", types[type], end_name(endpoint));
	task_of(data);
	REQUIRE(id && code);
	REQUIRE(get_target_info(&now, &op) && now == id && !op);
	REQUIRE(get_device_id() == device);
}

static void on_target_data(ompt_target_id_t id, ompt_target_id_t op, ompt_target_data_op_t type,
			   void *host, void *device, size_t bytes)
{
	(void)host, (void)device, (void)bytes;
	count("target_data", type == ompt_target_data_alloc ? "alloc" : "other", NULL);
	REQUIRE(id && op);
}

static void on_target_data_map(ompt_target_id_t id, uint32_t n, void **host, void **device,
			       size_t *bytes, uint32_t *flags)
{
	(void)n, (void)host, (void)device, (void)bytes, (void)flags;
	count("target_data_map", NULL, NULL);
	REQUIRE(id);
}

static void on_target_submit(ompt_target_id_t id, ompt_target_id_t op, uint32_t requested,
			     uint32_t granted)
{
	(void)requested, (void)granted;
	count("target_submit", NULL, NULL);
	REQUIRE(id && op);
}

static void on_control(uint64_t command, uint64_t modifier, const void *code)
{
	count("control", NULL, NULL);
	note("control", "command", command);
	note("control", "modifier", modifier);
	REQUIRE(code);
}

static void on_runtime_shutdown(void)
{
	count("runtime_shutdown", NULL, NULL);
	REQUIRE(!has_shut_down++);
	report();
}

void check_place(const struct place *place)
{
	ompt_parallel_data_t *region = NULL, *of_task = NULL;
	ompt_task_type_t type = 0, expected;
	ompt_task_data_t *data = NULL;
	ompt_frame_t *frame = NULL;
	ompt_wait_id_t id;
	int size = 0;

	count("place", NULL, NULL);
	expected = place->level ? ompt_task_implicit : ompt_task_initial;
	if (place->in_task)
		expected = ompt_task_explicit;
	REQUIRE(get_state(&id) == (place->level ? omp_state_work_parallel : omp_state_work_serial));
	for (int level = 0; level < place->level + 2; level++) {
		REQUIRE(get_parallel_info(level, &region, &size) == (level < place->level));
		REQUIRE(!region == (level >= place->level));
		REQUIRE(!region || lives(region->ptr));
		REQUIRE(!region || size == (level == 0 ? place->size : place->outer));
	}
	REQUIRE(!get_parallel_info(-1, &region, &size) && !get_task_info(-1, 0, 0, 0, 0));
	REQUIRE(!get_task_info(100, NULL, NULL, NULL, NULL));
	get_parallel_info(0, &region, &size);
	REQUIRE(get_task_info(0, &type, &data, &frame, &of_task));
	REQUIRE(type == expected && of_task == region);
	REQUIRE(data && !data->ptr == (!place->level && !place->in_task));
	REQUIRE(!data || !data->ptr || lives(data->ptr));
	REQUIRE(frame && !frame->enter_frame);
	// LLVM's runtime may have a frame of the program for an undeferred task, or none.
	if (frame && place->is_undeferred)
		REQUIRE(frame->exit_frame >= place->frame || !frame->exit_frame);
	else if (frame && (place->level || place->in_task))
		REQUIRE(frame->exit_frame > place->frame);
	else
		REQUIRE(frame && !frame->exit_frame);
	REQUIRE(get_thread_data() && get_thread_data()->ptr == thread);
	REQUIRE(get_num_devices() >= 0 && get_device_id() == -1);
}

/** Ask whatever may be asked in a signal handler. */
void take_sample(void);
void take_sample(void)
{
	ompt_parallel_data_t *region;
	ompt_task_data_t *data;
	ompt_frame_t *frame;
	ompt_wait_id_t id;
	int size;

	REQUIRE(get_state(&id) != omp_state_undefined);
	for (int level = 0; level < 5; level++) {
		if (get_parallel_info(level, &region, &size))
			REQUIRE(lives(region->ptr) && size > 0);
		if (get_task_info(level, NULL, &data, &frame, &region))
			REQUIRE(frame && data && (!region || lives(region->ptr)));
	}
	count("sample", NULL, NULL);
}

static void check_routines(void)
{
	omp_state_t state = omp_state_undefined;
	uint32_t kind = ompt_mutex_kind_unknown;
	ompt_callback_t callback = NULL;
	const char *name;

	while (enumerate_states(state, &state, &name))
		note("state", name, state);
	while (enumerate_mutex_kinds(kind, &kind, &name))
		note("mutex_kind", name, kind);
	REQUIRE(get_callback(ompt_event_control, &callback) == 1);
	REQUIRE(callback == (ompt_callback_t)on_control);
	REQUIRE(set_callback(0, callback) == 0 && set_callback(28, callback) == 0);
	REQUIRE(get_callback(28, &callback) == 0);
}

static void initialize(ompt_function_lookup_t lookup, const char *runtime, unsigned int version)
{
	REQUIRE(runtime && *runtime && version == 2);
#define FIND(name)                                      \
	name = (__typeof__(name))lookup("ompt_" #name); \
	REQUIRE(name)
	FIND(set_callback);
	FIND(get_callback);
	FIND(enumerate_states);
	FIND(enumerate_mutex_kinds);
	FIND(get_thread_data);
	FIND(get_state);
	FIND(get_parallel_info);
	FIND(get_task_info);
	FIND(get_target_info);
	FIND(get_num_devices);
	get_device_id = (ompt_target_get_device_id_t)lookup("ompt_target_get_device_id");
	REQUIRE(get_device_id && !lookup("ompt_none"));
#define SET(event) \
	note("set", #event, (uint64_t)set_callback(ompt_event_##event, (ompt_callback_t)on_##event))
	SET(thread_begin);
	SET(thread_end);
	SET(parallel_begin);
	SET(parallel_end);
	SET(task_create);
	SET(task_schedule);
	SET(implicit_task);
	SET(target);
	SET(target_data);
	SET(target_submit);
	SET(control);
	SET(runtime_shutdown);
	SET(idle);
	SET(sync_region_wait);
	SET(mutex_release);
	SET(task_dependences);
	SET(task_dependence_pair);
	SET(worksharing);
	SET(master);
	SET(target_data_map);
	SET(sync_region);
	SET(init_lock);
	SET(destroy_lock);
	SET(mutex_acquire);
	SET(mutex_acquired);
	SET(nested_lock);
	SET(flush);
	check_routines();
}

ompt_initialize_fn_t ompt_tool(void)
{
	return initialize;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and end of the tool, and what every callback begins with.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { CHUNK = 256 * 1024, EVENTS = 64 };

__thread struct thread *this_thread;
static __thread bool inside; // a callback

static ompt_set_callback_t set;
static ompt_get_callback_t get;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_unique_id_t get_unique_id;
static bool plain;
static ompt_callback_t callbacks[EVENTS]; // those that are set

// ---- Memory ----------------------------------------------------------------------------------

void *keep(size_t size)
{
	static __thread char *next;
	static __thread size_t left;

	size = (size + 15) & ~(size_t)15;
	if (size > left) {
		next = calloc(1, CHUNK);
		left = CHUNK;
		if (!next)
			abort();
	}
	left -= size;
	next += size;
	return next - size;
}

struct task *task_of(const ompt_data_t *data)
{
	struct task *task = data ? data->ptr : NULL;

	return task && task->magic == TASK_MAGIC ? task : NULL;
}

struct region *region_of(const ompt_data_t *data)
{
	struct region *region = data ? data->ptr : NULL;

	return region && region->magic == REGION_MAGIC ? region : NULL;
}

// ---- Every event -----------------------------------------------------------------------------

struct thread *enter(enum event event, unsigned int kind)
{
	struct thread *thread = this_thread;

	count(event, kind);
	if (!thread) {
		complain("%s: the thread has not begun", event_name(event));
		thread = this_thread = keep(sizeof(*thread));
	} else if (thread->ended) {
		complain("%s: the thread has ended", event_name(event));
	} else {
		const ompt_data_t *data = get_thread_data();

		if (!data || data->ptr != thread)
			complain("%s: ompt_get_thread_data answers other data", event_name(event));
	}
	if (frames_wanted && !inside) {
		inside = true;
		frames_check(event, kind);
		inquiry_check(thread, event, kind);
		inside = false;
	}
	return thread;
}

void check_code(enum event event, const void *code)
{
	static const char *const owners[] = { "the program", "the runtime", "the tool",
					      "the system", "nobody" };
	enum owner owner;

	if (!code) {
		count(EVENT_NO_CODE, event);
		return;
	}
	owner = code_owner(code);
	if (owner != OWNER_PROGRAM)
		complain("%s: the code pointer is in %s", event_name(event), owners[owner]);
}

struct task *check_task(struct thread *thread, enum event event, const ompt_data_t *data)
{
	struct task *task = task_of(data);

	if (!task)
		complain("%s: the task has no data", event_name(event));
	else if (__atomic_load_n(&task->state, __ATOMIC_RELAXED) == TASK_ENDED)
		complain("%s: the task has ended", event_name(event));
	else if (task != thread->task)
		complain("%s: task %llu is not the current task %lld", event_name(event),
			 (unsigned long long)task->id,
			 thread->task ? (long long)thread->task->id : -1);
	return thread->task;
}

void check_region(struct task *task, enum event event, const ompt_data_t *data)
{
	struct region *region = region_of(data);

	if (!region)
		complain("%s: the region has no data", event_name(event));
	else if (task && region != task->region)
		complain("%s: the region is not that of the current task", event_name(event));
}

void scope_begin(struct task *task, enum event event, unsigned int kind, const void *region)
{
	if (!task)
		return;
	if (task->scope_count == SCOPES)
		complain("%s: %d scopes are open", event_name(event), SCOPES);
	else
		task->scope[task->scope_count++] = (struct scope){ event, kind, region };
}

void scope_end(struct task *task, enum event event, unsigned int kind)
{
	const struct scope *scope;

	if (!task)
		return;
	if (task->scope_count == 0) {
		complain("end of %s.%s: nothing has begun", event_name(event),
			 kind_name(event, kind));
		return;
	}
	scope = &task->scope[--task->scope_count];
	if (scope->event != event || scope->kind != kind)
		complain("end of %s.%s within %s.%s", event_name(event), kind_name(event, kind),
			 event_name(scope->event), kind_name(scope->event, scope->kind));
}

// ---- Start and end ---------------------------------------------------------------------------

void set_callback(ompt_callbacks_t event, ompt_callback_t callback, ompt_set_result_t least)
{
	ompt_set_result_t result;

	if (plain && least == ompt_set_sometimes)
		return;
	result = set(event, callback);
	note("set %d %d", event, result);
	if (result >= ompt_set_sometimes)
		callbacks[event] = callback;
	if (result < ompt_set_never || result > ompt_set_always)
		complain("ompt_set_callback(%d) answers %d", event, result);
	if (least == ompt_set_always && result != ompt_set_always)
		complain("ompt_set_callback(%d) answers %d, not always", event, result);
}

void check_callbacks(void)
{
	for (int event = 1; event < EVENTS; event++) {
		ompt_callback_t found = NULL;
		int there = get((ompt_callbacks_t)event, &found);

		if (callbacks[event] && (!there || found != callbacks[event]))
			complain("ompt_get_callback(%d) does not answer what was set", event);
	}
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	const char *mode = getenv("OMPT_CHECKER");
	uint64_t one, other;

	(void)device;
	data->ptr = &plain;
	plain = mode && strcmp(mode, "plain") == 0;
	report_open();
	set = (ompt_set_callback_t)lookup("ompt_set_callback");
	get = (ompt_get_callback_t)lookup("ompt_get_callback");
	get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
	get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
	if (!set || !get || !get_thread_data || !get_unique_id)
		return 0;
	if (lookup("ompt_no_such_function"))
		complain("there is an entry point ompt_no_such_function");
	one = get_unique_id();
	other = get_unique_id();
	if (one == 0 || one == other)
		complain("ompt_get_unique_id answers %llu, then %llu", (unsigned long long)one,
			 (unsigned long long)other);
	frames_start(lookup);
	frames_wanted = mode && strcmp(mode, "frames") == 0;
	register_region_callbacks();
	register_task_callbacks();
	register_work_callbacks();
	register_mutex_callbacks();
	return 1;
}

static void finalize(ompt_data_t *data)
{
	if (data->ptr != &plain)
		complain("finalize: other data of the tool");
	report_write();
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	note("runtime %u %s", version, runtime);
	return &result;
}

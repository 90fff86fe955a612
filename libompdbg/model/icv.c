// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal control variables.

#include "model/icv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/room.h"

/** The part of a variable that all threads share. */
struct origin {
	const struct space_icv *icv;
	struct icv told; // the value of a variable of the process
};

enum { MAX_SETTERS = 3 };

/** The environment variable of each (OpenMP 5.2, table 2.1), and what else sets it in a runtime. */
static const struct {
	const char *icv;
	const char *names[MAX_SETTERS];
} setters[] = {
	{ "affinity-format-var", { "OMP_AFFINITY_FORMAT" } },
	{ "bind-var", { "OMP_PROC_BIND" } },
	{ "cancel-var", { "OMP_CANCELLATION" } },
	{ "debug-var", { "OMP_DEBUG" } },
	{ "def-allocator-var", { "OMP_ALLOCATOR" } },
	{ "default-device-var", { "OMP_DEFAULT_DEVICE" } },
	{ "display-affinity-var", { "OMP_DISPLAY_AFFINITY" } },
	{ "dyn-var", { "OMP_DYNAMIC" } },
	{ "max-active-levels-var", { "OMP_MAX_ACTIVE_LEVELS", "OMP_NESTED" } },
	{ "max-task-priority-var", { "OMP_MAX_TASK_PRIORITY" } },
	{ "nteams-var", { "OMP_NUM_TEAMS" } },
	{ "nthreads-var", { "OMP_NUM_THREADS" } },
	{ "place-partition-var", { "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY" } },
	{ "run-sched-var", { "OMP_SCHEDULE" } },
	{ "stacksize-var", { "OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE" } },
	{ "target-offload-var", { "OMP_TARGET_OFFLOAD" } },
	{ "teams-thread-limit-var", { "OMP_TEAMS_THREAD_LIMIT" } },
	{ "thread-limit-var", { "OMP_THREAD_LIMIT" } },
	{ "tool-libraries-var", { "OMP_TOOL_LIBRARIES" } },
	{ "tool-var", { "OMP_TOOL" } },
	{ "tool-verbose-init-var", { "OMP_TOOL_VERBOSE_INIT" } },
	{ "wait-policy-var", { "OMP_WAIT_POLICY", "KMP_LIBRARY" } },
};

const char *icv_scope_name(enum icv_scope scope)
{
	static const char *const names[] = { "process", "thread", "region", "task" };

	return names[scope];
}

static enum icv_scope scope_of(ompd_scope_t scope)
{
	switch (scope) {
	case ompd_scope_thread:
		return ICV_THREAD;
	case ompd_scope_parallel:
		return ICV_REGION;
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		return ICV_TASK;
	default:
		return ICV_PROCESS;
	}
}

// ---- The environment ---------------------------------------------------------------------------

static const struct setting *find_setting(struct runtime *runtime, const char *name)
{
	struct arena *arena = &runtime->process->arena;
	struct setting *setting;
	const char *value;

	if (!is_ok(space_environment(runtime->space, name, arena, &value)) || !value)
		return NULL;
	setting = ARENA_NEW(arena, struct setting);
	setting->name = name;
	setting->value = value;
	return setting;
}

const struct control_variable *runtime_control_variables(struct runtime *runtime, size_t *count)
{
	struct arena *arena = &runtime->process->arena;
	const char *const *lines;
	struct control_variable *found;

	*count = 0;
	if (!is_ok(space_control_variables(runtime->space, arena, &lines, count)))
		return NULL;
	found = ARENA_ARRAY(arena, struct control_variable, *count);
	for (size_t i = 0; i < *count; i++) {
		size_t length = strcspn(lines[i], "=");
		const char *value = lines[i] + length + (lines[i][length] == '=');
		found[i].name = arena_strndup(arena, lines[i], length);
		// The library says so of variables whose value it does not know.
		if (strcmp(value, "undefined") != 0 && strcmp(value, "unknown") != 0)
			found[i].value = value;
		found[i].setting = find_setting(runtime, found[i].name);
	}
	return found;
}

// ---- Variables ---------------------------------------------------------------------------------

/** Read a value, or the reason why there is none; neither of a variable that the runtime does not
 *  have. */
static void read_value(struct runtime *runtime, ompd_scope_t scope, void *handle, ompd_icv_id_t id,
		       struct icv *ret)
{
	struct arena *arena = &runtime->process->arena;
	struct ompdbg_error *error =
		space_icv_string(runtime->space, scope, handle, id, arena, &ret->value);
	int64_t number;

	if (!error)
		return;
	ret->value = NULL;
	ret->reason = arena_strdup(arena, error->message);
	ompdbg_error_destroy(error);
	// Other libraries than ours tell numbers as such only.
	if (is_ok(space_icv_value(runtime->space, scope, handle, id, &number))) {
		ret->value = arena_printf(arena, "%lld", (long long)number);
		ret->reason = NULL;
	} else if (space_last_code(runtime->space) == ompd_rc_unsupported) {
		ret->reason = NULL;
	}
}

static const char *const *setters_of(const char *icv)
{
	for (size_t i = 0; i < sizeof(setters) / sizeof(*setters); i++) {
		if (strcmp(setters[i].icv, icv) == 0)
			return setters[i].names;
	}
	return NULL;
}

/** Find what a variable was at the start, and what set it. */
static void find_beginning(struct runtime *runtime, const struct control_variable *variables,
			   size_t count, struct icv *icv)
{
	const char *const *names = setters_of(icv->name);
	bool is_as_set = false;

	for (size_t i = 0; names && i < MAX_SETTERS && names[i]; i++) {
		for (size_t k = 0; k < count && !icv->initial; k++) {
			if (is_same_text(variables[k].name, names[i]))
				icv->initial = variables[k].value;
		}
	}
	for (size_t i = 0; names && i < MAX_SETTERS && names[i]; i++) {
		const struct setting *setting = find_setting(runtime, names[i]);
		if (setting && !icv->setting)
			icv->setting = setting;
		is_as_set |= setting && icv->initial && is_same_text(setting->value, icv->initial);
	}
	if (is_as_set)
		icv->initial =
			NULL; // a runtime that does not keep it may have made something else of it
}

struct origins {
	struct origin *origins; // by scope
	size_t count;
};

/** Find what is the same for all threads; kept with the runtime. */
static const struct origins *find_origins(struct runtime *runtime)
{
	struct arena *arena = &runtime->process->arena;
	struct origins *found = runtime->icv_origins;
	const struct control_variable *variables;
	const struct space_icv *icvs;
	size_t count, num_variables;

	if (found)
		return found;
	found = runtime->icv_origins = ARENA_NEW(arena, struct origins);
	if (!is_ok(space_icvs(runtime->space, &icvs, &count)))
		return found;
	variables = runtime_control_variables(runtime, &num_variables);
	found->origins = ARENA_ARRAY(arena, struct origin, count);
	for (int scope = 0; scope < NUM_ICV_SCOPES; scope++) {
		for (size_t i = 0; i < count; i++) {
			struct origin *origin = &found->origins[found->count];
			// Older names of variables that have another one too begin so.
			if ((int)scope_of(icvs[i].scope) != scope ||
			    starts_with(icvs[i].name, "ompd-"))
				continue;
			origin->icv = &icvs[i];
			origin->told.name = icvs[i].name;
			origin->told.scope = (enum icv_scope)scope;
			if (scope == ICV_PROCESS)
				read_value(runtime, ompd_scope_address_space,
					   space_handle(runtime->space), icvs[i].id, &origin->told);
			find_beginning(runtime, variables, num_variables, &origin->told);
			found->count++;
		}
	}
	return found;
}

/** The handle to ask for the variables of a scope, or why there is none. */
struct asked {
	ompd_scope_t scope;
	void *handle;
	const char *reason;
};

/** Take the handle that a call made, or the reason why there is none. */
static struct asked asked_of(struct runtime *runtime, ompd_scope_t scope,
			     struct ompdbg_error *error, void *handle)
{
	struct asked found = { .scope = scope, .handle = handle };

	error = space_made(runtime->space, scope, error, handle);
	if (error) {
		found.handle = NULL;
		found.reason = arena_strdup(&runtime->process->arena, error->message);
		ompdbg_error_destroy(error);
	}
	return found;
}

static void find_asked(struct thread *thread, struct asked asked[NUM_ICV_SCOPES])
{
	struct space *space = thread->runtime->space;
	ompd_parallel_handle_t *parallel = NULL;
	ompd_task_handle_t *task = NULL;
	struct ompdbg_error *error;

	for (int scope = ICV_THREAD; scope < NUM_ICV_SCOPES; scope++)
		asked[scope] = (struct asked){ .reason = "no OpenMP thread" };
	if (!thread->handle)
		return;
	asked[ICV_THREAD] = (struct asked){ .scope = ompd_scope_thread, .handle = thread->handle };
	error = SPACE_CALL(space, get_curr_parallel_handle, thread->handle, &parallel);
	asked[ICV_REGION] = asked_of(thread->runtime, ompd_scope_parallel, error, parallel);
	error = SPACE_CALL(space, get_curr_task_handle, thread->handle, &task);
	asked[ICV_TASK] = asked_of(thread->runtime, ompd_scope_task, error, task);
}

const struct icv *thread_icvs(struct thread *thread, size_t *count)
{
	const struct origins *origins = find_origins(thread->runtime);
	struct icv *found =
		ARENA_ARRAY(&thread->runtime->process->arena, struct icv, origins->count);
	struct asked asked[NUM_ICV_SCOPES];

	find_asked(thread, asked);
	*count = 0;
	for (size_t i = 0; i < origins->count; i++) {
		const struct origin *origin = &origins->origins[i];
		const struct asked *whom = &asked[origin->told.scope];
		struct icv *icv = &found[*count];
		*icv = origin->told;
		if (icv->scope != ICV_PROCESS) {
			icv->reason = whom->reason;
			if (whom->handle)
				read_value(thread->runtime, whom->scope, whom->handle,
					   origin->icv->id, icv);
		}
		*count += icv->value || icv->reason;
	}
	return found;
}

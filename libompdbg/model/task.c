// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One task: implicit, explicit, or initial.

#include "model/room.h"

enum {
	USUAL_ELEMENTS = 32,	// of a depend clause
	MAX_ELEMENTS = 1 << 20, // a larger number is damage
};

static const char *name_of(struct runtime *runtime, const char *const *names, size_t count,
			   uint32_t value)
{
	if (value < count)
		return names[value];
	return arena_printf(&runtime->process->arena, "%u", (unsigned int)value);
}

#define NAME_OF(runtime, names, value) \
	name_of(runtime, names, sizeof(names) / sizeof((names)[0]), value)

const char *task_kind_name(struct runtime *runtime, uint32_t kind)
{
	static const char *const names[] = {
		[ompd_ext_task_initial] = "initial",
		[ompd_ext_task_implicit] = "implicit",
		[ompd_ext_task_explicit] = "explicit",
		[ompd_ext_task_target] = "target",
	};

	return NAME_OF(runtime, names, kind);
}

const char *task_status_name(struct runtime *runtime, uint32_t status)
{
	static const char *const names[] = {
		[ompd_ext_task_running] = "running",	 [ompd_ext_task_suspended] = "suspended",
		[ompd_ext_task_queued] = "queued",	 [ompd_ext_task_blocked] = "blocked",
		[ompd_ext_task_detached] = "detached",	 [ompd_ext_task_creating] = "creating",
		[ompd_ext_task_completed] = "completed", [ompd_ext_task_started] = "started",
		[ompd_ext_task_unknown] = "unknown",
	};

	return NAME_OF(runtime, names, status);
}

const char *task_kind(const struct task *task)
{
	return task_kind_name(task->runtime, task->info.kind);
}

bool task_is_lost(const struct task *task)
{
	struct team *team = task_team(task);
	int number = task_thread_num(task);

	return task->info.kind == ompd_ext_task_implicit && team && number != NOT_KNOWN &&
	       !team_member(team, number) && team_has_lost(team, number);
}

uint32_t task_status_code(const struct task *task)
{
	if (task_is_lost(task))
		return ompd_ext_task_unknown;
	if (task->info.status == ompd_ext_task_started && task->placement)
		return ompd_ext_task_suspended;
	return task->info.status;
}

const char *task_status(const struct task *task)
{
	return task_status_name(task->runtime, task_status_code(task));
}

int task_thread_num(const struct task *task)
{
	if (task->info.thread_num >= 0)
		return task->info.thread_num;
	return task->placement ? task->placement->thread_num : NOT_KNOWN;
}

struct team *task_team(const struct task *task)
{
	return runtime_team_by_id(task->runtime, task->info.parallel_id);
}

struct thread *task_runner(const struct task *task)
{
	struct team *team = task_team(task);
	int number = task_thread_num(task);

	return team && number != NOT_KNOWN ? team_member(team, number) : NULL;
}

/** Check for a task that the runtime begins a region with: it lies under all others of its thread. */
static bool is_implicit(const struct task *task)
{
	return task->info.kind == ompd_ext_task_initial ||
	       task->info.kind == ompd_ext_task_implicit;
}

struct thread *task_thread(struct task *task)
{
	struct process *process = task->runtime->process;
	struct team *team = task_team(task);
	const struct placement *placement;

	for (size_t i = 0; !is_implicit(task) && i < process->num_targets; i++) {
		struct task *other = thread_task(task->runtime->threads[i]);

		if (other && other->info.id == task->info.id)
			return task->runtime->threads[i];
	}
	if (!team)
		return NULL;
	if (is_implicit(task))
		return team_member(team, task->info.thread_num);
	placement = table_get(runtime_placements(task->runtime), task->info.id);
	return placement ? team_member(team, placement->thread_num) : NULL;
}

const struct task_function *task_function(struct task *task)
{
	if (!task->has_function) {
		uint64_t entry = task->info.function;

		if (!entry && task->placement)
			entry = task->placement->entry;
		task->has_function = true;
		task->function = code_function(task->runtime, entry, task->info.source);
	}
	return task->function;
}

// ---- What only a handle tells ------------------------------------------------------------------

/** Find the task's handle. @return NULL if the library knows no such task. */
static ompd_task_handle_t *handle_of(struct task *task)
{
	struct space *space = task->runtime->space;
	struct team *team = task->handle ? NULL : task_team(task);

	if (!team)
		return task->handle;
	ompd_task_handle_t *handle = NULL;
	struct ompdbg_error *error =
		SPACE_CALL(space, ext_get_task_by_info, team->handle, &task->info, &handle);
	bool is_made = handle && space_last_code(space) == ompd_rc_ok;
	ompdbg_error_destroy(error);
	if (!is_made)
		return NULL;
	if (!task->is_visited)
		space_keep(space, ompd_scope_task, handle);
	return task->handle = handle;
}

struct task *task_parent(struct task *task)
{
	struct space *space = task->runtime->space;
	ompd_task_handle_t *generating = NULL;
	ompd_ext_task_info info = { 0 };

	if (!handle_of(task))
		return NULL;
	struct ompdbg_error *error =
		SPACE_CALL(space, get_generating_task_handle, task->handle, &generating);
	error = space_made(space, ompd_scope_task, error, generating);
	if (!error)
		error = SPACE_CALL(space, ext_get_task_info, generating, &info);
	if (!is_ok(error))
		return NULL;
	struct task *parent = ARENA_NEW(&task->runtime->process->arena, struct task);
	*parent = (struct task){ .runtime = task->runtime, .info = info, .handle = generating };
	return parent;
}

bool task_tool_data(struct task *task, uint64_t *ret)
{
	ompd_address_t address;
	ompd_word_t value = 0;

	if (!handle_of(task) || !is_ok(SPACE_CALL(task->runtime->space, get_tool_data, task->handle,
						  ompd_scope_task, &value, &address)))
		return false;
	*ret = (uint64_t)value;
	return value != 0;
}

/** A function that stores up to @p max elements and tells their number. */
typedef struct ompdbg_error *get_elements(struct task *task, void *elements, size_t max,
					  size_t *count);

static struct ompdbg_error *get_depends(struct task *task, void *elements, size_t max,
					size_t *count)
{
	return SPACE_CALL(task->runtime->space, ext_get_task_depends, task->handle, elements, max,
			  count);
}

static struct ompdbg_error *get_dependers(struct task *task, void *elements, size_t max,
					  size_t *count)
{
	return SPACE_CALL(task->runtime->space, ext_get_task_dependers, task->handle, elements, max,
			  count);
}

/** List elements of a task. @return NULL if they cannot be had. */
static void *elements_of(struct task *task, get_elements *get, size_t size, size_t *ret)
{
	size_t room = USUAL_ELEMENTS;

	*ret = 0;
	if (!handle_of(task))
		return NULL;
	for (;;) {
		void *elements = arena_alloc_array(&task->runtime->process->arena, room, size);
		size_t count = 0;

		if (!is_ok(get(task, elements, room, &count)) || count > MAX_ELEMENTS)
			return NULL;
		if (count <= room) {
			*ret = count;
			return elements;
		}
		room = count;
	}
}

static const char *depend_kind(struct runtime *runtime, uint32_t kind)
{
	static const char *const names[] = {
		[ompd_ext_depend_out] = "out",
		[ompd_ext_depend_in] = "in",
		[ompd_ext_depend_inoutset] = "inoutset",
		[ompd_ext_depend_all_memory] = "all_memory",
		[ompd_ext_depend_other] = "in_or_set",
		[ompd_ext_depend_mutexinoutset] = "mutexinoutset",
	};

	return NAME_OF(runtime, names, kind);
}

size_t task_depends(struct task *task, const struct depend **ret, bool *complete)
{
	struct process *process = task->runtime->process;
	size_t count;

	*ret = NULL;
	*complete = !(task->info.flags & ompd_ext_task_depends_lost);
	if (!task->info.num_depends)
		return 0;
	const ompd_ext_depend *elements =
		elements_of(task, get_depends, sizeof(ompd_ext_depend), &count);
	*complete = elements && space_last_code(task->runtime->space) == ompd_rc_ok;
	struct depend *depends = ARENA_ARRAY(&process->arena, struct depend, count);
	for (size_t i = 0; elements && i < count; i++) {
		uint64_t address = elements[i].address;

		depends[i].address = address;
		depends[i].kind = depend_kind(task->runtime, elements[i].kind);
		if (address)
			depends[i].symbol = depend_name(task, address);
	}
	*ret = depends;
	return count;
}

bool task_dependers(struct task *task, const uint64_t **ret, size_t *count)
{
	*ret = NULL;
	*count = 0;
	// Tasks only wait for those that have depend clauses, too.
	if (!task->info.num_depends && !(task->info.flags & ompd_ext_task_depends_lost))
		return true;
	*ret = elements_of(task, get_dependers, sizeof(uint64_t), count);
	return *ret;
}

bool task_given(const struct task *task, const struct ompdbg_given **ret, size_t *count)
{
	*ret = NULL;
	*count = 0;
	// Other tasks may have changed what they were given.
	return !task_has_begun(task) && task->info.function && task->info.argument &&
	       task->runtime->process->services->task_variables &&
	       is_ok(SERVICE(task->runtime->process, task_variables, task->info.function,
			     task->info.argument, ret, count));
}

ompd_ext_task_counts task_counts(struct task *task)
{
	ompd_ext_task_counts counts = { 0 };

	if (!handle_of(task) ||
	    !is_ok(SPACE_CALL(task->runtime->space, ext_get_task_counts, task->handle, &counts)))
		return (ompd_ext_task_counts){ 0 };
	return counts;
}
const struct task_flag task_flags[NUM_TASK_FLAGS] = {
	{ ompd_ext_task_final, "final", "final" },
	{ ompd_ext_task_undeferred, "undeferred", "undeferred" },
	{ ompd_ext_task_untied, "untied", "untied" },
	{ ompd_ext_task_mergeable, "mergeable", "mergeable" },
	{ ompd_ext_task_detachable, "detachable", "detachable" },
	{ ompd_ext_task_in_taskwait, "in_taskwait", "in taskwait" },
	{ ompd_ext_task_in_depend_wait, "in_depend_wait", "waits for dependences" },
	{ ompd_ext_task_in_taskgroup_wait, "in_taskgroup_wait", "in taskgroup" },
	{ ompd_ext_task_proxy, "proxy", "proxy" },
};

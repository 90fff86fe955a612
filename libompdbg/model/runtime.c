// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One runtime of a process, and its teams.

#include <stdlib.h>
#include <string.h>

#include "model/room.h"

struct ompdbg_error *runtime_open(struct process *process, struct space *space,
				  struct runtime **ret)
{
	struct runtime *runtime = ARENA_NEW(&process->arena, struct runtime);

	runtime->process = process;
	runtime->space = space;
	*ret = runtime;
	if (runtime_is_extended(runtime)) {
		ompd_ext_layout_info info = { .size = sizeof(info) };
		struct ompdbg_error *error =
			SPACE_CALL(space, ext_get_layout_info, space_handle(space), &info);

		if (error)
			return error;
		runtime->name = info.runtime;
	}
	return NULL;
}

struct ompdbg_error *runtime_open_threads(struct runtime *runtime)
{
	struct process *process = runtime->process;
	struct arena *arena = &process->arena;

	runtime->threads = ARENA_ARRAY(arena, struct thread *, process->num_targets);
	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = ARENA_NEW(arena, struct thread);

		runtime->threads[i] = thread;
		thread->runtime = runtime;
		thread->target = &process->targets[i];
		thread->thread_num = NOT_KNOWN;
		thread->barrier_phase = NOT_KNOWN;
		if (process_is_interrupted(process))
			return interruption();
		struct ompdbg_error *error = thread_open(thread);
		if (error)
			return error;
		if (thread->id)
			*table_put(&runtime->threads_by_id, arena, thread->id) = thread;
	}
	mark_missing_threads(runtime);
	for (size_t i = 0; i < process->num_targets; i++) {
		struct ompdbg_error *error = thread_join(runtime->threads[i]);

		if (error)
			return error;
	}
	return NULL;
}

// ---- What the library tells ------------------------------------------------------------------

bool runtime_is_extended(const struct runtime *runtime)
{
	return ompd_library_info(space_library(runtime->space))->is_extended;
}

const char *const *runtime_state_names(struct runtime *runtime, size_t *count)
{
	const char *const *names;
	const uint64_t *states;

	if (is_ok(space_states(runtime->space, &names, &states, count)))
		return names;
	*count = 0;
	return NULL;
}

const char *runtime_state_name(struct runtime *runtime, uint64_t state)
{
	const char *const *names;
	const uint64_t *states;
	size_t count = 0;

	if (!is_ok(space_states(runtime->space, &names, &states, &count)))
		count = 0;
	for (size_t i = 0; i < count; i++) {
		if (states[i] == state)
			return names[i];
	}
	return arena_printf(&runtime->process->arena, "0x%llx", (unsigned long long)state);
}

int64_t runtime_icv(struct runtime *runtime, const char *name)
{
	const struct space_icv *icvs;
	size_t count;

	if (!is_ok(space_icvs(runtime->space, &icvs, &count)))
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(icvs[i].name, name) == 0)
			return (int64_t)icvs[i].id;
	}
	return -1;
}

struct thread *runtime_thread_of(struct runtime *runtime, ompd_thread_handle_t *handle)
{
	uint64_t id = space_id(runtime->space, ompd_scope_thread, handle);

	return id ? table_get(&runtime->threads_by_id, id) : NULL;
}

// ---- Teams -----------------------------------------------------------------------------------

/** Read a control variable of a region. */
static int region_icv(struct team *team, const char *name)
{
	int64_t id = runtime_icv(team->runtime, name), value;

	if (id < 0 || !is_ok(space_icv_value(team->runtime->space, ompd_scope_parallel,
					     team->handle, (uint64_t)id, &value)))
		return NOT_KNOWN;
	return value < 0 || value > INT32_MAX ? NOT_KNOWN : (int)value;
}

struct team *runtime_team(struct runtime *runtime, ompd_parallel_handle_t *handle)
{
	struct arena *arena = &runtime->process->arena;
	uint64_t id = space_id(runtime->space, ompd_scope_parallel, handle);
	struct team *team = id ? table_get(&runtime->teams, id) : NULL;

	if (!id || team)
		return team;
	team = ARENA_NEW(arena, struct team);
	team->runtime = runtime;
	team->handle = handle;
	team->id = id;
	team->level = region_icv(team, "levels-var");
	team->active_level = region_icv(team, "active-levels-var");
	team->size = region_icv(team, "team-size-var");
	*table_put(&runtime->teams, arena, id) = team;
	*ARENA_APPEND(arena, runtime->known_teams, runtime->num_known_teams,
		      runtime->team_capacity) = team;
	return team;
}

/** Have every team known in which a thread is, or that encloses one. */
static void find_all_teams(struct runtime *runtime)
{
	struct process *process = runtime->process;
	struct table seen = { 0 };

	if (runtime->has_all_teams)
		return;
	runtime->has_all_teams = true;
	for (size_t i = 0; i < process->num_targets; i++) {
		struct team *team = runtime->threads[i]->team;

		for (int depth = 0; team && depth < MAX_NESTING; depth++) {
			void **place = table_put(&seen, &process->arena, team->id);

			if (*place)
				break; // so are those around it
			*place = team;
			team = team_parent(team);
		}
	}
}

struct team *runtime_team_by_id(struct runtime *runtime, uint64_t id)
{
	find_all_teams(runtime);
	return table_get(&runtime->teams, id);
}

/** A team and what it is sorted by. */
struct ranked_team {
	struct team *team;
	const int *path;
	size_t length, order;
};

static int compare_teams(const void *one, const void *other)
{
	const struct ranked_team *a = one, *b = other;

	for (size_t i = 0; i < a->length && i < b->length; i++) {
		if (a->path[i] != b->path[i])
			return a->path[i] < b->path[i] ? -1 : 1;
	}
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/** Sort teams by their paths; among equal ones, in the order in which they were met. */
static struct team **sort_teams(struct arena *arena, struct ranked_team *teams, size_t count)
{
	struct team **sorted = ARENA_ARRAY(arena, struct team *, count);

	if (count)
		qsort(teams, count, sizeof(*teams), compare_teams);
	for (size_t i = 0; i < count; i++)
		sorted[i] = teams[i].team;
	return sorted;
}

struct team *const *runtime_outermost(struct runtime *runtime, size_t *count)
{
	struct arena *arena = &runtime->process->arena;

	find_all_teams(runtime);
	if (!runtime->has_outermost) {
		size_t known = runtime->num_known_teams, found = 0;
		struct ranked_team *teams = ARENA_ARRAY(arena, struct ranked_team, known);
		int *founders = ARENA_ARRAY(arena, int, known);

		for (size_t i = 0; i < known; i++) {
			struct team *team = runtime->known_teams[i];

			if (!team_is_outermost(team))
				continue;
			struct thread *primary = team_primary(team);
			founders[found] = primary ? primary->target->number : UNKNOWN_NUMBER;
			teams[found] = (struct ranked_team){ team, &founders[found], 1, found };
			found++;
		}
		runtime->outermost = sort_teams(arena, teams, found);
		runtime->num_outermost = found;
		runtime->has_outermost = true;
	}
	*count = runtime->num_outermost;
	return runtime->outermost;
}

int runtime_first_team(struct runtime *runtime)
{
	struct process *process = runtime->process;
	int first = 1;

	for (size_t i = 0; process->runtimes[i] != runtime; i++) {
		size_t count;

		runtime_outermost(process->runtimes[i], &count);
		first += (int)count;
	}
	return first;
}

struct team *const *runtime_teams(struct runtime *runtime, size_t *count)
{
	struct arena *arena = &runtime->process->arena;

	find_all_teams(runtime);
	size_t known = runtime->num_known_teams, found = 0;
	struct ranked_team *teams = ARENA_ARRAY(arena, struct ranked_team, known);
	for (size_t i = 0; i < known; i++) {
		struct team *team = runtime->known_teams[i];

		if (team->level == 0)
			continue;
		teams[found] = (struct ranked_team){ .team = team, .order = found };
		teams[found].path = team_path(team, &teams[found].length);
		found++;
	}
	*count = found;
	return sort_teams(arena, teams, found);
}

// ---- Hidden helper threads -------------------------------------------------------------------

/** Note the regions around a helper thread. */
static void note_regions(struct runtime *runtime, struct thread *helper)
{
	struct space *space = runtime->space;
	ompd_parallel_handle_t *region = NULL;
	struct ompdbg_error *error =
		SPACE_CALL(space, get_curr_parallel_handle, helper->handle, &region);

	error = space_made(space, ompd_scope_parallel, error, region);
	for (int depth = 0; !error && depth < MAX_NESTING; depth++) {
		uint64_t id = space_id(space, ompd_scope_parallel, region);
		void **place = table_put(&runtime->helper_teams, &runtime->process->arena, id);
		ompd_parallel_handle_t *enclosing = NULL;

		if (*place)
			break;
		*place = helper;
		error = SPACE_CALL(space, get_enclosing_parallel_handle, region, &enclosing);
		error = space_made(space, ompd_scope_parallel, error, enclosing);
		region = enclosing;
	}
	ompdbg_error_destroy(error); // the outermost is among them
}

bool runtime_is_helpers(struct runtime *runtime, uint64_t parallel_id)
{
	if (!runtime->has_helper_teams) {
		runtime->has_helper_teams = true;
		for (size_t i = 0; i < runtime->process->num_targets; i++) {
			if (runtime->threads[i]->is_helper)
				note_regions(runtime, runtime->threads[i]);
		}
	}
	return table_get(&runtime->helper_teams, parallel_id) != NULL;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel region and its team.

#include "base/buffer.h"
#include "model/room.h"

const ompd_ext_parallel_info *team_info(struct team *team)
{
	if (!team->has_info) {
		ompd_ext_parallel_info info = { 0 };

		team->has_info = true;
		if (is_ok(SPACE_CALL(team->runtime->space, ext_get_parallel_info, team->handle,
				     &info)))
			team->info = info;
	}
	return &team->info;
}

struct team *team_parent(struct team *team)
{
	struct space *space = team->runtime->space;
	ompd_parallel_handle_t *enclosing = NULL;

	if (!team->has_parent) {
		team->has_parent = true;
		struct ompdbg_error *error =
			SPACE_CALL(space, get_enclosing_parallel_handle, team->handle, &enclosing);
		if (is_ok(space_made(space, ompd_scope_parallel, error, enclosing)))
			team->parent = runtime_team(team->runtime, enclosing);
	}
	return team->parent;
}

bool team_is_league(struct team *team)
{
	return team_info(team)->kind == ompd_ext_parallel_league;
}

bool team_is_outermost(struct team *team)
{
	if (team->level == 0)
		return false;
	struct team *parent = team_parent(team);
	return !parent || parent->level == 0;
}

// ---- Members ---------------------------------------------------------------------------------

/** Find the handle of a member. @return NULL if the library knows none; it is not kept. */
static ompd_thread_handle_t *member_handle(struct team *team, int thread_num)
{
	struct space *space = team->runtime->space;
	ompd_thread_handle_t *handle = NULL;
	bool found =
		is_ok(SPACE_CALL(space, get_thread_in_parallel, team->handle, thread_num, &handle));

	if (found || !handle || space_last_code(space) != ompd_rc_ok)
		return handle;
	space_release(space, ompd_scope_thread, handle); // interrupted
	return NULL;
}

struct thread *team_member(struct team *team, int thread_num)
{
	ompd_thread_handle_t *handle = member_handle(team, thread_num);

	if (!handle)
		return NULL;
	struct thread *thread = runtime_thread_of(team->runtime, handle);
	space_release(team->runtime->space, ompd_scope_thread, handle);
	return thread;
}

struct thread *team_primary(struct team *team)
{
	if (!team->has_primary) {
		team->has_primary = true;
		team->primary = team_member(team, 0);
	}
	return team->primary;
}

/** Check for a pthread_t that no thread of the process has, if all of theirs are known. */
static bool is_nobodys(struct runtime *runtime, uint64_t pthread)
{
	const struct process *process = runtime->process;

	for (size_t i = 0; i < process->num_targets; i++) {
		uint64_t other;

		if (!is_ok(space_pthread(runtime->space, process->targets[i].number, &other)) ||
		    other == pthread)
			return false;
	}
	return true;
}

bool team_has_lost(struct team *team, int thread_num)
{
	struct space *space = team->runtime->space;
	ompd_thread_handle_t *handle = member_handle(team, thread_num);
	uint64_t pthread = 0;

	if (!handle)
		return false;
	bool is_known = is_ok(SPACE_CALL(space, get_thread_id, handle, ompd_thread_id_pthread,
					 sizeof(pthread), &pthread));
	space_release(space, ompd_scope_thread, handle);
	return is_known && is_nobodys(team->runtime, pthread);
}

int team_lost(struct team *team)
{
	int count = 0;

	for (int number = 0; number < team->size && number < MAX_MEMBERS; number++)
		count += team_has_lost(team, number);
	return count;
}

// ---- Name ------------------------------------------------------------------------------------

/** Tell the number of the thread that formed the team in the team around it. */
static int number_in_parent(struct team *team)
{
	struct thread *primary = team_primary(team);
	struct team *parent = team_parent(team);
	int number = primary && parent ? thread_number_in(primary, parent) : NOT_KNOWN;

	return number == NOT_KNOWN ? UNKNOWN_NUMBER : number;
}

/** Tell the number of an outermost team. */
static int number_of_outermost(struct team *team)
{
	size_t count;
	struct team *const *outermost = runtime_outermost(team->runtime, &count);

	for (size_t i = 0; i < count; i++) {
		if (outermost[i] == team)
			return runtime_first_team(team->runtime) + (int)i;
	}
	return UNKNOWN_NUMBER;
}

const int *team_path(struct team *team, size_t *length)
{
	struct arena *arena = &team->runtime->process->arena;

	if (!team->has_path) {
		struct table seen = { 0 };
		struct team *outermost = team;
		size_t depth = 0;

		*table_put(&seen, arena, team->id) = team;
		while (!team_is_outermost(outermost) && team_parent(outermost) &&
		       depth < MAX_NESTING) {
			void **place = table_put(&seen, arena, team_parent(outermost)->id);

			if (*place)
				break; // damaged memory
			outermost = *place = team_parent(outermost);
			depth++;
		}
		team->path = ARENA_ARRAY(arena, int, depth + 1);
		team->path_length = depth + 1;
		for (struct team *inner = team; depth; inner = inner->parent)
			team->path[depth--] = number_in_parent(inner);
		team->path[0] = number_of_outermost(outermost);
		team->has_path = true;
	}
	*length = team->path_length;
	return team->path;
}

const char *team_label(struct team *team)
{
	if (!team->label && team->level == 0)
		team->label = "-";
	if (!team->label) {
		struct buffer text = { 0 };
		size_t length;
		const int *path = team_path(team, &length);

		for (size_t i = 0; i < length; i++) {
			buffer_put(&text, i ? "." : "");
			if (path[i] == UNKNOWN_NUMBER)
				buffer_put(&text, "?");
			else
				buffer_printf(&text, "%d", path[i]);
		}
		team->label = arena_strdup(&team->runtime->process->arena, text.data);
		buffer_deinit(&text);
	}
	return team->label;
}

size_t team_depth(struct team *team)
{
	size_t length;

	team_path(team, &length);
	return length - 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a library enumerates: states, ICVs and display control variables. And the values of ICVs,
// for which one must know where an ICV is at home.

#include <string.h>

#include "base/text.h"
#include "ompd/room.h"

enum { MOST_ENTRIES = 4096 }; // an enumeration that is longer does not end

#define STATE_PREFIX "ompt_state_"

static struct ompdbg_error *endless(const char *function)
{
	return ompdbg_error_create(OMPDBG_FAILED, "%s: the enumeration does not end", function);
}

/** Copy a string that the library gave, and release it. */
static const char *take_string(struct space *space, struct arena *arena, const char *string)
{
	const char *copy = arena_strdup(arena, string ? string : "");

	space_free(space, string);
	return copy;
}

// ---- States ----------------------------------------------------------------------------------

struct state_list {
	const char **names; // without prefix
	uint64_t *states;
	size_t count, capacity, state_capacity;
};

static struct ompdbg_error *read_states(struct space *space, struct state_list *list)
{
	ompd_word_t state = ompt_state_undefined, more = 1;

	while (more) {
		const char *name = NULL;

		if (list->count == MOST_ENTRIES)
			return endless("ompd_enumerate_states");
		struct ompdbg_error *error = SPACE_CALL(space, enumerate_states, space->handle,
							state, &state, &name, &more);
		if (error)
			return error;
		name = take_string(space, &space->arena, name);
		if (starts_with(name, STATE_PREFIX))
			name += strlen(STATE_PREFIX);
		size_t count = list->count;
		*ARENA_APPEND(&space->arena, list->states, count, list->state_capacity) =
			(uint64_t)state;
		*ARENA_APPEND(&space->arena, list->names, list->count, list->capacity) = name;
	}
	return NULL;
}

struct ompdbg_error *space_states(struct space *space, const char *const **names,
				  const uint64_t **states, size_t *count)
{
	if (!space->states) {
		struct state_list *list = ARENA_NEW(&space->arena, struct state_list);
		struct ompdbg_error *error = read_states(space, list);

		if (error)
			return error;
		space->states = list;
	}
	*names = space->states->names;
	*states = space->states->states;
	*count = space->states->count;
	return NULL;
}

// ---- ICVs ------------------------------------------------------------------------------------

struct icv_list {
	struct space_icv *icvs;
	size_t count, capacity;
};

static struct ompdbg_error *read_icvs(struct space *space, struct icv_list *list)
{
	ompd_icv_id_t id = 0;
	int more = 1;

	while (more) {
		struct space_icv icv = { 0 };

		if (list->count == MOST_ENTRIES)
			return endless("ompd_enumerate_icvs");
		struct ompdbg_error *error = SPACE_CALL(space, enumerate_icvs, space->handle, id,
							&id, &icv.name, &icv.scope, &more);
		if (error)
			return error;
		icv.id = id;
		icv.name = take_string(space, &space->arena, icv.name);
		*ARENA_APPEND(&space->arena, list->icvs, list->count, list->capacity) = icv;
	}
	return NULL;
}

struct ompdbg_error *space_icvs(struct space *space, const struct space_icv **ret, size_t *count)
{
	if (!space->icvs) {
		struct icv_list *list = ARENA_NEW(&space->arena, struct icv_list);
		struct ompdbg_error *error = read_icvs(space, list);

		if (error)
			return error;
		space->icvs = list;
	}
	*ret = space->icvs->icvs;
	*count = space->icvs->count;
	return NULL;
}

/**
 * Choose the scope to ask in: a task's handle stands for both scopes of tasks, and an address
 * space's for the global scope, too.
 */
static struct ompdbg_error *home_scope(struct space *space, ompd_icv_id_t id, ompd_scope_t *scope)
{
	const struct space_icv *icvs;
	size_t count;

	if ((*scope != ompd_scope_task && *scope != ompd_scope_address_space) ||
	    !space->library->functions.enumerate_icvs)
		return NULL;
	struct ompdbg_error *error = space_icvs(space, &icvs, &count);
	for (size_t i = 0; !error && i < count; i++) {
		ompd_scope_t other = *scope == ompd_scope_task ? ompd_scope_implicit_task :
								 ompd_scope_global;

		if (icvs[i].id == id && icvs[i].scope == other) {
			*scope = other;
			break;
		}
	}
	return error;
}

struct ompdbg_error *space_icv_value(struct space *space, ompd_scope_t scope, void *handle,
				     uint64_t id, int64_t *ret)
{
	ompd_word_t value = 0;
	struct ompdbg_error *error = home_scope(space, id, &scope);

	if (!error)
		error = SPACE_CALL(space, get_icv_from_scope, handle, scope, id, &value);
	if (!error)
		*ret = value;
	return error;
}

struct ompdbg_error *space_icv_string(struct space *space, ompd_scope_t scope, void *handle,
				      uint64_t id, struct arena *arena, const char **ret)
{
	const char *string = NULL;
	struct ompdbg_error *error = home_scope(space, id, &scope);

	if (!error)
		error = SPACE_CALL(space, get_icv_string_from_scope, handle, scope, id, &string);
	if (!error)
		*ret = take_string(space, arena, string);
	return error;
}

// ---- Settings --------------------------------------------------------------------------------

struct ompdbg_error *space_environment(struct space *space, const char *name, struct arena *arena,
				       const char **ret)
{
	const char *string = NULL;
	struct ompdbg_error *error =
		SPACE_CALL(space, ext_get_environment, space->handle, name, &string);

	*ret = NULL;
	if (!error) {
		*ret = take_string(space, arena, string);
	} else if (space->code == ompd_rc_unavailable && !ends_command(error)) {
		ompdbg_error_destroy(error);
		error = NULL;
	}
	return error;
}

struct ompdbg_error *space_control_variables(struct space *space, struct arena *arena,
					     const char *const **ret, size_t *count)
{
	const char *const *variables = NULL;
	const char **copies = NULL;
	size_t capacity = 0;
	struct ompdbg_error *error =
		SPACE_CALL(space, get_display_control_vars, space->handle, &variables);

	*count = 0;
	if (error)
		return error;
	for (size_t i = 0; variables && variables[i]; i++)
		*ARENA_APPEND(arena, copies, *count, capacity) = arena_strdup(arena, variables[i]);
	*ret = copies;
	if (variables && space->library->functions.rel_display_control_vars)
		error = SPACE_CALL(space, rel_display_control_vars, &variables);
	return error;
}

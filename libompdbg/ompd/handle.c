// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles that are released with the space, and their identities.

#include "ompd/room.h"

struct handle_list {
	struct handle_list *next;
	ompd_scope_t scope;
	void *handle;
	uint64_t id; // given to it by us; 0: none, or the library numbers its handles
};

void space_keep(struct space *space, ompd_scope_t scope, void *handle)
{
	struct handle_list *kept = ARENA_NEW(&space->stop, struct handle_list);

	*kept = (struct handle_list){ space->handles, scope, handle, 0 };
	space->handles = kept;
}

void space_release(struct space *space, ompd_scope_t scope, void *handle)
{
	const struct ompd_functions *functions = &space->library->functions;

	switch (scope) {
	case ompd_scope_thread:
		if (functions->rel_thread_handle)
			functions->rel_thread_handle(handle);
		break;
	case ompd_scope_parallel:
		if (functions->rel_parallel_handle)
			functions->rel_parallel_handle(handle);
		break;
	default:
		if (functions->rel_task_handle)
			functions->rel_task_handle(handle);
		break;
	}
}

void handles_release(struct space *space)
{
	for (struct handle_list *kept = space->handles; kept; kept = kept->next)
		space_release(space, kept->scope, kept->handle);
	space->handles = NULL;
}

struct ompdbg_error *space_made(struct space *space, ompd_scope_t scope, struct ompdbg_error *error,
				void *handle)
{
	if (handle && space->code == ompd_rc_ok) // also if it was interrupted, and yet made
		space_keep(space, scope, handle);
	else if (!error)
		error = ompdbg_error_create(OMPDBG_FAILED, "the OMPD library returned no handle");
	return error;
}

// ---- Identity --------------------------------------------------------------------------------

static bool is_same(struct space *space, ompd_scope_t scope, void *a, void *b)
{
	struct ompdbg_error *error;
	int order = 1;

	if (scope == ompd_scope_thread)
		error = SPACE_CALL(space, thread_handle_compare, a, b, &order);
	else if (scope == ompd_scope_parallel)
		error = SPACE_CALL(space, parallel_handle_compare, a, b, &order);
	else
		error = SPACE_CALL(space, task_handle_compare, a, b, &order);
	ompdbg_error_destroy(error);
	return !error && order == 0;
}

/** Number a handle: as an equal one that is kept, else anew. */
static uint64_t number(struct space *space, ompd_scope_t scope, void *handle)
{
	struct handle_list *own = NULL;

	for (struct handle_list *kept = space->handles; kept; kept = kept->next) {
		if (kept->scope != scope)
			continue;
		if (kept->handle == handle)
			own = kept;
		if (kept->id &&
		    (kept->handle == handle || is_same(space, scope, kept->handle, handle)))
			return kept->id;
	}
	if (!own) {
		// A handle that is released may come back as another one: its number would mislead.
		return ++space->last_id;
	}
	return own->id = ++space->last_id;
}

uint64_t space_id(struct space *space, ompd_scope_t scope, void *handle)
{
	uint64_t id = 0;

	if (!space->library->functions.ext_get_handle_id)
		return number(space, scope, handle);
	struct ompdbg_error *error = SPACE_CALL(space, ext_get_handle_id, handle, scope, &id);
	ompdbg_error_destroy(error);
	return error ? 0 : id;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdlib.h>

#include "ompd/memory.h"
#include "ompd/room.h"

// The callback that prints gets no context. One call runs at a time.
static struct space *in_call;

struct space *space_in_call(void)
{
	return in_call;
}

// ---- Calls -----------------------------------------------------------------------------------

struct ompdbg_error *space_enter(struct space *space)
{
	if (in_call)
		return ompdbg_error_create(OMPDBG_FAILED, "the debugger called while it was "
							  "answering an OMPD library");
	in_call = space;
	space->code = ompd_rc_ok;
	return NULL;
}

struct ompdbg_error *space_leave(struct space *space, ompd_rc_t code)
{
	struct ompdbg_error *failure = space->failure;

	in_call = NULL;
	space->failure = NULL;
	space->code = code;
	if (ends_command(failure))
		return failure;
	if (code != ompd_rc_ok && code != ompd_rc_incomplete)
		return ompd_error(space->library, code, failure);
	ompdbg_error_destroy(failure);
	return NULL;
}

struct ompdbg_error *space_lacks(struct space *space, const char *function)
{
	space->code = ompd_rc_unsupported;
	return ompdbg_error_create(OMPDBG_UNAVAILABLE, "the OMPD library lacks %s", function);
}

ompd_rc_t space_last_code(const struct space *space)
{
	return space->code;
}

const struct ompd_functions *space_functions(const struct space *space)
{
	return &space->library->functions;
}

ompd_address_space_handle_t *space_handle(const struct space *space)
{
	return space->handle;
}

void space_free(struct space *space, const void *memory)
{
	(void)space; // the blocks are in one list for all
	memory_free_owned(memory);
}

// ---- Life ------------------------------------------------------------------------------------

/** Release what the library holds for the space: its callbacks have nobody to complain to. */
static void release(struct space *space)
{
	struct ompdbg_error *error = space_enter(space);

	handles_release(space);
	if (space->handle)
		space->library->functions.rel_address_space_handle(space->handle);
	if (!error)
		error = space_leave(space, ompd_rc_ok);
	ompdbg_error_destroy(error);
}

void space_close(struct space *space)
{
	if (!space)
		return;
	release(space);
	cache_deinit(&space->cache);
	buffer_deinit(&space->symbol_key);
	arena_deinit(&space->stop);
	arena_deinit(&space->arena);
	ompd_library_close(space->library);
	free(space);
}

struct ompdbg_error *space_open(struct ompd_library *library,
				const struct ompdbg_services *services, const char *runtime,
				struct space **ret)
{
	struct space *space = calloc(1, sizeof(*space));
	ompd_address_space_context_t *context = (ompd_address_space_context_t *)space;
	ompd_address_space_handle_t *handle = NULL;
	struct ompdbg_error *error;

	if (!space)
		return &ompdbg_error_no_memory;
	space->library = ompd_library_use(library);
	space->services = space->cache.services = services;
	if (runtime)
		error = SPACE_CALL(space, ext_process_initialize, context, runtime, &handle);
	else
		error = SPACE_CALL(space, process_initialize, context, &handle);
	if (space->code == ompd_rc_ok)
		space->handle = handle; // also if it was interrupted, to be released
	if (!error && !handle)
		error = ompdbg_error_create(OMPDBG_FAILED, "the OMPD library returned no handle");
	if (error) {
		if (error->code == OMPDBG_UNAVAILABLE)
			error->code = OMPDBG_ABSENT;
		space_close(space);
		return error;
	}
	*ret = space;
	return NULL;
}

void space_forget(struct space *space)
{
	struct ompdbg_error *error = space_enter(space);

	handles_release(space);
	if (!error)
		error = space_leave(space, ompd_rc_ok);
	ompdbg_error_destroy(error);
	cache_drop(&space->cache);
	space->has_threads = false;
	space->pthreads = space->lwps = space->pthread_of = (struct table){ 0 };
	arena_deinit(&space->stop);
}

struct ompd_library *space_library(const struct space *space)
{
	return space->library;
}

// ---- Memory ----------------------------------------------------------------------------------

struct ompdbg_error *space_read(struct space *space, uint64_t address, void *buffer, size_t size)
{
	if (address >= LAYOUT_BASE && layout_read(space, address, buffer, size))
		return NULL;
	return cache_read(&space->cache, address, buffer, size);
}

void space_get_statistics(const struct space *space, struct space_statistics *ret)
{
	*ret = space->statistics;
	ret->fetches = space->cache.fetches;
	ret->fetched = space->cache.fetched;
}

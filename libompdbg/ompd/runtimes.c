// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens every runtime of a process that a library recognises.

#include "ompd/runtimes.h"

#include "base/arena.h"
#include "base/buffer.h"

/** Note why a runtime is not understood; what is not there is no problem. */
static void note_problem(struct arena *arena, struct runtimes *runtimes,
			 const struct ompd_library *library, bool is_named,
			 const struct ompdbg_error *error)
{
	const char *problem = error->message;

	if (is_named && error->code == OMPDBG_ABSENT)
		return;
	if (!is_named)
		problem = arena_printf(arena, "%s does not understand the program: %s",
				       ompd_library_info(library)->path, problem);
	*ARENA_APPEND(arena, runtimes->problems, runtimes->num_problems,
		      runtimes->problem_capacity) = arena_strdup(arena, problem);
}

/** Write "no libgomp, libomp or libiomp5 in the program". */
static const char *name_absent(struct arena *arena, struct ompd_library *library)
{
	struct buffer text = { 0 };
	const char *name;

	buffer_put(&text, "no ");
	for (size_t i = 0; (name = ompd_library_runtime(library, i)); i++) {
		bool is_last = !ompd_library_runtime(library, i + 1);

		buffer_printf(&text, "%s%s", i == 0 ? "" : is_last ? " or " : ", ", name);
	}
	buffer_put(&text, " in the program");
	const char *copy = arena_strdup(arena, text.data);
	buffer_deinit(&text);
	return copy;
}

struct ompdbg_error *runtimes_open(struct arena *arena, struct ompd_library *library,
				   const struct ompdbg_services *services,
				   struct runtimes *runtimes)
{
	bool is_named = ompd_library_runtime(library, 0) != NULL;
	const char *name = ompd_library_runtime(library, 0);

	for (size_t i = 0; i == 0 || name; name = ompd_library_runtime(library, ++i)) {
		struct space *space;
		struct ompdbg_error *error = space_open(library, services, name, &space);

		if (ends_command(error))
			return error;
		if (error)
			note_problem(arena, runtimes, library, is_named, error);
		else
			*ARENA_APPEND(arena, runtimes->spaces, runtimes->num_spaces,
				      runtimes->space_capacity) = space;
		ompdbg_error_destroy(error);
	}
	if (!runtimes->absent && is_named)
		runtimes->absent = name_absent(arena, library);
	return NULL;
}

void runtimes_close(struct runtimes *runtimes)
{
	for (size_t i = 0; i < runtimes->num_spaces; i++)
		space_close(runtimes->spaces[i]);
	runtimes->num_spaces = 0;
}

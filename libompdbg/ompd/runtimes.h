// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All runtimes of a process. All zero is none.

#ifndef OMPDBG_RUNTIMES_H
#define OMPDBG_RUNTIMES_H

#include "ompd/space.h"

struct arena;

struct runtimes {
	struct space **spaces;
	size_t num_spaces, space_capacity;
	const char **problems; // why runtimes that are there are not understood
	size_t num_problems, problem_capacity;
	const char *absent; // what was looked for and, if `spaces` is empty, is not there; NULL
};

/** Open the runtimes of a process that a library recognises, and add them to @p runtimes, whose
 *  arrays and texts live in the arena. Fails only if it is interrupted. */
struct ompdbg_error *runtimes_open(struct arena *arena, struct ompd_library *library,
				   const struct ompdbg_services *services,
				   struct runtimes *runtimes);
void runtimes_close(struct runtimes *runtimes);

#endif

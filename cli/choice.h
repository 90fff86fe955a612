// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options by which commands choose threads.

#ifndef OMPDBG_CLI_CHOICE_H
#define OMPDBG_CLI_CHOICE_H

#include "options.h"

/** Threads in the debugger's order, in the process's arena. */
struct chosen {
	struct thread **threads;
	size_t count;
};

/** Choose by state, team, level and number; all if nothing was said. */
bool choose_threads(struct process *process, const struct arguments *arguments, bool only_openmp,
		    struct chosen *ret, struct failure *failure);
/** Choose the thread that was named by its number or LWP, or all. */
bool choose_named(struct process *process, const struct arguments *arguments, struct chosen *ret,
		  struct failure *failure);
/** Choose likewise, OpenMP threads only: one at least. */
bool choose_openmp(struct process *process, const struct arguments *arguments, struct chosen *ret,
		   struct failure *failure);

#endif

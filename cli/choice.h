// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options by which commands choose threads.

#ifndef OMPDBG_CLI_CHOICE_H
#define OMPDBG_CLI_CHOICE_H

#include "options.h"

/** Choose the threads of a command into @p options. */
bool choose_threads(struct process *process, const struct arguments *arguments,
		    struct view_options *options, struct failure *failure);

#endif

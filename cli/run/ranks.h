// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which one of the processes of a job a process is, as launchers tell it in its environment.

#ifndef OMPDBG_RANKS_H
#define OMPDBG_RANKS_H

#include <stdint.h>

struct rank {
	const char *variable, *value;
	int64_t of; // how many ranks there are; -1: unknown
};

/** Look for a rank. @p variable_of: the value of an environment variable, NULL if it is not set.
 *  @return a variable of NULL: it is none. */
struct rank find_rank(const char *(*variable_of)(void *context, const char *name), void *context);
/** Find the rank of this process. */
struct rank own_rank(void);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that recur, as those of a recursion do.

#ifndef OMPDBG_CYCLES_H
#define OMPDBG_CYCLES_H

#include <stdbool.h>
#include <stddef.h>

/** A list of lines, or of what lines are made from. */
struct cycle_list {
	const void *items;
	size_t count;
	bool (*are_equal)(const void *items, size_t index, size_t other);
};

/** Return how many lines, from the one at an index on, recur behind themselves; 0: none does. @p least: how
 *  often they must be there. @p times: how often they are. */
size_t cycle_at(const struct cycle_list *list, size_t index, size_t least, size_t *times);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged lists: detects that a walk along pointers has come back to where it was (Brent's
// algorithm). Takes no memory, and at most three times as many steps as there are elements.

#ifndef OMPDBG_CYCLE_H
#define OMPDBG_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

/** One walk. Starts zeroed. */
struct cycle {
	uint64_t mark;	      // an element that was met
	uint64_t power, left; // steps between two marks, and until the next one
};

/** Return whether the walk is in a cycle. Called once for each element, in order. */
static inline bool cycle_closed(struct cycle *cycle, uint64_t element)
{
	if (cycle->power && element == cycle->mark)
		return true;
	if (cycle->left == 0) {
		cycle->mark = element;
		cycle->power = cycle->power ? 2 * cycle->power : 1;
		cycle->left = cycle->power;
	}
	cycle->left--;
	return false;
}

#endif

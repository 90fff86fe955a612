// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/text/cycles.h"

enum { LONGEST_CYCLE = 4 };

size_t cycle_at(const struct cycle_list *list, size_t index, size_t least, size_t *times)
{
	for (size_t length = 1; length <= LONGEST_CYCLE; length++) {
		size_t end = index + length;
		while (end < list->count && list->are_equal(list->items, end, end - length))
			end++;
		*times = (end - index) / length;
		if (*times >= least)
			return length;
	}
	return 0;
}

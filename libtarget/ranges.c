// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ranges.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

void ranges_sort(void *array, size_t count, size_t size)
{
	if (count)
		qsort(array, count, size, by_start);
}

static const uint64_t *element(const void *array, size_t size, size_t index)
{
	return (const uint64_t *)((const char *)array + index * size);
}

size_t ranges_begun(const void *array, size_t count, size_t size, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*element(array, size, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *range_at(const void *array, size_t count, size_t size, uint64_t address)
{
	size_t begun = ranges_begun(array, count, size, address);
	const uint64_t *found = begun ? element(array, size, begun - 1) : NULL;

	return found && address < found[1] ? (void *)(uintptr_t)found : NULL;
}

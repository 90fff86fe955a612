// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted arrays of structures that begin with an address, `start`; of ranges, `end` follows.

#ifndef OMPDBG_RANGES_H
#define OMPDBG_RANGES_H

#include <stddef.h>
#include <stdint.h>

/** Sort an array by `start`. */
void ranges_sort(void *array, size_t count, size_t size);
#define RANGES_SORT(array, count) ranges_sort(array, count, sizeof(*(array)))
/** Count the elements that begin at an address or before. */
size_t ranges_begun(const void *array, size_t count, size_t size, uint64_t address);
#define RANGES_BEGUN(array, count, address) ranges_begun(array, count, sizeof(*(array)), address)
/** Find the range that covers an address. NULL: there is none. */
void *range_at(const void *array, size_t count, size_t size, uint64_t address);
#define RANGE_AT(array, count, address) \
	((__typeof__(array))range_at(array, count, sizeof(*(array)), address))

#endif

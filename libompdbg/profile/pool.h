// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of things that come and go by millions. All of it is released at once, in the end.

#ifndef OMPDBG_PROFILE_POOL_H
#define OMPDBG_PROFILE_POOL_H

#include "base/arena.h"

enum { POOL_SIZES = 64 };

/** All zero is empty. */
struct pool {
	struct arena arena;
	void *unused[POOL_SIZES]; // lists of blocks of 1 << index bytes
};

/** Take a zeroed block. */
void *pool_take(struct pool *pool, size_t size);
/** Return an array with room for one element more than it has, twice as large if it had none. */
void *pool_enlarge(struct pool *pool, void *array, size_t count, size_t *capacity, size_t size);
/** Give it back, with the size that was asked for. */
void pool_give(struct pool *pool, void *block, size_t size);

#endif

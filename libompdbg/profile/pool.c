// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/pool.h"

#include <string.h>

enum { LEAST = 4 }; // blocks have at least 1 << LEAST bytes

static unsigned int class_of(size_t size)
{
	unsigned int class = LEAST;

	while (((size_t)1 << class) < size)
		class ++;
	return class;
}

void *pool_take(struct pool *pool, size_t size)
{
	unsigned int class = class_of(size);
	void *block = pool->unused[class];

	if (!block)
		return arena_alloc(&pool->arena, (size_t)1 << class);
	memcpy(&pool->unused[class], block, sizeof(void *));
	return memset(block, 0, size);
}

void pool_give(struct pool *pool, void *block, size_t size)
{
	unsigned int class = class_of(size);

	memcpy(block, &pool->unused[class], sizeof(void *));
	pool->unused[class] = block;
}

void *pool_enlarge(struct pool *pool, void *array, size_t count, size_t *capacity, size_t size)
{
	enum { FIRST_CAPACITY = 4 };
	size_t before = *capacity;

	if (count < before)
		return array;
	*capacity = before ? 2 * before : FIRST_CAPACITY;
	void *larger = pool_take(pool, *capacity * size);
	if (before) {
		memcpy(larger, array, before * size);
		pool_give(pool, array, before * size);
	}
	return larger;
}

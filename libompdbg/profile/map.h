// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hash tables from numbers to pointers from which entries can be removed: what lives is few, what was is
// many. All zero is an empty map.

#ifndef OMPDBG_PROFILE_MAP_H
#define OMPDBG_PROFILE_MAP_H

#include <stdint.h>

#include "profile/pool.h"

struct map {
	struct map_entry *entries;
	size_t count, capacity;
};
struct map_entry {
	uint64_t key;
	void *value; // NULL: free
};

/** Find a value. @return NULL: there is none. */
void *map_get(const struct map *map, uint64_t key);
/** Set the value of a key that has none. */
void map_add(struct map *map, struct pool *pool, uint64_t key, void *value);
/** Remove a key, if it is there. */
void map_remove(struct map *map, uint64_t key);
/** Return the next value, and move *index behind it; NULL: there are no more. */
void *map_next(const struct map *map, size_t *index);
/** Give its memory back, not its values. */
void map_deinit(struct map *map, struct pool *pool);

#endif

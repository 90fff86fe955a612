// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open addressing with steps of one; at most half of the entries are taken.

#include "profile/map.h"

enum { FIRST_CAPACITY = 16 };

/** Return where a key belongs. */
static size_t home_of(const struct map *map, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->capacity - 1);
}

/** Find the entry of a key, or the free one where it belongs. */
static struct map_entry *find(const struct map *map, uint64_t key)
{
	size_t i = home_of(map, key);

	while (map->entries[i].value && map->entries[i].key != key)
		i = (i + 1) & (map->capacity - 1);
	return &map->entries[i];
}

void *map_get(const struct map *map, uint64_t key)
{
	return map->count ? find(map, key)->value : NULL;
}

static void enlarge(struct map *map, struct pool *pool)
{
	struct map larger = { .count = map->count };

	larger.capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY;
	larger.entries = pool_take(pool, larger.capacity * sizeof(*larger.entries));
	for (size_t i = 0; i < map->capacity; i++) {
		if (map->entries[i].value)
			*find(&larger, map->entries[i].key) = map->entries[i];
	}
	map_deinit(map, pool);
	*map = larger;
}

void map_add(struct map *map, struct pool *pool, uint64_t key, void *value)
{
	if (2 * map->count >= map->capacity)
		enlarge(map, pool);
	*find(map, key) = (struct map_entry){ key, value };
	map->count++;
}

void map_remove(struct map *map, uint64_t key)
{
	struct map_entry *hole = map->count ? find(map, key) : NULL;
	size_t mask = map->capacity - 1;

	if (!hole || !hole->value)
		return;
	map->count--;
	hole->value = NULL;
	// What follows without a gap moves up, unless it is at home there.
	size_t empty = (size_t)(hole - map->entries);
	for (size_t i = (empty + 1) & mask; map->entries[i].value; i = (i + 1) & mask) {
		size_t home = home_of(map, map->entries[i].key);
		if (((i - home) & mask) < ((i - empty) & mask))
			continue;
		map->entries[empty] = map->entries[i];
		map->entries[i].value = NULL;
		empty = i;
	}
}

void *map_next(const struct map *map, size_t *index)
{
	while (*index < map->capacity) {
		void *value = map->entries[(*index)++].value;
		if (value)
			return value;
	}
	return NULL;
}

void map_deinit(struct map *map, struct pool *pool)
{
	if (map->entries)
		pool_give(pool, map->entries, map->capacity * sizeof(*map->entries));
	*map = (struct map){ 0 };
}

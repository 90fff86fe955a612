// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/idmap.h"

enum {
	FIRST_CAPACITY = 64,
};

// What lies near in the target lies near in the table: the page decides on a place at random, the
// position within the page on the distance from it. Heaps are walked in order mostly.
static size_t first_slot(const struct idmap *map, uint64_t key)
{
	uint64_t page = (key >> 12) * 0x9e3779b97f4a7c15u >> 32;

	return (page + (key >> 5 & 127)) & (map->capacity - 1);
}

static size_t find_slot(const struct idmap *map, uint64_t key)
{
	size_t i = first_slot(map, key);

	while (map->keys[i] && map->keys[i] != key)
		i = (i + 1) & (map->capacity - 1);
	return i;
}

static ompd_rc_t grow(struct idmap *map, const struct target *target)
{
	struct idmap larger = *map;

	larger.capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY;
	larger.keys = target_alloc(target, larger.capacity * sizeof(*larger.keys));
	if (larger.keys && !map->is_set)
		larger.values = target_alloc(target, larger.capacity * sizeof(*larger.values));
	if (!larger.keys || (!map->is_set && !larger.values)) {
		target_free(target, larger.keys);
		return ompd_rc_nomem;
	}
	for (size_t i = 0; i < map->capacity; i++) {
		if (!map->keys[i])
			continue;
		size_t slot = find_slot(&larger, map->keys[i]);

		larger.keys[slot] = map->keys[i];
		if (!map->is_set)
			larger.values[slot] = map->values[i];
	}
	target_free(target, map->keys);
	target_free(target, map->values);
	*map = larger;
	return ompd_rc_ok;
}

ompd_rc_t idmap_add(struct idmap *map, const struct target *target, uint64_t address,
		    uint64_t value, bool *added)
{
	// At most half full.
	if (2 * (map->count + 1) > map->capacity) {
		ompd_rc_t rc = grow(map, target);

		if (rc != ompd_rc_ok)
			return rc;
	}
	size_t slot = find_slot(map, address + 1);
	bool is_new = !map->keys[slot];

	if (is_new) {
		map->keys[slot] = address + 1;
		if (!map->is_set)
			map->values[slot] = value;
		map->count++;
	}
	if (added)
		*added = is_new;
	return ompd_rc_ok;
}

bool idmap_find(const struct idmap *map, uint64_t address, uint64_t *value)
{
	if (!map->capacity)
		return false;
	size_t slot = find_slot(map, address + 1);

	if (map->keys[slot] && !map->is_set && value)
		*value = map->values[slot];
	return map->keys[slot] != 0;
}

uint64_t *idmap_value(const struct idmap *map, uint64_t address)
{
	if (!map->capacity || map->is_set)
		return NULL;
	size_t slot = find_slot(map, address + 1);

	return map->keys[slot] ? &map->values[slot] : NULL;
}

void idmap_close(struct idmap *map, const struct target *target)
{
	target_free(target, map->keys);
	target_free(target, map->values);
	*map = (struct idmap){ .is_set = map->is_set };
}

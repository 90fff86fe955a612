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

static struct idmap_slot *find_slot(const struct idmap *map, uint64_t key)
{
	size_t i = first_slot(map, key);

	while (map->slots[i].key && map->slots[i].key != key)
		i = (i + 1) & (map->capacity - 1);
	return &map->slots[i];
}

static ompd_rc_t grow(struct idmap *map, const struct target *target)
{
	struct idmap larger = *map;

	larger.capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY;
	larger.slots = target_alloc(target, larger.capacity * sizeof(*larger.slots));
	if (!larger.slots)
		return ompd_rc_nomem;
	for (size_t i = 0; i < map->capacity; i++) {
		if (map->slots[i].key)
			*find_slot(&larger, map->slots[i].key) = map->slots[i];
	}
	target_free(target, map->slots);
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
	struct idmap_slot *slot = find_slot(map, address + 1);
	const bool is_new = !slot->key;

	if (is_new)
		*slot = (struct idmap_slot){ .key = address + 1, .value = value };
	map->count += is_new;
	if (added)
		*added = is_new;
	return ompd_rc_ok;
}

uint64_t *idmap_value(const struct idmap *map, uint64_t address)
{
	struct idmap_slot *slot = map->capacity ? find_slot(map, address + 1) : NULL;

	return slot && slot->key ? &slot->value : NULL;
}

bool idmap_find(const struct idmap *map, uint64_t address, uint64_t *value)
{
	const uint64_t *found = idmap_value(map, address);

	if (found && value)
		*value = *found;
	return found;
}

void idmap_close(struct idmap *map, const struct target *target)
{
	target_free(target, map->slots);
	*map = (struct idmap){ 0 };
}

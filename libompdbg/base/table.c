// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open addressing; the capacity is a power of two, of which at most three quarters are taken.

#include "base/table.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

enum { FIRST_CAPACITY = 16 };

struct table_entry {
	uint64_t key;
	bool is_taken;
	void *value;
};

struct string_entry {
	const char *key; // NULL: free
	void *value;
};

static bool is_full(size_t count, size_t capacity)
{
	return 4 * count >= 3 * capacity;
}

// ---- Numbers ---------------------------------------------------------------------------------

/** Find the entry of a key, or the free one where it belongs. */
static struct table_entry *find(const struct table *table, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = (size_t)(hash >> 32);; i++) {
		struct table_entry *entry = &table->entries[i & (table->capacity - 1)];

		if (!entry->is_taken || entry->key == key)
			return entry;
	}
}

void *table_get(const struct table *table, uint64_t key)
{
	return table->capacity ? find(table, key)->value : NULL;
}

void **table_put(struct table *table, struct arena *arena, uint64_t key)
{
	if (is_full(table->count, table->capacity)) {
		struct table larger = { .count = table->count };

		larger.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
		larger.entries = ARENA_ARRAY(arena, struct table_entry, larger.capacity);
		for (size_t i = 0; i < table->capacity; i++) {
			if (table->entries[i].is_taken)
				*find(&larger, table->entries[i].key) = table->entries[i];
		}
		*table = larger;
	}
	struct table_entry *entry = find(table, key);
	if (!entry->is_taken) {
		entry->is_taken = true;
		entry->key = key;
		table->count++;
	}
	return &entry->value;
}

void *table_value(const struct table *table, size_t *index)
{
	for (; *index < table->capacity; ++*index) {
		if (table->entries[*index].value)
			return table->entries[*index].value;
	}
	return NULL;
}

// ---- Strings ---------------------------------------------------------------------------------

static struct string_entry *find_string(const struct string_table *table, const char *key)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a

	for (const char *c = key; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	for (size_t i = (size_t)(hash ^ hash >> 32);; i++) {
		struct string_entry *entry = &table->entries[i & (table->capacity - 1)];

		if (!entry->key || strcmp(entry->key, key) == 0)
			return entry;
	}
}

void *string_table_get(const struct string_table *table, const char *key)
{
	return table->capacity ? find_string(table, key)->value : NULL;
}

void **string_table_put(struct string_table *table, struct arena *arena, const char *key)
{
	if (is_full(table->count, table->capacity)) {
		struct string_table larger = { .count = table->count };

		larger.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
		larger.entries = ARENA_ARRAY(arena, struct string_entry, larger.capacity);
		for (size_t i = 0; i < table->capacity; i++) {
			if (table->entries[i].key)
				*find_string(&larger, table->entries[i].key) = table->entries[i];
		}
		*table = larger;
	}
	struct string_entry *entry = find_string(table, key);
	if (!entry->key) {
		entry->key = key;
		table->count++;
	}
	return &entry->value;
}

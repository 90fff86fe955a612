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
	if (4 * table->count >= 3 * table->capacity) {
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

/** A string and its value, in the list of those that have the same hash. */
struct string_entry {
	struct string_entry *next;
	const char *key;
	void *value;
};

static uint64_t hash_of(const char *key)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return hash;
}

static struct string_entry *find_string(struct string_entry *first, const char *key)
{
	while (first && strcmp(first->key, key) != 0)
		first = first->next;
	return first;
}

void *string_table_get(const struct string_table *table, const char *key)
{
	const struct string_entry *entry =
		find_string(table_get(&table->by_hash, hash_of(key)), key);

	return entry ? entry->value : NULL;
}

void **string_table_put(struct string_table *table, struct arena *arena, const char *key)
{
	struct string_entry **first =
		(struct string_entry **)table_put(&table->by_hash, arena, hash_of(key));
	struct string_entry *entry = find_string(*first, key);

	if (!entry) {
		entry = ARENA_NEW(arena, struct string_entry);
		*entry = (struct string_entry){ .next = *first, .key = key };
		*first = entry;
	}
	return &entry->value;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hash tables from numbers or strings to pointers. All zero is an empty table.

#ifndef OMPDBG_TABLE_H
#define OMPDBG_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/** Keys are numbers. Grows in an arena; nothing is ever removed. */
struct table {
	struct table_entry *entries;
	size_t count, capacity;
};

/** Find the value of a key. @return NULL if there is none. */
void *table_get(const struct table *table, uint64_t key);
/** Find the place of a key's value, which is NULL if it is new. Valid until the next call. */
void **table_put(struct table *table, struct arena *arena, uint64_t key);
/** Find the first value at the place *index or after it, and move *index there. For all values:
 *  for (size_t i = 0; (value = table_value(table, &i)); i++). @return NULL: there are no more. */
void *table_value(const struct table *table, size_t *index);

/** Keys are strings, which the table does not copy. */
struct string_table {
	struct table by_hash;
};

void *string_table_get(const struct string_table *table, const char *key);
void **string_table_put(struct string_table *table, struct arena *arena, const char *key);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is released all at once. What is made of one stop of the program lives as long as its
// process: nothing in the model is released by itself.

#ifndef OMPDBG_ARENA_H
#define OMPDBG_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena {
	struct arena_block *blocks; // the newest first
};

/** End the program with a message. */
_Noreturn void out_of_memory(void);
void arena_deinit(struct arena *arena);
/** Allocate zeroed memory. Without memory, the program ends with a message: a debugger that has none
 *  left for a few bytes cannot go on either. */
void *arena_alloc(struct arena *arena, size_t size);
#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array(arena, count, sizeof(type)))
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);
/** Copy a string. NULL gives NULL. */
char *arena_strdup(struct arena *arena, const char *string);
char *arena_strndup(struct arena *arena, const char *string, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Append an element to an array in an arena, which grows by doubling: `array`, `count` and
 *  `capacity` are lvalues. Gives the address of the new, zeroed element. */
#define ARENA_APPEND(arena, array, count, capacity)                                       \
	((__typeof__(array))arena_append(arena, (void **)&(array), &(count), &(capacity), \
					 sizeof(__typeof__(*(array)))))
void *arena_append(struct arena *arena, void **array, size_t *count, size_t *capacity, size_t size);

#endif

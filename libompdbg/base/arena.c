// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"

enum { FIRST_BLOCK = 4 << 10, BLOCK = 64 << 10, FIRST_CAPACITY = 8, USUAL_TEXT = 128 };

struct arena_block {
	struct arena_block *next;
	size_t size, used; // of bytes
	max_align_t bytes[];
};

void out_of_memory(void)
{
	fputs("ompdbg: out of memory\n", stderr);
	abort();
}

void arena_deinit(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *block = arena->blocks;

		arena->blocks = block->next;
		budget_give(block->size);
		free(block);
	}
}

/** Add a block of its own for what is large; it stays behind the block that is being filled. */
static struct arena_block *add_block(struct arena *arena, size_t size)
{
	size_t usual = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;

	if (usual > BLOCK)
		usual = BLOCK;
	bool is_large = size > usual / 4;
	size_t bytes = is_large ? size : usual;
	struct arena_block *block = NULL;

	if (bytes <= SIZE_MAX - sizeof(*block))
		block = calloc(1, sizeof(*block) + bytes);
	if (!block)
		out_of_memory();
	budget_take(bytes);
	block->size = bytes;
	if (is_large && arena->blocks) {
		block->next = arena->blocks->next;
		arena->blocks->next = block;
	} else {
		block->next = arena->blocks;
		arena->blocks = block;
	}
	return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t unit = sizeof(max_align_t);
	struct arena_block *block = arena->blocks;

	if (size > SIZE_MAX - unit)
		out_of_memory();
	size = size ? (size + unit - 1) / unit * unit : unit;
	if (!block || block->size - block->used < size)
		block = add_block(arena, size);
	void *memory = (char *)block->bytes + block->used;
	block->used += size;
	return memory;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	return arena_alloc(arena, bytes);
}

char *arena_strndup(struct arena *arena, const char *string, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, string, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *string)
{
	return string ? arena_strndup(arena, string, strlen(string)) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	char usual[USUAL_TEXT];
	va_list arguments, again;

	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(usual, sizeof(usual), format, arguments);
	va_end(arguments);
	if (length < 0)
		out_of_memory();
	char *text = arena_alloc(arena, (size_t)length + 1);
	if ((size_t)length < sizeof(usual))
		memcpy(text, usual, (size_t)length);
	else
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void *arena_append(struct arena *arena, void **array, size_t *count, size_t *capacity, size_t size)
{
	if (*count == *capacity) {
		size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
		void *copy = arena_alloc_array(arena, larger, size);

		if (*count)
			memcpy(copy, *array, *count * size);
		*array = copy;
		*capacity = larger;
	}
	return (char *)*array + (*count)++ * size;
}

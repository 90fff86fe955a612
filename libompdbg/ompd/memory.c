// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks are kept in a list, because what a library returns is released by its client: a string
// that is static after all, as some libraries have it, must not be. The callbacks get no context:
// the list is one for all libraries.

#include "ompd/memory.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/budget.h"

struct block {
	struct block *previous, *next;
	size_t size;
	max_align_t bytes[];
};

static struct block *blocks; // newest first

ompd_rc_t memory_alloc(ompd_size_t bytes, void **ret)
{
	if (!ret)
		return ompd_rc_bad_input;
	*ret = NULL;
	if (bytes > SIZE_MAX - sizeof(struct block))
		return ompd_rc_nomem;
	struct block *block = budget_is_spent() ? NULL : malloc(sizeof(*block) + bytes);
	if (!block)
		return ompd_rc_nomem;
	budget_take(bytes);
	block->size = bytes;
	block->previous = NULL;
	block->next = blocks;
	if (blocks)
		blocks->previous = block;
	blocks = block;
	*ret = block->bytes;
	return ompd_rc_ok;
}

ompd_rc_t memory_free(void *memory)
{
	if (!memory)
		return ompd_rc_ok;
	struct block *block = (struct block *)((char *)memory - offsetof(struct block, bytes));

	if (block->previous)
		block->previous->next = block->next;
	else
		blocks = block->next;
	if (block->next)
		block->next->previous = block->previous;
	budget_give(block->size);
	free(block);
	return ompd_rc_ok;
}

void memory_free_owned(const void *memory)
{
	for (struct block *block = blocks; block; block = block->next) {
		if (block->bytes == memory) {
			memory_free(block->bytes);
			return;
		}
	}
}

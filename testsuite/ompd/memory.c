// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocator that libraries use. It keeps a list of its blocks, because what a library returns
// is released by us: a string that is static after all, as some libraries have it, must not be.

#include "plugin.h"

#include <stdlib.h>

struct block {
	struct block *previous, *next;
	max_align_t bytes[];
};

static struct block *blocks; // newest first
static size_t live;

ompd_rc_t memory_alloc(ompd_size_t bytes, void **ret)
{
	if (!ret)
		return ompd_rc_bad_input;
	*ret = NULL;
	if (bytes > SIZE_MAX - sizeof(struct block))
		return ompd_rc_nomem;
	struct block *block = malloc(sizeof(*block) + bytes);
	if (!block)
		return ompd_rc_nomem;
	block->previous = NULL;
	block->next = blocks;
	if (blocks)
		blocks->previous = block;
	blocks = block;
	live++;
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
	live--;
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

size_t memory_live(void)
{
	return live;
}

PyObject *text_of(const char *string, size_t length)
{
	return PyUnicode_DecodeUTF8(string, (Py_ssize_t)length, "surrogateescape");
}

PyObject *text_new(const char *string)
{
	return text_of(string, strlen(string));
}

PyObject *memory_take_string(const char *string)
{
	PyObject *result = text_new(string ? string : "");

	memory_free_owned(string);
	return result;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that grows, for output. All zero is an empty buffer.

#ifndef OMPDBG_BUFFER_H
#define OMPDBG_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct buffer {
	char *data; // zero-terminated once something was put into it
	size_t size, capacity;
};

void buffer_deinit(struct buffer *buffer);
void buffer_clear(struct buffer *buffer);
void buffer_put(struct buffer *buffer, const char *text);
void buffer_put_bytes(struct buffer *buffer, const void *bytes, size_t size);
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

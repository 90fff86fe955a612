// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/budget.h"

enum { FIRST_CAPACITY = 256, USUAL_TEXT = 127 };

void buffer_deinit(struct buffer *buffer)
{
	budget_give(buffer->capacity);
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}

void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	if (buffer->data)
		buffer->data[0] = 0;
}

/** Make room for @p size bytes and the zero byte after them. */
static char *reserve(struct buffer *buffer, size_t size)
{
	size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;

	if (size >= SIZE_MAX / 4 - buffer->size)
		out_of_memory();
	while (capacity <= buffer->size + size)
		capacity *= 2;
	if (capacity != buffer->capacity) {
		char *data = realloc(buffer->data, capacity);

		if (!data)
			out_of_memory();
		budget_take(capacity - buffer->capacity);
		buffer->data = data;
		buffer->capacity = capacity;
	}
	return buffer->data + buffer->size;
}

void buffer_put_bytes(struct buffer *buffer, const void *bytes, size_t size)
{
	char *end = reserve(buffer, size);

	if (size)
		memcpy(end, bytes, size);
	end[size] = 0;
	buffer->size += size;
}

void buffer_put(struct buffer *buffer, const char *text)
{
	buffer_put_bytes(buffer, text, strlen(text));
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	char *end = reserve(buffer, USUAL_TEXT);
	va_list arguments, again;

	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(end, USUAL_TEXT + 1, format, arguments);
	va_end(arguments);
	if (length < 0)
		out_of_memory();
	if (length > USUAL_TEXT)
		vsnprintf(reserve(buffer, (size_t)length), (size_t)length + 1, format, again);
	va_end(again);
	buffer->size += (size_t)length;
}

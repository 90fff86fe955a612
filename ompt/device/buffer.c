// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of a tool: a head, then records of one size. A cursor is the offset of a record; none is at 0.

#include "device.h"

#define MAGIC 0x6563617274706d6fULL

/** Return where a buffer's head is: the tool's memory may lie anywhere. */
static struct device_buffer_head *head_of(const char *buffer)
{
	uintptr_t align = _Alignof(struct device_record), address = (uintptr_t)buffer;

	return (struct device_buffer_head *)((address + align - 1) & -align);
}

/** Return how many bytes of a buffer can be used. */
static size_t usable(const char *buffer, size_t size)
{
	size_t skipped = (size_t)((const char *)head_of(buffer) - buffer);

	return size > skipped ? size - skipped : 0;
}

void device_buffer_init(char *buffer, size_t size)
{
	struct device_buffer_head *head = head_of(buffer);

	if (usable(buffer, size) >= sizeof(*head))
		*head = (struct device_buffer_head){ MAGIC, sizeof(*head) };
}

struct device_record *device_buffer_add(char *buffer, size_t size)
{
	struct device_buffer_head *head = head_of(buffer);
	struct device_record *record;

	if (usable(buffer, size) < sizeof(*head) ||
	    usable(buffer, size) - head->end < sizeof(*record))
		return NULL;
	record = (struct device_record *)((char *)head + head->end);
	head->end += sizeof(*record);
	return record;
}

/** Return the record at a cursor, or null. */
static struct device_record *record_at(const char *buffer, ompt_buffer_cursor_t cursor)
{
	struct device_buffer_head *head = head_of(buffer);

	// A buffer that is too small for the head has no cursor but 0.
	if (!buffer || cursor < sizeof(*head) ||
	    (cursor - sizeof(*head)) % sizeof(struct device_record))
		return NULL;
	if (head->magic != MAGIC || cursor >= head->end)
		return NULL;
	return (struct device_record *)((char *)head + cursor);
}

ompt_buffer_cursor_t device_buffer_begin(const char *buffer, size_t size)
{
	bool any = usable(buffer, size) >= sizeof(struct device_buffer_head) &&
		   record_at(buffer, sizeof(struct device_buffer_head));

	return any ? sizeof(struct device_buffer_head) : 0;
}

bool device_buffer_next(ompt_buffer_t *buffer, size_t size, ompt_buffer_cursor_t current,
			ompt_buffer_cursor_t *next)
{
	ompt_buffer_cursor_t after = current + sizeof(struct device_record);

	if (!record_at(buffer, current) ||
	    after + sizeof(struct device_record) > usable(buffer, size) ||
	    !record_at(buffer, after))
		return false;
	*next = after;
	return true;
}

int device_advance_buffer_cursor(ompt_device_t *device, ompt_buffer_t *buffer, size_t size,
				 ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
	return device_check(device) && next && device_buffer_next(buffer, size, current, next);
}

ompt_record_t device_get_record_type(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
	const struct device_record *record = record_at(buffer, current);

	return record ? (ompt_record_t)record->type : ompt_record_invalid;
}

ompt_record_ompt_t *device_get_record_ompt(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
	struct device_record *record = record_at(buffer, current);

	return record && record->type == ompt_record_ompt ? &record->ompt : NULL;
}

void *device_get_record_native(ompt_buffer_t *buffer, ompt_buffer_cursor_t current,
			       ompt_id_t *host_op_id)
{
	struct device_record *record = record_at(buffer, current);

	if (!record || record->type != ompt_record_native)
		return NULL;
	if (host_op_id)
		*host_op_id = record->host_op_id;
	return &record->native;
}

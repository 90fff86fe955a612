// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "callbacks.h"

#include <string.h>

struct callback_counts callback_counts;

ompd_address_space_context_t *plain_context(void)
{
	static char anything;

	return (ompd_address_space_context_t *)&anything;
}

static ompd_rc_t alloc_memory(ompd_size_t size, void **ptr)
{
	*ptr = callback_alloc(size);
	return *ptr ? ompd_rc_ok : ompd_rc_nomem;
}

static ompd_rc_t free_memory(void *ptr)
{
	callback_free(ptr);
	return ompd_rc_ok;
}

static ompd_rc_t print_string(const char *string, int category)
{
	(void)string;
	(void)category;
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	(void)context;
	callback_counts.others++;
	*sizes = (ompd_device_type_sizes_t){
		.sizeof_char = sizeof(char),
		.sizeof_short = sizeof(short),
		.sizeof_int = sizeof(int),
		.sizeof_long = sizeof(long),
		.sizeof_long_long = sizeof(long long),
		.sizeof_pointer = sizeof(void *),
	};
	return ompd_rc_ok;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const char *name, ompd_address_t *address, const char *file_name)
{
	(void)thread;
	callback_counts.symbols++;
	address->segment = ompd_segment_none;
	if (callback_symbol(context, name, file_name, &address->address))
		return ompd_rc_ok;
	callback_counts.failed_symbols++;
	return ompd_rc_error;
}

static bool read_bytes(ompd_address_space_context_t *context, uint64_t address, void *buffer,
		       size_t size)
{
	callback_counts.bytes += size;
	if (callback_read(context, address, buffer, size))
		return true;
	callback_counts.failed_reads++;
	return false;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t size, void *buffer)
{
	(void)thread;
	callback_counts.reads++;
	return read_bytes(context, address->address, buffer, size) ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t size, void *buffer)
{
	char *to = buffer;

	(void)thread;
	callback_counts.reads++;
	for (ompd_size_t i = 0; i < size; i++) {
		if (!read_bytes(context, address->address + i, &to[i], 1))
			return ompd_rc_error;
		if (!to[i])
			return ompd_rc_ok;
	}
	return ompd_rc_incomplete;
}

static ompd_rc_t copy_units(ompd_address_space_context_t *context, const void *input,
			    ompd_size_t unit_size, ompd_size_t count, void *output)
{
	(void)context;
	callback_counts.others++;
	memcpy(output, input, unit_size * count);
	return ompd_rc_ok;
}

const ompd_callbacks_t plain_callbacks = {
	.alloc_memory = alloc_memory,
	.free_memory = free_memory,
	.print_string = print_string,
	.sizeof_type = sizeof_type,
	.symbol_addr_lookup = symbol_addr,
	.read_memory = read_memory,
	.read_string = read_string,
	.device_to_host = copy_units,
	.host_to_device = copy_units,
};

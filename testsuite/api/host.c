// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompd/ompd_ext.h"

long host_fail_allocation;

ompd_address_space_context_t *host_context(void)
{
	static char anything;

	return (ompd_address_space_context_t *)&anything;
}

static ompd_rc_t alloc_memory(ompd_size_t size, void **ptr)
{
	*ptr = here_alloc(size, &host_fail_allocation);
	return *ptr ? ompd_rc_ok : ompd_rc_nomem;
}

static ompd_rc_t free_memory(void *ptr)
{
	here_free(ptr);
	return ompd_rc_ok;
}

bool host_keeps_processors(void)
{
	const unsigned int *size = dlsym(RTLD_DEFAULT, "__rseq_size");

	return size && *size;
}

void host_free(const char *string)
{
	free_memory((void *)string);
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

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context,
			     ompd_thread_context_t *thread_context, const char *name,
			     ompd_address_t *address, const char *file_name)
{
	void *handle = RTLD_DEFAULT, *symbol;

	(void)context;
	(void)thread_context;
	if (file_name) {
		handle = dlopen(file_name, RTLD_LAZY | RTLD_NOLOAD);
		if (!handle)
			return ompd_rc_error;
	}
	symbol = dlsym(handle, name);
	if (file_name)
		dlclose(handle);
	if (!symbol)
		return ompd_rc_error;
	*address = (ompd_address_t){ ompd_segment_none, (uintptr_t)symbol };
	return ompd_rc_ok;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context,
			     ompd_thread_context_t *thread_context, const ompd_address_t *address,
			     ompd_size_t size, void *buffer)
{
	(void)context;
	(void)thread_context;
	return here_read(address->address, buffer, size) ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context,
			     ompd_thread_context_t *thread_context, const ompd_address_t *address,
			     ompd_size_t size, void *buffer)
{
	char *to = buffer;

	for (ompd_size_t i = 0; i < size; i++) {
		const ompd_address_t at = { address->segment, address->address + i };
		ompd_rc_t rc = read_memory(context, thread_context, &at, 1, &to[i]);

		if (rc != ompd_rc_ok || !to[i])
			return rc;
	}
	return ompd_rc_incomplete;
}

static ompd_rc_t copy_units(ompd_address_space_context_t *context, const void *input,
			    ompd_size_t unit_size, ompd_size_t count, void *output)
{
	(void)context;
	memcpy(output, input, unit_size * count);
	return ompd_rc_ok;
}

// libompd neither writes nor asks for the context of a thread: the table has none of them.
const ompd_callbacks_t host_callbacks = {
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

int host_open(const ompd_callbacks_t *callbacks, ompd_address_space_handle_t **ret)
{
	ompd_rc_t rc = ompd_initialize(202111, callbacks);

	if (rc == ompd_rc_ok)
		rc = ompd_process_initialize(host_context(), ret);
	if (rc != ompd_rc_ok)
		fprintf(stderr, "%s\n", ompd_ext_last_reason());
	return rc == ompd_rc_ok ? 0 : -1;
}

int host_close(ompd_address_space_handle_t *space)
{
	ompd_rel_address_space_handle(space);
	ompd_finalize();
	return here_blocks != 0;
}

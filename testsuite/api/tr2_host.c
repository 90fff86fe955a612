// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "tr2_host.h"

#include <dlfcn.h>
#include <string.h>

struct tr2_host tr2_host;

ompd_address_space_context_t *tr2_host_context(void)
{
	static char anything;

	return (ompd_address_space_context_t *)&anything;
}

static ompd_rc_t alloc_memory(ompd_size_t bytes, void **ptr)
{
	*ptr = here_alloc(bytes, &tr2_host.fail_allocation);
	return *ptr ? ompd_rc_ok : ompd_rc_nomem;
}

static ompd_rc_t free_memory(void *ptr)
{
	here_free(ptr);
	return ompd_rc_ok;
}

void tr2_host_free(void *memory)
{
	if (memory)
		free_memory(memory);
}

static ompd_rc_t print_string(const char *string)
{
	(void)string;
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_prim(ompd_address_space_context_t *context, ompd_target_type_sizes_t *sizes)
{
	(void)context;
	*sizes = (ompd_target_type_sizes_t){
		.sizeof_char = sizeof(char),
		.sizeof_short = sizeof(short),
		.sizeof_int = sizeof(int),
		.sizeof_long = sizeof(long),
		.sizeof_long_long = sizeof(long long),
		.sizeof_pointer = tr2_host.pointer_size ? tr2_host.pointer_size :
							  (int)sizeof(void *),
	};
	return ompd_rc_ok;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const char *name, ompd_address_t *address)
{
	void *symbol = tr2_host.no_symbols ? NULL : dlsym(RTLD_DEFAULT, name);

	(void)context;
	(void)thread;
	if (!symbol)
		return ompd_rc_bad_input;
	*address = (ompd_address_t){ OMPD_SEGMENT_UNSPECIFIED, (uintptr_t)symbol };
	return ompd_rc_ok;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_tword_t nbytes, void *buffer)
{
	(void)context;
	(void)thread;
	if (tr2_host.failing_reads != ompd_rc_ok)
		return tr2_host.failing_reads;
	return here_falls_due(&tr2_host.fail_read) ||
			       !here_read(address->address, buffer, (size_t)nbytes) ?
		       ompd_rc_target_read_error :
		       ompd_rc_ok;
}

static ompd_rc_t copy_units(ompd_address_space_context_t *context, const void *input, int unit_size,
			    int count, void *output)
{
	(void)context;
	memcpy(output, input, (size_t)unit_size * (size_t)count);
	return ompd_rc_ok;
}

const ompd_callbacks_t tr2_host_callbacks = {
	.d_alloc_memory = alloc_memory,
	.d_free_memory = free_memory,
	.print_string = print_string,
	.t_sizeof_prim_type = sizeof_prim,
	.t_symbol_addr_lookup = symbol_addr,
	.t_read_memory = read_memory,
	.target_to_host = copy_units,
	.host_to_target = copy_units,
};

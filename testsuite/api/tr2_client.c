// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tr2_client.h"

#include <stdlib.h>
#include <string.h>

struct tr2_client client;

void client_check(ompd_rc_t rc, const char *what)
{
	if (rc == ompd_rc_ok)
		return;
	fprintf(stderr, "%s: %d\n", what, rc);
	exit(1);
}

static ompd_rc_t alloc_memory(ompd_size_t bytes, void **ptr)
{
	*ptr = tr2_alloc(bytes);
	return *ptr ? ompd_rc_ok : ompd_rc_nomem;
}

static ompd_rc_t free_memory(void *ptr)
{
	tr2_free(ptr);
	return ompd_rc_ok;
}

static ompd_rc_t print_string(const char *string)
{
	fputs(string, stderr);
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_prim(ompd_address_space_context_t *context, ompd_target_type_sizes_t *sizes)
{
	(void)context;
	*sizes = (ompd_target_type_sizes_t){ 1, 2, 4, 8, 8, 8 };
	return ompd_rc_ok;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const char *name, ompd_address_t *address)
{
	(void)context;
	(void)thread;
	address->segment = OMPD_SEGMENT_UNSPECIFIED;
	return tr2_symbol(name, NULL, &address->address) ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_tword_t nbytes, void *buffer)
{
	(void)context;
	(void)thread;
	return tr2_read(address->address, buffer, (size_t)nbytes) ? ompd_rc_ok :
								    ompd_rc_target_read_error;
}

static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			      const ompd_address_t *address, ompd_tword_t nbytes,
			      const void *buffer)
{
	(void)context;
	(void)thread;
	(void)address;
	(void)nbytes;
	(void)buffer;
	return ompd_rc_target_write_error;
}

static ompd_rc_t convert(ompd_address_space_context_t *context, const void *input, int unit_size,
			 int count, void *output)
{
	(void)context;
	memcpy(output, input, (size_t)unit_size * (size_t)count);
	return ompd_rc_ok;
}

ompd_address_space_handle_t *client_open(void *library)
{
	static const ompd_callbacks_t callbacks = {
		.d_alloc_memory = alloc_memory,
		.d_free_memory = free_memory,
		.print_string = print_string,
		.t_sizeof_prim_type = sizeof_prim,
		.t_symbol_addr_lookup = symbol_addr,
		.t_read_memory = read_memory,
		.t_write_memory = write_memory,
		.target_to_host = convert,
		.host_to_target = convert,
	};
	static char context;
	ompd_address_space_handle_t *space;
	const char *string;
	int version;

#define FUNCTION(section, name, parameters) client.name = tr2_function(library, #name);
#include "tr2_interface.def"
	client_check(client.ompd_get_version(&version), "version");
	client_check(client.ompd_get_version_string(&string), "version string");
	client_check(client.ompd_initialize(&callbacks), "initialize");
	client_check(client.ompd_process_initialize((void *)&context, &space), "process");
	return space;
}

void client_close(ompd_address_space_handle_t *space)
{
	client_check(client.ompd_release_address_space_handle(space), "release");
	client_check(client.ompd_finalize(), "finalize");
}

int client_lwp(ompd_thread_handle_t *thread)
{
	int lwp = 0;

	client_check(client.ompd_get_osthread(thread, ompd_osthread_lwp, sizeof(lwp), &lwp), "lwp");
	return lwp;
}

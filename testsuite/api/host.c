// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "host.h"

#include <dlfcn.h>
#include <stdio.h>

#include "ompd/ompd_ext.h"

long host_fail_allocation;
uint64_t host_hidden;

void *callback_alloc(size_t size)
{
	return here_alloc(size, &host_fail_allocation);
}

void callback_free(void *memory)
{
	here_free(memory);
}

bool host_keeps_processors(void)
{
	const unsigned int *size = dlsym(RTLD_DEFAULT, "__rseq_size");

	return size && *size;
}

void host_free(const char *string)
{
	here_free((void *)string);
}

bool callback_symbol(ompd_address_space_context_t *context, const char *name, const char *file_name,
		     uint64_t *address)
{
	void *handle = RTLD_DEFAULT;

	(void)context;
	if (file_name)
		handle = dlopen(file_name, RTLD_LAZY | RTLD_NOLOAD);
	if (file_name && !handle)
		return false;
	*address = (uintptr_t)dlsym(handle, name);
	if (file_name)
		dlclose(handle);
	return *address != 0;
}

bool callback_read(ompd_address_space_context_t *context, uint64_t address, void *buffer,
		   size_t size)
{
	(void)context;
	if (host_hidden && address < host_hidden + HOST_HIDDEN && address + size > host_hidden)
		return false;
	return here_read(address, buffer, size);
}

int host_open(const ompd_callbacks_t *callbacks, ompd_address_space_handle_t **ret)
{
	ompd_rc_t rc = ompd_initialize(202111, callbacks);

	if (rc == ompd_rc_ok)
		rc = ompd_process_initialize(plain_context(), ret);
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

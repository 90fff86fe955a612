// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/target.h"

#include <string.h>

ompd_rc_t target_init(struct target *target, const ompd_callbacks_t *callbacks,
		      ompd_address_space_context_t *context)
{
	target->callbacks = callbacks;
	target->context = context;
	ompd_rc_t rc = callbacks->sizeof_type(context, &target->sizes);

	if (rc != ompd_rc_ok)
		return rc;
	// The runtimes' tables are those of LP64; refuse anything else instead of misreading it.
	if (target->sizes.sizeof_pointer != 8 || target->sizes.sizeof_long != 8 ||
	    target->sizes.sizeof_int != 4)
		return ompd_rc_unsupported;
	return ompd_rc_ok;
}

ompd_rc_t target_read(const struct target *target, uint64_t address, void *buffer, size_t size)
{
	const ompd_address_t where = { ompd_segment_none, address };

	if (size == 0)
		return ompd_rc_ok;
	if (address == 0 || address + size < address)
		return ompd_rc_error;
	return target->callbacks->read_memory(target->context, NULL, &where, size, buffer);
}

uint64_t target_uint(const struct target *target, const void *bytes, unsigned int size)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} host = { .u64 = 0 };

	if (size > sizeof(host))
		return 0;
	if (target->callbacks->device_to_host(target->context, bytes, size, 1, &host) != ompd_rc_ok)
		return 0;
	switch (size) {
	case 1:
		return host.u8;
	case 2:
		return host.u16;
	case 4:
		return host.u32;
	case 8:
		return host.u64;
	default:
		return 0;
	}
}

ompd_rc_t target_read_uint(const struct target *target, uint64_t address, unsigned int size,
			   uint64_t *ret)
{
	uint8_t bytes[8];

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return ompd_rc_unsupported;
	ompd_rc_t rc = target_read(target, address, bytes, size);

	if (rc == ompd_rc_ok)
		*ret = target_uint(target, bytes, size);
	return rc;
}

ompd_rc_t target_read_pointer(const struct target *target, uint64_t address, uint64_t *ret)
{
	return target_read_uint(target, address, target->sizes.sizeof_pointer, ret);
}

ompd_rc_t target_read_string(const struct target *target, uint64_t address, char *buffer,
			     size_t size)
{
	const ompd_address_t where = { ompd_segment_none, address };

	if (size == 0 || address == 0)
		return ompd_rc_bad_input;
	memset(buffer, 0, size);
	ompd_rc_t rc = target->callbacks->read_string(target->context, NULL, &where, size, buffer);

	buffer[size - 1] = '\0';
	return rc;
}

ompd_rc_t target_symbol(const struct target *target, const char *name, const char *file_name,
			uint64_t *ret)
{
	ompd_address_t address = { ompd_segment_none, 0 };
	ompd_rc_t rc = target->callbacks->symbol_addr_lookup(target->context, NULL, name, &address,
							     file_name);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_unavailable : rc;
	// LLVM's plug-in for GDB has the latter for a symbol that it does not find.
	if (address.address == 0 || address.address == UINT64_MAX)
		return ompd_rc_unavailable;
	*ret = address.address;
	return ompd_rc_ok;
}

void *target_alloc(const struct target *target, size_t size)
{
	void *memory = NULL;

	if (target->callbacks->alloc_memory(size, &memory) != ompd_rc_ok || !memory)
		return NULL;
	return memset(memory, 0, size);
}

void target_free(const struct target *target, void *memory)
{
	if (memory)
		target->callbacks->free_memory(memory);
}

char *target_strdup(const struct target *target, const char *string)
{
	size_t size = strlen(string) + 1;
	char *copy = target_alloc(target, size);

	return copy ? memcpy(copy, string, size) : NULL;
}

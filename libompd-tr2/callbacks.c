// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callback table of 2016 (sections 15.10 and 16) in the form that the core asks for.

#include <string.h>

#include "front.h"

enum { PAGE = 4096 };

static ompd_callbacks_t theirs;
static bool known;

const ompd_callbacks_t *callbacks_theirs(void)
{
	return known ? &theirs : NULL;
}

ompd_rc_t callbacks_open(const ompd_callbacks_t *table)
{
	if (!table || !table->d_alloc_memory || !table->d_free_memory ||
	    !table->t_sizeof_prim_type || !table->t_symbol_addr_lookup || !table->t_read_memory ||
	    !table->target_to_host)
		return ompd_rc_bad_input;
	theirs = *table;
	known = true;
	return ompd_rc_ok;
}

void callbacks_close(void)
{
	known = false;
}

void *front_alloc(size_t size)
{
	void *memory = NULL;

	if (theirs.d_alloc_memory(size, &memory) != ompd_rc_ok || !memory)
		return NULL;
	return memset(memory, 0, size);
}

void front_free(void *memory)
{
	if (memory)
		theirs.d_free_memory(memory);
}

// ---- One for one -----------------------------------------------------------------------------

// Codes have the same numbers on both sides: what a callback returns comes back to the debugger.
static core_rc_t core_rc(ompd_rc_t rc)
{
	return (core_rc_t)rc;
}

static ompd_address_space_context_t *space_of(core_address_space_context_t *context)
{
	return (ompd_address_space_context_t *)context;
}

static ompd_thread_context_t *thread_of(core_thread_context_t *context)
{
	return (ompd_thread_context_t *)context;
}

static core_rc_t alloc_memory(core_size_t size, void **ptr)
{
	return core_rc(theirs.d_alloc_memory(size, ptr));
}

static core_rc_t free_memory(void *ptr)
{
	return core_rc(theirs.d_free_memory(ptr));
}

static core_rc_t print_string(const char *string, int category)
{
	(void)category;
	return theirs.print_string ? core_rc(theirs.print_string(string)) : core_rc_ok;
}

static core_rc_t sizeof_type(core_address_space_context_t *context, core_device_type_sizes_t *ret)
{
	ompd_target_type_sizes_t sizes = { 0 };
	ompd_rc_t rc = theirs.t_sizeof_prim_type(space_of(context), &sizes);

	if (rc == ompd_rc_ok)
		*ret = (core_device_type_sizes_t){
			.sizeof_char = (uint8_t)sizes.sizeof_char,
			.sizeof_short = (uint8_t)sizes.sizeof_short,
			.sizeof_int = (uint8_t)sizes.sizeof_int,
			.sizeof_long = (uint8_t)sizes.sizeof_long,
			.sizeof_long_long = (uint8_t)sizes.sizeof_long_long,
			.sizeof_pointer = (uint8_t)sizes.sizeof_pointer,
		};
	return core_rc(rc);
}

static core_rc_t read_memory(core_address_space_context_t *context, core_thread_context_t *thread,
			     const core_address_t *address, core_size_t size, void *buffer)
{
	const ompd_address_t at = { address->segment, address->address };

	return core_rc(theirs.t_read_memory(space_of(context), thread_of(thread), &at,
					    (ompd_tword_t)size, buffer));
}

static core_rc_t to_host(core_address_space_context_t *context, const void *input,
			 core_size_t unit_size, core_size_t count, void *output)
{
	return core_rc(theirs.target_to_host(space_of(context), input, (int)unit_size, (int)count,
					     output));
}

// ---- What 2016 lacks -------------------------------------------------------------------------

// A look-up in one library. A symbol that is not there is no error of the debugger's, by whatever
// code it says so.
static core_rc_t symbol_addr(core_address_space_context_t *context, core_thread_context_t *thread,
			     const char *name, core_address_t *ret, const char *file_name)
{
	ompd_address_t address = { OMPD_SEGMENT_UNSPECIFIED, 0 };
	ompd_rc_t rc;

	if (file_name)
		rc = object_symbol(space_of(context), file_name, name, &address.address);
	else
		rc = theirs.t_symbol_addr_lookup(space_of(context), thread_of(thread), name,
						 &address);
	if (rc == ompd_rc_bad_input)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*ret = (core_address_t){ address.segment, address.address };
	return core_rc(rc);
}

// A string is read in pieces that end where pages do: what is behind it may not be there.
static core_rc_t read_string(core_address_space_context_t *context, core_thread_context_t *thread,
			     const core_address_t *address, core_size_t size, void *buffer)
{
	core_address_t at = *address;
	char *to = buffer;

	for (core_size_t piece; size; size -= piece, at.address += piece, to += piece) {
		piece = PAGE - at.address % PAGE;
		if (piece > size)
			piece = size;
		core_rc_t rc = read_memory(context, thread, &at, piece, to);

		if (rc != core_rc_ok || memchr(to, '\0', piece))
			return rc;
	}
	return core_rc_incomplete;
}

const core_callbacks_t *callbacks_for_core(void)
{
	// The core neither writes nor asks for the context of a thread.
	static const core_callbacks_t table = {
		.alloc_memory = alloc_memory,
		.free_memory = free_memory,
		.print_string = print_string,
		.sizeof_type = sizeof_type,
		.symbol_addr_lookup = symbol_addr,
		.read_memory = read_memory,
		.read_string = read_string,
		.device_to_host = to_host,
		.host_to_device = to_host,
	};

	return &table;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed access to a target through the debugger's callbacks. Knows nothing of OpenMP.

#ifndef OMPDBG_TARGET_H
#define OMPDBG_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompd/ompd.h"

/** One address space of the debugger, as libompd sees it. */
struct target {
	const ompd_callbacks_t *callbacks;     // the library's own copy of the table
	ompd_address_space_context_t *context; // the debugger's, never looked into
	ompd_device_type_sizes_t sizes;
};

/**
 * Ask the debugger for the sizes of types and for the byte order. ompd_rc_unsupported if they are
 * not those of LP64 and of this machine.
 */
ompd_rc_t target_init(struct target *target, const ompd_callbacks_t *callbacks,
		      ompd_address_space_context_t *context);

/**
 * Read @p size bytes at @p address. ompd_rc_error (or the callback's code) if any is unreadable.
 */
ompd_rc_t target_read(const struct target *target, uint64_t address, void *buffer, size_t size);

/**
 * Read a structure whole, for the reads within it that follow in the same call of the API. If it
 * can't be read, those go to the target one by one.
 */
void target_view(const struct target *target, uint64_t address, size_t size);

/**
 * Read an integer as target_read_uint() does; unless it was read in the same call of the API, by a
 * view of the structure of @p whole bytes at @p base.
 */
ompd_rc_t target_read_member(const struct target *target, uint64_t base, size_t whole,
			     uint64_t address, unsigned int size, uint64_t *ret);

/** Forget what was read: each call of the API sees the target as it is then. */
void target_begin_call(void);

/** Return the number of the call of the API that runs now, from 1 on. */
uint64_t target_call(void);

/** Read an integer of 1, 2, 4 or 8 bytes in the target's byte order; zero-extended. */
ompd_rc_t target_read_uint(const struct target *target, uint64_t address, unsigned int size,
			   uint64_t *ret);

/** Convert @p size (1, 2, 4, 8) bytes of target memory in @p bytes; zero-extended. */
uint64_t target_uint(const void *bytes, unsigned int size);

/** Read a pointer. */
ompd_rc_t target_read_pointer(const struct target *target, uint64_t address, uint64_t *ret);

/** Read a string of at most @p size - 1 bytes, always terminated. */
ompd_rc_t target_read_string(const struct target *target, uint64_t address, char *buffer,
			     size_t size);

/**
 * Address of a symbol. @p file_name restricts the look-up to an object of that name and may be
 * NULL. ompd_rc_unavailable if there is none.
 */
ompd_rc_t target_symbol(const struct target *target, const char *name, const char *file_name,
			uint64_t *ret);

/** Zeroed memory from the debugger's allocator; NULL if there is none. */
void *target_alloc(const struct target *target, size_t size);

/** Release memory of target_alloc(). NULL is ignored. */
void target_free(const struct target *target, void *memory);

/**
 * Return an array with room for one more element of @p size bytes: @p array, or its copy in twice the
 * memory if its @p count elements are all that it has room for. NULL if there is no memory.
 */
void *target_grow(const struct target *target, void *array, size_t count, size_t *capacity,
		  size_t size);

/** Return a copy of @p string that its receiver releases with the free_memory callback. */
char *target_strdup(const struct target *target, const char *string);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OMPD callbacks of the tests' debuggers, over whatever target the program has: a process, a
// core, its own memory, a recorded target, a file.

#ifndef CALLBACKS_H
#define CALLBACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompd/ompd.h"

/** Neither writes nor knows threads: libompd needs no such callback. */
extern const ompd_callbacks_t plain_callbacks;

/** Return a context for a debugger with one target. */
ompd_address_space_context_t *plain_context(void);

/** Calls so far, but for those for memory of the library's own. */
struct callback_counts {
	unsigned long reads, failed_reads, bytes, symbols, failed_symbols, others;
};

extern struct callback_counts callback_counts;

// ---- The target, which the program that links the callbacks defines --------------------------

/** Read memory. @return false if not all of it is there. */
bool callback_read(ompd_address_space_context_t *context, uint64_t address, void *buffer,
		   size_t size);
/** Find a symbol, in any file if @p file_name is NULL. */
bool callback_symbol(ompd_address_space_context_t *context, const char *name, const char *file_name,
		     uint64_t *address);
/** Allocate memory for the library; NULL if there is none. */
void *callback_alloc(size_t size);
void callback_free(void *memory);

#endif

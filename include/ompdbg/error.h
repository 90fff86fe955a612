// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors as values: a function returns NULL when it succeeded, or an error that the caller owns.

#ifndef OMPDBG_ERROR_H
#define OMPDBG_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ompdbg_code {
	OMPDBG_ABSENT = 1,   // what was asked for does not exist; no failure
	OMPDBG_UNAVAILABLE,  // it exists, and nothing tells what it is
	OMPDBG_UNREADABLE,   // memory or registers cannot be read
	OMPDBG_DAMAGED,	     // memory holds what no sane program leaves there
	OMPDBG_INCOMPATIBLE, // a runtime or library whose layout is unknown
	OMPDBG_BAD_INPUT,    // wrong arguments
	OMPDBG_NO_MEMORY,
	OMPDBG_INTERRUPTED, // the user pressed Ctrl-C
	OMPDBG_FAILED,	    // anything else, for which the message has the reason
};

struct ompdbg_error {
	enum ompdbg_code code;
	const char *message; // one line without a full stop; never NULL
	uint64_t address;    // of OMPDBG_UNREADABLE: the first byte that cannot be read
};

/**
 * Create an error. @p format is that of printf().
 * @return never NULL: without memory, the static error of OMPDBG_NO_MEMORY.
 */
struct ompdbg_error *ompdbg_error_create(enum ompdbg_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Create the error of memory that cannot be read from @p address on. */
struct ompdbg_error *ompdbg_error_unreadable(uint64_t address);
/** Release an error. NULL and the static errors below are left alone. */
void ompdbg_error_destroy(struct ompdbg_error *error);

/** Static errors for what is no failure, so that a search that finds nothing allocates nothing. */
extern struct ompdbg_error ompdbg_error_absent, ompdbg_error_no_memory, ompdbg_error_interrupted;

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors whose reason does not matter, and those that nothing outlasts.

#ifndef OMPDBG_BASE_ERROR_H
#define OMPDBG_BASE_ERROR_H

#include "ompdbg/error.h"

/** Release an error. @return whether there was none. */
static inline bool is_ok(struct ompdbg_error *error)
{
	bool result = !error;

	ompdbg_error_destroy(error);
	return result;
}

/** Check for an error that ends the whole command, whatever else it could say. */
static inline bool ends_command(const struct ompdbg_error *error)
{
	return error && (error->code == OMPDBG_INTERRUPTED || error->code == OMPDBG_NO_MEMORY);
}

/** The static error of a command that takes more memory than it may (budget.h). */
extern struct ompdbg_error error_over_budget;

#endif

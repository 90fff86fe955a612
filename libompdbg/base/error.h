// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors whose reason does not matter.

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

#endif

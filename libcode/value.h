// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of registers. Internal to libcode.

#ifndef OMPDBG_LIBCODE_VALUE_H
#define OMPDBG_LIBCODE_VALUE_H

#include "code.h"

/** Return @p value + @p number. */
struct code_value code_value_plus(struct code_value value, int64_t number);

/** Return the word at @p address, which is unknown where there would be too many loads. */
struct code_value code_value_load(const struct code_value *address);

/** Check for a number, or the address of a variable. */
static inline bool code_is_number(const struct code_value *value)
{
	return value->base == CODE_FIXED && value->depth == 0;
}

#endif

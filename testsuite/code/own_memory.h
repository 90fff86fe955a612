// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for tests: that of the test itself, whose samples are written in assembly.

#ifndef OMPDBG_TEST_OWN_MEMORY_H
#define OMPDBG_TEST_OWN_MEMORY_H

#include "libcode/code.h"

/** Read this process's memory; false where there is none. */
extern const struct code_memory own_memory;

/** Return a reader of it, with nothing read yet. */
struct code_reader *own_reader(void);

/** Return the address of a label in the assembly. */
static inline uint64_t at(const uint8_t *label)
{
	return (uint64_t)(uintptr_t)label;
}

#endif

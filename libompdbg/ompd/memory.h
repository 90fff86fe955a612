// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that OMPD libraries ask for.

#ifndef OMPDBG_MEMORY_H
#define OMPDBG_MEMORY_H

#include "ompd/ompd.h"

ompd_rc_t memory_alloc(ompd_size_t bytes, void **ret);
ompd_rc_t memory_free(void *memory);
/** Release @p memory if it is of memory_alloc(); a library's static memory is left alone. */
void memory_free_owned(const void *memory);

#endif

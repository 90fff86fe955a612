// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that may be anything, taken for machine code.

#ifndef OMPDBG_FUZZ_DAMAGED_CODE_H
#define OMPDBG_FUZZ_DAMAGED_CODE_H

#include <stddef.h>
#include <stdint.h>

/**
 * Ask libcode everything about a function of these bytes, and abort where an answer contradicts itself.
 * The first byte says where a thread is in it, the second one what memory there is besides.
 */
void damaged_code(const uint8_t *data, size_t size);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target's code, for libcode. Internal to layout.

#ifndef OMPDBG_CODE_MEMORY_H
#define OMPDBG_CODE_MEMORY_H

#include "libcode/code.h"
#include "target/target.h"

/** Prepare @p reader to read the code of @p target, which must outlive it. */
void code_memory_init(struct code_reader *reader, const struct target *target);

#endif

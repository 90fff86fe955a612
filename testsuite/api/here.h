// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the debuggers of the process that they are part of share, of whichever interface: memory that
// is counted and fails on demand, and the reads of the kernel.

#ifndef HERE_H
#define HERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Blocks that were allocated and not freed. */
extern long here_blocks;

/** Counts down; true at the call that shall fail. 0: none shall. */
bool here_falls_due(long *countdown);
/** Memory full of anything but zeroes; NULL if the allocation falls due. */
void *here_alloc(size_t size, long *countdown);
void here_free(void *memory);
/** False, and no crash, where there is no memory. */
bool here_read(uint64_t address, void *buffer, size_t size);

#endif

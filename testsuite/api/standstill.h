// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process at rest, as a debugger has it before it: one thread looks, all others stand still where
// they happened to be.

#ifndef STANDSTILL_H
#define STANDSTILL_H

#include "ompd/ompd.h"

/**
 * Stops every other thread of the process, in the handler of a signal; returns when they all are
 * there. Until standstill_end(), only what takes no lock may be called: any of them may hold it.
 */
void standstill_begin(void);
void standstill_end(void);

/** host_callbacks as they may be called at a standstill; blocks are counted in here_blocks. */
ompd_callbacks_t standstill_callbacks(void);
/** For what a library has allocated with these. */
ompd_rc_t standstill_free(void *ptr);

#endif

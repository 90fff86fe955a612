// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that this process ignores, and a command that it starts need not.

#ifndef OMPDBG_INHERITED_H
#define OMPDBG_INHERITED_H

/** Ignore the signals of writes that fail: errors tell the same. */
void ignore_signals_of_writes(void);
/** Restore what this process was started with, for a command that takes its place. */
void restore_inherited_signals(void);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wait for a thread to stop that was asked to. A thread stops when it is executed the next time,
// which on a busy machine may take long: no time limits the wait. It has an end where the thread cannot
// be executed.

#ifndef OMPDBG_STOP_WAIT_H
#define OMPDBG_STOP_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Looks at one thread that is waited for. Zero at first. */
struct stop_wait {
	int64_t waits;	// how often it has waited for something
	uint32_t looks; // that found it in the same uninterruptible wait, in a row
};

/** Look once more, about a millisecond after the last time. @return NULL: it may stop yet; otherwise why
 *  it does not. */
const char *stop_obstacle(struct stop_wait *wait, pid_t thread);
/** Note what a look has found: the state as /proc calls it. @return false: do not wait longer. */
bool stop_wait_note(struct stop_wait *wait, char state, int64_t waits);

#endif

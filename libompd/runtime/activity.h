// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread of a region has which of its tasks.

#ifndef OMPDBG_ACTIVITY_H
#define OMPDBG_ACTIVITY_H

#include "target/idmap.h"

/** The begun tasks of a region whose threads are known, by address. Starts zeroed. */
struct activity {
	struct idmap begun; // address -> thread number, and whether it runs
	bool incomplete;    // of some thread of the team nothing is known
	bool damaged;	    // likewise, though it is a member of the team
};

/** A thread's part in one task. */
struct activity_entry {
	uint32_t thread_num;
	bool running; // else suspended: the thread runs something on top of it
};

/** Note that a thread has begun the task at @p task, unless a thread has. nomem. */
ompd_rc_t activity_add(const struct target *target, struct activity *activity, uint64_t task,
		       const struct activity_entry *entry, bool *added);
bool activity_find(const struct activity *activity, uint64_t task, struct activity_entry *ret);
/** Return the next task; false: there is none. @p position starts zeroed. */
bool activity_next(const struct activity *activity, size_t *position, uint64_t *task);
void activity_close(const struct target *target, struct activity *activity);

/** Note that a thread could not be examined, because of @p rc. unavailable: it is no member, yet or
 * any more. */
void activity_miss(struct activity *activity, ompd_rc_t rc);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for threads, locks and tasks.

#ifndef OMPDBG_WORDS_H
#define OMPDBG_WORDS_H

#include "diagnose/room.h"

/** Write numbers as "0, 2, 4-7". They need not be in order. */
const char *number_list(struct arena *arena, const int *numbers, size_t count);
/** Write numbers where space is short: "1-3,5". */
const char *ranges_text(struct arena *arena, const int *numbers, size_t count);
/** Write threads as the debugger numbers them: "thread 3", "threads 1, 3, 4". */
const char *threads_text(struct arena *arena, struct thread *const *threads, size_t count);
/** Write a number with its noun: "1 task", "2 tasks". */
const char *counted_text(struct arena *arena, uint64_t number, const char *noun);
/** Write a task by the place of its construct: "task of fib at fib.c:9". */
const char *task_text(struct arena *arena, struct task *task);
/** Return a text with a capital at its begin. */
const char *capitalized(struct arena *arena, const char *text);
/** Write who perhaps holds a lock, and why: "perhaps held by thread 1: ...". */
const char *candidate_text(struct arena *arena, const struct candidate *candidate);
/** Say why the owner of a lock is unknown, with what is known of it; NULL. */
const char *lock_reason_text(struct arena *arena, const struct lock *lock);

/** Check that a region's threads are seen at different barriers of the source, or that some
 *  threads were just let go. (rules.c) */
bool is_at_several_barriers(struct region *region);

#endif

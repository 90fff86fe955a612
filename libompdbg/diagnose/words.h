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
/** Write threads likewise: "1-3,5", "1-3, 5"; with several inferiors "1.2-64". */
const char *thread_numbers(struct arena *arena, const struct thread_list *threads);
const char *thread_number_list(struct arena *arena, const struct thread_list *threads);
/** Add an item to a list: "a, b". */
const char *listed_text(struct arena *arena, const char *list, const char *item);
/** Write threads as the debugger numbers them: "thread 3", "threads 1, 3, 4"; of a long list how many they
 *  are and the first: "59 threads (75, 81, 84, ...)". */
const char *threads_text(struct arena *arena, const struct thread_list *threads);
/** A text, and those of whom it is said: each text once, in the order in which they came. */
struct fold {
	const char *text;
	struct thread_list threads;
	const char *items; // of listed_text(); "" at first
	size_t count;
};
struct folds {
	struct fold *all;
	size_t count, capacity;
};
/** Find what is said of a text. Valid until the next one is looked for. */
struct fold *fold_of(struct folds *folds, struct arena *arena, const char *text);

/** Write a number with its noun: "1 task", "2 tasks". */
const char *counted_text(struct arena *arena, uint64_t number, const char *noun);
/** Write how long something took: "450 us", "12.3 s", "3 h 20 min". */
const char *duration_text(struct arena *arena, double seconds);
/** Write since when something is so: "12.3 s" at the stop or, if it is unknown when that was, the time of
 *  the day: "14:03:22 UTC". "" if nothing is known. */
const char *age_text(const struct history *history, uint64_t time);
/** Write it in a sentence: " for 12.3 s", " since 14:03:22 UTC"; and of what happened then: " 12.3 s ago",
 *  " at 14:03:22 UTC". "" if nothing is known. */
const char *since_text(const struct history *history, uint64_t time);
const char *ago_text(const struct history *history, uint64_t time);
/** Write a time by the calendar: "14:03:22 UTC", with the date if that is not the day of the latest event
 *  or @p has_date. */
const char *clock_text(const struct history *history, uint64_t time, bool has_date);
/** Write a place: "work at hang.c:12"; the name alone, if the rest is unknown. */
const char *at_text(struct arena *arena, const char *name, const char *file, int line);
/** Write a line of the source, for want of it the function, or the address. */
const char *line_text(struct arena *arena, const struct location *location);
/** Write since when a lock is held, and where it was taken: " for 12.3 s, taken at mesh.cpp:88"; "" if
 *  that is not recorded. */
const char *held_text(struct process *process, const struct lock *lock);
/** Write a task by the place of its construct: "task of fib at fib.c:9". */
const char *task_text(struct arena *arena, struct task *task);
/** Return a text with a capital at its begin. */
const char *capitalized(struct arena *arena, const char *text);
/** Write who perhaps holds a lock, and why: "Lock x is perhaps held by thread 1: ...". Threads of which
 *  the same is known share a line. */
const char *const *candidate_texts(struct arena *arena, const struct lock *lock, size_t *count);
/** Say why the owner of a lock is unknown, with what is known of it; NULL. */
const char *lock_reason_text(struct arena *arena, const struct lock *lock);

/** Check that a region's threads are seen at different barriers of the source, or that some
 *  threads were just let go. (rules.c) */
bool is_at_several_barriers(struct region *region);

#endif

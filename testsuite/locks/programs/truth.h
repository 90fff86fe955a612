// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program of this folder hangs with one thread that holds a lock and others that wait for it, and
// tells who they are.

#ifndef LOCKS_TRUTH_H
#define LOCKS_TRUTH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Note which lock threads will wait for: its kind and name as ompdbg tells them; NULL: it has none.
 *  Called outside of the region, so that it leaves nothing on the threads' stacks. */
void truth(const char *kind, const void *address, const char *symbol);

/** Return true in the thread that shall take the lock. Others return from it when that one has. */
bool holds_it(void);

/** Return true in the thread that neither takes the lock nor waits for it. */
bool stands_by(void);

/** Called by the holder: wait until all others wait, print the truth, and hang; or go on with work or naps
 *  where the variable LOCKS_OWNER of the environment says so. */
void hold(void);

/** Say how many threads will meet(). */
void set_count(int count);

/** Called by a thread of that number that has taken a lock: wait for the others, and print that it is
 *  about to wait for a lock that the thread of another number holds. */
void meet(const char *kind, const void *address, int number, int owner);

struct idiom {
	const char *name;
	void (*run)(void);
};

/** Run the idiom that the command line names; without one, print the names of all. */
int run_idiom(const struct idiom *idioms, int argc, char **argv);

/** Tell whether the holder shall be thread 1 and not 0 of its team. */
void set_holder(int number);

#ifdef __cplusplus
}
#endif

/** Run three threads: one executes @p own, one @p await, and the last goes to the barrier. */
#define TOGETHER(own, await)                             \
	_Pragma("omp parallel num_threads(3)") do        \
	{                                                \
		if (!stands_by()) {                      \
			if (holds_it()) {                \
				own;                     \
			} else {                         \
				await;                   \
			}                                \
		}                                        \
		_Pragma("omp barrier");                  \
		__asm__ volatile(""); /* no tail call */ \
	}                                                \
	while (0)

#define NOINLINE __attribute__((noinline))
#define INLINE inline __attribute__((always_inline))

#endif

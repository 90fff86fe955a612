// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that is done in a process of its own, which may fail in any way.

#ifndef OMPDBG_WORK_H
#define OMPDBG_WORK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { MOST_LINES = 6, LONGEST_LINE = 500, NO_OPENMP = -1 };

/** An answer that fits into a pipe. */
struct answer {
	int severity; // enum severity, or NO_OPENMP
	size_t num_lines;
	char lines[MOST_LINES][LONGEST_LINE + 1]; // for people
	char written[PATH_MAX];			  // a report; ""
};
/** Add a line for people; more than fit are dropped. */
void answer_line(struct answer *answer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** One child of this process. */
struct work {
	pid_t pid;
	int end; // where the answer comes out
	double seconds, deadline, given_up;
	bool has_ended;
	int status;
	char why_ended[64];
};

/** Start it. @return false with errno. */
bool work_start(struct work *work, void (*run)(void *context, struct answer *answer), void *context,
		double seconds);
/** Take note of what waitpid() has reported. */
void work_ended(struct work *work, int status);
/** Check whether it has ended, or does not even when it is killed. */
bool work_is_over(const struct work *work);
/** End it when its time is over. */
void work_check_time(struct work *work);
void work_end(struct work *work, const char *why);
/** Take what has come out. @return false with the reason: nothing has. */
bool work_answer(struct work *work, struct answer *ret, char *reason, size_t size);

#endif

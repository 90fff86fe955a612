// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for what belongs to a task. All live as long as its process.

#ifndef OMPDBG_TASK_WORDS_H
#define OMPDBG_TASK_WORDS_H

#include "output/text/text.h"

/** Write the elements of depend clauses: "in: a, out: b"; "at least out: b" if there may be more. */
const char *dependences_text(struct task *task);
/** Write who created a task, and when: "by thread 2 12.3 s ago"; "" if that is not recorded. */
const char *creation_text(struct task *task);
/** Write the variables that a task was given which has not begun: "n = 3, shared sum = 1.5"; "". */
const char *given_text(const struct task *task);
/** Write the numbers of tasks: "#12, #14"; of many, the first ones. */
const char *task_numbers_text(struct arena *arena, const uint64_t *numbers, size_t count);
/** Write for which tasks a blocked one waits: "#12, #14", or how many where these are unknown. */
const char *predecessors_text(struct task *task);

#endif

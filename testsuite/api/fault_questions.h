// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every entry point as a question whose answer is a text, so that answers can be compared.

#ifndef FAULT_QUESTIONS_H
#define FAULT_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "ompd/ompd_ext.h"

/** Handles of the calling thread. */
struct handles {
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel, *outer;
	ompd_task_handle_t *task;
};

void open_handles(struct handles *handles);
void close_handles(struct handles *handles);

struct answer {
	ompd_rc_t rc;
	size_t used;
	char text[32768];
};

/** Adds to the text of an answer. */
__attribute__((format(printf, 2, 3))) void say(struct answer *answer, const char *format, ...);

struct question {
	const char *name;
	int variants;
	ompd_rc_t (*ask)(const struct handles *handles, int variant, struct answer *answer);
};

extern const struct question questions[];
extern const size_t question_count;

void ask(const struct question *question, const struct handles *handles, int variant,
	 struct answer *answer);

/** Whether an answer is the expected one, but for values that it calls unknown. Prints the first
 * line that is not. */
bool answers_agree(const struct answer *got, const struct answer *expected);

#endif

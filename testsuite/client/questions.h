// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every routine as a question whose answer is a text, so that answers can be compared.

#ifndef QUESTIONS_H
#define QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "ompd/ompd_ext.h"
#include "scene.h"

/** Handles of one thread; those that there are none of are NULL. */
struct handles {
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel, *outer;
	ompd_task_handle_t *task;
	uint64_t futex; // that the thread sleeps on, 0: it does not
};

/** Fills the rest from the space and the thread. */
void place_open(struct handles *handles);
/** Releases all but the space. */
void place_close(struct handles *handles);

struct answer {
	ompd_rc_t rc;
	size_t used;
	char text[16384];
};

/** What a question needs. */
enum needs { NEEDS_SPACE, NEEDS_THREAD, NEEDS_PARALLEL, NEEDS_OUTER, NEEDS_TASK };

struct question {
	const char *name;
	enum needs needs;
	bool is_list; // incomplete: some of it is missing
	int variants;
	ompd_rc_t (*ask)(const struct handles *handles, int variant, struct answer *answer);
};

extern const struct question questions[];
extern const size_t question_count;

/** What questions may use of the target; set by the client. */
extern struct scene_truth truth;
enum { CODE_ADDRESSES = 8 };
extern uint64_t code_addresses[CODE_ADDRESSES]; // return addresses of calls; 0: none

/** False if it needs a handle that there is none of. */
bool ask(const struct question *question, const struct handles *handles, int variant,
	 struct answer *answer);

/** Whether an answer that is ok is the expected one, but for values that it calls unknown. */
bool answers_agree(const struct question *question, const struct answer *got,
		   const struct answer *expected);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool (OMPT) could ask of a thread in the process, asked from outside.

#ifndef OMPDBG_INQUIRY_H
#define OMPDBG_INQUIRY_H

#include "model/model.h"

/** Answers. Threads, tasks and regions have some of them each. */
enum answer {
	ANSWER_STATE,
	ANSWER_WAIT_ID,
	ANSWER_DATA,
	ANSWER_PLACE,
	ANSWER_PARTITION,
	ANSWER_PROCESSOR,
	ANSWER_TYPE,
	ANSWER_THREAD_NUM,
	ANSWER_PARALLEL_DATA,
	ANSWER_EXIT_FRAME,
	ANSWER_ENTER_FRAME,
	ANSWER_MEMORY,
	ANSWER_TEAM_SIZE,
	ANSWER_LEVEL, // there is none, or none more (only of `reasons`)
	ANSWER_NEXT,  // what the next level has is unknown (only of `reasons`)
	NUM_ANSWERS,
};
/** Name an answer as in JSON: "state". */
const char *answer_name(enum answer answer);

/** The answers of one thread, at one level. */
struct inquiry {
	struct thread *thread;
	int level;	       // NOT_KNOWN of a thread
	uint32_t asked, known; // 1 << enum answer
	const char *state;
	uint64_t numbers[NUM_ANSWERS];	  // of the other answers that are known
	uint32_t type;			  // ompt_task_flag_t
	int partition[2];		  // first and last place
	uint64_t memory_size;		  // numbers[ANSWER_MEMORY] is its address
	const char *reasons[NUM_ANSWERS]; // NULL: none
};

/** List the words for an ompt_task_flag_t: at most @p most are stored. @return how many. */
size_t task_type_names(uint32_t type, const char **names, size_t most);
enum { MAX_TYPE_NAMES = 16 };

/** Ask a thread with a handle for state, tool data, places and processor; for its task and those below it,
 *  or its region and those around it; of these for the one at @p level if that is not NOT_KNOWN. */
const struct inquiry *inquiries_of(struct thread *thread, enum inquiry_kind kind, int level,
				   size_t *count);

#endif

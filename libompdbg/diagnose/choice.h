// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that the user chooses by what OpenMP knows of them.

#ifndef OMPDBG_CHOICE_H
#define OMPDBG_CHOICE_H

#include "model/model.h"

/** Which ones; NULL is all. */
struct choice {
	const char *state;   // the begin of its name
	const char *team;    // as tables name it
	const char *level;   // of nesting
	const char *numbers; // in their teams: "0,4-7"
	bool only_openmp;
};

/** Choose among threads. @p ret is a list in the debugger's order. BAD_INPUT: the choice makes no sense. */
struct ompdbg_error *choose(struct process *process, const struct choice *choice,
			    struct thread *const *threads, size_t num_threads, struct thread ***ret,
			    size_t *count);

/** Say why no OpenMP thread was chosen. */
const char *none_chosen(struct process *process);

/** Name the team of the thread that the user has selected; NULL: it is in no parallel region. */
const char *current_team(struct process *process);
/** Find a thread of a team: "3" or "3/8" of @p team or, if that is NULL, of the current team, for want of
 *  it of the only one; "1.2.3" is thread 3 of team 1.2. BAD_INPUT: there is none. */
struct ompdbg_error *choose_member(struct process *process, const char *word, const char *team,
				   struct thread **ret);

#endif

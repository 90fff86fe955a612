// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this room share.

#ifndef OMPDBG_MODEL_ROOM_H
#define OMPDBG_MODEL_ROOM_H

#include "model/model.h"

enum {
	MAX_NESTING = 4096,	  // regions nested deeper are taken for damaged memory
	MAX_MEMBERS = 1 << 16,	  // a larger team, too
	UNKNOWN_NUMBER = 1 << 30, // of a thread, in paths; sorts after every other
};

struct ompdbg_error *runtime_open(struct process *process, struct space *space,
				  struct runtime **ret);
/** Open the process's threads in a runtime. */
struct ompdbg_error *runtime_open_threads(struct runtime *runtime);
/** Return the number of its first outermost team, by its place among the process's runtimes. */
int runtime_first_team(struct runtime *runtime);
/** List the teams that no other encloses, by the number of the thread that formed them. */
struct team *const *runtime_outermost(struct runtime *runtime, size_t *count);

/** Open a thread in a runtime. Fails only if it is interrupted. */
struct ompdbg_error *thread_open(struct thread *thread);
/** Find the team of a thread and its number there, once all threads are open. */
struct ompdbg_error *thread_join(struct thread *thread);

/** Return the number of its first explicit task, by its place among the process's runtimes. */
uint64_t runtime_first_task_number(struct runtime *runtime);

/** Return the way to a team from outside. */
const int *team_path(struct team *team, size_t *length);

/** Mark all threads of a runtime as unknown if it knows none of those that it has started. */
void mark_missing_threads(struct runtime *runtime);

/** Release an error, unless the user wants everything to end. */
struct ompdbg_error *unless_interrupted(struct ompdbg_error *error);

#endif

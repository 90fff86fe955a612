// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task that a thread is in, and what this task waits for.

#ifndef OMPDBG_RECORDER_CURRENT_TASK_H
#define OMPDBG_RECORDER_CURRENT_TASK_H

#include "recorder.h"

/** Return a key that no other task has. */
static inline uint64_t new_key(struct thread *thread, uint64_t kind)
{
	return (thread->shown.number << 40 | ++thread->numbers) << 2 | kind;
}

/** Show the innermost wait if it is the current task's; nothing if that task works. */
static inline void show_wait(struct thread *thread)
{
	struct record_wait *shown = &thread->shown.wait;
	const struct nested_wait *top;

	shown->kind = 0;
	ordered();
	if (!thread->num_waits || thread->num_waits > MAX_WAITS)
		return;
	top = &thread->waits[thread->num_waits - 1];
	if (top->task != thread->task)
		return;
	shown->since = top->wait.since;
	shown->code = top->wait.code;
	shown->object = 0;
	shown->detail = top->wait.detail;
	ordered();
	shown->kind = top->wait.kind;
}

/** Go on in another task. */
static inline void switch_task(struct thread *thread, uint64_t key)
{
	uint64_t shown = key;

	if (key & KEY_KIND)
		shown = (key & KEY_KIND) == KEY_IMPLICIT ? 0 : RECORD_NO_RECORD;
	thread->task = key;
	if (thread->num_waits)
		show_wait(thread);
	ordered();
	thread->shown.task = shown;
	ordered();
}

#endif

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

/** Show the innermost wait if it is the current task's, @p task; nothing if that task works. */
INLINED void show_wait(struct thread *thread, uint64_t task)
{
	struct record_wait *shown = &thread->shown.wait;
	const struct nested_wait *top;

	shown->kind = 0;
	ordered();
	if (thread->waiting_task != task)
		return;
	if (thread->wait_in_shown != thread->num_waits) {
		top = &thread->waits[thread->num_waits - 1];
		shown->since = top->wait.since;
		shown->code = top->wait.code;
		shown->object = 0;
		shown->detail = top->wait.detail;
		thread->wait_in_shown = thread->num_waits;
		ordered();
	}
	shown->kind = RECORD_WAIT_BEGIN;
}

/** Note that the innermost wait is another one. */
static inline void change_wait(struct thread *thread, uint32_t number)
{
	bool is_kept = number && number <= MAX_WAITS;

	thread->num_waits = number;
	thread->waiting_task = is_kept ? thread->waits[number - 1].task : NO_WAIT;
	thread->wait_in_shown = 0;
	show_wait(thread, thread->task);
}

/** Go on in another task. */
INLINED void switch_task(struct thread *thread, uint64_t key)
{
	uint64_t shown = key;

	if (key & KEY_KIND)
		shown = (key & KEY_KIND) == KEY_IMPLICIT ? 0 : RECORD_NO_RECORD;
	thread->task = key;
	show_wait(thread, key);
	ordered();
	thread->shown.task = shown;
	ordered();
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task that a thread is in, and what it waits for. What ompt_data_t of a task holds is its key: that
// which record_thread.task shows.

#ifndef OMPDBG_RECORDER_CURRENT_TASK_H
#define OMPDBG_RECORDER_CURRENT_TASK_H

#include "recorder.h"

/** Return a key that no other task has. */
static inline uint64_t new_key(struct thread *thread, uint64_t kind)
{
	return (thread->shown.number << 40 | ++thread->numbers) << 2 | kind;
}

/** Show the innermost of so many waits. */
static inline void change_wait(struct thread *thread, uint32_t number)
{
	struct record_wait *shown = &thread->shown.wait;
	const struct record_wait *top;

	shown->kind = 0;
	ordered();
	thread->num_waits = number;
	if (!number || number > MAX_WAITS)
		return;
	top = &thread->waits[number - 1];
	shown->since = top->since;
	shown->code = top->code;
	shown->object = top->object;
	shown->detail = top->detail;
	ordered();
	shown->kind = RECORD_WAIT_BEGIN;
}

/** Go on in another task: its wait is shown from now on, not that of another. */
INLINED void switch_task(struct thread *thread, uint64_t key)
{
	ordered();
	thread->shown.task = key;
	ordered();
}

#endif

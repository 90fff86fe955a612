// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State, wait and place of a thread (model/model.h).

#include "wait/evidence.h"

static void find_verdict(struct thread *thread, struct verdict *verdict)
{
	verdict->state = STATE_UNKNOWN;
	if (thread->target->running) {
		verdict->reason = "the thread is running";
		return;
	}
	observe(thread, verdict);
	if (!thread->team && thread->error) {
		verdict->reason = thread->error;
		return;
	}
	if (thread->is_helper && !thread_task(thread)) {
		verdict->state = STATE_IDLE;
		return;
	}
	conclude(thread, verdict);
	if (thread->is_helper && verdict->state == STATE_WORK_SERIAL)
		verdict->state = STATE_WORK_PARALLEL;
	if (!thread->handle) {
		verdict->state = STATE_UNKNOWN;
		verdict->reason = "no OpenMP thread";
	}
}

const struct verdict *thread_verdict(struct thread *thread)
{
	if (!thread->verdict) {
		thread->verdict = ARENA_NEW(&thread->runtime->process->arena, struct verdict);
		find_verdict(thread, thread->verdict);
	}
	return thread->verdict;
}

const char *thread_state(struct thread *thread)
{
	int64_t state = thread_verdict(thread)->state;

	return state == STATE_UNKNOWN ? NULL : runtime_state_name(thread->runtime, (uint64_t)state);
}

const char *thread_state_reason(struct thread *thread)
{
	return thread_verdict(thread)->reason;
}

const struct wait *thread_wait(struct thread *thread)
{
	return thread_verdict(thread)->wait;
}

bool thread_is_in_runtime(struct thread *thread)
{
	return thread_verdict(thread)->evidence.in_runtime;
}

int thread_users_level(struct thread *thread)
{
	const struct stack_frame *place = thread_verdict(thread)->place;

	return place ? place->at.level : NOT_KNOWN;
}

const struct location *thread_location(struct thread *thread)
{
	thread_verdict(thread);
	struct verdict *verdict = thread->verdict;

	if (!verdict->has_location) {
		verdict->location = verdict->place ? locate_by_stack(thread, verdict->place) : NULL;
		verdict->has_location = true;
	}
	return verdict->location;
}

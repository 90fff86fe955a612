// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the old interfaces ask of a thread, its regions and its tasks.

#include <stdlib.h>

#include "fronts.h"

__thread struct thread fronts_thread;

bool fronts_thread_begin(ompt_thread_t type)
{
	fronts_thread = (struct thread){ .is_worker = type == ompt_thread_worker };
	fronts_thread.is_idle = fronts_thread.is_worker;
	return fronts_thread.is_idle;
}

bool fronts_enter_region(const ompt_data_t *parallel_data)
{
	struct thread *thread = &fronts_thread;
	bool was_idle = thread->is_idle;

	if (thread->depth < LENGTH(thread->regions))
		thread->regions[thread->depth] = *parallel_data;
	thread->depth++;
	thread->is_idle = false;
	return was_idle;
}

bool fronts_leave_region(void)
{
	struct thread *thread = &fronts_thread;

	if (thread->depth)
		thread->depth--;
	thread->is_idle = thread->is_worker && !thread->depth;
	return thread->is_idle;
}

ompt_data_t *fronts_region(void)
{
	struct thread *thread = &fronts_thread;

	thread->outside.value = 0;
	if (!thread->depth || thread->depth > LENGTH(thread->regions))
		return &thread->outside;
	return &thread->regions[thread->depth - 1];
}

bool fronts_is_around(const ompt_data_t *parallel_data)
{
	ompt_data_t *data, *outer;

	for (int level = 0; fronts_runtime.get_parallel_info(level, &data, NULL); level++)
		if (data == parallel_data)
			return fronts_runtime.get_parallel_info(level + 1, &outer, NULL);
	return false;
}

ompt_data_t *fronts_parallel_data(int level, int *team_size)
{
	ompt_data_t *data = NULL;
	ompt_wait_id_t unused;

	if (!fronts_current || level < 0 || fronts_runtime.get_state(&unused) == ompt_state_idle ||
	    !fronts_runtime.get_parallel_info(level, &data, team_size) || !fronts_is_around(data))
		return NULL;
	return data;
}

bool fronts_task_info(int level, int *flags, ompt_data_t **data, ompt_frame_t **frame,
		      ompt_data_t **parallel_data)
{
	return fronts_current && level >= 0 &&
	       fronts_runtime.get_task_info(level, flags, data, frame, parallel_data, NULL);
}

ompt_data_t *fronts_task(ompt_frame_t **frame)
{
	ompt_data_t *data = NULL;

	return fronts_task_info(0, NULL, &data, frame, NULL) ? data : NULL;
}

bool fronts_holds(ompt_wait_id_t lock)
{
	const ompt_data_t *task = fronts_task(NULL);

	for (uint32_t i = 0; i < fronts_thread.num_held; i++)
		if (fronts_thread.held[i].lock == lock && fronts_thread.held[i].task == task)
			return true;
	return false;
}

bool fronts_is_nest(ompt_mutex_t kind)
{
	return kind == ompt_mutex_nest_lock || kind == ompt_mutex_test_nest_lock;
}

void fronts_acquired(ompt_mutex_t kind, ompt_wait_id_t lock)
{
	struct thread *thread = &fronts_thread;

	if (!fronts_is_nest(kind))
		return;
	if (thread->num_held == thread->max_held) {
		uint32_t more = thread->max_held * 2 + 8;
		struct held *held = realloc(thread->held, more * sizeof(*held));

		if (!held)
			abort();
		thread->held = held;
		thread->max_held = more;
	}
	thread->held[thread->num_held++] = (struct held){ lock, fronts_task(NULL) };
}

void fronts_released(ompt_mutex_t kind, ompt_wait_id_t lock)
{
	struct thread *thread = &fronts_thread;
	uint32_t i = thread->num_held;

	if (!fronts_is_nest(kind))
		return;
	while (i > 0 && thread->held[i - 1].lock != lock)
		i--;
	if (i > 0)
		thread->held[i - 1] = thread->held[--thread->num_held];
	if (!thread->num_held) {
		free(thread->held);
		thread->held = NULL;
		thread->max_held = 0;
	}
}

bool fronts_is_task(const ompt_data_t *data, int flags)
{
	bool is_task = flags & (ompt_task_explicit | ompt_task_target) &&
		       !(flags & ompt_task_taskwait);

	if (!is_task)
		fronts_thread.ignored = data;
	else if (fronts_thread.ignored == data)
		fronts_thread.ignored = NULL;
	return is_task;
}

void fronts_cancelled(ompt_data_t *task_data, int flags, const void *code)
{
	if (flags & ompt_cancel_discarded_task)
		fronts_thread.discarded = task_data;
}

enum leaving fronts_leaving(const ompt_data_t *prior, ompt_task_status_t status)
{
	bool is_discarded = prior == fronts_thread.discarded;

	switch (status) {
	case ompt_taskwait_complete:
	case ompt_task_early_fulfill:
		return LEAVES_NOTHING;
	case ompt_task_complete:
	case ompt_task_cancel:
		if (is_discarded)
			fronts_thread.discarded = NULL;
		return is_discarded ? COMPLETES_ELSEWHERE : COMPLETES;
	case ompt_task_late_fulfill:
		return COMPLETES_ELSEWHERE;
	default:
		return SUSPENDS;
	}
}

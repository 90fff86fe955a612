// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit tasks: where and when each was created, which thread runs it, and which task a thread is
// in.

#include "current_task.h"
#include "recorder.h"

#define MAX_FREE_TASKS 128

/** Return the record of a task of the runtime, or null. */
static struct record_task *record_of(const ompt_data_t *data)
{
	return data && !(data->value & KEY_KIND) ? data->ptr : NULL;
}

/** Take a record for a new task; return null if there is no room. */
static struct record_task *take_record(struct thread *thread)
{
	struct record_task *task;

	if (UNLIKELY(!thread->free_tasks || thread->next_task_id == thread->last_task_id) &&
	    !refill_tasks(thread))
		return NULL;
	task = thread->free_tasks;
	thread->free_tasks = (struct record_task *)(uintptr_t)task->parent;
	thread->num_free_tasks--;
	return task;
}

static void on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *new,
			   int flags, int has_dependences, const void *code)
{
	struct thread *thread;
	struct record_task *task, *parent;
	uint32_t level;
	uint64_t now;

	(void)frame;
	(void)has_dependences;
	if (flags & (ompt_task_initial | ompt_task_implicit))
		return;
	thread = enter();
	if (!thread)
		return;
	now = ticks();
	task = take_record(thread);
	if (UNLIKELY(!task)) {
		thread->shown.dropped_tasks++;
		new->value = new_key(thread, KEY_NO_RECORD);
		put(thread, now, RECORD_TASK_CREATE, 0, (uint32_t)flags, 0, code);
		leave(thread);
		return;
	}
	parent = record_of(encountering);
	level = thread->shown.num_levels;
	task->parent = parent ? parent->id : 0;
	task->region = level > 0 && level <= MAX_LEVELS ? thread->levels[level - 1].region : 0;
	task->created = now;
	task->code = (uint64_t)(uintptr_t)code;
	task->begun = 0;
	task->changed = 0;
	task->ran = 0;
	task->creator = (uint32_t)thread->shown.number;
	task->flags = (uint32_t)flags;
	task->runs_on = 0;
	task->times_suspended = 0;
	ordered();
	task->id = thread->next_task_id++;
	new->ptr = task;
	put(thread, now, RECORD_TASK_CREATE, task->id, (uint32_t)flags, 0, code);
	leave(thread);
}

/** Let a task begin, or go on. */
static void resume(struct thread *thread, struct record_task *task, uint64_t now)
{
	put(thread, now, RECORD_TASK_BEGIN, task->id, 0, 0, NULL);
	task->runs_on = RECORD_CHANGING;
	ordered();
	if (!task->begun)
		task->begun = now;
	task->changed = now;
	ordered();
	task->runs_on = (uint32_t)thread->shown.number + 1;
	ordered();
}

/** Let a task wait that the thread leaves before its end. */
static void suspend(struct record_task *task, uint64_t now)
{
	if (!task->runs_on)
		return;
	task->runs_on = RECORD_CHANGING;
	ordered();
	task->ran += now - task->changed;
	task->changed = now;
	task->times_suspended++;
	ordered();
	task->runs_on = 0;
	ordered();
}

/** Use the record of an ended task again. */
static void free_record(struct thread *thread, struct record_task *task)
{
	task->parent = (uint64_t)(uintptr_t)thread->free_tasks;
	thread->free_tasks = task;
	if (UNLIKELY(++thread->num_free_tasks >= MAX_FREE_TASKS))
		return_tasks(thread);
}

/** Check whether a task lives no longer after it was left so. */
static bool has_ended(ompt_task_status_t status)
{
	return status == ompt_task_complete || status == ompt_task_cancel ||
	       status == ompt_task_late_fulfill || status == ompt_taskwait_complete;
}

static void on_task_schedule(ompt_data_t *prior_data, ompt_task_status_t status,
			     ompt_data_t *next_data)
{
	struct record_task *prior = record_of(prior_data), *next = record_of(next_data);
	struct thread *thread = enter();
	bool ended = has_ended(status);
	uint64_t now;

	if (!thread)
		return;
	now = ticks();
	if (prior) {
		put(thread, now, RECORD_TASK_END, prior->id, 0, (uint16_t)status, NULL);
		if (ended)
			prior->id = 0;
		else if (next_data)
			suspend(prior, now);
		ordered();
	}
	if (next)
		resume(thread, next, now);
	if (next_data)
		switch_task(thread, next_data->value);
	if (prior && ended) {
		prior_data->value = 0;
		free_record(thread, prior);
	}
	leave(thread);
}

static void on_dependences(ompt_data_t *task_data, const ompt_dependence_t *dependences, int number)
{
	const struct record_task *task = record_of(task_data);
	struct thread *thread = enter();
	uint64_t now;

	if (!thread)
		return;
	now = ticks();
	for (int i = 0; i < number; i++)
		put(thread, now, RECORD_DEPENDENCE, dependences[i].variable.value,
		    task ? (uint32_t)task->id : 0, (uint16_t)dependences[i].dependence_type, NULL);
	leave(thread);
}

/** Register the callbacks for tasks. */
void tasks_set_callbacks(ompt_set_callback_t set)
{
	set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
	set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
	set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
}

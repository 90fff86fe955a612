// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit tasks: where and when each was created, which thread runs it, and which task a thread is
// in.

#include "current_task.h"
#include "recorder.h"

#define MAX_FREE_TASKS 128

/** Return the record of a task by its key, or null. */
INLINED struct record_task *record_of(uint64_t key)
{
	return key & RECORD_TASK_KIND ? NULL : (struct record_task *)(uintptr_t)key;
}

/** Check whether a record for a new task is at hand. */
INLINED bool has_record(const struct thread *thread)
{
	return LIKELY(thread->free_tasks) && LIKELY(thread->next_task_id != thread->last_task_id);
}

/** Fill the next record with a new task. */
INLINED struct record_task *create(struct thread *thread, uint64_t now,
				   const ompt_data_t *parent_data, int flags, const void *code)
{
	struct record_task *task = thread->free_tasks, *parent;

	parent = parent_data ? record_of(parent_data->value) : NULL;
	thread->free_tasks = (struct record_task *)(uintptr_t)task->parent;
	thread->num_free_tasks--;
	task->parent = parent ? parent->id : 0;
	task->region = thread->region;
	task->created = now;
	task->code = (uint64_t)(uintptr_t)code;
	task->begun = 0;
	task->creator = (uint32_t)thread->shown.number;
	task->flags = (uint32_t)flags;
	task->times_suspended = 0;
	ordered();
	task->id = thread->next_task_id++;
	return task;
}

/** Record a new task where enter_plainly() or has_record() says no. */
static COLD void create_slowly(const ompt_data_t *parent_data, ompt_data_t *new, int flags,
			       const void *code)
{
	struct thread *thread = enter();
	uint64_t now, id = 0;

	if (!thread)
		return;
	now = ticks();
	if (has_record(thread) || refill_tasks(thread)) {
		new->ptr = create(thread, now, parent_data, flags, code);
		id = ((const struct record_task *)new->ptr)->id;
	} else {
		thread->shown.dropped_tasks++;
		new->value = new_key(thread, RECORD_TASK_DROPPED);
	}
	put(thread, now, RECORD_TASK_CREATE, id, (uint32_t)flags, 0, code);
	leave(thread);
}

static void on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *new,
			   int flags, int has_dependences, const void *code)
{
	struct thread *thread = this_thread;
	struct record_task *task;
	uint64_t now, head;

	if (flags & (ompt_task_initial | ompt_task_implicit))
		return;
	if (!enter_plainly(thread, &now)) {
		create_slowly(encountering, new, flags, code);
		return;
	}
	if (!has_record(thread)) {
		leave(thread);
		create_slowly(encountering, new, flags, code);
		return;
	}
	task = create(thread, now, encountering, flags, code);
	new->ptr = task;
	head = thread->shown.head;
	write_event(thread, head, now, RECORD_TASK_CREATE, task->id, (uint32_t)flags, 0, code);
	publish(thread, head + 1);
	leave(thread);
}

/** Return the thread's free records of which it has too many, and end writing. */
static COLD void return_and_leave(struct thread *thread)
{
	return_tasks(thread);
	leave(thread);
}

#define BIT(number) (1u << (number))

/** Check whether a task lives no longer after it was left so. */
INLINED bool has_ended(ompt_task_status_t status)
{
	return (BIT(ompt_task_complete) | BIT(ompt_task_cancel) | BIT(ompt_task_late_fulfill) |
		BIT(ompt_taskwait_complete)) >>
		       (status & 31) &
	       1;
}

/** Note that a task has ended: its record may be used again. */
INLINED void end_task(struct thread *thread, ompt_data_t *data, struct record_task *task)
{
	task->id = 0;
	ordered();
	data->value = 0;
	task->parent = (uint64_t)(uintptr_t)thread->free_tasks;
	thread->free_tasks = task;
	thread->num_free_tasks++;
}

/** Note that the thread leaves a task before its end. */
INLINED void suspend(const struct thread *thread, struct record_task *task)
{
	if (LIKELY(thread->shown.task == (uint64_t)(uintptr_t)task))
		task->times_suspended++;
}

/** Note that a task begins, or goes on. */
INLINED void resume(struct record_task *task, uint64_t now)
{
	if (!task->begun)
		task->begun = now;
}

/** End writing after a switch: not with more free records than one thread may keep. */
INLINED void leave_after_switch(struct thread *thread)
{
	ordered();
	if (UNLIKELY(thread->num_free_tasks >= MAX_FREE_TASKS)) {
		return_and_leave(thread);
		return;
	}
	leave(thread);
}

/** Record a switch where enter_plainly() says no. */
static COLD void schedule_slowly(ompt_data_t *prior_data, ompt_task_status_t status,
				 const ompt_data_t *next_data)
{
	struct thread *thread = enter();
	struct record_task *prior = record_of(prior_data->value);
	struct record_task *next = next_data ? record_of(next_data->value) : NULL;
	uint64_t now;

	if (!thread)
		return;
	now = ticks();
	if (prior) {
		put(thread, now, RECORD_TASK_END, prior->id, 0, (uint16_t)status, NULL);
		if (has_ended(status))
			end_task(thread, prior_data, prior);
		else if (next_data)
			suspend(thread, prior);
	}
	if (next) {
		put(thread, now, RECORD_TASK_BEGIN, next->id, 0, 0, NULL);
		resume(next, now);
	}
	if (next_data)
		switch_task(thread, next_data->value);
	leave_after_switch(thread);
}

static void on_task_schedule(ompt_data_t *prior_data, ompt_task_status_t status,
			     ompt_data_t *next_data)
{
	struct thread *thread = this_thread;
	struct record_task *prior, *next;
	uint64_t now, head, key;

	if (UNLIKELY(!next_data) || !enter_plainly(thread, &now)) {
		schedule_slowly(prior_data, status, next_data);
		return;
	}
	head = thread->shown.head;
	key = next_data->value;
	prior = record_of(prior_data->value);
	if (prior) {
		write_event(thread, head++, now, RECORD_TASK_END, prior->id, 0, (uint16_t)status,
			    NULL);
		publish(thread, head);
		if (has_ended(status))
			end_task(thread, prior_data, prior);
		else
			suspend(thread, prior);
	}
	next = record_of(key);
	if (next) {
		write_event(thread, head, now, RECORD_TASK_BEGIN, next->id, 0, 0, NULL);
		publish(thread, head + 1);
		resume(next, now);
	}
	switch_task(thread, key);
	leave_after_switch(thread);
}

static void on_dependences(ompt_data_t *task_data, const ompt_dependence_t *dependences, int number)
{
	const struct record_task *task = record_of(task_data->value);
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

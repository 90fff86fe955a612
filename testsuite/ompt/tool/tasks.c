// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit tasks: each is created once, begun at most once, and never heard of after its end.

#include "tool.h"

enum { EXPLICIT, TASKWAIT, TARGET, INITIAL };

static unsigned int kind_of(int flags)
{
	if (flags & ompt_task_taskwait)
		return TASKWAIT;
	if (flags & ompt_task_target)
		return TARGET;
	return flags & ompt_task_initial ? INITIAL : EXPLICIT;
}

static void on_task_create(ompt_data_t *creator_data, const ompt_frame_t *frame, ompt_data_t *data,
			   int flags, int has_dependences, const void *code)
{
	static uint64_t last = 1000000;
	unsigned int kind = kind_of(flags);
	struct thread *thread = enter(EVENT_TASK_CREATE, kind);
	struct task *task;

	if (kind == INITIAL)
		return;
	if (!frame)
		complain("task_create: there is no frame");
	if (!(flags & ompt_task_explicit) && kind == EXPLICIT)
		complain("task_create: flags %#x", (unsigned int)flags);
	for (unsigned int bit = 27; bit < 32; bit++)
		if ((unsigned int)flags >> bit & 1 && kind == EXPLICIT)
			count(EVENT_TASK_FLAG, bit);
	if (data->ptr)
		complain("task_create: the task has data");
	task = keep(sizeof(*task));
	task->magic = TASK_MAGIC;
	task->id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	task->flags = flags;
	task->creator = check_task(thread, EVENT_TASK_CREATE, creator_data);
	task->region = task->creator ? task->creator->region : NULL;
	task->state = TASK_CREATED;
	data->ptr = task;
	(void)has_dependences;
	check_code(EVENT_TASK_CREATE, code);
}

static void end_task(struct task *task)
{
	if (task->scope_count)
		complain("schedule: a task ends within %s",
			 event_name(task->scope[task->scope_count - 1].event));
	if (__atomic_exchange_n(&task->state, TASK_ENDED, __ATOMIC_RELAXED) == TASK_ENDED)
		complain("schedule: the task ended before");
}

static void leave_task(struct thread *thread, struct task *prior, ompt_task_status_t status)
{
	if (prior != thread->task)
		complain("schedule: the prior task is not the current one");
	switch (status) {
	case ompt_task_complete:
	case ompt_task_cancel:
		end_task(prior);
		break;
	case ompt_task_detach:
	case ompt_task_yield:
	case ompt_task_switch:
		if (__atomic_exchange_n(&prior->state, TASK_SUSPENDED, __ATOMIC_RELAXED) !=
		    TASK_RUNNING)
			complain("schedule: the prior task did not run");
		break;
	default:
		complain("schedule: status %d", (int)status);
	}
}

static void on_task_schedule(ompt_data_t *prior_data, ompt_task_status_t status,
			     ompt_data_t *next_data)
{
	struct thread *thread = enter(EVENT_SCHEDULE, status);
	struct task *prior = task_of(prior_data);
	struct task *next = next_data ? task_of(next_data) : NULL;
	int state;

	if (!prior) {
		complain("schedule: the prior task has no data");
		return;
	}
	// Neither of these says anything about the thread that it happens in.
	if (status == ompt_taskwait_complete || status == ompt_task_late_fulfill ||
	    status == ompt_task_early_fulfill) {
		if (status == ompt_taskwait_complete || status == ompt_task_late_fulfill)
			end_task(prior);
		else if (prior->state == TASK_ENDED)
			complain("schedule: early fulfilment of a task that ended");
		if (next_data)
			complain("schedule: status %d with a next task", (int)status);
		return;
	}
	// A task that never ran is discarded by a cancellation.
	if (status == ompt_task_cancel && prior->state == TASK_CREATED) {
		end_task(prior);
		if (next && next != thread->task)
			complain("schedule: a task is discarded, and another one begun");
		return;
	}
	leave_task(thread, prior, status);
	if (!next) {
		complain("schedule: the next task has no data");
		return;
	}
	state = __atomic_exchange_n(&next->state, TASK_RUNNING, __ATOMIC_RELAXED);
	if (state == TASK_CREATED && !(prior->flags & ompt_task_initial))
		next->index = prior->index;
	if (state == TASK_CREATED)
		count(EVENT_TASK_BEGIN, kind_of(next->flags));
	else if (state != TASK_SUSPENDED)
		complain("schedule: the next task %s",
			 state == TASK_ENDED ? "has ended" : "runs already");
	thread->task = next;
}

static void on_dependences(ompt_data_t *data, const ompt_dependence_t *list, int length)
{
	struct thread *thread =
		enter(EVENT_DEPENDENCES, list && length > 0 ? list[0].dependence_type : 0);

	(void)thread;
	if (!task_of(data))
		complain("dependences: the task has no data");
	for (int i = 1; i < length; i++)
		count(EVENT_DEPENDENCES, list[i].dependence_type);
}

static void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
	enter(EVENT_DEPENDENCE, 0);
	if (!task_of(source) || !task_of(sink))
		complain("task_dependence: a task has no data");
}

void register_task_callbacks(void)
{
	SET(task_create, sometimes_paired);
	SET(task_schedule, sometimes_paired);
	SET(dependences, sometimes);
	SET(task_dependence, sometimes);
}

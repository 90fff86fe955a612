// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/gomp.h"

// The task that a thread works on in the region, and the tasks that it certainly stands on: an
// undeferred task runs on top of its parent.
static ompd_rc_t append_stack(const struct runtime *runtime, const struct region *region,
			      uint32_t thread_num, struct gomp_activity *activity)
{
	struct thread thread;
	struct gomp_membership place;
	struct task task;
	ompd_rc_t rc;

	rc = gomp_region_member(runtime, region, thread_num, &thread);
	if (rc != ompd_rc_ok) {
		// Not a member yet, or no longer; or it cannot be read.
		activity->incomplete = true;
		activity->damaged |= rc != ompd_rc_unavailable;
		return ompd_rc_ok;
	}
	if (gomp_find_membership(runtime, &thread, region, &place) != ompd_rc_ok ||
	    gomp_member_task(runtime, &thread, region, &task) != ompd_rc_ok) {
		activity->incomplete = activity->damaged = true;
		return ompd_rc_ok;
	}

	bool running = !place.inner.team;
	uint64_t address = task.address;

	for (bool added = true;;) {
		struct gomp_task_record record;

		rc = idmap_add(&activity->begun, &runtime->target, address,
			       2 * (uint64_t)thread_num + running, &added);
		if (rc != ompd_rc_ok)
			return rc;
		// A task is on one stack, and there once.
		if (!added) {
			activity->incomplete = activity->damaged = true;
			break;
		}
		if (!address)
			break;
		if (gomp_read_task(runtime, address, &record) != ompd_rc_ok) {
			activity->incomplete = activity->damaged = true;
			break;
		}
		if (record.kind != GOMP_TASK_UNDEFERRED || (!record.parent && region->level))
			break;
		address = record.parent;
		running = false;
	}
	return ompd_rc_ok;
}

ompd_rc_t gomp_activity_open(const struct runtime *runtime, const struct region *region,
			     struct gomp_activity *ret)
{
	*ret = (struct gomp_activity){ .begun = { .has_values = true } };
	for (uint32_t i = 0; i < region->nthreads; i++) {
		ompd_rc_t rc = append_stack(runtime, region, i, ret);

		if (rc != ompd_rc_ok) {
			gomp_activity_close(runtime, ret);
			return rc;
		}
	}
	return ompd_rc_ok;
}

// The number of the thread that most likely has to do with a task.
static bool likely_thread(const struct runtime *runtime, const struct task *task, uint32_t *ret)
{
	struct thread thread;
	struct gomp_membership place;

	if (gomp_implicit_task_number(runtime, &task->region, task->address, ret))
		return true;
	if (!task->thread || gomp_read_thread(runtime, task->thread, &thread) != ompd_rc_ok ||
	    gomp_find_membership(runtime, &thread, &task->region, &place) != ompd_rc_ok)
		return false;
	*ret = place.ts.team_id;
	return place.member;
}

ompd_rc_t gomp_activity_open_for(const struct runtime *runtime, const struct task *task,
				 struct gomp_activity *ret)
{
	uint32_t thread_num, number;

	*ret = (struct gomp_activity){ .begun = { .has_values = true } };
	if (likely_thread(runtime, task, &thread_num)) {
		ompd_rc_t rc = append_stack(runtime, &task->region, thread_num, ret);

		// An implicit task runs on its own thread or on none.
		if (rc != ompd_rc_ok || idmap_find(&ret->begun, task->address, NULL) ||
		    gomp_implicit_task_number(runtime, &task->region, task->address, &number))
			return rc;
		gomp_activity_close(runtime, ret);
	}
	return gomp_activity_open(runtime, &task->region, ret);
}

void gomp_activity_close(const struct runtime *runtime, struct gomp_activity *activity)
{
	idmap_close(&activity->begun, &runtime->target);
}

bool gomp_activity_find(const struct gomp_activity *activity, uint64_t task,
			struct gomp_activity_entry *ret)
{
	uint64_t value;

	if (!idmap_find(&activity->begun, task, &value))
		return false;
	*ret = (struct gomp_activity_entry){ .thread_num = value / 2, .running = value % 2 };
	return true;
}

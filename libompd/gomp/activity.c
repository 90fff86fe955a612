// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/gomp.h"

// The task that a thread works on in the region, and the tasks that it certainly stands on: an
// undeferred task runs on top of its parent.
static ompd_rc_t append_stack(const struct runtime *runtime, const struct region *region,
			      uint32_t thread_num, struct activity *activity)
{
	struct thread thread;
	struct gomp_membership place;
	struct task task;
	ompd_rc_t rc;

	rc = gomp_region_member(runtime, region, thread_num, &thread);
	if (rc != ompd_rc_ok) {
		activity_miss(activity, rc);
		return ompd_rc_ok;
	}
	if (gomp_find_membership(runtime, &thread, region, &place) != ompd_rc_ok ||
	    gomp_member_task(runtime, &thread, region, &task) != ompd_rc_ok) {
		activity_miss(activity, ompd_rc_error);
		return ompd_rc_ok;
	}

	struct activity_entry entry = { .thread_num = thread_num, .running = !place.inner.team };
	uint64_t address = task.address;

	for (bool added = true;;) {
		struct gomp_task_record record;

		rc = activity_add(&runtime->target, activity, address, &entry, &added);
		if (rc != ompd_rc_ok)
			return rc;
		// A task is on one stack, and there once.
		if (!added) {
			activity_miss(activity, ompd_rc_error);
			break;
		}
		if (!address)
			break;
		if (gomp_read_task(runtime, address, &record) != ompd_rc_ok) {
			activity_miss(activity, ompd_rc_error);
			break;
		}
		if (record.kind != GOMP_TASK_UNDEFERRED || (!record.parent && region->level))
			break;
		address = record.parent;
		entry.running = false;
	}
	return ompd_rc_ok;
}

ompd_rc_t gomp_activity_open(const struct runtime *runtime, const struct region *region,
			     struct activity *ret)
{
	*ret = (struct activity){ .incomplete = false };
	for (uint32_t i = 0; i < region->nthreads; i++) {
		ompd_rc_t rc = append_stack(runtime, region, i, ret);

		if (rc != ompd_rc_ok) {
			activity_close(&runtime->target, ret);
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
				 struct activity *ret)
{
	uint32_t thread_num, number;

	*ret = (struct activity){ .incomplete = false };
	if (likely_thread(runtime, task, &thread_num)) {
		ompd_rc_t rc = append_stack(runtime, &task->region, thread_num, ret);

		// An implicit task runs on its own thread or on none.
		if (rc != ompd_rc_ok || idmap_find(&ret->begun, task->address, NULL) ||
		    gomp_implicit_task_number(runtime, &task->region, task->address, &number))
			return rc;
		activity_close(&runtime->target, ret);
	}
	return gomp_activity_open(runtime, &task->region, ret);
}

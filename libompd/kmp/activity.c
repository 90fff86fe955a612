// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/tasks.h"

// A task that was not deferred runs on top of its parent, on the same thread.
static ompd_rc_t add_stacked(const struct runtime *runtime, uint64_t task,
			     struct activity_entry entry, struct activity *activity)
{
	struct kmp_task_record record;
	bool added = true, on_top = true;
	ompd_rc_t rc = ompd_rc_ok;

	while (rc == ompd_rc_ok && added && on_top) {
		rc = activity_add(&runtime->target, activity, task, &entry, &added);
		if (rc != ompd_rc_ok)
			break;
		if (kmp_read_task(runtime, task, &record) != ompd_rc_ok) {
			activity_miss(activity, ompd_rc_error);
			break;
		}
		on_top = record.is_explicit && kmp_flag(runtime, record.flags, FLAG(task_serial));
		task = record.parent;
		entry.running = false;
	}
	return rc;
}

static ompd_rc_t add_member(const struct runtime *runtime, const struct region *region,
			    uint32_t thread_num, struct activity *activity)
{
	struct thread thread;
	struct task task;
	struct activity_entry entry = { .thread_num = thread_num };
	ompd_rc_t rc = kmp_region_member(runtime, region, thread_num, &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_member_task(runtime, &thread, region, &task, &entry.running);
	if (rc != ompd_rc_ok) {
		activity_miss(activity, rc);
		return ompd_rc_ok;
	}
	return add_stacked(runtime, task.address, entry, activity);
}

ompd_rc_t kmp_activity_open(const struct runtime *runtime, const struct region *region,
			    struct activity *ret)
{
	*ret = (struct activity){ .incomplete = false };
	for (uint32_t i = 0; i < region->nthreads; i++) {
		ompd_rc_t rc = add_member(runtime, region, i, ret);

		if (rc != ompd_rc_ok) {
			activity_close(&runtime->target, ret);
			return rc;
		}
	}
	return ompd_rc_ok;
}

ompd_rc_t kmp_activity_of_task(const struct runtime *runtime, const struct task *task,
			       struct activity *ret)
{
	struct activity_entry entry;

	*ret = (struct activity){ .incomplete = false };
	ompd_rc_t rc = add_member(runtime, &task->region, task->likely, ret);

	// No other thread works on the implicit task of one.
	if (rc == ompd_rc_ok && (task->implicit || activity_find(ret, task->address, &entry)))
		return rc;
	activity_close(&runtime->target, ret);
	return rc == ompd_rc_ok ? kmp_activity_open(runtime, &task->region, ret) : rc;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/tasks.h"

// A task that was not deferred runs on top of its parent, on the same thread.
static ompd_rc_t add_stacked(const struct runtime *runtime, uint64_t task, uint32_t thread_num,
			     bool running, struct kmp_activity *activity)
{
	struct kmp_task_record record;
	bool added = true, on_top = true;
	ompd_rc_t rc = ompd_rc_ok;

	while (rc == ompd_rc_ok && added && on_top) {
		rc = idmap_add(&activity->begun, &runtime->target, task,
			       2 * (uint64_t)thread_num + running, &added);
		if (rc != ompd_rc_ok)
			break;
		if (kmp_read_task(runtime, task, &record) != ompd_rc_ok) {
			activity->incomplete = activity->damaged = true;
			break;
		}
		on_top = kmp_is_explicit(runtime, &record) &&
			 kmp_flag(runtime, record.flags, FLAG(task_serial));
		task = record.parent;
		running = false;
	}
	return rc;
}

static ompd_rc_t add_member(const struct runtime *runtime, const struct region *region,
			    uint32_t thread_num, struct kmp_activity *activity)
{
	struct thread thread;
	struct task task;
	bool running;

	ompd_rc_t rc = kmp_region_member(runtime, region, thread_num, &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_member_task(runtime, &thread, region, &task, &running);
	if (rc != ompd_rc_ok) {
		// Not a member yet, or no longer; or it cannot be read.
		activity->incomplete = true;
		activity->damaged |= rc != ompd_rc_unavailable;
		return ompd_rc_ok;
	}
	return add_stacked(runtime, task.address, thread_num, running, activity);
}

ompd_rc_t kmp_activity_open(const struct runtime *runtime, const struct region *region,
			    struct kmp_activity *ret)
{
	*ret = (struct kmp_activity){ .begun = { .has_values = true } };
	for (uint32_t i = 0; i < region->nthreads; i++) {
		ompd_rc_t rc = add_member(runtime, region, i, ret);

		if (rc != ompd_rc_ok) {
			kmp_activity_close(runtime, ret);
			return rc;
		}
	}
	return ompd_rc_ok;
}

ompd_rc_t kmp_activity_of_task(const struct runtime *runtime, const struct task *task,
			       struct kmp_activity *ret)
{
	struct kmp_activity_entry entry;

	*ret = (struct kmp_activity){ .begun = { .has_values = true } };
	ompd_rc_t rc = add_member(runtime, &task->region, task->likely, ret);

	// No other thread works on the implicit task of one.
	if (rc == ompd_rc_ok && (task->implicit || kmp_activity_find(ret, task->address, &entry)))
		return rc;
	kmp_activity_close(runtime, ret);
	return rc == ompd_rc_ok ? kmp_activity_open(runtime, &task->region, ret) : rc;
}

void kmp_activity_close(const struct runtime *runtime, struct kmp_activity *activity)
{
	idmap_close(&activity->begun, &runtime->target);
}

bool kmp_activity_find(const struct kmp_activity *activity, uint64_t task,
		       struct kmp_activity_entry *ret)
{
	uint64_t value;

	if (!idmap_find(&activity->begun, task, &value))
		return false;
	*ret = (struct kmp_activity_entry){ .thread_num = value / 2, .running = value % 2 };
	return true;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/activity.h"

ompd_rc_t activity_add(const struct target *target, struct activity *activity, uint64_t task,
		       const struct activity_entry *entry, bool *added)
{
	return idmap_add(&activity->begun, target, task,
			 2 * (uint64_t)entry->thread_num + entry->running, added);
}

bool activity_find(const struct activity *activity, uint64_t task, struct activity_entry *ret)
{
	uint64_t value = 0;

	if (!idmap_find(&activity->begun, task, &value))
		return false;
	*ret = (struct activity_entry){ .thread_num = value / 2, .running = value % 2 };
	return true;
}

bool activity_next(const struct activity *activity, size_t *position, uint64_t *task)
{
	while (*position < activity->begun.capacity) {
		const uint64_t key = activity->begun.keys[(*position)++];

		*task = key - 1;
		if (key)
			return true;
	}
	return false;
}

void activity_close(const struct target *target, struct activity *activity)
{
	idmap_close(&activity->begun, target);
}

void activity_miss(struct activity *activity, ompd_rc_t rc)
{
	activity->incomplete = true;
	activity->damaged |= rc != ompd_rc_unavailable;
}

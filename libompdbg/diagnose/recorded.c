// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder saw of waits and regions, where it is about what is seen at the stop.

#include "diagnose/room.h"

const struct record_wait *recorded_wait(struct thread *thread)
{
	const struct record_wait *wait = history_wait(thread);
	const struct wait *seen = wait ? thread_wait(thread) : NULL;
	bool is_mutex;

	if (!seen)
		return NULL;
	is_mutex = wait_kind(seen->kind)->family == FAMILY_MUTEX || is_ordered_kind(seen->kind);
	if (wait->kind == RECORD_ACQUIRE)
		return is_mutex ? wait : NULL;
	if (wait->detail == ompt_sync_region_taskwait)
		return seen->kind == ompd_ext_wait_taskwait ||
				       seen->kind == ompd_ext_wait_dependences ?
			       wait :
			       NULL;
	if (wait->detail == ompt_sync_region_taskgroup)
		return seen->kind == ompd_ext_wait_taskgroup ? wait : NULL;
	return is_barrier_kind(seen->kind) ? wait : NULL;
}

const struct region_record *region_record(struct region *region)
{
	struct arena *arena = &region->team->runtime->process->arena;
	struct thread *primary = region->num_members ? region->members[0] : NULL;
	const struct record_level *first = primary ? history_level(primary, region->team) : NULL;
	struct region_record *record;

	if (!first)
		return NULL;
	record = ARENA_NEW(arena, struct region_record);
	record->number = first->region;
	record->since = first->since;
	record->arrived = ARENA_ARRAY(arena, uint64_t, region->num_members);
	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		const struct record_level *level = thread ? history_level(thread, region->team) :
							    NULL;
		if (!level || level->region != record->number)
			continue;
		if (level->since < record->since) // the primary thread need not be the first
			record->since = level->since;
		if (region->at_barrier[i] && level->barrier >= level->since)
			record->arrived[i] = level->barrier;
	}
	return record;
}

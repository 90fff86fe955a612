// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the threads that are seen at a region's barrier wait there. A thread that was let go is still
// seen there until it has returned, and others may have gone on to the next barrier.

#include "diagnose/room.h"

/** Check that LLVM's runtime has counted a thread at a barrier to which not all have come. Unless a
 *  tool (OMPT) is active: then states are what the threads themselves record, and one that was let go
 *  may not have changed its own yet. */
static bool is_counted(struct thread *thread)
{
	struct space *space = thread->runtime->space;
	int64_t state = thread_verdict(thread)->evidence.recorded;
	ompd_word_t value;
	ompd_address_t data;

	if (!thread->handle || !runtime_is_extended(thread->runtime) ||
	    (state != STATE_BARRIER && state != STATE_BARRIER_PARALLEL &&
	     state != STATE_BARRIER_IMPLEMENTATION))
		return false;
	return !is_ok(
		SPACE_CALL(space, get_tool_data, thread->handle, ompd_scope_thread, &value, &data));
}

/** Count the threads that are at a region's barriers, or run tasks there, or may do so. */
static int count_that_may_be_there(struct region *region)
{
	int count = region->unseen;

	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		if (!thread)
			continue;
		struct task *task = thread_task(thread);
		count += region->at_barrier[i] || thread->team != region->team || !task ||
			 task->info.kind != ompd_ext_task_implicit;
	}
	return count;
}

/** Check that the runtime has counted all threads that may be at a region's barrier. Where cancellation
 *  lets threads go, counts prove nothing. */
static bool are_all_counted(struct region *region, const struct progress *progress)
{
	return progress->is_counted && !progress->is_cancelled &&
	       progress->arrived + progress->arrived_end >= count_that_may_be_there(region);
}

/** Check for a member that has come to no barrier of the region, as the recorder saw: then those that have
 *  come to one are at the first, and wait for it. */
static bool is_at_first_barrier(struct region *region)
{
	bool has_come = false, is_missing = false;

	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		const struct record_level *level = thread ? history_level(thread, region->team) :
							    NULL;
		if (!level)
			continue;
		has_come |= region->at_barrier[i] && level->barrier >= level->since;
		is_missing |= !region->at_barrier[i] && level->barrier < level->since;
	}
	return has_come && is_missing; // arrivals are recorded
}

/** Check for a member that has returned from each barrier that has let it go: it is at none, or runs a
 *  task at the latest. */
static bool has_returned(struct region *region, size_t i)
{
	struct thread *thread = region->members[i];

	if (!thread || region->at_barrier[i] || thread->team != region->team ||
	    thread_verdict(thread)->state == STATE_UNKNOWN)
		return false;
	const struct task *task = thread_task(thread);
	return task && (task->info.kind == ompd_ext_task_implicit ||
			region_runs_task_at_barrier(region, thread) == YES);
}

/** Find the phase of the members that have returned from the last barrier; NOT_KNOWN. */
static int latest_phase(struct region *region)
{
	int latest = NOT_KNOWN;

	for (size_t i = 0; i < region->num_members; i++) {
		if (!has_returned(region, i) || region->members[i]->barrier_phase == NOT_KNOWN)
			continue;
		if (latest != NOT_KNOWN && latest != region->members[i]->barrier_phase)
			return NOT_KNOWN; // one of them was seen wrongly
		latest = region->members[i]->barrier_phase;
	}
	return latest;
}

/** Check that a thread waits in the function of LLVM's runtime that it called for a barrier, and is not about to
 *  return: that calls one for all kinds of barriers, this one that gathers the threads, and this one that waits. */
static bool is_deep_in_barrier(struct thread *thread)
{
	enum { CALLS = 3 };
	const uint64_t entry = thread_verdict(thread)->evidence.call.entry;
	struct stack *stack = thread_stack(thread);
	struct stack_frame *frame;

	for (size_t i = 0; (frame = stack_frame(stack, i)); i++) {
		if (stack_owner(stack, frame) == FRAME_USER)
			return false;
		if (stack_place(stack, frame)->start == entry)
			return i >= CALLS;
	}
	return false;
}

/** Check that a thread that is seen at a barrier has left as many as those that are at none: then it is not at
 *  the one before. LLVM's runtime tells so. */
static bool is_at_latest_barrier(struct thread *thread, int latest)
{
	return latest != NOT_KNOWN && thread->barrier_phase == latest &&
	       (is_end_of_region(thread_wait(thread)) || is_deep_in_barrier(thread));
}

void find_arrivals(struct region *region, const struct progress *progress)
{
	// Tasks that are left prove nothing: threads that were let go may have made them.
	if (!region->num_at_barrier || (progress->is_counted && !progress->is_cancelled &&
					!progress->arrived && !progress->arrived_end))
		return;
	const bool are_all_kept = are_all_counted(region, progress) || is_at_first_barrier(region);
	const int latest = are_all_kept ? NOT_KNOWN : latest_phase(region);

	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		region->is_kept[i] = region->at_barrier[i] &&
				     (are_all_kept || thread_is_asleep(thread) ||
				      is_counted(thread) || is_at_latest_barrier(thread, latest));
	}
}

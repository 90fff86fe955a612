// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads, parallel regions and what happens in them, except tasks and mutexes.

#include "current_task.h"
#include "recorder.h"

/** Return a count as an event has it. */
static uint32_t saturated(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	if (this_thread == &no_thread)
		begin_thread(type);
	else if (!this_thread->inside)
		this_thread->shown.type = (uint32_t)type;
}

static void on_thread_end(ompt_data_t *data)
{
	if (this_thread->inside)
		return;
	this_thread->inside = 1;
	ordered();
	end_thread(this_thread);
}

static void on_parallel_begin(ompt_data_t *task_data, const ompt_frame_t *frame,
			      ompt_data_t *parallel_data, unsigned int requested, int flags,
			      const void *code)
{
	struct thread *thread = enter();
	struct region *region = NULL;
	uint64_t number;

	if (!thread) {
		parallel_data->ptr = NULL;
		return;
	}
	number = __atomic_add_fetch(&recorder.num_regions, 1, __ATOMIC_RELAXED);
	if (thread->num_regions < MAX_REGIONS) {
		region = &thread->regions[thread->num_regions];
		region->number = number;
		region->code = (uint64_t)(uintptr_t)code;
	}
	thread->num_regions++;
	parallel_data->ptr = region;
	put(thread, ticks(), RECORD_PARALLEL_BEGIN, number, requested,
	    (flags & ompt_parallel_league) != 0, code);
	leave(thread);
}

/** Return how many regions that the thread encountered are around the one that ends. Those within it
 *  have ended as well. LLVM's runtime may report the data of a team that another thread uses by now:
 *  then it is the innermost one. */
static uint32_t ending_region(const struct thread *thread, const struct region *region)
{
	if (region >= thread->regions && region < thread->regions + MAX_REGIONS &&
	    region - thread->regions < thread->num_regions)
		return (uint32_t)(region - thread->regions);
	return thread->num_regions ? thread->num_regions - 1 : 0;
}

static void on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *task_data, int flags,
			    const void *code)
{
	struct thread *thread = enter();
	uint64_t number = 0;
	uint32_t depth;

	if (!thread)
		return;
	depth = ending_region(thread, parallel_data->ptr);
	if (depth < thread->num_regions && depth < MAX_REGIONS)
		number = thread->regions[depth].number;
	thread->num_regions = depth;
	put(thread, ticks(), RECORD_PARALLEL_END, number, 0, 0, code);
	leave(thread);
}

/** Enter an implicit task. */
static void begin_implicit(struct thread *thread, const struct region *region, ompt_data_t *data,
			   uint32_t team, uint32_t index)
{
	uint64_t now = ticks(), key = new_key(thread, RECORD_TASK_IMPLICIT);
	uint64_t number = region ? region->number : 0, code = region ? region->code : 0;
	uint32_t depth = thread->shown.num_levels;

	if (depth < MAX_LEVELS) {
		struct record_level *level = &thread->levels[depth];

		level->since = now;
		level->region = number;
		level->code = code;
		level->thread = index;
		level->team = team;
		level->barrier = 0;
		level->barrier_code = 0;
		thread->outer_tasks[depth] = thread->shown.task;
	}
	ordered();
	thread->shown.num_levels = depth + 1;
	ordered();
	thread->region = number;
	if (data)
		data->value = key;
	switch_task(thread, key);
	put(thread, now, RECORD_IMPLICIT_BEGIN, number, index,
	    (uint16_t)(team < UINT16_MAX ? team : UINT16_MAX), (const void *)(uintptr_t)code);
}

/** Leave an implicit task. */
static void end_implicit(struct thread *thread, uint32_t index)
{
	uint32_t depth = thread->shown.num_levels;
	uint64_t number = 0;

	if (depth > 0) {
		uint64_t outer = 0, region = 0;

		depth--;
		if (depth < MAX_LEVELS) {
			number = thread->levels[depth].region;
			outer = thread->outer_tasks[depth];
		}
		if (depth > 0 && depth <= MAX_LEVELS)
			region = thread->levels[depth - 1].region;
		thread->region = region;
		thread->shown.num_levels = depth;
		ordered();
		switch_task(thread, outer);
	}
	put(thread, ticks(), RECORD_IMPLICIT_END, number, index, 0, NULL);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
			     ompt_data_t *task_data, unsigned int team, unsigned int index,
			     int flags)
{
	struct thread *thread = enter();

	if (!thread)
		return;
	if (endpoint == ompt_scope_begin) {
		const struct region *region =
			parallel_data && !(flags & ompt_task_initial) ? parallel_data->ptr : NULL;

		begin_implicit(thread, region, task_data, team, index);
	} else {
		end_implicit(thread, index);
		// LLVM's runtime keeps a worker's beyond the task, and fails an assertion at a later
		// taskwait with dependences if it is not null (kmp_taskdeps.cpp).
		if (task_data)
			task_data->value = 0;
	}
	leave(thread);
}

/** Put the begin or the end of something into the ring, or both. */
static void put_scope(struct thread *thread, uint64_t now, enum record_kind begin,
		      ompt_scope_endpoint_t endpoint, uint32_t number, uint16_t detail,
		      const void *code)
{
	if (endpoint & ompt_scope_begin)
		put(thread, now, begin, 0, number, detail, code);
	if (endpoint & ompt_scope_end)
		put(thread, now, begin + 1, 0, number, detail, code);
}

/** Check whether a synchronization is one of the whole team. */
static bool is_barrier(ompt_sync_region_t kind)
{
	return kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup &&
	       kind != ompt_sync_region_reduction;
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		    ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	struct thread *thread = enter();
	uint32_t depth;
	uint64_t now;

	if (!thread)
		return;
	now = ticks();
	depth = thread->shown.num_levels;
	if (endpoint == ompt_scope_begin && is_barrier(kind) && depth > 0 && depth <= MAX_LEVELS) {
		struct record_level *level = &thread->levels[depth - 1];

		level->barrier = 0;
		ordered();
		level->barrier_code = (uint64_t)(uintptr_t)code;
		ordered();
		level->barrier = now;
	}
	put_scope(thread, now, RECORD_SYNC_BEGIN, endpoint, 0, (uint16_t)kind, code);
	leave(thread);
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		    ompt_data_t *parallel_data, ompt_data_t *task_data, const void *code)
{
	struct thread *thread = enter();
	uint64_t now;

	if (!thread)
		return;
	now = ticks();
	put_scope(thread, now, RECORD_WAIT_BEGIN, endpoint, 0, (uint16_t)kind, code);
	if (endpoint == ompt_scope_begin) {
		if (thread->num_waits < MAX_WAITS) {
			struct record_wait *top = &thread->waits[thread->num_waits];

			top->since = now;
			top->code = (uint64_t)(uintptr_t)code;
			top->object = thread->shown.task;
			top->detail = kind;
		}
		change_wait(thread, thread->num_waits + 1);
	} else if (endpoint == ompt_scope_end && thread->num_waits) {
		change_wait(thread, thread->num_waits - 1);
	}
	leave(thread);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
		    ompt_data_t *task_data, uint64_t count, const void *code)
{
	struct thread *thread = enter();

	if (!thread)
		return;
	put_scope(thread, ticks(), RECORD_WORK_BEGIN, endpoint, saturated(count), (uint16_t)kind,
		  code);
	leave(thread);
}

static void on_dispatch(ompt_data_t *parallel_data, ompt_data_t *task_data, ompt_dispatch_t kind,
			ompt_data_t instance)
{
	struct thread *thread = enter();
	uint64_t first = instance.value, number = 1;

	if (!thread)
		return;
	if (kind != ompt_dispatch_iteration && kind != ompt_dispatch_section && instance.ptr) {
		const ompt_dispatch_chunk_t *chunk = instance.ptr;

		first = chunk->start;
		number = chunk->iterations;
	}
	put(thread, ticks(), RECORD_CHUNK, first, saturated(number), (uint16_t)kind, NULL);
	leave(thread);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
		      ompt_data_t *task_data, const void *code)
{
	struct thread *thread = enter();

	if (!thread)
		return;
	put_scope(thread, ticks(), RECORD_MASKED_BEGIN, endpoint, 0, 0, code);
	leave(thread);
}

static void on_cancel(ompt_data_t *task_data, int flags, const void *code)
{
	struct thread *thread = enter();

	if (!thread)
		return;
	put(thread, ticks(), RECORD_CANCEL, 0, 0, (uint16_t)flags, code);
	leave(thread);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
		      ompt_data_t *task_data, ompt_id_t target_id, const void *code)
{
	struct thread *thread = enter();

	if (!thread)
		return;
	put_scope(thread, ticks(), RECORD_TARGET_BEGIN, endpoint, (uint32_t)device, (uint16_t)kind,
		  code);
	leave(thread);
}

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
			  ompt_data_t *task_data, ompt_data_t *target_task_data,
			  ompt_data_t *target_data, const void *code)
{
	on_target(kind, endpoint, device, task_data, 0, code);
}

/** Register the callbacks for threads and regions. */
void regions_set_callbacks(ompt_set_callback_t set)
{
	set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
	set(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
	set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
	set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
	set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
	set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
	set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
	set(ompt_callback_work, (ompt_callback_t)on_work);
	set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
	set(ompt_callback_masked, (ompt_callback_t)on_masked);
	set(ompt_callback_cancel, (ompt_callback_t)on_cancel);
	if (set(ompt_callback_target_emi, (ompt_callback_t)on_target_emi) < ompt_set_sometimes)
		set(ompt_callback_target, (ompt_callback_t)on_target);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions, their barriers and worksharing, and waits for tasks.

#include "profile/room.h"

enum { SATURATED = UINT32_MAX };

// ---- Regions -----------------------------------------------------------------------------------

static struct region *region_create(struct profile *profile, const struct trace_event *event)
{
	struct region *region = pool_take(&profile->pool, sizeof(*region));

	region->users = 1;
	region->number = event->object;
	region->construct = construct_of(profile, PROFILE_REGION, event);
	region->begin = event->time;
	return region;
}

void region_drop(struct profile *profile, struct region **dropped)
{
	struct region *region = *dropped;

	*dropped = NULL;
	if (!region || --region->users)
		return;
	path_drop(&profile->pool, &region->fork);
	path_drop(&profile->pool, &region->longest);
	for (size_t i = 0; i < 2; i++)
		path_drop(&profile->pool, &region->meetings[i].longest);
	if (region->members)
		pool_give(&profile->pool, region->members,
			  region->capacity * sizeof(struct node *));
	node_drop(profile, &region->encountered_by);
	pool_give(&profile->pool, region, sizeof(*region));
}

static void add_member(struct profile *profile, struct region *region, struct node *node)
{
	region->members = pool_enlarge(&profile->pool, region->members, region->num_members,
				       &region->capacity, sizeof(struct node *));
	region->members[region->num_members++] = node;
}

/** Count what a thread did in a region, once it has done all of it. */
static void count_member(struct profile *profile, struct region *region, struct node *node,
			 uint64_t now)
{
	if (node->is_counted)
		return;
	node->is_counted = true;
	node_settle(profile, node);
	path_join(&profile->pool, &region->longest, node->path);
	region->count++;
	region->work += node->member_work;
	region->barrier_wait += node->member_wait;
	region->thread_time += now - node->entered;
	if (node->member_work > region->slowest)
		region->slowest = node->member_work;
}

static void count_wait(struct profile *profile, const struct frame *frame)
{
	struct profile_waits *waits = profile->constructs[frame->construct].waits;

	waits->count++;
	stat_add(&waits->wait, frame->time);
}

/** Let the threads that the end of a region leaves at its barrier be idle. */
static void release_members(struct profile *profile, struct region *region, uint64_t now)
{
	for (size_t i = 0; i < region->num_members; i++) {
		struct node *node = region->members[i];
		struct frame *frame;

		if (!node)
			continue;
		if (profile->room->threads[node->thread].level == node)
			advance(profile, node->thread, now, NUM_LANES);
		count_member(profile, region, node, now);
		frame = top_frame(node);
		if (frame && frame->kind != FRAME_RUNTIME && !frame->is_idle) {
			count_wait(profile, frame);
			frame->is_idle = true;
		}
	}
}

static void add_figures(struct profile *profile, struct region *region, uint64_t now)
{
	struct profile_regions *figures = profile->constructs[region->construct].regions;
	uint64_t span = path_length(region->longest), fork = path_length(region->fork);
	uint32_t count = region->count < UINT32_MAX ? (uint32_t)region->count : UINT32_MAX;

	stat_add(&figures->time, now - region->begin);
	figures->work += region->work;
	figures->span += span > fork ? span - fork : 0;
	figures->barrier_wait += region->barrier_wait;
	figures->thread_time += region->thread_time;
	if (!count)
		return;
	figures->slowest += region->slowest;
	figures->average += region->work / count;
	if (!figures->threads_min || count < figures->threads_min)
		figures->threads_min = count;
	if (count > figures->threads_max)
		figures->threads_max = count;
}

static void begin_region(struct profile *profile, const struct trace_event *event)
{
	struct node *encountering = profile->room->threads[event->thread].current;
	struct region *region;

	if (!event->object || map_get(&profile->room->regions, event->object))
		return;
	region = region_create(profile, event);
	if (encountering) {
		node_settle(profile, encountering);
		encountering->users++;
		push_frame(encountering, FRAME_RUNTIME);
		region->encountered_by = encountering;
		region->fork = path_share(encountering->path);
	}
	map_add(&profile->room->regions, &profile->pool, region->number, region);
	profile->constructs[region->construct].regions->instances++;
	profile->regions++;
}

static void end_region(struct profile *profile, const struct trace_event *event)
{
	struct region *region = map_get(&profile->room->regions, event->object);

	if (!region)
		return;
	map_remove(&profile->room->regions, region->number);
	release_members(profile, region, event->time);
	add_figures(profile, region, event->time);
	region->has_ended = true;
	path_join(&profile->pool, &profile->path, region->longest);
	if (region->encountered_by) {
		pop_frame(region->encountered_by);
		node_join(profile, region->encountered_by, region->longest);
	}
	region_drop(profile, &region);
}

// ---- Implicit tasks ----------------------------------------------------------------------------

static void begin_implicit(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread = &profile->room->threads[event->thread];
	struct region *region = event->object ? map_get(&profile->room->regions, event->object) :
						NULL;
	struct node *outer = thread->current, *node;

	node = node_create(profile, region ? region->construct :
					     construct_of(profile, PROFILE_PROGRAM, NULL));
	node->thread = event->thread;
	node->thread_num = event->number;
	node->entered = event->time;
	node->outer = outer;
	node->outer_level = thread->level;
	if (outer) {
		outer->users++;
		task_pause(outer, event->time);
	}
	if (region) {
		region->users++;
		node->region = region;
		node->path = path_share(region->fork);
		add_member(profile, region, node);
	} else if (outer) {
		node_settle(profile, outer);
		node->path = path_share(outer->path);
	}
	thread->current = thread->level = node;
}

static void end_implicit(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread = &profile->room->threads[event->thread];
	struct node *node = thread->level, *outer;
	struct region *region;

	if (!node)
		return;
	region = node->region;
	outer = node->outer;
	if (region)
		count_member(profile, region, node, event->time);
	for (size_t i = 0; region && i < region->num_members; i++) {
		if (region->members[i] == node)
			region->members[i] = NULL;
	}
	node_settle(profile, node);
	path_join(&profile->pool, &profile->path, node->path);
	if (outer && !region)
		node_join(profile, outer, node->path);
	thread->level = node->outer_level;
	thread->current = outer && outer->phase != PHASE_ENDED ? outer : thread->level;
	if (thread->current == outer)
		task_resume(outer, event->time);
	node_drop(profile, &outer);
	node_drop(profile, &node);
}

void region_event(struct profile *profile, const struct trace_event *event)
{
	switch (event->kind) {
	case RECORD_PARALLEL_BEGIN:
		begin_region(profile, event);
		break;
	case RECORD_PARALLEL_END:
		end_region(profile, event);
		break;
	case RECORD_IMPLICIT_BEGIN:
		begin_implicit(profile, event);
		break;
	default:
		end_implicit(profile, event);
	}
}

// ---- Barriers ----------------------------------------------------------------------------------

/** Check for a barrier that all threads of the region come to. */
static bool is_meeting(uint16_t kind)
{
	return kind < ompt_sync_region_barrier_implementation || kind > ompt_sync_region_reduction;
}

static void arrive(struct profile *profile, struct node *node)
{
	struct region *region = node->region;
	struct meeting *meeting = &region->meetings[++node->barriers & 1];

	if (meeting->number != node->barriers) {
		path_drop(&profile->pool, &meeting->longest);
		*meeting = (struct meeting){ .number = node->barriers };
	}
	node_settle(profile, node);
	path_join(&profile->pool, &meeting->longest, node->path);
}

/** Leave a barrier: all threads have come, and all tasks of the region have ended. */
static void depart(struct profile *profile, struct node *node)
{
	struct region *region = node->region;
	struct meeting *meeting = &region->meetings[node->barriers & 1];

	if (meeting->number != node->barriers || region->has_ended)
		return;
	if (!meeting->is_over)
		path_join(&profile->pool, &meeting->longest, region->longest);
	meeting->is_over = true;
	node_join(profile, node, meeting->longest);
	path_drop(&profile->pool, &node->children);
	if (node->domain)
		task_wait_ended(profile, node);
}

// ---- Waits -------------------------------------------------------------------------------------

static enum profile_kind kind_of(uint8_t sync)
{
	switch (sync) {
	case ompt_sync_region_taskwait:
		return PROFILE_TASKWAIT;
	case ompt_sync_region_taskgroup:
		return PROFILE_TASKGROUP;
	case ompt_sync_region_reduction:
		return PROFILE_REDUCTION;
	default:
		return PROFILE_BARRIER;
	}
}

void wait_begin(struct profile *profile, struct node *node, uint8_t kind,
		const struct trace_event *event)
{
	struct trace_event at = *event;
	struct frame *frame;

	task_pause(node, event->time);
	frame = push_frame(node, kind);
	if (!frame)
		return;
	// The threads of a team wait at the end of its region, wherever their code is.
	at.code = event->code || !node->region ? event->code :
						 profile->constructs[node->region->construct].code;
	frame->construct = construct_of(profile, kind_of(kind), &at);
}

void wait_end(struct profile *profile, struct node *node, uint64_t now)
{
	struct frame *top = top_frame(node);

	if (!top || top->kind == FRAME_RUNTIME)
		return;
	struct frame *frame = pop_frame(node);
	if (frame && !frame->is_idle)
		count_wait(profile, frame);
	task_resume(node, now);
}

void sync_event(struct profile *profile, const struct trace_event *event)
{
	struct node *node = profile->room->threads[event->thread].current;
	bool meets = node && node->region && !node->id && is_meeting(event->detail);

	if (!node)
		return;
	switch (event->kind) {
	case RECORD_SYNC_BEGIN:
		if (meets)
			arrive(profile, node);
		else if (event->detail == ompt_sync_region_taskgroup)
			group_begin(profile, node);
		break;
	case RECORD_SYNC_END:
		if (meets)
			depart(profile, node);
		else if (event->detail == ompt_sync_region_taskgroup)
			group_end(profile, node);
		else if (event->detail == ompt_sync_region_taskwait)
			task_wait_ended(profile, node);
		break;
	case RECORD_WAIT_BEGIN:
		wait_begin(profile, node, (uint8_t)event->detail, event);
		break;
	default:
		wait_end(profile, node, event->time);
	}
}

// ---- Worksharing -------------------------------------------------------------------------------

static enum profile_kind kind_of_work(uint16_t work)
{
	static const enum profile_kind kinds[] = {
		PROFILE_LOOP,	    PROFILE_LOOP,     PROFILE_SECTIONS,
		PROFILE_SINGLE,	    PROFILE_SINGLE,   PROFILE_WORKSHARE,
		PROFILE_DISTRIBUTE, PROFILE_TASKLOOP, PROFILE_SCOPE,
	};

	return work < sizeof(kinds) / sizeof(*kinds) ? kinds[work] : PROFILE_LOOP;
}

static const char *schedule_of(uint16_t work)
{
	static const char *const schedules[] = { "static", "dynamic", "guided", "other" };
	enum { FIRST = 10 };

	return work >= FIRST && work <= ompt_work_loop_other ? schedules[work - FIRST] : NULL;
}

static void begin_work(struct profile *profile, const struct trace_event *event, struct node *node)
{
	enum profile_kind kind = kind_of_work(event->detail);
	uint32_t construct = construct_of(profile, kind, event);
	struct profile_loops *loops = profile->constructs[construct].loops;

	if (node->num_loops++ < MAX_LOOPS) {
		node->loops[node->num_loops - 1].construct = construct;
		node->loops[node->num_loops - 1].begin = event->time;
	}
	loops->shares[event->thread].is_in = true;
	loops->schedule = schedule_of(event->detail);
	// All threads of a team come to it, but to a taskloop one.
	if (node->thread_num && kind != PROFILE_TASKLOOP && kind != PROFILE_SINGLE)
		return;
	loops->instances++;
	if (event->number && event->number != SATURATED)
		loops->iterations += event->number;
	else
		loops->is_uncounted = true;
}

static void end_work(struct profile *profile, const struct trace_event *event, struct node *node)
{
	struct profile_loops *loops;

	if (!node->num_loops || node->num_loops-- > MAX_LOOPS)
		return;
	loops = profile->constructs[node->loops[node->num_loops].construct].loops;
	loops->shares[event->thread].time += event->time - node->loops[node->num_loops].begin;
}

/** Find the loop that a chunk is of. @return NULL: none is known. */
static struct profile_loops *loop_of_chunk(struct profile *profile, const struct trace_event *event,
					   const struct node *node)
{
	const struct profile_construct *task = &profile->constructs[node->construct];
	const struct trace_event at = { .code = task->code };

	// A chunk of a taskloop is that of one of its tasks, which have its place.
	if (event->detail == ompt_dispatch_taskloop_chunk)
		return task->kind == PROFILE_TASK ?
			       profile->constructs[construct_of(profile, PROFILE_TASKLOOP, &at)]
				       .loops :
			       NULL;
	if (!node->num_loops || node->num_loops > MAX_LOOPS)
		return NULL;
	return profile->constructs[node->loops[node->num_loops - 1].construct].loops;
}

static void add_chunk(struct profile *profile, const struct trace_event *event,
		      const struct node *node)
{
	struct profile_loops *loops = loop_of_chunk(profile, event, node);
	struct profile_share *share;

	if (!loops)
		return;
	share = &loops->shares[event->thread];
	share->is_in = true;
	share->chunks++;
	loops->chunks++;
	if (event->number == SATURATED)
		return;
	share->iterations += event->number;
	if (loops->chunks == 1 || event->number < loops->chunk_min)
		loops->chunk_min = event->number;
	if (event->number > loops->chunk_max)
		loops->chunk_max = event->number;
}

void work_event(struct profile *profile, const struct trace_event *event)
{
	struct node *node = profile->room->threads[event->thread].current;

	if (!node || (event->kind != RECORD_CHUNK && event->detail == ompt_work_single_other))
		return;
	switch (event->kind) {
	case RECORD_WORK_BEGIN:
		begin_work(profile, event, node);
		break;
	case RECORD_WORK_END:
		end_work(profile, event, node);
		break;
	default:
		add_chunk(profile, event, node);
	}
}

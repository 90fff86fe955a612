// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begin and end of a profile, and which part of it an event belongs to.

#include "profile/profile.h"

#include <stdlib.h>

#include "profile/room.h"

void stat_add(struct profile_stat *stat, uint64_t value)
{
	if (!stat->known++ || value < stat->min)
		stat->min = value;
	if (value > stat->max)
		stat->max = value;
	stat->sum += value;
}

// ---- Constructs --------------------------------------------------------------------------------

/** Make the figures that a kind of construct has. */
static void add_figures(struct profile *profile, struct profile_construct *construct)
{
	struct arena *arena = &profile->arena;

	switch (construct->kind) {
	case PROFILE_TASK:
		construct->tasks = ARENA_NEW(arena, struct profile_tasks);
		break;
	case PROFILE_REGION:
		construct->regions = ARENA_NEW(arena, struct profile_regions);
		break;
	case PROFILE_BARRIER:
	case PROFILE_TASKWAIT:
	case PROFILE_TASKGROUP:
	case PROFILE_REDUCTION:
		construct->waits = ARENA_NEW(arena, struct profile_waits);
		break;
	default:
		if (construct->kind < PROFILE_LOOP || construct->kind > PROFILE_SCOPE)
			break;
		construct->loops = ARENA_NEW(arena, struct profile_loops);
		construct->loops->num_shares = profile->num_threads;
		construct->loops->shares =
			ARENA_ARRAY(arena, struct profile_share, profile->num_threads);
	}
}

uint32_t construct_of(struct profile *profile, enum profile_kind kind,
		      const struct trace_event *event)
{
	const struct profile_options *options = &profile->options;
	struct map *known = &profile->room->constructs;
	uint64_t code = event ? event->code : 0, key = code * PROFILE_KINDS + kind;
	uintptr_t number = (uintptr_t)map_get(known, key);

	if (number)
		return (uint32_t)number - 1;
	uint64_t place =
		code && options->place ? options->place(options->context, code, event->time) : code;
	uint64_t place_key = place * PROFILE_KINDS + kind;
	number = place_key == key ? 0 : (uintptr_t)map_get(known, place_key);
	if (!number) {
		struct profile_construct *construct =
			ARENA_APPEND(&profile->arena, profile->constructs, profile->num_constructs,
				     profile->constructs_capacity);

		construct->kind = kind;
		construct->code = place;
		add_figures(profile, construct);
		number = profile->num_constructs;
		map_add(known, &profile->pool, place_key, (void *)number);
	}
	if (place_key != key)
		map_add(known, &profile->pool, key, (void *)number);
	return (uint32_t)number - 1;
}

void count_edge(struct profile *profile, uint32_t from, uint32_t to, bool depends)
{
	uint64_t key = ((uint64_t)from << 32 | to) << 1 | depends;
	struct profile_edge *edge = map_get(&profile->room->edges, key);

	if (!edge) {
		edge = ARENA_NEW(&profile->arena, struct profile_edge);
		*edge = (struct profile_edge){ from, to, depends, 0 };
		map_add(&profile->room->edges, &profile->pool, key, edge);
		*ARENA_APPEND(&profile->arena, profile->edges, profile->num_edges,
			      profile->edges_capacity) = edge;
	}
	edge->count++;
}

// ---- Begin -------------------------------------------------------------------------------------

struct profile *profile_create(const struct profile_options *options,
			       const struct trace_thread *threads, size_t num_threads,
			       uint64_t duration)
{
	struct profile *profile = calloc(1, sizeof(*profile));
	struct arena *arena;

	if (!profile)
		out_of_memory();
	arena = &profile->arena;
	profile->options = *options;
	profile->num_threads = num_threads;
	profile->times = ARENA_ARRAY(arena, struct profile_lane_times, num_threads);
	profile->room = ARENA_NEW(arena, struct profile_room);
	profile->room->threads = ARENA_ARRAY(arena, struct thread_state, num_threads);
	for (size_t i = 0; i < num_threads; i++) {
		profile->times[i].begin = profile->times[i].end = threads[i].begin;
		profile->room->threads[i].type = threads[i].type;
		profile->room->threads[i].last = threads[i].begin;
	}
	timeline_create(profile, duration);
	return profile;
}

// ---- Events ------------------------------------------------------------------------------------

/** Tell what a thread did since its event before, if only this one tells. */
static enum profile_lane lane_before(const struct thread_state *thread,
				     const struct trace_event *event)
{
	bool took = thread->acquires && event->object == thread->mutex &&
		    (event->kind == RECORD_ACQUIRED || event->kind == RECORD_NEST_BEGIN);

	return took						    ? LANE_LOCK :
	       thread->finished && event->kind == RECORD_FINISH_END ? LANE_RUNTIME :
								      NUM_LANES;
}

/** Settle what the thread's event before has left open. */
static void settle(struct profile *profile, struct thread_state *thread,
		   const struct trace_event *event)
{
	struct profile_lane_times *times = &profile->times[event->thread];

	if (!thread->has_begun) {
		thread->has_begun = true;
		if (event->time < thread->last)
			thread->last = times->begin = event->time;
	}
	advance(profile, event->thread, event->time, lane_before(thread, event));
	times->events++;
	// The task below the one that has ended goes on at the same moment.
	if (thread->finished && event->kind == RECORD_FINISH_END)
		task_finish(profile, thread, event->time);
	else if (thread->finished &&
		 !(event->kind == RECORD_TASK_BEGIN && event->time == thread->finished->ended))
		task_finish(profile, thread, UNKNOWN_TIME);
	if (event->kind != RECORD_ACQUIRED && event->kind != RECORD_NEST_BEGIN)
		thread->acquires = false;
}

void profile_add(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread;

	if (event->thread >= profile->num_threads)
		return;
	thread = &profile->room->threads[event->thread];
	if (thread->has_ended)
		return;
	profile->events++;
	settle(profile, thread, event);
	switch (event->kind) {
	case RECORD_THREAD_BEGIN:
		thread->type = event->detail;
		break;
	case RECORD_THREAD_END:
		thread->has_ended = true;
		break;
	case RECORD_PARALLEL_BEGIN:
	case RECORD_PARALLEL_END:
	case RECORD_IMPLICIT_BEGIN:
	case RECORD_IMPLICIT_END:
		region_event(profile, event);
		break;
	case RECORD_TASK_CREATE:
	case RECORD_TASK_BEGIN:
	case RECORD_TASK_END:
	case RECORD_DEPENDENCE:
	case RECORD_CREATE_BEGIN:
	case RECORD_CREATE_END:
		task_event(profile, event);
		break;
	case RECORD_WORK_BEGIN:
	case RECORD_WORK_END:
	case RECORD_CHUNK:
		work_event(profile, event);
		break;
	case RECORD_SYNC_BEGIN:
	case RECORD_SYNC_END:
	case RECORD_WAIT_BEGIN:
	case RECORD_WAIT_END:
		sync_event(profile, event);
		break;
	default:
		if (event->kind >= RECORD_ACQUIRE && event->kind <= RECORD_NEST_END)
			mutex_event(profile, event);
	}
}

// ---- End ---------------------------------------------------------------------------------------

/** Take a path, if it is the longest of the run. */
static void consider(struct profile *profile, struct node *node)
{
	for (; node; node = node->outer) {
		node_settle(profile, node);
		path_join(&profile->pool, &profile->path, node->path);
		path_join(&profile->pool, &profile->path, node->children);
	}
}

static void end_threads(struct profile *profile, uint64_t end)
{
	for (size_t i = 0; i < profile->num_threads; i++) {
		struct thread_state *thread = &profile->room->threads[i];
		struct profile_lane_times *times = &profile->times[i];

		if (!thread->has_ended && thread->has_begun) {
			advance(profile, (uint32_t)i, end,
				thread->acquires ? LANE_LOCK : NUM_LANES);
			if (thread->finished)
				task_finish(profile, thread, UNKNOWN_TIME);
		}
		times->end = thread->last;
		if (thread->slice.to > thread->slice.from)
			timeline_add(profile, &thread->slice);
		consider(profile, thread->level);
	}
}

void profile_end(struct profile *profile, uint64_t end)
{
	size_t index = 0;
	struct node *node;
	struct region *region;

	pool_change(profile, end, 0);
	end_threads(profile, end);
	profile->end = end;
	while ((node = map_next(&profile->room->tasks, &index))) {
		consider(profile, node);
		task_note(profile, node, UNKNOWN_TIME);
	}
	index = 0;
	while ((region = map_next(&profile->room->regions, &index)))
		path_join(&profile->pool, &profile->path, region->longest);
	// Children come after their parents: counts go up from the last one on.
	for (size_t i = profile->num_tree; i-- > 0;) {
		struct profile_task *task = profile->tree[i];

		if (task->kept_parent)
			task->kept_parent->below += task->below + 1;
	}
}

void profile_destroy(struct profile *profile)
{
	arena_deinit(&profile->pool.arena);
	arena_deinit(&profile->arena);
	free(profile);
}

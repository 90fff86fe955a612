// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit tasks: their lives, and the figures of them (nodes.c has their paths).

#include "profile/room.h"

enum { MOST_SHOWN = 100 }; // children and threads of the task that was asked for

// ---- Phases ------------------------------------------------------------------------------------

/** Check for a task that waits, not only creates another. */
static bool is_waiting(struct node *node)
{
	const struct frame *frame = top_frame(node);

	return frame && frame->kind != FRAME_RUNTIME;
}

void task_pause(struct node *node, uint64_t now)
{
	if (!node || node->phase != PHASE_RUNS)
		return;
	node->execution += now - node->since;
	node->since = now;
	node->phase = PHASE_SUSPENDED;
	node->suspensions++;
}

void task_resume(struct node *node, uint64_t now)
{
	if (!node || node->phase != PHASE_SUSPENDED || is_waiting(node))
		return;
	node->suspension += now - node->since;
	node->since = now;
	node->phase = PHASE_RUNS;
}

/** Bring the times of a task up to a moment. */
static void bring_up(struct node *node, uint64_t now)
{
	if (node->phase == PHASE_RUNS)
		node->execution += now - node->since;
	else if (node->phase == PHASE_SUSPENDED)
		node->suspension += now - node->since;
	node->since = now;
}

void pool_change(struct profile *profile, uint64_t now, int change)
{
	struct profile_room *room = profile->room;

	timeline_add_pool(profile, room->pool_since, now, room->in_pool);
	room->pool_since = now;
	if (change > 0)
		room->in_pool++;
	else if (change < 0 && room->in_pool)
		room->in_pool--;
}

// ---- Tasks that are kept -----------------------------------------------------------------------

/** Return how many tasks of a depth the tree keeps. */
static uint32_t quota(uint32_t depth)
{
	return depth < 6 ? 64 : depth < 16 ? 32 : depth < 64 ? 8 : 0;
}

static struct profile_task *keep(struct profile *profile, struct node *node)
{
	struct profile_task *task = ARENA_NEW(&profile->arena, struct profile_task);

	task->id = node->id;
	task->parent = node->parent ? node->parent->id : 0;
	task->construct = node->construct;
	task->creator = node->creator;
	task->flags = node->flags;
	task->depth = node->depth;
	task->thread = UINT32_MAX;
	return task;
}

/** Keep a new task for the tree if there is room, else count it below the nearest one that is kept. */
static void keep_in_tree(struct profile *profile, struct node *node)
{
	struct profile_room *room = profile->room;
	struct profile_task *above = node->parent ? node->parent->kept : NULL;
	bool is_above = above && above->id == node->parent->id;

	node->kept = above;
	if ((node->parent && node->parent->id && !is_above) ||
	    room->kept_at[node->depth & 63] >= quota(node->depth)) {
		if (above)
			above->below++;
		return;
	}
	room->kept_at[node->depth]++;
	node->kept = keep(profile, node);
	node->kept->kept_parent = is_above ? above : NULL;
	*ARENA_APPEND(&profile->arena, profile->tree, profile->num_tree, profile->tree_capacity) =
		node->kept;
}

/** Note a new task if it is the one that was asked for, or below that. */
static void note_wanted(struct profile *profile, struct node *node)
{
	struct profile_task *wanted = profile->task;

	if (node->id == profile->options.task)
		profile->task = keep(profile, node);
	if (!node->parent || !wanted)
		return;
	node->is_below = node->parent->is_below || node->parent->id == wanted->id;
	wanted->below += node->is_below;
	if (node->parent->id != wanted->id)
		return;
	wanted->children++;
	if (wanted->num_child_ids < MOST_SHOWN)
		*ARENA_APPEND(&profile->arena, wanted->child_ids, wanted->num_child_ids,
			      wanted->child_ids_capacity) = node->id;
}

static void note_thread(struct profile *profile, uint64_t id, uint32_t thread)
{
	struct profile_task *wanted = profile->task;

	if (wanted && wanted->id == id && wanted->num_threads < MOST_SHOWN)
		*ARENA_APPEND(&profile->arena, wanted->threads, wanted->num_threads,
			      wanted->threads_capacity) = thread;
}

/** Find how long a task was in each phase; UNKNOWN_TIME. */
static void find_times(const struct node *node, uint64_t removed, uint64_t times[NUM_TASK_TIMES])
{
	bool is_created = node->create_begin != UNKNOWN_TIME && node->create_end != UNKNOWN_TIME;
	bool has_begun = node->begun != UNKNOWN_TIME, has_ended = node->ended != UNKNOWN_TIME;
	uint64_t ready = is_created ? node->create_end : node->created;

	for (size_t i = 0; i < NUM_TASK_TIMES; i++)
		times[i] = UNKNOWN_TIME;
	if (is_created)
		times[TIME_CREATION] = node->create_end - node->create_begin;
	if (has_begun && ready != UNKNOWN_TIME)
		times[TIME_POOL] = node->begun - ready;
	if (has_begun && has_ended) {
		times[TIME_EXECUTION] = node->execution;
		times[TIME_SUSPENSION] = node->suspension;
	}
	if (has_ended && removed != UNKNOWN_TIME)
		times[TIME_COMPLETION] = removed - node->ended;
	if (has_ended && ready != UNKNOWN_TIME)
		times[TIME_LIFE] = (removed != UNKNOWN_TIME ? removed : node->ended) -
				   (is_created ? node->create_begin : node->created);
}

void task_note(struct profile *profile, struct node *node, uint64_t removed)
{
	struct profile_task *const kept[] = { node->kept, profile->task };
	bool is_created = node->create_begin != UNKNOWN_TIME && node->create_end != UNKNOWN_TIME;

	for (size_t i = 0; i < 2; i++) {
		struct profile_task *task = kept[i];

		if (!task || task->id != node->id)
			continue;
		task->thread = node->thread;
		task->created = is_created ? node->create_begin : node->created;
		task->begun = node->begun;
		task->ended = node->ended;
		find_times(node, removed, task->times);
	}
}

/** Add the figures of a task that has ended to those of its construct. */
static void add_figures(struct profile *profile, const struct node *node, uint64_t removed)
{
	struct profile_tasks *tasks = profile->constructs[node->construct].tasks;
	uint64_t times[NUM_TASK_TIMES];

	tasks->ended++;
	tasks->suspensions += node->suspensions;
	tasks->work += node->work;
	find_times(node, removed, times);
	for (size_t i = 0; i < NUM_TASK_TIMES; i++) {
		if (times[i] != UNKNOWN_TIME)
			stat_add(&tasks->times[i], times[i]);
	}
}

// ---- Creation ----------------------------------------------------------------------------------

static void begin_creation(struct node *creator, const struct trace_event *event)
{
	struct frame *frame = push_frame(creator, FRAME_RUNTIME);

	if (!frame)
		return;
	frame->time = event->time;
	frame->at_once = event->detail;
}

/** Let the creation of a task end: it is complete, or the task begins. */
static void end_creation_of(struct node *node, uint64_t now)
{
	if (node && node->create_begin != UNKNOWN_TIME && node->create_end == UNKNOWN_TIME)
		node->create_end = now;
}

static void end_creation(struct profile *profile, struct node *creator, uint64_t now)
{
	struct frame *frame = top_frame(creator);

	if (!frame || frame->kind != FRAME_RUNTIME)
		return;
	frame = pop_frame(creator);
	if (frame)
		end_creation_of(map_get(&profile->room->tasks, frame->child), now);
}

/** Take note of how a task is created, if the runtime tells. */
static void link_creation(struct profile *profile, struct node *creator, struct node *node)
{
	struct frame *frame = creator ? top_frame(creator) : NULL;
	struct node *first;

	if (!frame || frame->kind != FRAME_RUNTIME)
		return;
	// A task that the runtime does not put off as there are too many could have been put off.
	node->joins &= frame->at_once;
	if (!frame->child) {
		frame->child = node->id;
		node->create_begin = frame->time;
		return;
	}
	// Of the tasks of a taskloop it is unknown when the creation of each begins and ends.
	first = map_get(&profile->room->tasks, frame->child);
	if (first && first->create_end == UNKNOWN_TIME)
		first->create_begin = UNKNOWN_TIME;
}

static void inherit(struct profile *profile, struct node *node, struct node *parent)
{
	parent->users++;
	node->parent = parent;
	node->depth = parent->id ? parent->depth + 1 : 0;
	node_settle(profile, parent);
	node->path = path_share(parent->path);
	node->group = group_share(parent->group);
	node->member = group_share(parent->group);
	node->region = parent->region;
	if (node->region)
		node->region->users++;
	if (!(node->flags & ompt_task_taskwait))
		count_edge(profile, parent->construct, node->construct, false);
	if (parent->kept && parent->kept->id == parent->id)
		parent->kept->children++;
}

static void create(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread = &profile->room->threads[event->thread];
	struct node *parent = thread->current, *node;
	bool is_wait = event->number & ompt_task_taskwait;

	if (!event->object || map_get(&profile->room->tasks, event->object)) {
		profile->unknown_tasks++;
		return;
	}
	node = node_create(profile, construct_of(profile, PROFILE_TASK, event));
	node->id = event->object;
	node->flags = event->number;
	node->creator = event->thread;
	node->created = event->time;
	node->phase = PHASE_CREATED;
	node->joins = node->flags & ompt_task_undeferred;
	link_creation(profile, parent, node);
	if (parent)
		inherit(profile, node, parent);
	map_add(&profile->room->tasks, &profile->pool, node->id, node);
	thread->latest = node->id;
	if (is_wait) {
		if (parent)
			wait_begin(profile, parent, ompt_sync_region_taskwait, event);
		return;
	}
	struct profile_tasks *tasks = profile->constructs[node->construct].tasks;
	tasks->instances++;
	tasks->untied += (node->flags & ompt_task_untied) != 0;
	tasks->undeferred += (node->flags & ompt_task_undeferred) != 0;
	profile->tasks++;
	note_wanted(profile, node);
	keep_in_tree(profile, node);
	pool_change(profile, event->time, 1);
}

// ---- Begin and end -----------------------------------------------------------------------------

/** Let the thread leave a task that is in it; no task is in two. */
static void take_off(struct profile *profile, const struct node *node)
{
	struct thread_state *thread =
		node->thread == UINT32_MAX ? NULL : &profile->room->threads[node->thread];

	if (thread && thread->current == node)
		thread->current = thread->level;
}

static void begin(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread = &profile->room->threads[event->thread];
	struct node *node = map_get(&profile->room->tasks, event->object);

	if (!node) { // its creation is not in the trace
		node = node_create(profile, construct_of(profile, PROFILE_TASK, NULL));
		node->id = event->object;
		node->phase = PHASE_CREATED;
		map_add(&profile->room->tasks, &profile->pool, node->id, node);
		profile->unknown_tasks++;
	}
	take_off(profile, node);
	task_pause(thread->current, event->time);
	thread->current = node;
	if (node->phase != PHASE_CREATED) {
		task_resume(node, event->time);
		if (node->thread != event->thread)
			note_thread(profile, node->id, event->thread);
		node->thread = event->thread;
		return;
	}
	end_creation_of(node, event->time);
	node->phase = PHASE_RUNS;
	node->begun = node->since = event->time;
	node->thread = event->thread;
	note_thread(profile, node->id, event->thread);
	dependences_join(profile, node, node);
	if (node->joins && node->parent) { // it does nothing else meanwhile
		node_settle(profile, node->parent);
		node_join(profile, node, node->parent->path);
	}
	pool_change(profile, event->time, -1);
}

/** End the path of a task: those wait for it that come after. */
static void end_path(struct profile *profile, struct node *node)
{
	struct pool *pool = &profile->pool;

	node_settle(profile, node);
	dependences_leave(profile, node);
	if (node->member)
		path_join(pool, &node->member->longest, node->path);
	if (node->region)
		path_join(pool, &node->region->longest, node->path);
	path_join(pool, &profile->path, node->path);
	if (!node->parent)
		return;
	path_join(pool, &node->parent->children, node->path);
	if (node->joins)
		node_join(profile, node->parent, node->path);
}

void task_finish(struct profile *profile, struct thread_state *thread, uint64_t removed)
{
	struct node *node = thread->finished;

	thread->finished = NULL;
	add_figures(profile, node, removed);
	task_note(profile, node, removed);
	node_drop(profile, &node);
}

/** End a task for good. */
static void end(struct profile *profile, struct thread_state *thread, struct node *node,
		const struct trace_event *event)
{
	map_remove(&profile->room->tasks, node->id);
	node->ended = event->time;
	if (node->flags & ompt_task_taskwait) {
		if (node->parent) {
			wait_end(profile, node->parent, event->time);
			dependences_join(profile, node, node->parent);
		}
		node_drop(profile, &node);
		return;
	}
	if (node->begun == UNKNOWN_TIME) {
		end_creation_of(node, event->time);
		pool_change(profile, event->time, -1);
	}
	if (event->detail == ompt_task_cancel)
		profile->constructs[node->construct].tasks->cancelled++;
	profile->times[event->thread].tasks++;
	bring_up(node, event->time);
	node->phase = PHASE_ENDED;
	if (event->detail == ompt_task_late_fulfill && thread->current) {
		node_settle(profile, thread->current);
		node_join(profile, node, thread->current->path);
	}
	end_path(profile, node);
	thread->finished = node;
	if (event->detail != ompt_task_complete && event->detail != ompt_task_cancel)
		task_finish(profile, thread, UNKNOWN_TIME);
}

static void leave(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread = &profile->room->threads[event->thread];
	struct node *node = map_get(&profile->room->tasks, event->object);

	if (!node)
		return;
	take_off(profile, node);
	switch (event->detail) {
	case ompt_task_complete:
	case ompt_task_cancel:
	case ompt_task_late_fulfill:
	case ompt_taskwait_complete:
		if (thread->finished)
			task_finish(profile, thread, UNKNOWN_TIME);
		end(profile, thread, node, event);
		break;
	default:
		task_pause(node, event->time);
	}
}

void task_event(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread = &profile->room->threads[event->thread];

	switch (event->kind) {
	case RECORD_TASK_CREATE:
		create(profile, event);
		break;
	case RECORD_TASK_BEGIN:
		begin(profile, event);
		break;
	case RECORD_TASK_END:
		leave(profile, event);
		break;
	case RECORD_DEPENDENCE:
		dependence_add(profile, event);
		break;
	case RECORD_CREATE_BEGIN:
		if (thread->current)
			begin_creation(thread->current, event);
		break;
	default:
		if (thread->current)
			end_creation(profile, thread->current, event->time);
	}
}

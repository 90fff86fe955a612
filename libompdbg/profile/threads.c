// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads do with their time: each moment of a thread is in one lane.

#include "profile/room.h"

// ---- What a task does --------------------------------------------------------------------------

struct frame *top_frame(struct node *node)
{
	if (!node->num_frames)
		return NULL;
	return &node->frames[(node->num_frames < MAX_FRAMES ? node->num_frames : MAX_FRAMES) - 1];
}

struct frame *push_frame(struct node *node, uint8_t kind)
{
	if (node->num_frames++ >= MAX_FRAMES)
		return NULL;
	struct frame *frame = top_frame(node);
	*frame = (struct frame){ .kind = kind };
	return frame;
}

struct frame *pop_frame(struct node *node)
{
	if (!node->num_frames || node->num_frames-- > MAX_FRAMES)
		return NULL;
	return &node->frames[node->num_frames];
}

static enum profile_lane lane_of(const struct thread_state *thread)
{
	const struct frame *frame;

	if (!thread->current)
		return LANE_IDLE;
	frame = top_frame(thread->current);
	if (!frame)
		return LANE_WORK;
	if (frame->is_idle)
		return LANE_IDLE;
	if (frame->kind == FRAME_RUNTIME)
		return LANE_RUNTIME;
	return frame->kind == ompt_sync_region_taskwait ||
			       frame->kind == ompt_sync_region_taskgroup ?
		       LANE_TASK :
		       LANE_BARRIER;
}

/** Add time to what the thread's task and its implicit task did. */
static void add_to_tasks(struct profile *profile, struct thread_state *thread,
			 enum profile_lane lane, uint64_t time)
{
	struct node *node = thread->current;
	struct frame *frame = node ? top_frame(node) : NULL;

	if (lane == LANE_WORK && node) {
		profile->work += time;
		node->own += time;
		node->work += time;
		if (thread->level)
			thread->level->member_work += time;
	}
	if (lane == LANE_BARRIER && thread->level)
		thread->level->member_wait += time;
	if (frame && frame->kind != FRAME_RUNTIME && (lane == LANE_TASK || lane == LANE_BARRIER))
		frame->time += time;
}

/** Go on with the thread's slice, or begin another. */
static void extend_slice(struct profile *profile, uint32_t number, enum profile_lane lane,
			 uint64_t from, uint64_t to)
{
	struct thread_state *thread = &profile->room->threads[number];
	const struct node *node = thread->current;
	struct profile_slice *slice = &thread->slice;
	uint32_t construct = node ? node->construct : NO_PROFILE_CONSTRUCT;
	uint64_t task = node ? node->id : 0;

	if (slice->to == from && slice->to > slice->from && slice->lane == lane &&
	    slice->construct == construct && slice->task == task) {
		slice->to = to;
		return;
	}
	if (slice->to > slice->from)
		timeline_add(profile, slice);
	*slice = (struct profile_slice){ number, lane, construct, task, from, to };
}

void advance(struct profile *profile, uint32_t number, uint64_t now, enum profile_lane lane)
{
	struct thread_state *thread = &profile->room->threads[number];
	uint64_t from = thread->last;

	// The initial thread is in the program's own code before the runtime is.
	if (!thread->current && thread->type == ompt_thread_initial) {
		thread->current = thread->level =
			node_create(profile, construct_of(profile, PROFILE_PROGRAM, NULL));
	}
	if (now <= from)
		return;
	if (lane == NUM_LANES)
		lane = lane_of(thread);
	profile->times[number].lanes[lane] += now - from;
	add_to_tasks(profile, thread, lane, now - from);
	extend_slice(profile, number, lane, from, now);
	thread->last = now;
}

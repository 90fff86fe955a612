// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a thread got where it is, in the terms of the source. The stack of a worker ends in the
// runtime. It goes on in the thread that encountered the parallel construct, from the call of the
// runtime that opened the region, and so on until main.

#include <string.h>

#include "stack/walk.h"

enum { MAX_PARTS = 1024 }; // more threads on the way to main are damaged memory

/** Keep a note with the process. */
#define NOTE(stack, thread, format)                                               \
	((stack)->note = arena_printf(&(thread)->runtime->process->arena, format, \
				      (thread)->target->label))

/** Name the code of a region, if it has no symbol, by the function that encountered it. */
static void name_by(struct arena *arena, struct stack_part *part,
		    const struct logical_frame *encountering)
{
	size_t index = part->num_frames;

	while (index && part->frames[index - 1].owner != FRAME_USER)
		index--;
	if (!index || part->frames[--index].construct != CONSTRUCT_PARALLEL ||
	    part->frames[index].function)
		return;
	struct logical_frame *named = ARENA_ARRAY(arena, struct logical_frame, part->num_frames);
	memcpy(named, part->frames, part->num_frames * sizeof(*named));
	named[index].function = encountering->function;
	part->frames = named;
}

/** Make a part of a walk's frames from an index on. */
static struct stack_part part_of(struct walk *walk, struct team *team, size_t begin)
{
	struct stack_part part = { .thread = walk->thread, .team = team };
	size_t depth;

	part.frames = walk_frames(walk, &depth) + begin;
	part.num_frames = depth - begin;
	part.thread_num = team ? walk_number_in(walk, team) : NOT_KNOWN;
	return part;
}

static bool is_in(const struct logical_stack *stack, const struct thread *thread)
{
	for (size_t i = 0; i < stack->num_parts; i++) {
		if (stack->parts[i].thread->target->number == thread->target->number)
			return true;
	}
	return false;
}

/** Find what lies under the teams region that an initial thread of a league executes: the frames of
 *  the thread that encountered the construct. */
static bool find_encountered_league(struct walk *walk, struct stack_part *ret)
{
	struct team *league = walk_teams_call(walk) ? NULL : walk_league(walk);
	struct team *outside = league ? team_parent(league) : NULL;
	struct thread *thread = outside ? team_primary(outside) : NULL;

	if (!thread || thread->target->running)
		return false;
	struct walk *below = thread_walk(thread);
	const struct runtime_call *call = walk_teams_call(below);
	if (!call)
		return false;
	*ret = part_of(below, outside, call->caller);
	ret->thread_num = 0;
	return true;
}

/** Say so if the frames of a thread end in code that does not show where it returns to. */
static void note_unknown_caller(struct logical_stack *stack, struct thread *thread)
{
	struct process *process = thread->runtime->process;
	struct stack *frames = thread_stack(thread);
	size_t depth = stack_depth(frames);
	const struct stack_frame *last = depth ? stack_frame(frames, depth - 1) : NULL;

	if (!stack->note && last && !last->at.object &&
	    is_made_at_run_time(process, last->at.pc - last->at.is_call))
		NOTE(stack, thread,
		     "code made at run time does not show who called it in thread %s");
}

static void build(struct logical_stack *stack, struct thread *thread)
{
	struct arena *arena = &thread->runtime->process->arena;
	struct team *team = thread->team, *opened = NULL;
	size_t capacity = 0;

	while (stack->num_parts < MAX_PARTS) {
		struct walk *walk = thread_walk(thread);
		size_t begin = 0;

		if (opened) {
			begin = walk_opening_of(walk, opened);
			if (begin > walk->depth) {
				NOTE(stack, thread,
				     "thread %s encountered the region; its call was not found");
				return;
			}
			struct stack_part *inner = &stack->parts[stack->num_parts - 1];
			if (begin < walk->depth)
				name_by(arena, inner, part_of(walk, NULL, begin).frames);
			team = walk_team_around(walk, opened, begin);
		}
		*ARENA_APPEND(arena, stack->parts, stack->num_parts, capacity) =
			part_of(walk, team, begin);
		if (stack_is_cut(thread_stack(thread))) {
			NOTE(stack, thread, "the older frames of thread %s were not read");
			return;
		}
		opened = walk_worker_region(walk);
		if (!opened) {
			struct stack_part part;

			if (find_encountered_league(walk, &part) && !is_in(stack, part.thread))
				*ARENA_APPEND(arena, stack->parts, stack->num_parts, capacity) =
					part;
			return;
		}
		thread = team_primary(opened);
		if (!thread) {
			stack->note = "unknown thread encountered the region";
			return;
		}
		if (is_in(stack, thread)) {
			NOTE(stack, thread, "thread %s was already met");
			return;
		}
		if (thread->target->running) {
			NOTE(stack, thread, "thread %s is running");
			return;
		}
	}
}

const struct logical_stack *thread_logical_stack(struct thread *thread)
{
	struct process *process = thread->runtime->process;
	struct table *kept = &stack_room(process)->logical;
	uint64_t key = (uint64_t)(uintptr_t)thread;
	struct logical_stack *stack = table_get(kept, key);

	if (!stack) {
		stack = ARENA_NEW(&process->arena, struct logical_stack);
		build(stack, thread);
		if (stack->num_parts)
			note_unknown_caller(stack, thread);
		*table_put(kept, &process->arena, key) = stack;
	}
	return stack;
}

/** Find the name that the code of a frame has in the logical stack of its thread; NULL. */
static const char *name_in_stack(struct thread *thread, const struct stack_frame *frame)
{
	const struct logical_stack *stack = thread_logical_stack(thread);
	const struct stack_part *own = stack->num_parts ? &stack->parts[0] : NULL;

	for (size_t i = 0; own && i < own->num_frames; i++) {
		if (own->frames[i].frame == frame)
			return own->frames[i].function;
	}
	return NULL;
}

const struct location *locate_by_stack(struct thread *thread, struct stack_frame *frame)
{
	const struct location *location = locate(thread, frame);
	const char *name = location->function ? NULL : name_in_stack(thread, frame);
	struct location *named;

	if (!name)
		return location;
	named = ARENA_NEW(&thread->runtime->process->arena, struct location);
	*named = *location;
	named->function = name;
	named->title = NULL;
	return named;
}

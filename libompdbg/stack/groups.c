// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of many threads, each once. The threads of a team mostly wait in the same place. Two stacks
// are the same if the threads are of one team, and all frames are at the same places and go on in the
// same threads.

#include "base/text.h"
#include "stack/room.h"

/** How stacks are compared. */
struct comparison {
	bool raw, by_line;
};

/** A group while it grows. */
struct growing_group {
	struct growing_group *next; // with the same hash
	struct stack_group group;
};

/** The frames of a part that count, one after another. */
struct cursor {
	const struct stack_part *part;
	size_t index;
};

static const struct logical_frame *next_frame(struct cursor *cursor, bool raw)
{
	while (cursor->index < cursor->part->num_frames) {
		const struct logical_frame *frame = &cursor->part->frames[cursor->index++];

		if (raw || frame->owner == FRAME_USER)
			return frame;
	}
	return NULL;
}

static const struct ompdbg_function *place_of(const struct stack_part *part,
					      const struct logical_frame *frame)
{
	return stack_place(thread_stack(part->thread), frame->frame);
}

// ---- Hashes ------------------------------------------------------------------------------------

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*hash ^= *hash >> 29;
}

static uint64_t hash_of(const struct logical_stack *stack, const struct comparison *how)
{
	uint64_t hash = stack->num_parts;

	for (size_t i = 0; i < stack->num_parts; i++) {
		const struct stack_part *part = &stack->parts[i];
		struct cursor cursor = { part, 0 };
		const struct logical_frame *frame;

		mix(&hash, (uint64_t)(uintptr_t)part->team);
		if (i)
			mix(&hash, (uint64_t)part->thread->target->number);
		while ((frame = next_frame(&cursor, how->raw))) {
			int line = how->by_line ? place_of(part, frame)->line : 0;

			mix(&hash, line ? (uint64_t)line : frame->frame->at.pc);
			mix(&hash, (uint64_t)frame->frame->at.level);
		}
	}
	return hash;
}

// ---- Comparison --------------------------------------------------------------------------------

static bool are_at_same_place(const struct stack_part *part, const struct logical_frame *frame,
			      const struct stack_part *other_part,
			      const struct logical_frame *other, bool by_line)
{
	if (frame->frame->at.pc == other->frame->at.pc)
		return true;
	if (!by_line)
		return false;
	const struct ompdbg_function *place = place_of(part, frame);
	const struct ompdbg_function *other_place = place_of(other_part, other);
	return place->line && place->line == other_place->line &&
	       is_same_text(place->name, other_place->name) &&
	       is_same_text(place->file, other_place->file);
}

static bool are_parts_alike(const struct stack_part *part, const struct stack_part *other,
			    const struct comparison *how)
{
	struct cursor cursor = { part, 0 }, other_cursor = { other, 0 };
	const struct logical_frame *frame, *other_frame;

	if (part->team != other->team)
		return false;
	do {
		frame = next_frame(&cursor, how->raw);
		other_frame = next_frame(&other_cursor, how->raw);
		if (!frame || !other_frame)
			return frame == other_frame;
	} while (frame->frame->at.level == other_frame->frame->at.level &&
		 frame->construct == other_frame->construct &&
		 are_at_same_place(part, frame, other, other_frame, how->by_line));
	return false;
}

/** Return what a thread outside of teams waits for: that is written with its stack. */
static const char *title_of_wait(struct thread *thread)
{
	const struct wait *wait = thread->team ? NULL : thread_wait(thread);

	return wait ? wait->title : NULL;
}

static bool are_alike(struct thread *thread, const struct logical_stack *stack,
		      const struct stack_group *group, const struct comparison *how)
{
	struct thread *other = group->threads.all[0];

	if (stack->num_parts != group->stack->num_parts || thread->runtime != other->runtime ||
	    thread_is_openmp(thread) != thread_is_openmp(other) ||
	    !is_same_text(stack->note, group->stack->note) ||
	    !is_same_text(title_of_wait(thread), title_of_wait(other)))
		return false;
	for (size_t i = 0; i < stack->num_parts; i++) {
		const struct stack_part *part = &stack->parts[i];
		const struct stack_part *other_part = &group->stack->parts[i];

		if (i && part->thread->target->number != other_part->thread->target->number)
			return false;
		if (!are_parts_alike(part, other_part, how))
			return false;
	}
	return true;
}

struct stack_group *stack_groups(struct process *process, struct thread *const *threads,
				 size_t num_threads, bool raw, bool by_line, size_t *count)
{
	struct arena *arena = &process->arena;
	const struct comparison how = { raw, by_line };
	struct growing_group **groups = NULL, *running = NULL;
	struct table by_hash = { 0 };
	size_t num_groups = 0, capacity = 0;

	for (size_t i = 0; i < num_threads && !process_is_interrupted(process); i++) {
		struct thread *thread = threads[i];
		const struct logical_stack *stack =
			thread->target->running ? NULL : thread_logical_stack(thread);
		struct growing_group **first = &running, *group;

		if (stack)
			first = (struct growing_group **)table_put(&by_hash, arena,
								   hash_of(stack, &how));
		group = *first;
		while (group && stack && !are_alike(thread, stack, &group->group, &how))
			group = group->next;
		if (!group) {
			group = ARENA_NEW(arena, struct growing_group);
			group->next = *first;
			group->group.stack = stack;
			*first = group;
			*ARENA_APPEND(arena, groups, num_groups, capacity) = group;
		}
		thread_list_append(&group->group.threads, arena, thread);
	}
	struct stack_group *found = ARENA_ARRAY(arena, struct stack_group, num_groups);
	for (size_t i = 0; i < num_groups; i++)
		found[i] = groups[i]->group;
	*count = num_groups;
	return found;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stack/way.h"

#include "base/text.h"

static const struct way nowhere;

// ---- Constructs --------------------------------------------------------------------------------

static bool is_task(const struct logical_frame *frame)
{
	return frame->construct == CONSTRUCT_TASK || frame->construct == CONSTRUCT_TASKLOOP;
}

static bool is_parallel(const struct logical_frame *frame)
{
	return frame->construct == CONSTRUCT_PARALLEL || frame->construct == CONSTRUCT_TEAMS;
}

static bool is_region(const struct logical_frame *frame)
{
	return is_parallel(frame) || frame->construct == CONSTRUCT_TARGET;
}

/** Check for a function that the compiler made around the user's code. */
static bool is_made(struct thread *thread, const struct logical_frame *frame)
{
	return frame->owner == FRAME_SYSTEM &&
	       stack_owner(thread_stack(thread), frame->frame) == FRAME_USER;
}

static const struct logical_frame *frames_of(struct thread *thread, size_t *count)
{
	*count = 0;
	return thread->target->running ? NULL : walk_frames(thread_walk(thread), count);
}

/** Find the innermost frame with code of an owner. */
static struct way first_of(struct thread *thread, const struct logical_frame *frames, size_t count,
			   enum code_owner owner)
{
	for (size_t i = 0; i < count; i++) {
		if (frames[i].owner == owner)
			return (struct way){ thread, &frames[i] };
	}
	return nowhere;
}

/** Check that user's code called the code of a construct. @p older: the frames around that. */
static bool is_called_by_user(const struct logical_frame *older, size_t count)
{
	size_t i = 0;

	while (i < count && older[i].owner == FRAME_SYSTEM)
		i++;
	return i < count && older[i].owner == FRAME_USER;
}

// ---- Back to the user's code -------------------------------------------------------------------

bool is_in_users_code(struct thread *thread)
{
	size_t count;
	const struct logical_frame *frames = frames_of(thread, &count);

	for (size_t i = 0; i < count; i++) {
		if (frames[i].owner == FRAME_RUNTIME)
			return false;
		if (frames[i].owner == FRAME_USER || is_made(thread, &frames[i]))
			return true;
	}
	return false;
}

struct way way_after_region(struct thread *thread)
{
	const struct logical_stack *stack = thread_logical_stack(thread);

	if (stack->num_parts < 2)
		return nowhere;
	return first_of(stack->parts[1].thread, stack->parts[1].frames, stack->parts[1].num_frames,
			FRAME_USER);
}

struct way way_back(struct thread *thread)
{
	size_t count;
	const struct logical_frame *frames = frames_of(thread, &count);
	struct way way = first_of(thread, frames, count, FRAME_USER);

	return way.frame ? way : way_after_region(thread);
}

struct way way_after_innermost_region(struct thread *thread)
{
	struct way way = nowhere;
	size_t count, i = 0;
	const struct logical_frame *frames = frames_of(thread, &count);

	while (i < count && !is_region(&frames[i]))
		i++;
	if (i < count)
		way = first_of(thread, frames + i + 1, count - i - 1, FRAME_USER);
	return way.frame ? way : way_after_region(thread);
}

/** Find the frames of one task on a stack: those above the code of the next task. */
static const struct logical_frame *frames_of_task(const struct task *task, struct thread *thread,
						  size_t *count)
{
	const struct logical_frame *frames = frames_of(thread, count);
	bool is_explicit = task->info.kind == ompd_ext_task_explicit;
	size_t begin = 0, end = *count;

	for (size_t i = 0; i < end; i++) {
		const struct ompdbg_function *place;

		if (!is_task(&frames[i]))
			continue;
		place = stack_place(thread_stack(thread), frames[i].frame);
		if (is_explicit && place->start == task->info.function) {
			*count = i + 1 - begin;
			return frames + begin;
		}
		begin = i + 1;
	}
	*count = is_explicit ? 0 : end - begin;
	return frames + begin;
}

struct way way_to_parent(struct task *task)
{
	struct task *parent = task->info.kind == ompd_ext_task_explicit ? task_parent(task) : NULL;
	struct thread *thread = parent ? task_thread(parent) : NULL;
	const struct task_function *code = task_function(task);
	struct way way;
	size_t count;

	if (!thread)
		return nowhere;
	const struct logical_frame *frames = frames_of_task(parent, thread, &count);
	way = first_of(thread, frames, count, FRAME_USER);
	// The function with the construct may have called others meanwhile.
	for (size_t i = 0; code && i < count; i++) {
		if (frames[i].owner == FRAME_USER && is_same_text(frames[i].function, code->name))
			return (struct way){ thread, &frames[i] };
	}
	return way;
}

// ---- Out of a function or construct ------------------------------------------------------------

struct way way_out(struct thread *thread, enum way_out *kind)
{
	bool is_regions = false;
	size_t count, i, inner = 0;
	const struct logical_frame *frames = frames_of(thread, &count);

	for (i = 0; i < count; i++) {
		if (i && !frames[i].frame->at.is_inlined && !is_made(thread, &frames[i]))
			break;
		is_regions |= is_parallel(&frames[i]);
	}
	if (i == count || (frames[i].owner != FRAME_RUNTIME && !frames[i].construct && !is_regions))
		return nowhere;
	while (inner < count && !is_task(&frames[inner]) && !is_region(&frames[inner]))
		inner++;
	if (frames[i].owner != FRAME_RUNTIME)
		*kind = is_regions ? TO_USER : TO_CONSTRUCT;
	else
		*kind = inner < count && is_task(&frames[inner]) ? TO_END_OF_TASK : TO_RUNTIME;
	return (struct way){ thread, &frames[i] };
}

/** Check for a task that user's code executes itself: it calls the task's code, or contains it, of which
 *  no frame tells. */
static bool executes_own_task(struct task *task, const struct logical_frame *frames, size_t count)
{
	uint32_t flags = task ? task->info.flags & task->info.flags_known : 0;
	bool has_user = false;

	if (!task || task->info.kind != ompd_ext_task_explicit ||
	    !(flags & ompd_ext_task_undeferred))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (has_user && frames[i].owner == FRAME_RUNTIME)
			return false;
		has_user |= frames[i].owner == FRAME_USER;
		if (is_task(&frames[i]))
			return is_called_by_user(frames + i + 1, count - i - 1);
		if (is_region(&frames[i]))
			break;
	}
	return has_user;
}

void find_innermost_construct(struct thread *thread, struct innermost_construct *ret)
{
	size_t count, i = 0;
	const struct logical_frame *frames = frames_of(thread, &count);
	struct task *task = thread_task(thread);

	*ret = (struct innermost_construct){ 0 };
	if (executes_own_task(task, frames, count)) {
		const struct task_function *code = task_function(task);

		*ret = (struct innermost_construct){ .construct = CONSTRUCT_TASK,
						     .function = code ? code->name : NULL,
						     .is_own = true };
		return;
	}
	while (i < count && !is_task(&frames[i]) && !is_region(&frames[i]))
		i++;
	if (i == count) { // a worker that has left the region's code
		ret->after = way_after_region(thread);
		ret->construct = ret->after.frame ? CONSTRUCT_PARALLEL : NO_CONSTRUCT;
		return;
	}
	const struct logical_frame *older = frames + i + 1;
	size_t num_older = count - i - 1;
	ret->construct = frames[i].construct;
	ret->function = frames[i].function;
	ret->is_own = is_called_by_user(older, num_older);
	ret->after = first_of(thread, older, num_older,
			      is_task(&frames[i]) ? FRAME_RUNTIME : FRAME_USER);
	if (!ret->after.frame && !is_task(&frames[i]))
		ret->after = way_after_region(thread);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of threads, unwound as far as they are asked for. Where functions are inlined, one frame that
// was pushed stands for several; functions that left no frame are put between.

#include "services/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { FRAMES_AT_FIRST = 32, FACTOR = 32, MAX_FRAMES = 100000 }; // a deeper stack is damaged

struct stack {
	struct target_frame *pushed;
	size_t num_pushed;
	size_t num_built; // pushed frames that `frames` has
	size_t limit;	  // of pushed frames
	bool is_whole;
	struct ompdbg_frame *frames;
	size_t num_frames, max_frames;
	uint64_t start; // where the function of the last frame begins; 0: unknown
};

// ---- Frames ----------------------------------------------------------------------------------

static bool is_main(const struct code_list *list)
{
	const char *symbol = list->codes[list->count - 1].symbol;

	return !list->object && symbol && strcmp(symbol, "main") == 0;
}

/** Append a frame, after those of the functions that are inlined there. @return the code there. */
static const struct code_list *append(struct target_services *services, struct stack *stack,
				      const struct ompdbg_frame *frame)
{
	const struct code_list *list =
		code_at(services, frame->is_call ? frame->pc - 1 : frame->pc);

	for (size_t i = 0; i < list->count; i++) {
		struct ompdbg_frame *added = ARENA_APPEND(&services->arena, stack->frames,
							  stack->num_frames, stack->max_frames);

		*added = *frame;
		added->level = (int)stack->num_frames - 1;
		added->is_inlined = list->codes[i].is_inlined;
		added->object = list->object;
		added->cookie |= (uint64_t)(list->count - 1 - i) << TARGET_FRAME_INLINED;
	}
	stack->start = list->codes[list->count - 1].start;
	return list;
}

/** Append the functions between the newest frame and one that called, whose pc is @p returns. */
static void append_tail_calls(struct target_services *services, struct stack *stack,
			      uint64_t returns)
{
	if (!stack->start)
		return;
	struct tail_calls found = tail_calls_between(services, returns, stack->start);

	for (size_t i = 0; i < found.count; i++) {
		struct ompdbg_frame frame = {
			.pc = found.after[i],
			.is_call = true,
			.is_tail_call = true,
		};

		append(services, stack, &frame);
	}
}

/** Check that a frame that was pushed goes on at a return address. What a signal interrupted was not
 *  left by a call; nor was the innermost frame. */
static bool is_call(const struct stack *stack, size_t index)
{
	return index && !stack->pushed[index - 1].is_signal && !stack->pushed[index].is_signal;
}

/** Make frames of what was pushed. */
static void build(struct target_services *services, struct stack *stack)
{
	while (stack->num_built < stack->num_pushed && !stack->is_whole) {
		size_t index = stack->num_built++;
		const struct target_frame *pushed = &stack->pushed[index];
		struct ompdbg_frame frame = {
			.pc = pushed->pc,
			.is_signal = pushed->is_signal,
			.is_call = is_call(stack, index),
			.cookie = index + 1,
		};

		if (frame.is_call)
			append_tail_calls(services, stack, frame.pc);
		// Nothing that calls main is the user's.
		if (is_main(append(services, stack, &frame)))
			stack->is_whole = true;
	}
}

/** Unwind further than before: from the innermost frame on, as libdwfl does. */
static bool extend(struct target_services *services, struct stack *stack, size_t thread)
{
	size_t limit = stack->limit ? stack->limit * FACTOR : FRAMES_AT_FIRST;

	if (limit > MAX_FRAMES)
		limit = MAX_FRAMES;
	struct target_frame *frames = calloc(limit, sizeof(*frames));
	if (!frames)
		return false;
	size_t count = target_unwind(services->target, thread, frames, limit);
	stack->pushed = ARENA_ARRAY(&services->arena, struct target_frame, count);
	if (count)
		memcpy(stack->pushed, frames, count * sizeof(*frames));
	free(frames);
	stack->num_pushed = count;
	stack->limit = limit;
	build(services, stack);
	if (count < limit || limit == MAX_FRAMES)
		stack->is_whole = true;
	return true;
}

static struct stack *stack_of(struct target_services *services, size_t thread)
{
	struct stack **known =
		(struct stack **)table_put(&services->stacks, &services->arena, thread);

	if (!*known)
		*known = ARENA_NEW(&services->arena, struct stack);
	return *known;
}

/** Find a frame that another debugger has unwound. */
static bool debuggers_frame(const struct ompdbg_services *debugger, size_t thread, size_t level,
			    struct ompdbg_frame *ret)
{
	const struct ompdbg_frame *frames;
	size_t count = 0;

	if (!is_ok(debugger->unwind(debugger->context, (int)thread, level + 1, &frames, &count)) ||
	    level >= count)
		return false;
	*ret = frames[level];
	return true;
}

/** Find a frame that was pushed among those that another debugger has unwound, and its registers. */
static bool debuggers_pushed(const struct ompdbg_services *debugger, size_t thread, size_t index,
			     struct target_frame *ret, bool *ret_is_call)
{
	struct ompdbg_frame frame;

	for (size_t level = index; debuggers_frame(debugger, thread, level, &frame); level++) {
		if (frame.cookie != index + 1)
			continue;
		*ret = (struct target_frame){ .pc = frame.pc, .is_signal = frame.is_signal };
		*ret_is_call = frame.is_call;
		for (size_t i = 0; i < TARGET_KEPT_REGISTERS; i++)
			ret->known[i] = is_ok(debugger->frame_register(
				debugger->context, (int)thread, &frame,
				(enum ompdbg_register)target_kept_registers[i], &ret->kept[i]));
		return true;
	}
	return false;
}

bool stack_pushed(struct target_services *services, size_t thread, size_t index,
		  struct target_frame *ret, bool *ret_is_call)
{
	struct stack *stack = stack_of(services, thread);

	if (services->debugger)
		return debuggers_pushed(services->debugger, thread, index, ret, ret_is_call);
	// The stack is whole where main is; its caller may have to be unwound.
	while (stack->num_pushed <= index && stack->num_pushed == stack->limit &&
	       stack->limit < MAX_FRAMES && !is_interrupted(services)) {
		if (!extend(services, stack, thread))
			return false;
	}
	if (index >= stack->num_pushed)
		return false;
	*ret = stack->pushed[index];
	*ret_is_call = is_call(stack, index);
	return true;
}

bool stack_frame_at(struct target_services *services, size_t thread, size_t level,
		    struct ompdbg_frame *ret)
{
	struct stack *stack = stack_of(services, thread);

	if (services->debugger)
		return debuggers_frame(services->debugger, thread, level, ret);
	while (stack->num_frames <= level && !stack->is_whole && !is_interrupted(services)) {
		if (!extend(services, stack, thread))
			return false;
	}
	if (level >= stack->num_frames)
		return false;
	*ret = stack->frames[level];
	return true;
}

bool frame_pushed(const struct ompdbg_frame *frame, size_t *ret)
{
	uint32_t number = (uint32_t)frame->cookie;

	*ret = (size_t)number - 1;
	return number != 0;
}

size_t frame_within(const struct ompdbg_frame *frame, const struct code_list *list)
{
	size_t inlined = (size_t)(frame->cookie >> TARGET_FRAME_INLINED);

	return inlined < list->count ? list->count - 1 - inlined : 0;
}

// ---- Services --------------------------------------------------------------------------------

struct ompdbg_error *service_unwind(void *context, int thread, size_t most,
				    const struct ompdbg_frame **ret, size_t *count)
{
	struct target_services *services = context;
	size_t index = 0;
	struct ompdbg_error *error = thread_index(services, thread, &index);

	if (error)
		return error;
	struct stack *stack = stack_of(services, index);
	while (stack->num_frames < most && !stack->is_whole) {
		if (!is_interrupted(services) && !extend(services, stack, index))
			return &ompdbg_error_no_memory;
		if (is_interrupted(services)) {
			*stack = (struct stack){ 0 }; // it may lack frames
			return interruption();
		}
	}
	*ret = stack->frames;
	*count = stack->num_frames < most ? stack->num_frames : most;
	return NULL;
}

struct ompdbg_error *service_frame_register(void *context, int thread,
					    const struct ompdbg_frame *frame,
					    enum ompdbg_register number, uint64_t *ret)
{
	struct target_services *services = context;
	size_t index = 0, pushed;
	int place = target_kept_index(number);
	bool is_pushed = frame_pushed(frame, &pushed);
	struct ompdbg_error *error = thread_index(services, thread, &index);

	if (error)
		return error;
	const struct stack *stack = stack_of(services, index);
	if (place < 0 || (is_pushed && pushed >= stack->num_pushed))
		return ompdbg_error_create(OMPDBG_BAD_INPUT,
					   "register %d cannot be asked for in frames", number);
	if (!is_pushed || !stack->pushed[pushed].known[place])
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "the register was not saved");
	*ret = stack->pushed[pushed].kept[place];
	return NULL;
}

/** Return a place of a list of functions that are inlined into each other. */
static struct ompdbg_error *place_of(struct target_services *services, const struct code *code,
				     struct ompdbg_function *ret)
{
	if (is_interrupted(services))
		return interruption();
	*ret = (struct ompdbg_function){
		.name = code->name && *code->name ? code->name : NULL,
		.symbol = code->symbol && *code->symbol ? code->symbol : NULL,
		.start = code->start,
		.file = code->place.file,
		.line = code->place.line,
	};
	return ret->name || ret->start ? NULL : &ompdbg_error_absent;
}

struct ompdbg_error *service_frame_place(void *context, int thread,
					 const struct ompdbg_frame *frame,
					 struct ompdbg_function *ret)
{
	const struct code_list *list = code_at(context, frame->is_call ? frame->pc - 1 : frame->pc);

	(void)thread;
	return place_of(context, &list->codes[frame_within(frame, list)], ret);
}

struct ompdbg_error *service_code_place(void *context, uint64_t address,
					struct ompdbg_function *ret)
{
	return place_of(context, &code_at(context, address)->codes[0], ret);
}

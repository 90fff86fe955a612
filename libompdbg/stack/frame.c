// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames of threads, unwound in steps.

#include "base/text.h"
#include "libcode/code.h"
#include "stack/names.h"
#include "stack/room.h"

// So many frames are unwound at first, and then; a stack that is deeper than the last is damaged, or that of
// an endless recursion.
static const size_t steps[] = { 32, 1024, 100000 };

enum { NUM_STEPS = sizeof(steps) / sizeof(steps[0]) };

struct stack *thread_stack(struct thread *thread)
{
	struct process *process = thread->runtime->process;
	struct stack_room *room = stack_room(process);
	uint64_t number = (uint64_t)thread->target->number;
	struct stack *stack = table_get(&room->stacks, number);

	if (!stack) {
		stack = ARENA_NEW(&process->arena, struct stack);
		stack->process = process;
		stack->thread = thread->target->number;
		stack->step = thread->target->running ? NUM_STEPS : 0;
		*table_put(&room->stacks, &process->arena, number) = stack;
	}
	return stack;
}

/** Unwind one step further. */
static void unwind(struct stack *stack)
{
	struct arena *arena = &stack->process->arena;
	const struct ompdbg_frame *frames;
	size_t most = steps[stack->step++], count;

	if (!is_ok(SERVICE(stack->process, unwind, stack->thread, most, &frames, &count))) {
		stack->step = NUM_STEPS;
		return;
	}
	if (count < most)
		stack->step = NUM_STEPS;
	else
		stack->is_cut = stack->step == NUM_STEPS;
	if (count <= stack->count)
		return;
	struct stack_frame *added = ARENA_ARRAY(arena, struct stack_frame, count - stack->count);
	for (; stack->count < count; added++) {
		added->at = frames[stack->count];
		added->index = stack->count;
		*ARENA_APPEND(arena, stack->frames, stack->count, stack->capacity) = added;
	}
}

struct stack_frame *stack_frame(struct stack *stack, size_t index)
{
	while (index >= stack->count && stack->step < NUM_STEPS)
		unwind(stack);
	return index < stack->count ? stack->frames[index] : NULL;
}

size_t stack_depth(struct stack *stack)
{
	while (stack->step < NUM_STEPS)
		unwind(stack);
	return stack->count;
}

bool stack_is_cut(struct stack *stack)
{
	stack_depth(stack);
	return stack->is_cut;
}

/** Look the place of a frame up, by how many functions are around it into which it was inlined. */
static struct place *place_of(struct stack *stack, struct stack_frame *frame)
{
	size_t around = 0;

	if (!frame->place) {
		const struct stack_frame *older = frame;

		while (older && older->at.is_inlined)
			older = stack_frame(stack, frame->index + ++around);
		frame->place = find_place(stack->process, stack->thread, &frame->at, around);
	}
	return frame->place;
}

const struct ompdbg_function *stack_place(struct stack *stack, struct stack_frame *frame)
{
	return &place_of(stack, frame)->function;
}

const struct place *stack_named_place(struct stack *stack, struct stack_frame *frame)
{
	struct place *place = place_of(stack, frame);

	name_place(stack->process, place);
	return place;
}

/** Return the path of the object of code that is in no shared object; NULL: it is in no file. */
static const char *program_at(struct process *process, uint64_t code)
{
	struct ompdbg_object object;

	if (answer_of(SERVICE(process, object_at, code, &object)) == ANSWER_ABSENT)
		return NULL;
	return SERVICE(process, program);
}

/** Describe a place in terms of the source. @p object: path of the shared object, or NULL. */
static struct location *describe(struct process *process, const struct place *place,
				 const char *object, uint64_t address, bool is_call)
{
	struct location *location = ARENA_NEW(&process->arena, struct location);

	location->function = place->enclosing;
	location->symbol = place->function.symbol;
	if (!location->function && !is_nameless(location->symbol))
		location->function = place->plain;
	location->file = place->function.file;
	location->line = place->function.line;
	location->address = address;
	location->code = address - is_call;
	location->object = object ? object : program_at(process, location->code);
	if (!location->function)
		location->title = code_title(process, address, is_call);
	return location;
}

const struct location *locate(struct thread *thread, struct stack_frame *frame)
{
	const struct ompdbg_frame *at = &frame->at;
	const struct place *place = stack_named_place(thread_stack(thread), frame);

	return describe(thread->runtime->process, place, at->object, at->pc, at->is_call);
}

const struct location *call_location(struct process *process, uint64_t returns)
{
	struct stack_room *room = stack_room(process);
	struct location *location = table_get(&room->call_locations, returns);
	struct place place = { 0 };
	struct ompdbg_object object = { 0 };

	if (!returns || location)
		return location;
	if (!is_ok(SERVICE(process, code_place, returns - 1, &place.function)))
		place.function = (struct ompdbg_function){ 0 };
	name_place(process, &place);
	if (!is_ok(SERVICE(process, object_at, returns - 1, &object)) && !place.function.name)
		return NULL; // no code
	if (object.is_program)
		object.path = NULL;
	if (place_owner(process, object.path, returns - 1, &place.function) == FRAME_RUNTIME)
		return NULL;
	location = describe(process, &place, object.path, returns, true);
	*table_put(&room->call_locations, &process->arena, returns) = location;
	return location;
}

/** Check that the line of a construct's code is closer to the directive than that of the call. gfortran
 *  mostly gives code the line of the statement below the directive. */
static bool is_closer(const struct ompdbg_function *code, const struct location *call)
{
	if (!code->line)
		return false;
	return !is_fortran_file(code->file) || !is_same_text(code->file, call->file) ||
	       code->line < call->line || code->line > call->line + 1;
}

// GCC gives all of several calls in a row one line when it optimises: that of the first construct. Arguments
// of the call may have lines before that of the directive.
const struct location *construct_location(struct process *process, uint64_t returns)
{
	struct stack_room *room = stack_room(process);
	const struct location *known = table_get(&room->construct_locations, returns);
	const struct location *call = call_location(process, returns);
	struct ompdbg_function code;

	if (known || !call)
		return known;
	struct location *location = ARENA_NEW(&process->arena, struct location);
	*location = *call;
	if (stack_passed_code(process, returns, &code) && is_closer(&code, call)) {
		location->file = arena_strdup(&process->arena, code.file);
		location->line = code.line;
	}
	*table_put(&room->construct_locations, &process->arena, returns) = location;
	return location;
}

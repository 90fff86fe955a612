// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose code and data are. The shared object tells, but in a static program: there symbols and
// source lines do.

#include "base/text.h"
#include "libcode/code.h"
#include "stack/names.h"
#include "stack/room.h"

enum { MAX_INTERPOSED = 8 }; // frames of a function that is called in place of the C library's

struct kept_owner {
	enum code_owner owner;
};

/** Find a function of the runtime that the program itself contains. */
static enum answer find_in_program(struct process *process, const char *name, uint64_t *ret)
{
	struct ompdbg_symbol symbol;

	enum answer answer = answer_of(SERVICE(process, symbol_address, name, NULL, 0, ret));
	if (answer == ANSWER_FOUND)
		answer = answer_of(SERVICE(process, symbol_at, *ret, &symbol));
	return answer == ANSWER_FOUND && symbol.object ? ANSWER_ABSENT : answer;
}

/** Find where the runtime's code begins in a program that contains it; 0 if it does not. */
static uint64_t static_runtime(struct process *process)
{
	static const char *const entries[] = { "GOMP_parallel", "GOMP_barrier", "GOMP_task",
					       "omp_get_thread_num" };
	struct stack_constants *constants = stack_constants(process);
	bool failed = false;
	uint64_t first = 0;

	if (constants->has_looked_for_runtime)
		return constants->static_runtime;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		uint64_t entry;
		enum answer answer = find_in_program(process, entries[i], &entry);

		if (answer == ANSWER_FOUND && (!first || entry < first))
			first = entry;
		failed |= answer == ANSWER_FAILED;
	}
	constants->has_looked_for_runtime = !failed;
	constants->static_runtime = first;
	return first;
}

static enum code_owner owner_of_object(struct process *process, const char *path)
{
	struct stack_constants *constants = stack_constants(process);

	if (!path)
		return FRAME_USER;
	struct kept_owner *kept = string_table_get(&constants->owners, path);
	if (!kept) {
		kept = ARENA_NEW(constants->arena, struct kept_owner);
		kept->owner = runtime_of_object(path) || is_interposer_object(path) ?
				      FRAME_RUNTIME :
			      is_system_object(path) ? FRAME_SYSTEM :
						       FRAME_USER;
		path = arena_strdup(constants->arena, path);
		*string_table_put(&constants->owners, constants->arena, path) = kept;
	}
	return kept->owner;
}

/** Tell whose code a frame of a static program is: the runtime's symbols have its prefixes. Of what
 *  has no source line, the linker puts the libraries' code after the beginning of the runtime's. */
static enum code_owner owner_in_static(uint64_t runtime, uint64_t pc,
				       const struct ompdbg_function *place)
{
	const char *symbol = place->symbol;

	if (symbol && is_runtime_symbol(symbol))
		return FRAME_RUNTIME;
	if (place->line || is_outlined_name(symbol))
		return FRAME_USER;
	return pc >= runtime || (symbol && symbol[0] == '_') ? FRAME_SYSTEM : FRAME_USER;
}

/** Check that a frame of the runtime has called a function by its name: not the user's through a pointer. */
static bool calls_by_name(struct process *process, const struct stack_frame *frame, uint64_t entry)
{
	const struct code_instruction *call =
		frame->at.is_call ? call_before(process, frame->at.pc) : NULL;
	uint64_t target;

	return call && entry && code_callee(process_code(process), call, &target) == CODE_OK &&
	       target == entry;
}

/** Check for a function of the C library that the program, or a library of the user's, has in place of that
 *  one, as sanitizers do, or for what that calls: the runtime has called it. */
static bool is_interposed(struct stack *stack, const struct stack_frame *frame)
{
	struct stack_frame *called = NULL;

	for (size_t i = frame->index; i < frame->index + MAX_INTERPOSED; i++) {
		struct stack_frame *older = stack_frame(stack, i);
		if (!older || older->at.is_signal)
			return false;
		if (older->at.is_inlined || older->at.is_tail_call)
			continue;
		switch (owner_of_object(stack->process, older->at.object)) {
		case FRAME_USER:
			called = older;
			break;
		case FRAME_RUNTIME:
			return called && calls_by_name(stack->process, older,
						       stack_place(stack, called)->start);
		default:
			return false;
		}
	}
	return false;
}

/** Check for a frame that is but where a call by a bad pointer has led: its caller is known. */
static bool is_failed_call(struct stack *stack, const struct stack_frame *frame)
{
	return !frame->at.is_call && stack_frame(stack, frame->index + 1) &&
	       is_no_code(stack->process, frame->at.pc);
}

enum code_owner stack_owner(struct stack *stack, struct stack_frame *frame)
{
	struct process *process = stack->process;

	if (frame->has_owner)
		return frame->owner;
	uint64_t runtime = frame->at.object ? 0 : static_runtime(process);
	if (frame->at.is_signal)
		frame->owner = FRAME_USER;
	else if (is_failed_call(stack, frame))
		frame->owner = FRAME_SYSTEM;
	else if (runtime)
		frame->owner = owner_in_static(runtime, frame->at.pc, stack_place(stack, frame));
	else
		frame->owner = owner_of_object(process, frame->at.object);
	if (frame->owner == FRAME_USER && !runtime && !frame->at.is_signal &&
	    is_interposed(stack, frame))
		frame->owner = FRAME_SYSTEM;
	frame->has_owner = true;
	return frame->owner;
}

enum code_owner place_owner(struct process *process, const char *object, uint64_t pc,
			    const struct ompdbg_function *place)
{
	uint64_t runtime = object ? 0 : static_runtime(process);

	return runtime ? owner_in_static(runtime, pc, place) : owner_of_object(process, object);
}

enum code_owner code_owner(struct process *process, uint64_t entry)
{
	struct ompdbg_symbol symbol = { 0 };
	struct ompdbg_object object;

	enum answer answer = answer_of(SERVICE(process, symbol_at, entry, &symbol));
	if (answer == ANSWER_FAILED)
		return FRAME_UNKNOWN;
	if (answer == ANSWER_ABSENT) {
		// Functions of the C library that are made for one kind of processor have none.
		if (!is_ok(SERVICE(process, object_at, entry, &object)))
			return FRAME_UNKNOWN;
		symbol.object = object.is_program ? NULL : object.path;
	}
	if (symbol.object || !static_runtime(process))
		return owner_of_object(process, symbol.object);
	if (symbol.name && is_runtime_symbol(symbol.name))
		return FRAME_RUNTIME;
	const struct ompdbg_function *function = find_function(process, entry);
	return function && function->line ? FRAME_USER : FRAME_UNKNOWN;
}

bool is_users_data(struct process *process, uint64_t address, const struct ompdbg_symbol *symbol)
{
	struct ompdbg_object object;

	if (!symbol)
		return !static_runtime(process) &&
		       is_ok(SERVICE(process, object_at, address, &object)) && object.is_program;
	if (symbol->object || !static_runtime(process))
		return owner_of_object(process, symbol->object) == FRAME_USER;
	return !is_runtime_symbol(symbol->name);
}

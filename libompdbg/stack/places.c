// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in the program, each looked up once for all frames of all threads that are there.

#include "base/objects.h"
#include "stack/names.h"
#include "stack/room.h"

enum {
	KEY_BITS_OF_DEPTH = 7, // of inlining, and one for a return address
	MAX_DEPTH = (1 << (KEY_BITS_OF_DEPTH - 1)) - 1,
};

static struct ompdbg_function copy(struct arena *arena, const struct ompdbg_function *function)
{
	struct ompdbg_function result = *function;

	result.name = arena_strdup(arena, function->name);
	result.symbol = arena_strdup(arena, function->symbol);
	result.file = arena_strdup(arena, function->file);
	return result;
}

/** Check that nothing else comes to be at the address while the program's files stay. */
static bool is_in_file(struct process *process, uint64_t address)
{
	struct ompdbg_object object;

	return is_ok(SERVICE(process, object_at, address, &object));
}

struct place *find_place(struct process *process, int thread, const struct ompdbg_frame *frame,
			 size_t inlined_around)
{
	struct stack_constants *constants = stack_constants(process);
	uint64_t key = frame->pc << KEY_BITS_OF_DEPTH | inlined_around << 1 | frame->is_call;
	bool has_key = frame->pc >> (64 - KEY_BITS_OF_DEPTH) == 0 && inlined_around <= MAX_DEPTH &&
		       !frame->is_signal;
	struct place *place = has_key ? table_get(&constants->places, key) : NULL;

	if (place)
		return place;
	struct ompdbg_function function = { 0 };
	enum answer answer = answer_of(SERVICE(process, frame_place, thread, frame, &function));
	if (answer != ANSWER_FOUND)
		function = (struct ompdbg_function){ 0 };
	bool lasts = has_key && answer != ANSWER_FAILED &&
		     (frame->object || is_in_file(process, frame->pc));
	struct arena *arena = lasts ? constants->arena : &process->arena;
	place = ARENA_NEW(arena, struct place);
	place->function = copy(arena, &function);
	if (lasts)
		*table_put(&constants->places, arena, key) = place;
	return place;
}

void name_place(struct process *process, struct place *place)
{
	const struct ompdbg_function *function = &place->function;

	if (place->has_names)
		return;
	place->has_names = true;
	if (function->name)
		place->plain = plain_name(process, function->name);
	const char *enclosing = enclosing_function(process, function->symbol, function->file);
	if (enclosing)
		place->enclosing = plain_name(process, enclosing);
}

const struct ompdbg_function *find_function(struct process *process, uint64_t address)
{
	struct stack_constants *constants = stack_constants(process);
	struct ompdbg_function *kept = table_get(&constants->functions, address);
	struct ompdbg_function function = { 0 };

	if (kept)
		return kept->name ? kept : NULL;
	enum answer answer = answer_of(SERVICE(process, function_at, address, &function));
	bool lasts = answer != ANSWER_FAILED && is_in_file(process, address);
	struct arena *arena = lasts ? constants->arena : &process->arena;
	kept = ARENA_NEW(arena, struct ompdbg_function);
	if (answer == ANSWER_FOUND)
		*kept = copy(arena, &function);
	if (lasts)
		*table_put(&constants->functions, arena, address) = kept;
	return kept->name ? kept : NULL;
}

/** Check that something is at an address; a core file may lack it. */
static bool is_readable(struct process *process, uint64_t address)
{
	char byte;

	return process_read(process, address, &byte, sizeof(byte));
}

bool is_made_at_run_time(struct process *process, uint64_t address)
{
	struct ompdbg_object object;

	return address != process->failed_jump && is_readable(process, address) &&
	       answer_of(SERVICE(process, object_at, address, &object)) == ANSWER_ABSENT;
}

bool is_no_code(struct process *process, uint64_t address)
{
	struct ompdbg_object object;

	return (address && address == process->failed_jump) ||
	       (!is_readable(process, address) &&
		answer_of(SERVICE(process, object_at, address, &object)) == ANSWER_ABSENT);
}

const char *code_title(struct process *process, uint64_t address, bool is_call)
{
	struct arena *arena = &process->arena;
	struct ompdbg_object object;
	uint64_t in_file;

	enum answer answer = answer_of(SERVICE(process, object_at, address - is_call, &object));
	if (answer == ANSWER_FOUND &&
	    is_ok(SERVICE(process, file_address, address - is_call, &in_file)))
		return arena_printf(arena, "%s+%#lx", base_name(object.path),
				    (unsigned long)in_file + is_call);
	if (answer == ANSWER_FOUND)
		return arena_printf(arena, "%#lx in %s", (unsigned long)address,
				    base_name(object.path));
	if (is_made_at_run_time(process, address - is_call))
		return arena_printf(arena, "code made at run time (%#lx)", (unsigned long)address);
	return arena_printf(arena, "%#lx in no known file", (unsigned long)address);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of tasks in terms of the source, and names of what their clauses mention.

#include "stack/names.h"
#include "stack/room.h"

enum {
	MAX_PLACE_SEARCHES = 256, // for names of addresses at one stop: there may be a million
	MAX_NAMING_FRAMES = 8,	  // of the user's, from the one on that created the task
};

/** The code at an entry point. */
struct known_code {
	struct known_code *next; // with another source, or of another runtime
	struct runtime *runtime;
	uint64_t source;
	struct task_function function;
};

static void describe(struct known_code *code, uint64_t entry)
{
	struct process *process = code->runtime->process;
	const struct ompdbg_function *found = find_function(process, entry);
	const struct construct_source *source = construct_source_at(code->runtime, code->source);
	struct task_function *function = &code->function;

	if (!found) {
		function->symbol = function->signature = code_title(process, entry, false);
	} else {
		const char *enclosing = enclosing_function(process, found->symbol, found->file);

		function->symbol = found->symbol ? found->symbol : found->name;
		function->signature = enclosing ? enclosing : found->name;
		function->file = found->file;
		function->line = found->line;
	}
	if (source) {
		// The compiler's name of a function of C++ is bare: debug information has its class,
		// too.
		if (!function->file || is_nameless(function->signature))
			function->signature = source->function;
		if (source->file)
			function->file = source->file;
		function->line = source->line;
	}
	function->name = plain_name(process, function->signature);
}

const struct task_function *code_function(struct runtime *runtime, uint64_t entry, uint64_t source)
{
	struct process *process = runtime->process;

	if (!entry)
		return NULL;
	void **place = table_put(&stack_room(process)->task_code, &process->arena, entry);
	struct known_code *code = *place;
	while (code && (code->source != source || code->runtime != runtime))
		code = code->next;
	if (!code) {
		code = ARENA_NEW(&process->arena, struct known_code);
		*code = (struct known_code){ *place, runtime, source, { 0 } };
		*place = code;
		describe(code, entry);
	}
	return &code->function;
}

const char *address_name(struct process *process, uint64_t address, uint64_t near)
{
	struct ompdbg_symbol symbol;
	const char *name;

	if (is_ok(SERVICE(process, variable_at, address, false, near, &name)))
		return arena_strdup(&process->arena, name);
	if (is_ok(SERVICE(process, symbol_at, address, &symbol)))
		return symbol_title(process, &symbol);
	return NULL;
}

/** Name an address by a variable of the functions that a thread is in. */
static const char *name_in_frames(struct thread *thread, uint64_t address)
{
	struct process *process = thread->runtime->process;
	struct stack *stack = thread_stack(thread);
	struct stack_frame *frame;
	size_t looked_at = 0;
	const char *name;

	for (size_t i = 0; looked_at < MAX_NAMING_FRAMES && (frame = stack_frame(stack, i)); i++) {
		if (frame->at.is_signal || stack_owner(stack, frame) != FRAME_USER)
			continue;
		looked_at++;
		if (is_ok(SERVICE(process, frame_name, thread->target->number, &frame->at, address,
				  OMPDBG_NAME_OF_PLACE, &name)))
			return arena_strdup(&process->arena, name);
	}
	return NULL;
}

const char *depend_name(struct task *task, uint64_t address)
{
	struct process *process = task->runtime->process;
	struct stack_room *room = stack_room(process);
	const char *name = address_name(process, address, task->info.function);
	struct kept_name *known = name ? NULL : table_get(&room->place_names, address);

	if (name || known)
		return name ? name : known->text;
	if (room->num_place_searches++ >= MAX_PLACE_SEARCHES)
		return NULL;
	struct task *creator = task_parent(task);
	struct thread *thread = !creator		  ? NULL :
				task_is_explicit(creator) ? task_thread(creator) :
							    task_runner(creator);
	name = thread && !thread->target->running ? name_in_frames(thread, address) : NULL;
	if (name) {
		known = ARENA_NEW(&process->arena, struct kept_name);
		known->text = name;
		*table_put(&room->place_names, &process->arena, address) = known;
	}
	return name;
}

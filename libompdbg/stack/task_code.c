// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of tasks in terms of the source, and names of what their clauses mention.

#include "stack/names.h"
#include "stack/room.h"

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

	function->symbol = arena_printf(&process->arena, "0x%llx", (unsigned long long)entry);
	function->signature = function->symbol;
	if (found) {
		const char *enclosing = enclosing_function(process, found->symbol, found->file);

		function->symbol = found->symbol ? found->symbol : found->name;
		function->signature = enclosing ? enclosing : found->name;
		function->file = found->file;
		function->line = found->line;
	}
	if (source) {
		// The compiler's name of a function of C++ is bare: debug information has its class,
		// too.
		if (!function->file)
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

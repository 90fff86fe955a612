// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of locks, critical constructs and mutexes that threads wait for.

#include "wait/evidence.h"

struct lock_name name_lock(struct thread *thread, const struct stack_frame *frame, uint64_t address)
{
	struct process *process = thread->runtime->process;
	struct ompdbg_symbol symbol;
	bool has_symbol = is_ok(SERVICE(process, symbol_at, address, &symbol));
	struct lock_name name = { 0 };

	if (has_symbol) {
		if (is_users_data(process, address, &symbol) &&
		    !is_ok(SERVICE(process, variable_at, address, true, frame ? frame->at.pc : 0,
				   &name.symbol)))
			name.symbol = symbol_title(process, &symbol);
	} else if (frame && !is_ok(SERVICE(process, frame_name, thread->target->number, &frame->at,
					   address, OMPDBG_NAME_OF_POINTER, &name.variable))) {
		name.variable = NULL;
	}
	return name;
}

const char *lock_title(struct arena *arena, const char *title, const struct lock_name *name,
		       uint64_t address)
{
	if (name->symbol)
		return arena_printf(arena, "%s %s", title, name->symbol);
	if (!address)
		return title;
	if (name->variable)
		return arena_printf(arena, "%s %s (%#lx)", title, name->variable,
				    (unsigned long)address);
	return arena_printf(arena, "%s %#lx", title, (unsigned long)address);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of locks, critical constructs and mutexes that threads wait for.

#include "wait/evidence.h"

#include "stack/cxx_names.h"

enum { MAX_FRAMES = 16, MAX_USERS = 5 }; // in which a name is looked for

/** Ask the frames of a thread what they know the lock by, the innermost first: where it got the address
 *  from a caller, optimized code need not keep it. */
static void name_by_frames(struct thread *thread, const struct stack_frame *innermost,
			   uint64_t address, struct lock_name *name)
{
	struct stack *stack = thread_stack(thread);
	size_t first = innermost->index;
	int users = 0;

	for (size_t i = first; i < first + MAX_FRAMES && users < MAX_USERS; i++) {
		struct stack_frame *frame = stack_frame(stack, i);

		if (!frame)
			return;
		if (stack_owner(stack, frame) != FRAME_USER || frame->at.is_signal)
			continue;
		users++;
		if (!is_ok(SERVICE(thread->runtime->process, frame_name, thread->target->number,
				   &frame->at, address, OMPDBG_NAME_OF_POINTER, &name->variable))) {
			name->variable = NULL;
			continue;
		}
		if (i > first)
			name->function = locate(thread, frame)->function;
		return;
	}
}

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
	} else if (frame) {
		name_by_frames(thread, frame, address, &name);
	}
	return name;
}

const char *lock_title(struct arena *arena, const char *title, const struct lock_name *name,
		       uint64_t address)
{
	const char *written = name->symbol ? name->symbol : name->variable;

	if (written)
		written = cxx_bounded(arena, written);
	if (name->symbol)
		return arena_printf(arena, "%s %s", title, written);
	if (!address)
		return title;
	if (written && name->function)
		return arena_printf(arena, "%s %s (%#lx, in %s)", title, written,
				    (unsigned long)address, cxx_shown(arena, name->function));
	if (written)
		return arena_printf(arena, "%s %s (%#lx)", title, written, (unsigned long)address);
	return arena_printf(arena, "%s %#lx", title, (unsigned long)address);
}

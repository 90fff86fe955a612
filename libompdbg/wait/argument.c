// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock for which a thread waits without sleeping on it, as LLVM's threads do. The code of the call
// tells which variable the thread passed to the runtime; whether it waits for the lock of that one, the
// OMPD library says.

#include <string.h>

#include "base/text.h"
#include "stack/names.h"
#include "wait/evidence.h"

enum {
	MAX_STACK = 16384, // bytes of the stack that are searched
	MAX_WORDS = 512,   // of these, that are taken for a lock
	WORD = 8,
	MAX_FRAMES = 8,
};

/** Registers in which the runtime may have the lock: its frames leave a caller's in their own, or on
 *  the stack. */
static const uint32_t in_use = (1U << OMPDBG_RIP) - 1;

/** Check for a function that waits as the one does that was called. */
static bool waits_alike(const ompd_ext_wait_site *site, const void *context)
{
	const ompd_ext_wait_site *call = context;

	return site->kind == call->kind;
}

/** List what is in the registers and on the stack of the frames above the user's. */
static uint64_t *words_in_use(struct thread *thread, struct stack_frame *user, size_t *count)
{
	struct process *process = thread->runtime->process;
	struct ompdbg_registers registers;
	uint64_t end;

	*count = 0;
	if (!is_ok(SERVICE(process, registers, thread->target->number, in_use, &registers)) ||
	    !(registers.known & 1U << OMPDBG_RSP))
		return NULL;
	uint64_t *words = ARENA_ARRAY(&process->arena, uint64_t, OMPDBG_RIP + MAX_STACK / WORD);
	for (unsigned int i = 0; i < OMPDBG_RIP; i++) {
		if (i != OMPDBG_RSP && registers.known >> i & 1)
			words[(*count)++] = registers.values[i];
	}
	uint64_t start = registers.values[OMPDBG_RSP];
	if (!is_ok(SERVICE(process, frame_register, thread->target->number, &user->at, OMPDBG_RSP,
			   &end)) ||
	    end <= start)
		return words;
	uint64_t size = (end - start < MAX_STACK ? end - start : MAX_STACK) / WORD * WORD;
	if (process_read(process, start, words + *count, size))
		*count += size / WORD;
	return words;
}

/** Check for code of the program's, which the runtime works with, too, and which may look like a lock. */
static bool is_code(struct thread *thread, uint64_t address)
{
	struct ompdbg_function function;

	return is_ok(SERVICE(thread->runtime->process, function_at, address, &function)) &&
	       (function.file || is_outlined_name(function.symbol));
}

static bool is_confirmed(struct thread *thread, uint32_t kind, uint64_t variable,
			 const uint64_t *words, size_t count)
{
	return !is_code(thread, variable) &&
	       is_ok(SPACE_CALL(thread->runtime->space, ext_confirm_lock, thread->handle, kind,
				variable, words, count));
}

/** Check that a word may be the address of a lock of the program's that has a queue. LLVM's runtime keeps
 *  an even number in it, which counts locks from 0 on: where it is 0, only a variable with a name is
 *  believed to be one. */
static bool may_be_lock(struct thread *thread, uint64_t word)
{
	struct process *process = thread->runtime->process;
	struct ompdbg_symbol symbol;
	struct ompdbg_object object;
	uint32_t number;

	if (word % sizeof(number) || !process_read(process, word, &number, sizeof(number)) ||
	    number % 2)
		return false;
	if (is_ok(SERVICE(process, symbol_at, word, &symbol)))
		return is_users_data(process, word, &symbol);
	return number && !is_ok(SERVICE(process, object_at, word, &object));
}

/** Find the one of the words in use that is a lock for which the thread waits, where the code does not
 *  tell which was passed. @return 0: none is, or several are. */
static uint64_t find_among(struct thread *thread, uint32_t kind, const uint64_t *words,
			   size_t count)
{
	const size_t most = count < MAX_WORDS ? count : MAX_WORDS;
	uint64_t found = 0;

	for (size_t i = 0; i < most; i++) {
		if (words[i] == found || !may_be_lock(thread, words[i]) ||
		    !is_confirmed(thread, kind, words[i], words, count))
			continue;
		if (found)
			return 0;
		found = words[i];
	}
	return found;
}

/** Work out the lock in the code of the user's frames, the innermost first: what one got from its caller, it
 *  need not keep. @return 0: they do not tell, or the runtime does not confirm it. */
static uint64_t lock_by_code(struct thread *thread, const struct stack_frame *innermost,
			     const ompd_ext_wait_site *call, uint32_t kind, const uint64_t *words,
			     size_t count)
{
	struct stack *stack = thread_stack(thread);

	for (size_t i = innermost->index; i < innermost->index + MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame || stack_owner(stack, frame) != FRAME_USER)
			return 0;
		// Of functions that are inlined, or have left no frame, the next older frame is.
		if (frame->at.is_inlined || frame->at.is_tail_call || !frame->at.is_call)
			continue;
		uint64_t lock =
			passed_lock_at(thread, frame, frame->at.pc, NULL, waits_alike, call);
		if (lock && is_confirmed(thread, kind, lock, words, count))
			return lock;
	}
	return 0;
}

uint64_t passed_lock(struct thread *thread, struct stack_frame *user, struct stack_frame *oldest,
		     const ompd_ext_wait_site *call)
{
	uint32_t kind;
	size_t count;

	if (!thread->handle)
		return 0;
	if (call->kind == ompd_ext_wait_lock)
		kind = ompd_ext_lock_simple;
	else if (call->kind == ompd_ext_wait_nest_lock)
		kind = ompd_ext_lock_nested;
	else if (call->kind == ompd_ext_wait_critical)
		kind = ompd_ext_lock_critical;
	else
		return 0;
	while (user && user->at.is_tail_call) // it has no registers
		user = stack_frame(thread_stack(thread), user->index + 1);
	// Code that has jumped to the runtime has no frame. Its lock may be in those of the runtime.
	if (!user && !oldest)
		return 0;
	uint64_t *words = words_in_use(thread, user ? user : oldest, &count);
	const uint64_t found = user ? lock_by_code(thread, user, call, kind, words, count) : 0;
	return found ? found : find_among(thread, kind, words, count);
}

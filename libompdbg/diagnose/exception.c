// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that nobody has caught within a construct: none may leave it, so the compilers let the program
// end there. GCC's code has the library end it where it looks for a handler, with the frames of the
// throw still on the stack; Clang's comes to the end of the construct first.

#include <string.h>

#include "diagnose/fault.h"
#include "stack/stack.h"

/** Meaning of a function on the stack, above the program's own. */
enum sign { NO_SIGN, IS_THROWN, HAS_UNWOUND, IS_FORCED };

static enum sign sign_of(const char *symbol)
{
	static const struct {
		const char *symbol;
		enum sign sign;
	} functions[] = {
		{ "__cxa_throw", IS_THROWN },	       { "__cxa_rethrow", IS_THROWN },
		{ "_Unwind_Resume", HAS_UNWOUND },     { "__clang_call_terminate", HAS_UNWOUND },
		{ "_Unwind_ForcedUnwind", IS_FORCED },
	};

	for (size_t i = 0; symbol && i < sizeof(functions) / sizeof(*functions); i++) {
		if (strcmp(symbol, functions[i].symbol) == 0)
			return functions[i].sign;
	}
	return NO_SIGN;
}

const struct logical_frame *thread_uncaught(struct thread *thread, bool *is_thrown)
{
	struct stack *stack = thread_stack(thread);
	enum sign sign = NO_SIGN;
	struct stack_frame *frame;
	size_t count;

	for (size_t i = 0; !sign && (frame = stack_frame(stack, i)); i++) {
		sign = sign_of(stack_place(stack, frame)->symbol);
		if (!sign && stack_owner(stack, frame) == FRAME_USER)
			break;
	}
	if (!sign || sign == IS_FORCED)
		return NULL;
	*is_thrown = sign == IS_THROWN;
	const struct logical_frame *frames = walk_frames(thread_walk(thread), &count);
	for (size_t i = 0; i < count; i++) {
		if (frames[i].construct != NO_CONSTRUCT)
			return &frames[i];
	}
	return NULL;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread does that does not wait in an OpenMP runtime.

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "wait/evidence.h"

enum { MAX_FRAMES = 64 };

// ---- The C library's names for its own functions: `__GI___pthread_mutex_lock`, `___pthread_...` --

static const char *skip_underscores(const char *name)
{
	return name + strspn(name, "_");
}

/** Return where a name begins without what the C library puts before it. */
static const char *skip_own_prefix(const char *name)
{
	const char *rest = skip_underscores(name);
	bool is_own = true;

	if (rest == name)
		return name;
	while (is_own) {
		is_own = starts_with(rest, "GI_") || starts_with(rest, "libc_") ||
			 starts_with(rest, "new_");
		if (is_own)
			rest = skip_underscores(rest + strcspn(rest, "_"));
	}
	return rest;
}

/** Remove one suffix of the compiler's: ".constprop", ".isra", ".part", ".cold", ".0". */
static bool remove_clone_suffix(char *name)
{
	static const char *const clones[] = { "constprop", "isra", "part", "cold" };
	char *dot = strrchr(name, '.');

	if (!dot)
		return false;
	bool is_clone = dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0';
	for (size_t i = 0; i < sizeof(clones) / sizeof(*clones); i++)
		is_clone |= strcmp(dot + 1, clones[i]) == 0;
	if (is_clone)
		*dot = '\0';
	return is_clone;
}

static const char *own_name(struct arena *arena, const char *function)
{
	static const char *const slow[] = { "_slow", "_slow32", "_slow64" };
	char *name = arena_strdup(arena, skip_own_prefix(function));

	while (remove_clone_suffix(name))
		;
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++) {
		size_t length = strlen(name), end = strlen(slow[i]);
		if (length > end && strcmp(name + length - end, slow[i]) == 0) {
			name[length - end] = '\0';
			break;
		}
	}
	return name;
}

const char *system_function_name(struct process *process, const char *function)
{
	return own_name(&process->arena, function);
}

const char *thread_system_function(struct thread *thread)
{
	struct stack *stack = thread_stack(thread);
	const char *called = NULL;

	for (size_t i = 0; i < MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		enum code_owner owner = frame ? stack_owner(stack, frame) : FRAME_USER;
		// The user's code may have jumped to the function: then the runtime's frame is next.
		if (owner == FRAME_USER || owner == FRAME_RUNTIME)
			break;
		const char *name = stack_place(stack, frame)->name;
		if (name && !strstr(name, "lll_lock_wait"))
			called = name;
	}
	return called ? own_name(&thread->runtime->process->arena, called) : NULL;
}

// ---- The program's own files ---------------------------------------------------------------------

static bool is_header(const char *file)
{
	static const char *const folders[] = { "/usr/include/", "/usr/lib/",
					       "/usr/local/include/" };

	for (size_t i = 0; file && i < sizeof(folders) / sizeof(*folders); i++) {
		if (starts_with(file, folders[i]))
			return true;
	}
	return false;
}

const struct location *thread_own_place(struct thread *thread)
{
	const struct location *location = thread_location(thread);
	struct stack *stack;

	if (!location || !is_header(location->file))
		return location;
	stack = thread_stack(thread);
	for (size_t i = 0; i < MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame || stack_owner(stack, frame) == FRAME_RUNTIME)
			break;
		const char *file = stack_place(stack, frame)->file;
		if (stack_owner(stack, frame) == FRAME_USER && file && !is_header(file))
			return locate(thread, frame);
	}
	return location;
}

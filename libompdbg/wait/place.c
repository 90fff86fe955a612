// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread is in the program's own files: what headers of libraries made is the libraries' affair.

#include <string.h>

#include "base/text.h"
#include "wait/evidence.h"

enum { MAX_FRAMES = 64 }; // from the innermost user frame on

/** Remove each ".." of a path with the folder before it: Clang names headers of GCC's library so. */
static void remove_parents(char *path)
{
	char *const start = path, *end = path;

	while (*path) {
		if (!starts_with(path, "/../")) {
			*end++ = *path++;
			continue;
		}
		path += 3;
		while (end > start && *--end != '/')
			;
	}
	*end = '\0';
}

static bool is_header(struct arena *arena, const char *file)
{
	static const char *const folders[] = { "/usr/include/", "/usr/lib/",
					       "/usr/local/include/" };
	char *path = arena_strdup(arena, file);

	if (!path)
		return false;
	remove_parents(path);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (starts_with(path, folders[i]))
			return true;
	}
	return false;
}

struct stack_frame *own_frame(struct thread *thread, size_t index)
{
	struct stack *stack = thread_stack(thread);
	struct stack_frame *innermost = stack_frame(stack, index), *with_line = NULL;

	for (size_t i = index; i < index + MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame || stack_owner(stack, frame) == FRAME_RUNTIME)
			break;
		if (stack_owner(stack, frame) != FRAME_USER || !stack_place(stack, frame)->line)
			continue;
		if (!is_header(&thread->runtime->process->arena, stack_place(stack, frame)->file))
			return frame;
		if (!with_line)
			with_line = frame;
	}
	return with_line ? with_line : innermost;
}

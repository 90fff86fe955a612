// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that LLVM's runtime has started, and of which its memory knows nothing.
//
// A runtime that has never been used knows no thread, and neither does one whose memory was zeroed.
// But only one that is in use has started threads; it ends them before it forgets them, save one
// that helps with target tasks. So libgomp's do not.

#include <string.h>

#include "base/objects.h"
#include "model/room.h"

enum { ENOUGH = 2, MAX_THREADS = 32, MAX_FRAMES = 1000 };

/** Find the file of the code that the C library started on a thread; NULL: unknown. */
static const char *first_object(const struct thread *thread)
{
	const struct process *process = thread->runtime->process;
	const struct ompdbg_frame *frames;
	size_t count;

	if (!is_ok(SERVICE(process, unwind, thread->target->number, MAX_FRAMES, &frames, &count)) ||
	    !count || !is_system_object(frames[count - 1].object))
		return NULL;
	while (count && is_system_object(frames[count - 1].object))
		count--;
	return count ? frames[count - 1].object : NULL;
}

/** Check for a stack that begins in the C library and goes on in the runtime. */
static bool is_started_by(const struct runtime *runtime, const struct thread *thread)
{
	const char *name = runtime_of_object(first_object(thread));

	return name && strcmp(name, runtime->name) == 0;
}

bool thread_is_programs(const struct thread *thread)
{
	const char *object = first_object(thread);

	return object && !runtime_of_object(object) && !is_interposer_object(object);
}

void mark_missing_threads(struct runtime *runtime)
{
	const struct process *process = runtime->process;
	int started = 0;

	if (process->num_targets < ENOUGH || !runtime->name ||
	    (strcmp(runtime->name, "libomp") != 0 && strcmp(runtime->name, "libiomp5") != 0))
		return;
	for (size_t i = 0; i < process->num_targets; i++) {
		if (thread_is_openmp(runtime->threads[i]) != NO)
			return;
	}
	for (size_t i = 0; i < process->num_targets && i < MAX_THREADS && started < ENOUGH; i++)
		started += is_started_by(runtime, runtime->threads[i]);
	for (size_t i = 0; started == ENOUGH && i < process->num_targets; i++)
		runtime->threads[i]->error =
			arena_printf(&runtime->process->arena,
				     "memory of %s is damaged: it knows no thread, though %s has "
				     "started some",
				     runtime->name, runtime->name);
}

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

/** Check for a stack that begins in the C library and goes on in the runtime. */
static bool is_started_by(const struct runtime *runtime, const struct thread *thread)
{
	const struct ompdbg_services *services = runtime->process->services;
	const struct ompdbg_frame *frames;
	size_t count;

	if (!is_ok(services->unwind(services->context, thread->target->number, MAX_FRAMES, &frames,
				    &count)) ||
	    !count || !is_system_object(frames[count - 1].object))
		return false;
	while (count && is_system_object(frames[count - 1].object))
		count--;
	const char *name = count ? runtime_of_object(frames[count - 1].object) : NULL;
	return name && strcmp(name, runtime->name) == 0;
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/text/marks.h"

#include "diagnose/diagnose.h"
#include "wait/wait.h"

struct marks {
	struct table stuck; // number of a thread -> struct thread
};

struct marks *process_marks(struct process *process)
{
	struct arena *arena = &process->arena;
	struct marks *marks = ARENA_NEW(arena, struct marks);
	size_t count;
	const struct finding *findings = diagnose(process, NULL, &count);

	for (size_t i = 0; i < count; i++) {
		if (findings[i].severity != SEVERITY_STUCK)
			continue;
		for (size_t k = 0; k < findings[i].waiters.count; k++) {
			struct thread *thread = findings[i].waiters.all[k];
			*table_put(&marks->stuck, arena, (uint64_t)thread->target->number) = thread;
		}
	}
	return marks;
}

painter *thread_painter(const struct marks *marks, struct thread *thread)
{
	if (thread_signal(thread))
		return paint_crashed;
	if (table_get(&marks->stuck, (uint64_t)thread->target->number))
		return paint_stuck;
	return thread_wait(thread) ? paint_waiting : NULL;
}

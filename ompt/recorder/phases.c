// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When threads create tasks, and are done with that: only for traces, and only where libompt-gomp.so
// tells (gomp.h). LLVM's runtime tells when a task is created, and nobody else can know more:
// functions in front of the runtime's would be seen as callers of the program.

#include "include/ompt/gomp.h"
#include "recorder.h"
#include "spill.h"

static void on_task_phase(enum gomp_task_phase phase, const void *code, int ran)
{
	struct thread *thread = spill_is_wanted() ? enter() : NULL;
	uint64_t now;

	if (!thread)
		return;
	now = ticks();
	if (phase == GOMP_TASK_CREATE_BEGIN) {
		put(thread, now, RECORD_CREATE_BEGIN, 0, 0, (uint16_t)ran, code);
	} else {
		if (ran && phase == GOMP_TASK_CREATE_END)
			put(thread, now, RECORD_FINISH_END, 0, 0, 0, code);
		put(thread, now, RECORD_CREATE_END, 0, 0, (uint16_t)ran, code);
	}
	leave(thread);
}

/** Register the callback for phases of tasks, if the runtime has it. */
void phases_set_callbacks(ompt_function_lookup_t lookup)
{
	gomp_set_task_phase_t set = (gomp_set_task_phase_t)lookup(GOMP_SET_TASK_PHASE);

	if (!set)
		return;
	set(on_task_phase);
	trace_file.observes |= TRACE_OBSERVES_CREATION;
}

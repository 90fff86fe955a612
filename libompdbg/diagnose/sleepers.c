// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that stand still for an unknown reason: all of their threads sleep, until another of these wakes
// them. None will. What a program may get from outside, or from the clock, is another thing.

#include "base/text.h"
#include "diagnose/room.h"

/** Check for a thread that waits for another one of the process to end, which the kernel tells it. */
static bool joins(struct thread *thread)
{
	const char *function = thread_system_function(thread);

	return function && (strstr(function, "_join") || strstr(function, "clockjoin"));
}

/** Check for a thread that only another one of the process can wake. */
static bool sleeps_for_another(struct thread *thread)
{
	struct system_call call;

	return !thread->target->running && thread_system_call(thread, &call) && call.sleeps &&
	       !call.is_timed && (!call.is_shared || joins(thread));
}

bool nobody_works(struct process *process)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		if (!sleeps_for_another(thread) && !thread_wait(thread))
			return false;
	}
	return process_is_seen_whole(process);
}

static bool is_idle(struct thread *thread)
{
	const struct wait *wait = thread_wait(thread);

	return wait && wait->kind == ompd_ext_wait_idle;
}

void find_sleepers(struct graph *graph)
{
	struct process *process = graph->process;
	struct thread_list waiters = { 0 };
	bool has_openmp = false;

	if (!process_is_seen_whole(process))
		return;
	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		if (!sleeps_for_another(thread))
			return;
		has_openmp |= !is_idle(thread) && thread_is_openmp(thread) != NO;
		// One that joins another waits for whatever that waits for.
		if (!thread_wait(thread) && !joins(thread))
			thread_list_add(&waiters, &process->arena, thread);
	}
	if (!has_openmp || !waiters.count)
		return;
	struct finding *finding = finding_add(graph, RULE_ASLEEP);
	finding->is_certain = true;
	finding->severity = SEVERITY_HELD_UP;
	finding->waiters = waiters;
}

/** Find the signal of its own that has ended the process. */
void find_signal(struct graph *graph)
{
	const struct process_signal *signal = process_signal(graph->process);

	if (!signal || signal->is_sent)
		return;
	struct finding *finding = finding_add(graph, RULE_SIGNAL);
	finding->is_certain = true;
	thread_list_add(&finding->waiters, &graph->process->arena, signal->thread);
}

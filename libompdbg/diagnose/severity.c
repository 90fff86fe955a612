// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How bad it is what a diagnosis has found.

#include "diagnose/room.h"

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {
		[SEVERITY_STUCK] = "stuck",
		[SEVERITY_HELD_UP] = "held_up",
		[SEVERITY_WAITING] = "waiting",
	};

	return names[severity];
}

static bool never_ends(enum rule rule)
{
	return rule == RULE_SIGNAL || rule == RULE_DEADLOCK || rule == RULE_OWNER_ENDED ||
	       rule == RULE_LOST_THREADS || rule == RULE_DIFFERENT_BARRIERS;
}

/** The threads for whom others wait, in the end. */
struct awaited {
	struct thread_list list;
	bool has_who_might, has_all; // has been added, once for all
};

/** Add the threads that may do what is waited for, if it is unknown who has to. */
static void add_who_might(struct graph *graph, struct awaited *awaited)
{
	struct process *process = graph->process;

	for (size_t i = 0; !awaited->has_who_might && i < process->num_targets; i++) {
		const struct wait *wait = thread_wait(process->threads[i]);
		if (thread_is_openmp(process->threads[i]) != NO &&
		    !(wait && wait->kind == ompd_ext_wait_idle))
			thread_list_add(&awaited->list, &process->arena, process->threads[i]);
	}
	awaited->has_who_might = true;
}

static void add_all(struct graph *graph, struct awaited *awaited)
{
	struct process *process = graph->process;

	for (size_t i = 0; !awaited->has_all && i < process->num_targets; i++)
		thread_list_add(&awaited->list, &process->arena, process->threads[i]);
	awaited->has_all = true;
}

/** Check for a task of a thread's region that is ready, or that has begun on an unknown thread. */
static bool has_open_task(const struct thread *thread)
{
	size_t count;
	struct task *const *tasks = graph_tasks(thread->runtime, &count);

	for (size_t i = 0; i < count; i++) {
		const ompd_ext_task_info *info = &tasks[i]->info;
		if (info->parallel_id == thread->team->id &&
		    (info->status == ompd_ext_task_queued ||
		     (info->status == ompd_ext_task_started && !task_runner(tasks[i]))))
			return true;
	}
	return false;
}

/** Check for a thread that may have been let go by the barrier at which it is seen. */
static bool may_be_released(const struct wait_node *node)
{
	for (size_t i = 0; i < node->num_edges; i++) {
		if (node->edges[i].kind == EDGE_BARRIER && !node->edges[i].is_certain)
			return true;
	}
	return !node->num_edges;
}

/** Check for a thread that waits, and is awake and may go on: there is a task that it can run, or that it is
 *  about to begin or to end, or nothing is left that it waits for, or it has not begun with its region. */
static bool goes_on(struct graph *graph, struct thread *thread)
{
	const struct wait *wait = thread_wait(thread);

	if (!wait || thread_is_asleep(thread) || !region_of(graph->process, thread))
		return false;
	switch (wait_kind(wait->kind)->family) {
	case FAMILY_IDLE:
		return true;
	case FAMILY_BARRIER:
	case FAMILY_TASK:
		return may_be_released(graph_node(graph, thread)) || has_open_task(thread);
	default:
		return false;
	}
}

/** Add those for whom a thread waits. @return true: it works. */
static bool works(struct graph *graph, struct thread *thread, struct awaited *awaited)
{
	struct wait_node *node = graph_node(graph, thread);
	struct system_call call;
	bool has_known = false;

	if (goes_on(graph, thread))
		return true;
	if (!thread_wait(thread) && !node->waits) {
		const struct spin *spin = thread_spin(thread);
		if (spin && !spin->is_endless)
			add_all(graph, awaited); // any may end that
		if (spin)
			return !spin->is_endless && !spin->is_held;
		return !(thread_system_call(thread, &call) && (call.sleeps || call.waits_outside));
	}
	for (size_t i = 0; i < node->num_edges; i++) {
		const struct lock *lock = node->edges[i].lock;
		if (!node->edges[i].thread)
			continue;
		has_known |= !(lock && !lock->owner && lock_weak_suspect(lock));
		thread_list_add(&awaited->list, &graph->process->arena, node->edges[i].thread);
	}
	if (!has_known)
		add_who_might(graph, awaited);
	return false;
}

/** Check whether one of those for whom, in the end, the waiters wait neither waits nor sleeps, or a waiter
 *  may not wait any more. */
static bool somebody_works(struct graph *graph, const struct finding *finding)
{
	struct awaited awaited = { 0 };

	for (size_t i = 0; i < finding->waiters.count && !finding->is_certain; i++) {
		if (goes_on(graph, finding->waiters.all[i]))
			return true;
	}
	thread_list_join(&awaited.list, &graph->process->arena, &finding->others);
	if (!awaited.list.count)
		add_who_might(graph, &awaited);
	for (size_t i = 0; i < awaited.list.count; i++) {
		if (works(graph, awaited.list.all[i], &awaited))
			return true;
	}
	return false;
}

enum severity finding_severity(struct graph *graph, const struct finding *finding)
{
	if (never_ends(finding->rule))
		return SEVERITY_STUCK;
	if (finding->rule == RULE_ASLEEP)
		return SEVERITY_HELD_UP;
	return somebody_works(graph, finding) ? SEVERITY_WAITING : SEVERITY_HELD_UP;
}

const struct finding *worst_finding(const struct finding *findings, size_t count)
{
	const struct finding *worst = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!worst || findings[i].severity < worst->severity)
			worst = &findings[i];
	}
	return worst;
}

bool is_suspicious(const struct finding *worst)
{
	return worst && worst->severity != SEVERITY_WAITING;
}

const char *verdict_text(const struct finding *worst)
{
	return worst ? worst->text : "No thread was found waiting for another.";
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings about tasks, loops that only look at memory, and waits of which nothing is known.

#include "base/text.h"
#include "diagnose/room.h"

// ---- Tasks -------------------------------------------------------------------------------------

/** Edges that lead to one task, or to one thing that is no task. */
struct edge_group {
	struct edge **edges;
	size_t count, capacity;
};

/** Groups of edges, in the order of their first ones. */
struct edge_groups {
	struct table by_key;
	struct edge_group **groups;
	size_t count, capacity;
};

static uint64_t key_of(const struct edge *edge)
{
	const struct thread *waiter = edge->waiter;
	const struct wait *wait = thread_wait(edge->waiter);

	if (edge->task)
		return edge->task->info.id;
	if (wait && is_barrier_kind(wait->kind) && waiter->team)
		return waiter->team->id;
	return ~(uint64_t)waiter->target->number; // no identity
}

static void group_edge(struct edge_groups *groups, struct arena *arena, struct edge *edge)
{
	struct edge_group **group =
		(struct edge_group **)table_put(&groups->by_key, arena, key_of(edge));
	if (!*group) {
		*group = ARENA_NEW(arena, struct edge_group);
		*ARENA_APPEND(arena, groups->groups, groups->count, groups->capacity) = *group;
	}
	*ARENA_APPEND(arena, (*group)->edges, (*group)->count, (*group)->capacity) = edge;
}

/** Group the edges of some kinds, 1 << enum edge_kind for each, that lead to a task, or that do not. */
static struct edge_groups group_edges(struct graph *graph, uint32_t kinds, bool with_task)
{
	struct edge_groups groups = { 0 };

	for (size_t i = 0; i < graph->process->num_targets; i++) {
		struct wait_node *node = &graph->nodes[i];
		for (size_t k = 0; k < node->num_edges; k++) {
			struct edge *edge = &node->edges[k];
			if (kinds >> edge->kind & 1 && with_task == (edge->task != NULL))
				group_edge(&groups, &graph->process->arena, edge);
		}
	}
	return groups;
}

static struct finding *add_finding_of(struct graph *graph, enum rule rule,
				      const struct edge_group *group)
{
	struct finding *finding = finding_add(graph, rule);

	finding->is_certain = true;
	finding->edges = group->edges;
	finding->num_edges = group->count;
	finding->task = group->edges[0]->task;
	for (size_t i = 0; i < group->count; i++) {
		finding->is_certain &= group->edges[i]->is_certain;
		thread_list_add(&finding->waiters, &graph->process->arena, group->edges[i]->waiter);
	}
	return finding;
}

/** Find detached tasks whose code is done and whose event nobody has fulfilled. */
void find_events(struct graph *graph)
{
	for (int with_task = 1; with_task >= 0; with_task--) {
		struct edge_groups groups = group_edges(graph, 1U << EDGE_EVENT, with_task);
		for (size_t i = 0; i < groups.count; i++) {
			struct finding *finding =
				add_finding_of(graph, RULE_EVENT, groups.groups[i]);
			finding->is_certain = with_task;
		}
	}
}

/** Find tasks that run on another thread, or are blocked for an unknown reason. */
void find_awaited_tasks(struct graph *graph)
{
	struct edge_groups groups = group_edges(
		graph, 1U << EDGE_TASK | 1U << EDGE_BLOCKED | 1U << EDGE_SUSPENDED, true);

	for (size_t i = 0; i < groups.count; i++) {
		struct finding *finding = add_finding_of(graph, RULE_TASK, groups.groups[i]);
		if (finding->edges[0]->thread)
			thread_list_add(&finding->others, &graph->process->arena,
					finding->edges[0]->thread);
	}
}

static bool is_same_place(const struct location *a, const struct location *b)
{
	if (!a || !b)
		return a == b;
	return is_same_text(a->file, b->file) &&
	       (a->line || b->line ? a->line == b->line : a->address == b->address);
}

/** Return where a thread is: where its region was opened, if the region's code has left no frame. */
static const struct location *place_of(struct thread *thread)
{
	const struct location *location = thread_location(thread);

	return location || !thread->team ? location : team_opened(thread->team);
}

/** Check that two findings about tasks differ only in which tasks and which threads they name. */
static bool is_alike(const struct finding *a, const struct finding *b)
{
	const struct edge *first = a->edges[0], *other = b->edges[0];

	return a->severity == b->severity && a->is_certain == b->is_certain &&
	       first->kind == other->kind && (first->through != NULL) == (other->through != NULL) &&
	       (a->others.count != 0) == (b->others.count != 0) &&
	       first->task->info.function == other->task->info.function &&
	       is_same_text(thread_doing(a->waiters.all[0])->text,
			    thread_doing(b->waiters.all[0])->text) &&
	       is_same_place(place_of(a->waiters.all[0]), place_of(b->waiters.all[0]));
}

static void join(struct arena *arena, struct finding *finding, const struct finding *other)
{
	size_t count = finding->num_edges + other->num_edges;
	struct edge **edges = ARENA_ARRAY(arena, struct edge *, count);

	for (size_t i = 0; i < count; i++)
		edges[i] = i < finding->num_edges ? finding->edges[i] :
						    other->edges[i - finding->num_edges];
	finding->edges = edges;
	finding->num_edges = count;
	finding->task = NULL;
	thread_list_join(&finding->waiters, arena, &other->waiters);
	thread_list_join(&finding->others, arena, &other->others);
}

/** Make one finding of those about tasks that are alike: in a program with many threads there are
 *  hundreds. */
void join_awaited_tasks(struct graph *graph)
{
	size_t kept = 0;

	for (size_t i = 0; i < graph->num_findings; i++) {
		struct finding *finding = &graph->findings[i], *first = NULL;

		for (size_t k = 0; k < kept && finding->rule == RULE_TASK && !first; k++) {
			if (graph->findings[k].rule == RULE_TASK &&
			    is_alike(&graph->findings[k], finding))
				first = &graph->findings[k];
		}
		if (first)
			join(&graph->process->arena, first, finding);
		else
			graph->findings[kept++] = *finding;
	}
	graph->num_findings = kept;
}

/** Check that a thread sleeps, and not where the runtime lets it run tasks. */
static bool cannot_run_tasks(struct thread *thread)
{
	const struct wait *wait = thread_wait(thread);

	if (wait)
		return is_lock_kind(wait->kind) || is_system_lock_kind(wait->kind) ||
		       wait->kind == ompd_ext_wait_ordered;
	return !thread_is_in_runtime(thread) && thread_is_asleep(thread);
}

/** Find tasks that are ready and that nobody runs: all threads of their team wait where they can't run
 *  any, for locks and the like. */
void find_queued_tasks(struct graph *graph)
{
	struct arena *arena = &graph->process->arena;

	for (size_t i = 0; i < graph->num_regions; i++) {
		struct region *region = &graph->regions[i];
		struct thread_list stuck = { 0 };
		size_t num_tasks, capacity = 0, num_edges = 0;
		struct edge **edges = NULL;
		for (size_t k = 0; k < region->num_members; k++) {
			if (region->members[k] && cannot_run_tasks(region->members[k]))
				thread_list_add(&stuck, arena, region->members[k]);
		}
		if (!stuck.count || stuck.count != region->num_members)
			continue;
		struct task *const *tasks = graph_tasks(region->team->runtime, &num_tasks);
		for (size_t k = 0; k < num_tasks; k++) {
			if (tasks[k]->info.status != ompd_ext_task_queued ||
			    tasks[k]->info.parallel_id != region->team->id)
				continue;
			struct edge *edge = ARENA_NEW(arena, struct edge);
			edge->kind = EDGE_QUEUED;
			edge->waiter = stuck.all[0];
			edge->is_certain = true;
			edge->task = tasks[k];
			*ARENA_APPEND(arena, edges, num_edges, capacity) = edge;
		}
		if (!num_edges)
			continue;
		struct finding *finding = finding_add(graph, RULE_QUEUED);
		finding->is_certain = true;
		finding->waiters = stuck;
		finding->edges = edges;
		finding->num_edges = num_edges;
		finding->region = region;
		finding->task = edges[0]->task;
	}
}

// ---- What is not known -------------------------------------------------------------------------

static bool is_waiter_of(const struct graph *graph, const struct thread *thread, bool barriers_only)
{
	for (size_t i = 0; i < graph->num_findings; i++) {
		const struct finding *finding = &graph->findings[i];
		if (barriers_only && finding->rule != RULE_LOST_THREADS &&
		    finding->rule != RULE_DIFFERENT_BARRIERS && finding->rule != RULE_BARRIER)
			continue;
		if (thread_list_has(&finding->waiters, thread))
			return true;
	}
	return false;
}

/** Find threads that wait, and nothing is known for what: if they are at a barrier, all of the region's
 *  are. Certain, if something is known of every thread. */
void find_unknown_causes(struct graph *graph)
{
	struct process *process = graph->process;

	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		const struct wait *wait = thread_wait(thread);
		if (!graph->nodes[i].waits || graph->nodes[i].num_edges || !wait ||
		    is_waiter_of(graph, thread, true) || graph_lock(graph, thread))
			continue;
		bool at_barrier = is_barrier_kind(wait->kind);
		struct finding *finding = NULL;
		for (size_t k = 0; k < graph->num_findings && !finding; k++) {
			if (graph->findings[k].rule != RULE_UNKNOWN)
				continue;
			struct thread *first = graph->findings[k].waiters.all[0];
			if (first->team == thread->team &&
			    (at_barrier ? is_barrier_kind(thread_wait(first)->kind) :
					  thread_wait(first)->kind == wait->kind))
				finding = &graph->findings[k];
		}
		if (!finding) {
			finding = finding_add(graph, RULE_UNKNOWN);
			finding->is_certain = process_is_seen_whole(process);
			finding->region = at_barrier ? region_of(process, thread) : NULL;
		}
		thread_list_append(&finding->waiters, &process->arena, thread);
	}
}

// ---- Threads that spin -------------------------------------------------------------------------

static bool is_other_of(const struct graph *graph, const struct thread *thread)
{
	for (size_t i = 0; i < graph->num_findings; i++) {
		if (thread_list_has(&graph->findings[i].others, thread))
			return true;
	}
	return false;
}

/** Check for the same loop, wherever in it the threads are. */
static bool is_same_spin(const struct spin *a, const struct spin *b)
{
	if (a->is_endless != b->is_endless || a->num_variables != b->num_variables)
		return false;
	for (size_t i = 0; i < a->num_variables; i++) {
		if (!is_same_text(a->variables[i], b->variables[i]))
			return false;
	}
	return true;
}

/** Find loops that only look at memory, of threads about which nothing was told. */
void find_spins(struct graph *graph)
{
	struct process *process = graph->process;

	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		if (thread_is_openmp(thread) == NO || is_waiter_of(graph, thread, false) ||
		    is_other_of(graph, thread))
			continue;
		const struct spin *spin = thread_spin(thread);
		const struct location *place = spin ? thread_location(thread) : NULL;
		struct finding *finding = NULL;
		if (!place)
			continue;
		for (size_t k = 0; k < graph->num_findings && !finding; k++) {
			if (graph->findings[k].rule != RULE_SPIN)
				continue;
			struct thread *first = graph->findings[k].waiters.all[0];
			if (is_same_spin(thread_spin(first), spin) &&
			    is_same_place(thread_location(first), place))
				finding = &graph->findings[k];
		}
		if (!finding) {
			finding = finding_add(graph, RULE_SPIN);
			finding->is_certain = true;
		}
		thread_list_append(&finding->waiters, &process->arena, thread);
	}
}

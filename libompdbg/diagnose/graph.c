// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For whom and for what each thread waits: the graph from which findings are drawn.

#include <stdlib.h>
#include <string.h>

#include "diagnose/room.h"

struct edge *edge_add(struct graph *graph, struct wait_node *node, enum edge_kind kind,
		      struct thread *thread, bool is_certain)
{
	struct edge *edge =
		ARENA_APPEND(&graph->process->arena, node->edges, node->num_edges, node->capacity);

	edge->kind = kind;
	edge->waiter = node->thread;
	edge->thread = thread;
	edge->is_certain = is_certain;
	return edge;
}

struct wait_node *graph_node(struct graph *graph, const struct thread *thread)
{
	// Threads of a process and its targets have one order.
	size_t index = (size_t)(thread->target - graph->process->targets);

	return &graph->nodes[index];
}

// ---- Barriers ----------------------------------------------------------------------------------

bool graph_is_held_up(struct graph *graph, struct region *region)
{
	(void)graph;
	if (!region->num_at_barrier)
		return false;
	for (size_t i = 0; i < region->num_members; i++) {
		if (region->at_barrier[i] && !region->is_kept[i])
			return false;
	}
	return true;
}

static void add_barrier_edges(struct graph *graph, struct wait_node *node)
{
	struct region *region = region_of(graph->process, node->thread);
	bool is_certain;

	if (!region)
		return;
	if (region->num_at_barrier == (int)region->num_members) {
		add_edges_to_left_tasks(graph, node, region);
		return;
	}
	is_certain = region_keeps(region, node->thread);
	for (size_t i = 0; i < region->num_members; i++) {
		if (region->members[i] && !region->at_barrier[i])
			edge_add(graph, node, EDGE_BARRIER, region->members[i], is_certain);
	}
}

// ---- Locks -------------------------------------------------------------------------------------

struct lock *graph_lock(struct graph *graph, const struct thread *thread)
{
	for (size_t i = 0; i < graph->num_locks; i++) {
		if (thread_list_has(&graph->locks[i].waiters, thread))
			return &graph->locks[i];
	}
	return NULL;
}

/** Check that a thread owned a lock before it began to wait for it, as the recorder saw. It need not
 *  wait if the lock is a nestable one. */
static bool owned_before(struct thread *thread, const struct lock *lock)
{
	const struct record_wait *wait = recorded_wait(thread);

	return wait && wait->kind == RECORD_ACQUIRE && lock->taken &&
	       (lock->kind == ompd_ext_wait_lock || lock->kind == ompd_ext_wait_critical) &&
	       lock->taken->since < wait->since;
}

static void add_lock_edges(struct graph *graph, struct wait_node *node, struct lock *lock)
{
	struct thread *thread = node->thread;

	if (is_ordered_kind(lock->kind)) {
		if (lock->owner && lock->owner != thread)
			edge_add(graph, node, EDGE_TURN, lock->owner, true)->lock = lock;
		return;
	}
	if (lock->is_held == NO)
		return;
	// If it owns the lock and is awake, it may just have got it.
	if (lock->owner == thread && lock->owner && !thread_is_asleep(thread) &&
	    !owned_before(thread, lock))
		return;
	if (lock->owner)
		edge_add(graph, node, EDGE_LOCK, lock->owner, true)->lock = lock;
	else
		edge_add(graph, node, EDGE_LOCK,
			 lock_suspect(lock) ? lock_suspect(lock) : lock_weak_suspect(lock), false)
			->lock = lock;
}

static struct thread *only_candidate(const struct lock *lock, enum suspicion suspicion)
{
	return lock->num_candidates == 1 && lock->candidates[0].suspicion == suspicion ?
		       lock->candidates[0].thread :
		       NULL;
}

struct thread *lock_suspect(const struct lock *lock)
{
	return only_candidate(lock, SUSPECTED_BY_CODE);
}

struct thread *lock_weak_suspect(const struct lock *lock)
{
	return only_candidate(lock, SUSPECTED_BY_KIND);
}

// ---- All ---------------------------------------------------------------------------------------

static void add_edges(struct graph *graph, struct wait_node *node)
{
	const struct wait *wait = thread_wait(node->thread);
	struct lock *lock = graph_lock(graph, node->thread);

	node->waits = wait && wait->kind != ompd_ext_wait_idle;
	if (!node->waits)
		return;
	if (is_barrier_kind(wait->kind))
		add_barrier_edges(graph, node);
	else if (lock)
		add_lock_edges(graph, node, lock);
	else if (wait_kind(wait->kind)->family == FAMILY_TASK)
		add_task_edges(graph, node, wait->kind);
}

struct graph *process_graph(struct process *process)
{
	struct diagnose_room *room = diagnose_room(process);
	struct graph *graph = room->graph;

	if (graph)
		return graph;
	graph = room->graph = ARENA_NEW(&process->arena, struct graph);
	graph->process = process;
	graph->regions = process_regions(process, &graph->num_regions);
	graph->locks = process_locks(process, &graph->num_locks);
	graph->nodes = ARENA_ARRAY(&process->arena, struct wait_node, process->num_targets);
	for (size_t i = 0; i < process->num_targets; i++)
		graph->nodes[i].thread = process->threads[i];
	for (size_t i = 0; i < process->num_targets && !process_is_interrupted(process); i++)
		add_edges(graph, &graph->nodes[i]);
	return graph;
}

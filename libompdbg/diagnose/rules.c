// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings about threads that wait for one another, for locks, and at barriers.

#include "base/text.h"
#include "diagnose/room.h"

struct finding *finding_add(struct graph *graph, enum rule rule)
{
	struct finding *finding = ARENA_APPEND(&graph->process->arena, graph->findings,
					       graph->num_findings, graph->capacity);

	finding->rule = rule;
	return finding;
}

// ---- Deadlocks ---------------------------------------------------------------------------------

/** Check that an edge may be part of a deadlock. The owner of a lock may be inferred, and is marked so, if it
 *  is unknown which lock it has set only where nobody works; a thread that may have been let go by its
 *  barrier is in none. */
static bool holds(const struct graph *graph, const struct edge *edge)
{
	if (!edge->thread)
		return false;
	if (edge->kind == EDGE_LOCK && edge->lock && edge->lock->source == OWNER_UNKNOWN)
		return (!lock_weak_suspect(edge->lock) || nobody_works(graph->process)) &&
		       (thread_is_asleep(edge->waiter) || edge->lock->is_held == YES);
	return edge->is_certain;
}

/** Find a shortest way from a thread back to it: a search in breadth. @p from has, for each thread that
 *  was reached, the edge by which. @return the number of edges in the cycle; 0: there is none. */
static size_t find_cycle(struct graph *graph, size_t start, struct edge **from, size_t *pending,
			 struct edge **cycle)
{
	struct process *process = graph->process;
	size_t first = 0, last = 0, length = 0;

	memset(from, 0, process->num_targets * sizeof(struct edge *));
	pending[last++] = start;
	while (first < last && !from[start]) {
		struct wait_node *node = &graph->nodes[pending[first++]];
		for (size_t i = 0; i < node->num_edges; i++) {
			struct edge *edge = &node->edges[i];
			if (!holds(graph, edge))
				continue;
			size_t there = (size_t)(edge->thread->target - process->targets);
			if (from[there])
				continue;
			from[there] = edge;
			if (there != start)
				pending[last++] = there;
		}
	}
	for (size_t at = start; from[start]; length++) {
		cycle[length] = from[at];
		at = (size_t)(from[at]->waiter->target - process->targets);
		if (at == start) {
			length++;
			break;
		}
	}
	for (size_t i = 0; i < length / 2; i++) {
		struct edge *other = cycle[i];
		cycle[i] = cycle[length - 1 - i];
		cycle[length - 1 - i] = other;
	}
	return length;
}

void find_deadlocks(struct graph *graph)
{
	struct process *process = graph->process;
	struct arena *arena = &process->arena;
	size_t count = process->num_targets;
	struct edge **from = ARENA_ARRAY(arena, struct edge *, count);
	struct edge **cycle = ARENA_ARRAY(arena, struct edge *, count);
	size_t *pending = ARENA_ARRAY(arena, size_t, count + 1);
	bool *reported = ARENA_ARRAY(arena, bool, count);

	for (size_t start = 0; start < count && !process_is_interrupted(process); start++) {
		bool is_reported = reported[start] || !graph->nodes[start].num_edges;
		size_t length = is_reported ? 0 : find_cycle(graph, start, from, pending, cycle);
		for (size_t i = 0; i < length; i++)
			is_reported |= reported[cycle[i]->waiter->target - process->targets];
		if (!length || is_reported)
			continue;
		struct finding *finding = finding_add(graph, RULE_DEADLOCK);
		finding->is_certain = true;
		finding->edges = ARENA_ARRAY(arena, struct edge *, length);
		finding->num_edges = length;
		for (size_t i = 0; i < length; i++) {
			finding->edges[i] = cycle[i];
			finding->is_certain &= cycle[i]->is_certain;
			reported[cycle[i]->waiter->target - process->targets] = true;
			thread_list_add(&finding->waiters, arena, cycle[i]->waiter);
		}
	}
}

// ---- Locks -------------------------------------------------------------------------------------

void find_ended_owners(struct graph *graph)
{
	for (size_t i = 0; i < graph->num_locks; i++) {
		if (!graph->locks[i].owner_ended)
			continue;
		// The owner may have ended, or the lock be damaged: neither is certain, unless it was
		// recorded.
		struct finding *finding = finding_add(graph, RULE_OWNER_ENDED);
		finding->is_certain = graph->locks[i].source == OWNER_HISTORY;
		finding->lock = &graph->locks[i];
		finding->waiters = graph->locks[i].waiters;
	}
}

static bool is_in_deadlock(const struct graph *graph, const struct lock *lock)
{
	for (size_t i = 0; i < graph->num_findings; i++) {
		const struct finding *finding = &graph->findings[i];
		for (size_t k = 0; k < finding->num_edges && finding->rule == RULE_DEADLOCK; k++) {
			if (finding->edges[k]->lock == lock)
				return true;
		}
	}
	return false;
}

/** List for whom the waiters of a lock wait; of an ordered region, if it is unknown whose turn it is:
 *  who may have it. */
static void find_holders(struct graph *graph, const struct lock *lock, struct finding *finding)
{
	struct arena *arena = &graph->process->arena;
	struct region *region = region_of(graph->process, lock->waiters.all[0]);
	struct thread_list *others = &finding->others;

	if (lock->owner || lock_suspect(lock)) {
		thread_list_add(others, arena, lock->owner ? lock->owner : lock_suspect(lock));
	} else if (region && is_ordered_kind(lock->kind)) {
		for (size_t i = 0; i < region->num_members; i++) {
			struct thread *thread = region->members[i];
			if (thread && !region->at_barrier[i] &&
			    !thread_list_has(&lock->waiters, thread))
				thread_list_add(others, arena, thread);
		}
	}
}

void find_held_locks(struct graph *graph)
{
	struct arena *arena = &graph->process->arena;

	for (size_t i = 0; i < graph->num_locks; i++) {
		struct lock *lock = &graph->locks[i];
		size_t num_edges = 0, capacity = 0;
		if (lock->owner_ended || lock->is_held == NO || is_in_deadlock(graph, lock))
			continue;
		struct finding *finding =
			finding_add(graph, is_ordered_kind(lock->kind) ? RULE_ORDERED : RULE_LOCK);
		finding->is_certain = lock->owner;
		finding->lock = lock;
		finding->waiters = lock->waiters;
		for (size_t k = 0; k < lock->waiters.count; k++) {
			struct wait_node *node = graph_node(graph, lock->waiters.all[k]);
			for (size_t e = 0; e < node->num_edges; e++)
				*ARENA_APPEND(arena, finding->edges, num_edges, capacity) =
					&node->edges[e];
		}
		finding->num_edges = num_edges;
		find_holders(graph, lock, finding);
	}
}

// ---- Barriers ----------------------------------------------------------------------------------

/** List the members that are at the region's barriers, and those that are not. */
static void split_members(struct graph *graph, struct region *region, struct thread_list *there,
			  struct thread_list *missing)
{
	for (size_t i = 0; i < region->num_members; i++) {
		if (region->members[i])
			thread_list_add(region->at_barrier[i] ? there : missing,
					&graph->process->arena, region->members[i]);
	}
}

/** Check for a finding of a rule about a region. */
static bool has_finding(const struct graph *graph, enum rule rule, const struct region *region)
{
	for (size_t i = 0; i < graph->num_findings; i++) {
		if (graph->findings[i].rule == rule && graph->findings[i].region == region)
			return true;
	}
	return false;
}

/** A barrier of the source: a place, or the end of the region. */
struct barrier_place {
	bool is_end;
	const struct location *location; // NULL: unknown
};

static struct barrier_place barrier_place(struct thread *thread)
{
	if (is_end_of_region(thread_wait(thread)))
		return (struct barrier_place){ .is_end = true };
	return (struct barrier_place){ .location = thread_location(thread) };
}

static bool is_same_barrier(struct barrier_place a, struct barrier_place b)
{
	if (a.is_end || b.is_end || !a.location || !b.location)
		return a.is_end == b.is_end && !a.location == !b.location;
	if (!is_same_text(a.location->function, b.location->function) ||
	    !is_same_text(a.location->file, b.location->file))
		return false;
	// Without lines, both may be in copies that the compiler made of one construct.
	return a.location->line == b.location->line;
}

bool is_at_several_barriers(struct region *region)
{
	const struct progress *progress = region->progress;
	struct barrier_place first = { 0 };
	bool has_first = false, has_several = false, has_unknown = false, has_end = false;

	for (size_t i = 0; i < region->num_members; i++) {
		if (!region->at_barrier[i])
			continue;
		struct barrier_place place = barrier_place(region->members[i]);
		has_unknown |= !place.is_end && !place.location;
		has_end |= place.is_end;
		has_several |= has_first && !is_same_barrier(first, place);
		if (!has_first)
			first = place;
		has_first = true;
	}
	if (!has_unknown)
		return has_several;
	// At the end of a nested region, workers of libgomp wait twice.
	return region->team->level == 1 && has_end && progress && progress->is_counted &&
	       progress->arrived > 0;
}

void find_different_barriers(struct graph *graph)
{
	for (size_t i = 0; i < graph->num_regions; i++) {
		struct region *region = &graph->regions[i];
		struct thread_list there = { 0 }, missing = { 0 };
		if (!is_at_several_barriers(region) || !graph_is_held_up(graph, region) ||
		    (region->progress && region->progress->tasks_left))
			continue;
		split_members(graph, region, &there, &missing);
		struct finding *finding = finding_add(graph, RULE_DIFFERENT_BARRIERS);
		finding->is_certain = true;
		finding->region = region;
		finding->waiters = there;
		finding->others = missing;
	}
}

void find_incomplete_barriers(struct graph *graph)
{
	for (size_t i = 0; i < graph->num_regions; i++) {
		struct region *region = &graph->regions[i];
		struct thread_list there = { 0 }, missing = { 0 };
		split_members(graph, region, &there, &missing);
		if (!there.count || !(missing.count || region->unseen) ||
		    has_finding(graph, RULE_LOST_THREADS, region) ||
		    has_finding(graph, RULE_DIFFERENT_BARRIERS, region))
			continue;
		struct finding *finding = finding_add(graph, RULE_BARRIER);
		finding->is_certain = graph_is_held_up(graph, region);
		finding->region = region;
		finding->waiters = there;
		finding->others = missing;
	}
}

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

/** Check that LLVM's runtime has counted a thread at a barrier to which not all have come. Unless a
 *  tool (OMPT) is active: then states are what the threads themselves record, and one that was let go
 *  may not have changed its own yet. */
static bool is_counted(struct thread *thread)
{
	struct space *space = thread->runtime->space;
	int64_t state = thread_verdict(thread)->evidence.recorded;
	ompd_word_t value;
	ompd_address_t data;

	if (!thread->handle || !runtime_is_extended(thread->runtime) ||
	    (state != STATE_BARRIER && state != STATE_BARRIER_PARALLEL &&
	     state != STATE_BARRIER_IMPLEMENTATION))
		return false;
	return !is_ok(
		SPACE_CALL(space, get_tool_data, thread->handle, ompd_scope_thread, &value, &data));
}

/** Count the threads that are at a region's barriers, or run tasks there, or may do so. */
static int count_that_may_be_there(struct region *region)
{
	int count = region->unseen;

	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		if (!thread)
			continue;
		struct task *task = thread_task(thread);
		count += region->at_barrier[i] || thread->team != region->team || !task ||
			 task->info.kind != ompd_ext_task_implicit;
	}
	return count;
}

/** Check for a member that has come to no barrier of the region, as the recorder saw: then those that have
 *  come to one are at the first, and wait for it. */
static bool is_at_first_barrier(struct region *region)
{
	bool has_come = false, is_missing = false;

	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		const struct record_level *level = thread ? history_level(thread, region->team) :
							    NULL;
		if (!level)
			continue;
		has_come |= region->at_barrier[i] && level->barrier >= level->since;
		is_missing |= !region->at_barrier[i] && level->barrier < level->since;
	}
	return has_come && is_missing; // arrivals are recorded
}

/** Check for a member that certainly is at no barrier. */
static bool is_elsewhere(struct region *region, size_t i)
{
	struct thread *thread = region->members[i];

	if (!thread || region->at_barrier[i] || thread->team != region->team ||
	    thread_verdict(thread)->state == STATE_UNKNOWN)
		return false;
	const struct task *task = thread_task(thread);
	return task && task->info.kind == ompd_ext_task_implicit; // others may run at a barrier
}

/** Check that a thread waits in the function of LLVM's runtime that it called for a barrier, and is not about to
 *  return: that calls one for all kinds of barriers, this one that gathers the threads, and this one that waits. */
static bool is_deep_in_barrier(struct thread *thread)
{
	enum { CALLS = 3 };
	const uint64_t entry = thread_verdict(thread)->evidence.call.entry;
	struct stack *stack = thread_stack(thread);
	struct stack_frame *frame;

	for (size_t i = 0; (frame = stack_frame(stack, i)); i++) {
		if (stack_owner(stack, frame) == FRAME_USER)
			return false;
		if (stack_place(stack, frame)->start == entry)
			return i >= CALLS;
	}
	return false;
}

/** Check that a thread that is seen at a barrier has left as many as one that is at none: then it is
 *  not at the one before. LLVM's runtime tells so. */
static bool is_at_latest_barrier(struct region *region, struct thread *thread)
{
	if (thread->barrier_phase == NOT_KNOWN)
		return false;
	for (size_t i = 0; i < region->num_members; i++) {
		if (is_elsewhere(region, i) &&
		    region->members[i]->barrier_phase == thread->barrier_phase)
			return is_end_of_region(thread_wait(thread)) || is_deep_in_barrier(thread);
	}
	return false;
}

/** Check that a thread that is seen at a barrier was not let go: the runtime counts all that may be
 *  there, or this one, or what it keeps shows it, or it sleeps. Tasks that are left prove nothing: threads that were let go may
 *  have made them. Nor do counts, where cancellation lets threads go. */
static bool is_kept(struct region *region, struct thread *thread)
{
	const struct progress *progress = region->progress;

	if (!progress)
		return false;
	if (progress->is_counted && !progress->is_cancelled &&
	    progress->arrived + progress->arrived_end >= count_that_may_be_there(region))
		return true;
	return thread_is_asleep(thread) || is_counted(thread) || is_at_first_barrier(region) ||
	       is_at_latest_barrier(region, thread);
}

bool graph_is_held_up(struct graph *graph, struct region *region)
{
	(void)graph;
	if (!region->num_at_barrier)
		return false;
	for (size_t i = 0; i < region->num_members; i++) {
		if (region->at_barrier[i] && !is_kept(region, region->members[i]))
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
	is_certain = is_kept(region, node->thread);
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

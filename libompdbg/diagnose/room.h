// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of diagnose/ share, and keep with a process.

#ifndef OMPDBG_DIAGNOSE_ROOM_H
#define OMPDBG_DIAGNOSE_ROOM_H

#include <string.h>

#include "diagnose/diagnose.h"
#include "libcode/code.h"
#include "wait/evidence.h"

struct diagnose_room {
	bool has_regions, has_locks;
	struct region *regions;
	size_t num_regions;
	struct lock *locks;
	size_t num_locks;
	struct graph *graph;
	struct table tasks;	 // struct runtime * -> struct kept_tasks * (task_edges.c)
	struct table loop_kinds; // pc of a frame -> int64_t *, its kind (loop.c)
	struct table lock_calls; // entry of a function -> struct lock_calls * (lock_calls.c)
	struct table
		frame_calls; // struct stack_frame * -> struct lock_calls *, with indirect calls
	struct table users_functions; // likewise -> struct users_function * (lock_calls.c)
	size_t num_looked_at;	      // of these (lock_calls.c)
	struct table passed_locks;    // struct stack_frame * -> struct passed_lock [] (candidate.c)
	size_t num_searches;	      // of frames for the address of a lock (candidate.c)
};

static inline struct diagnose_room *diagnose_room(struct process *process)
{
	if (!process->rooms[ROOM_DIAGNOSE])
		process->rooms[ROOM_DIAGNOSE] = ARENA_NEW(&process->arena, struct diagnose_room);
	return process->rooms[ROOM_DIAGNOSE];
}

/** Find the region in which a thread works; NULL. (region.c) */
struct region *region_of(struct process *process, const struct thread *thread);

/** Note which threads that are seen at a region's barriers were not let go. (arrivals.c) */
void find_arrivals(struct region *region, const struct progress *progress);
/** Check for a thread that is seen at a region's barrier, and was not let go. (region.c) */
bool region_keeps(struct region *region, const struct thread *thread);

/** Check that a thread is in a loop of its construct that passes cancellation points, which the runtime
 *  ignores. (cancellation.c) */
bool thread_awaits_cancellation(struct thread *thread);

/** Check for a wait at the end of a parallel region. */
static inline bool is_end_of_region(const struct wait *wait)
{
	return wait && wait->kind == ompd_ext_wait_barrier_parallel;
}

// ---- The graph (graph.c) -----------------------------------------------------------------------

/** All waits of a process at one stop. */
struct graph {
	struct process *process;
	struct region *regions;
	size_t num_regions;
	struct lock *locks;
	size_t num_locks;
	struct wait_node *nodes;  // one for each thread of the process, in its order
	struct finding *findings; // of the diagnosis that is being made
	size_t num_findings, capacity;
};

/** The waits of one thread. */
struct wait_node {
	struct thread *thread;
	bool waits; // it does; else there are no edges
	struct edge *edges;
	size_t num_edges, capacity;
};

/** List the threads that perhaps hold a lock, each once. (candidate.c) */
struct thread_list lock_candidates(struct arena *arena, const struct lock *lock);
/** Find the one thread whose own code has set a lock, as far as the stacks show; NULL. */
struct thread *lock_suspect(const struct lock *lock);
/** Find the one thread that has set a lock of this kind, unknown which, if there is no better suspect; NULL.
 *  The owner may as well be one of whom the stacks tell nothing. */
struct thread *lock_weak_suspect(const struct lock *lock);
/** Check that nobody works: each thread of a process waits or sleeps, until another one wakes it.
 *  (sleepers.c) */
bool nobody_works(struct process *process);
/** List a thread and all for which it waits, directly or not. (diagnose.c) */
struct thread_list graph_chain(struct graph *graph, struct thread *thread);
/** Find the node of a thread. */
struct wait_node *graph_node(struct graph *graph, const struct thread *thread);
/** Find the lock for which a thread waits; NULL. */
struct lock *graph_lock(struct graph *graph, const struct thread *thread);
/** Check that a region's barrier holds up the threads that are seen at it. */
bool graph_is_held_up(struct graph *graph, struct region *region);
/** List the tasks of a runtime, not all if there are very many. */
struct task *const *graph_tasks(struct runtime *runtime, size_t *count);

// How it is made (graph.c, task_edges.c).

/** Add an edge to what a thread waits for. Valid until the next one is added. */
struct edge *edge_add(struct graph *graph, struct wait_node *node, enum edge_kind kind,
		      struct thread *thread, bool is_certain);

/** Add what a thread waits for in a taskwait, taskgroup or for dependences (task_edges.c). */
void add_task_edges(struct graph *graph, struct wait_node *node, uint32_t kind);
/** Add the tasks that are left to be done where all threads have come to a barrier. */
void add_edges_to_left_tasks(struct graph *graph, struct wait_node *node, struct region *region);

// ---- Owners of locks (candidate.c, taking.c) ------------------------------------------------------

/**
 * Find who may hold a lock: functions on a stack whose own calls have set it and, on some way to where
 * they are, have not unset it; if there is none, frames of other threads that hold its address.
 */
void find_candidates(struct process *process, struct lock *lock);

/** Check that a lock is held, and no function on a stack has set it and has still to unset it: of its owner's
 *  stack or, if that is unknown, of all. @return false also if that is not certain. */
bool lock_is_left(struct process *process, struct lock *lock);

enum lock_operation { SETS, UNSETS };
enum lock_family {
	FAMILY_OF_LOCKS,
	FAMILY_OF_SPINLOCKS, // of the C library, as the next
	FAMILY_OF_RWLOCKS,
	FAMILY_OF_CRITICALS,
	FAMILY_OF_ATOMICS,
};
/** Return the family of the locks of a kind. */
enum lock_family lock_family(uint32_t kind);

/** A call that sets or unsets a lock. */
struct lock_call {
	uint64_t address, returns;
	uint64_t after;	    // where control goes on if it has set the lock
	uint64_t condition; // the jump that depends on the result of a test; 0: none
	enum lock_operation operation;
	enum lock_family family;
	bool is_unnamed; // the runtime has one lock for all such calls
	bool is_test;	 // it sets the lock only if that is free
	bool is_try;	 // such a test, which returns 0 if it has set the lock
	bool is_vague; // which lock is unknown: that depends on memory that may have changed since
};

/** The calls of one function, and its flow. */
struct lock_calls {
	bool is_known;
	struct code_flow flow;
	struct code_flow held; // without the ways on which a lock is unset
	struct lock_call *calls;
	size_t count;
	bool has_indirect; // there are calls through pointers, of each frame to functions of its own
};

/** Find the calls of the function of a frame that set or unset locks (lock_calls.c); kept with the
 *  process. */
struct lock_calls *frame_lock_calls(struct runtime *runtime, struct thread *thread,
				    struct stack_frame *frame);
/** Check that every way from the begin of a function to an instruction leads past a call that sets a lock, and
 *  past its success if it tests the lock (lock_calls.c). */
bool lock_call_is_passed(struct code_flow *flow, const struct lock_call *call, uint64_t here);
/** Check for a function of a runtime that does an operation, an enum lock_operation, to a lock or to that of
 *  a critical or atomic construct. */
bool is_lock_operation(const ompd_ext_wait_site *site, const void *operation);
/** Check for a function of a runtime that unsets locks, or ends a critical or atomic construct. */
bool is_unset_function(const char *function);
/** Find the owner of a lock in the recording (taking.c). @return false: it is not certain. */
bool find_owner_in_history(struct process *process, struct lock *lock);
/** Find when and where the owner of a lock took it, and whether the recording has another owner than the
 *  runtime (taking.c). */
void find_taking(struct process *process, struct lock *lock);

// ---- Findings ----------------------------------------------------------------------------------

/** Add what the rules find (rules.c, rules_tasks.c, lost_threads.c), without severity and words. */
void find_signal(struct graph *graph);
void find_deadlocks(struct graph *graph);
void find_ended_owners(struct graph *graph);
void find_lost_threads(struct graph *graph);
void find_different_barriers(struct graph *graph);
void find_incomplete_barriers(struct graph *graph);
void find_held_locks(struct graph *graph);
void find_events(struct graph *graph);
void find_awaited_tasks(struct graph *graph);
void join_awaited_tasks(struct graph *graph);
void find_queued_tasks(struct graph *graph);
void find_unknown_causes(struct graph *graph);
void find_spins(struct graph *graph);
/** Add the threads that sleep for an unknown reason if all of the process sleep (sleepers.c), with the
 *  severity. */
void find_sleepers(struct graph *graph);

/** Add an empty finding of a rule. */
struct finding *finding_add(struct graph *graph, enum rule rule);
/** Tell how bad it is (severity.c). */
enum severity finding_severity(struct graph *graph, const struct finding *finding);
/** Put it into words (words.c). */
void finding_describe(struct graph *graph, struct finding *finding);

#endif

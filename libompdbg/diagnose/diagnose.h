// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a program does not go on: regions and their progress, locks and owners, the graph of waits, and
// the findings that follow from it.

#ifndef OMPDBG_DIAGNOSE_H
#define OMPDBG_DIAGNOSE_H

#include "history/history.h"
#include "stack/stack.h"
#include "wait/wait.h"

// ---- Loops and regions (loop.c, region.c) ------------------------------------------------------

/** A loop whose iterations threads fetch from the runtime. */
struct loop {
	bool is_sections, is_ordered;
	const char *schedule;	  // "static", "dynamic", "guided"; NULL: another
	int64_t chunk;		  // NOT_KNOWN
	int64_t total, remaining; // iterations; NOT_KNOWN
	bool remaining_is_least;  // there may be more: not all threads have come to the loop
	int *numbers;		  // in the team
	struct thread_list threads;
	const struct location *location; // of one of them; NULL
};

/** Threads of a region that do the same at the same place. */
struct region_group {
	const char *state; // NULL: unknown, or of a thread that runs
	const struct wait *wait;
	const struct location *location;
	struct team *inner; // the region within this one in which the threads are; NULL
	int *numbers;	    // in the team
	struct thread_list threads;
};

/** How many threads of a region are at its barriers. */
struct progress {
	int total;
	int arrived;	 // at barriers within the region, or at its end if that is not told apart
	int arrived_end; // at its end
	int unsure; // more that are seen there, and may be about to arrive or have just left it
	bool is_counted; // by the runtime; else these are the threads that certainly are there
	bool tasks_left; // all have arrived, and wait for the region's tasks
	bool is_cancelled;
};

struct region {
	struct team *team;
	struct thread **members; // by number in the team; NULL: unknown
	size_t num_members;	 // size of the team, or 0
	int unseen;		 // of how many nothing is known
	bool *at_barrier;	 // by number: it waits at a barrier of this region
	int num_at_barrier;
	bool *is_kept;			 // by number: it is at a barrier, and was not let go
	const struct progress *progress; // NULL: no thread is at a barrier
	struct region_group *groups;	 // of region_groups(); NULL: not asked
	size_t num_groups;
	struct loop *loops; // of region_loops(); NULL: not asked
	size_t num_loops;
};

/** List the regions of a process, each before those that it encloses; kept by the caller's arena. */
struct region *process_regions(struct process *process, size_t *count);
struct region_group *region_groups(struct region *region, size_t *count);
struct loop *region_loops(struct region *region, size_t *count);
/** YES: a member has come to a barrier and executes a task there; UNKNOWN: it executes a task, and
 *  its stack does not tell where that was begun. */
enum tristate region_runs_task_at_barrier(struct region *region, struct thread *thread);

// ---- What was recorded (recorded.c) ------------------------------------------------------------

/** Find the recorded wait of a thread if that is the one in which it is seen; NULL. */
const struct record_wait *recorded_wait(struct thread *thread);

/** The recorded times of a region, in ticks. */
struct region_record {
	uint64_t number, since;
	uint64_t *arrived; // by number in the team: at the barrier at which it is; 0: unknown
};
/** Find what was recorded of a region; NULL. */
const struct region_record *region_record(struct region *region);

// ---- Locks (lock.c, candidate.c) ---------------------------------------------------------------

/** How the owner of a lock is known. */
enum owner_source { OWNER_UNKNOWN, OWNER_RECORDED, OWNER_HISTORY };

/** When and where the owner of a lock took it, as recorded. */
struct taking {
	uint64_t since;			 // ticks of the recording
	uint32_t depth;			 // of a nestable lock how often; else 1
	const struct location *location; // NULL: unknown
};

/** Reasons to suspect a thread. */
enum suspicion {
	SUSPECTED_BY_CODE,    // a function on its stack has set this lock, and has not unset it
	SUSPECTED_BY_ADDRESS, // a frame holds the address of the lock
	SUSPECTED_BY_KIND,    // a function on its stack has set a lock of this kind, unknown which
};

/** A thread that may hold a lock. */
struct candidate {
	struct thread *thread;
	enum suspicion suspicion;
	const struct location
		*location;    // of that frame, or of the call that has set a lock of the kind
	int level;	      // the debugger's number of the frame
	const char *variable; // that holds the address, "this->lock_"; NULL
};

struct lock {
	uint32_t kind;			       // as of struct wait
	const char *title, *symbol, *variable; // as of its first waiter
	struct runtime *runtime;
	uint64_t address; // 0: unknown
	struct thread_list waiters;
	enum tristate is_held;
	struct thread *owner; // NULL: unknown
	enum owner_source source;
	bool owner_ended;	      // it names a thread as its owner that does not exist
	const struct taking *taken;   // by the owner; NULL: not recorded
	const char *contradiction;    // between the runtime and the recording; NULL: none
	const char *reason;	      // why the owner is unknown; NULL
	struct candidate *candidates; // if the owner is unknown
	size_t num_candidates;
};

/** List the locks, critical constructs, ordered regions and mutexes that threads wait for. */
struct lock *process_locks(struct process *process, size_t *count);

// ---- The graph (graph.c) -----------------------------------------------------------------------

enum edge_kind {
	EDGE_BARRIER,
	EDGE_LOCK,
	EDGE_TURN,
	EDGE_TASK,
	EDGE_EVENT, // these are no threads
	EDGE_QUEUED,
	EDGE_BLOCKED,
	EDGE_SUSPENDED, // a task that has begun, and that no thread is known to run
};

/** One of the things that a thread waits for; all of them must happen. */
struct edge {
	enum edge_kind kind;
	struct thread *waiter;
	struct thread *thread; // that must do something; NULL
	bool is_certain;
	struct lock *lock;
	struct task *task;    // for which it waits, in the end
	struct task *through; // that is blocked by it
};

struct graph;
/** Find all waits of a process; kept with the process. */
struct graph *process_graph(struct process *process);

// ---- Findings (rules.c, severity.c, words.c) ---------------------------------------------------

enum rule {
	RULE_SIGNAL,
	RULE_DEADLOCK,
	RULE_OWNER_ENDED,
	RULE_LOST_THREADS,
	RULE_DIFFERENT_BARRIERS,
	RULE_EVENT,
	RULE_LOCK,
	RULE_ORDERED,
	RULE_TASK,
	RULE_QUEUED,
	RULE_BARRIER,
	RULE_SPIN,
	RULE_ASLEEP,
	RULE_CHILDREN, // of the process: diagnose_children()
	RULE_UNKNOWN,
};
const char *rule_name(enum rule rule); // as in JSON

enum severity { SEVERITY_STUCK, SEVERITY_HELD_UP, SEVERITY_WAITING };
const char *severity_name(enum severity severity);

/** Something that threads wait for. */
struct finding {
	enum rule rule;
	bool is_certain;
	enum severity severity;
	struct thread_list waiters;
	struct edge **edges; // why; of a deadlock, in the order of the cycle
	size_t num_edges;
	struct region *region; // what it is about; NULL
	struct lock *lock;
	struct task *task;	   // NULL: none, or several
	struct thread_list others; // for whom they wait
	int num_lost;		   // RULE_LOST_THREADS: members that do not exist
	const char *text;	   // in words, one line
	const char *remedy;	   // one line; NULL
	const char **notes;	   // more lines, the remedy among them
	size_t num_notes;
};

/** Diagnose a process, causes first. @p thread: only what it waits for, directly or not; or NULL. */
struct finding *diagnose(struct process *process, struct thread *thread, size_t *count);

/** A process that this one has forked, and that hangs. */
struct child {
	int pid;
	enum severity severity;
	const char *text, *remedy; // of the worst finding
};
/** Check that no thread of a process works. (children.c) */
bool process_is_quiet(struct process *process);
/** Check that its children may be why such a process does not go on. @p worst: what was found in itself. */
bool may_wait_for_children(struct process *process, const struct finding *worst);
/** Make a finding about the children for which a process waits, or may wait. @return false: for none. */
bool diagnose_children(struct process *process, const struct child *children, size_t count,
		       struct finding *finding);
/** Find the worst of what was found, the first of several; NULL: nothing was. */
const struct finding *worst_finding(const struct finding *findings, size_t count);
/** Check for a finding that a program which runs well does not have, or seldom. */
bool is_suspicious(const struct finding *worst);
/** Return a finding in words, or that there is none. */
const char *verdict_text(const struct finding *worst);

/** List the unfinished tasks for which a blocked task waits directly. @return whether these are all that
 *  the runtime counts: where there are very many tasks, none is looked for. (task_edges.c) */
bool task_predecessors(struct task *task, struct task *const **ret, size_t *count);

#endif

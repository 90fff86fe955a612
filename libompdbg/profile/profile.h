// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run did with its time: made of the events of a trace in one pass. Memory grows with what lives at
// once and with the constructs of the program, not with the events. docs/profile.md tells what each
// number means.

#ifndef OMPDBG_PROFILE_H
#define OMPDBG_PROFILE_H

#include "base/arena.h"
#include "profile/path.h"
#include "trace/trace.h"

enum profile_lane {
	LANE_WORK,
	LANE_BARRIER,
	LANE_TASK, // taskwait and taskgroup
	LANE_LOCK,
	LANE_RUNTIME,
	LANE_IDLE,
	NUM_LANES
};

enum profile_kind {
	PROFILE_PROGRAM, // outside of regions
	PROFILE_REGION,
	PROFILE_TASK,
	PROFILE_LOOP,
	PROFILE_SECTIONS,
	PROFILE_SINGLE,
	PROFILE_WORKSHARE,
	PROFILE_DISTRIBUTE,
	PROFILE_TASKLOOP,
	PROFILE_SCOPE,
	PROFILE_BARRIER,
	PROFILE_TASKWAIT,
	PROFILE_TASKGROUP,
	PROFILE_REDUCTION,
	PROFILE_LOCK,
	PROFILE_NEST_LOCK,
	PROFILE_CRITICAL,
	PROFILE_ATOMIC,
	PROFILE_ORDERED,
	PROFILE_MUTEX, // of an unknown kind
	PROFILE_KINDS
};

/** Times in ns. */
struct profile_stat {
	uint64_t known, sum, min, max;
};

/** The phases of an explicit task, and all of its life. */
enum task_time {
	TIME_CREATION,
	TIME_POOL,
	TIME_EXECUTION,
	TIME_SUSPENSION,
	TIME_COMPLETION,
	TIME_LIFE,
	NUM_TASK_TIMES
};

struct profile_tasks {
	uint64_t instances, ended, untied, undeferred, cancelled, suspensions;
	uint64_t work;
	struct profile_stat times[NUM_TASK_TIMES];
};
struct profile_regions {
	uint64_t instances;
	uint32_t threads_min, threads_max;
	struct profile_stat time;
	uint64_t work, span, barrier_wait, thread_time, slowest, average;
};
struct profile_waits {
	uint64_t count;
	struct profile_stat wait;
};
struct profile_share {
	uint64_t chunks, iterations, time;
	bool is_in;
};
struct profile_loops {
	const char *schedule; // NULL: unknown
	uint64_t instances, iterations, chunks, chunk_min, chunk_max;
	bool is_uncounted;	      // iterations of some are unknown
	struct profile_share *shares; // for each thread of the trace
	size_t num_shares;
};

/** A place of the program, and what happened there; members are NULL if it is nothing of that kind. */
struct profile_construct {
	enum profile_kind kind;
	uint64_t code; // return address; 0: unknown
	struct profile_tasks *tasks;
	struct profile_regions *regions;
	struct profile_waits *waits;
	struct profile_loops *loops;
};

struct profile_lock_place {
	uint32_t construct;
	uint64_t count;
	struct profile_stat wait, hold;
};
struct profile_lock {
	enum profile_kind kind;
	uint64_t object, since; // since: held now
	uint64_t count;
	struct profile_stat wait, hold;
	struct profile_lock_place *places;
	size_t num_places, capacity;
	size_t taken_at;       // 1 + index of the place; 0: free
	uint32_t holder, late; // late: 1 + thread whose release is still to be told
};

struct profile_edge {
	uint32_t from, to;
	bool depends; // else creates
	uint64_t count;
};

/** A slice of a thread's time in which it did one thing. */
struct profile_slice {
	uint32_t thread;
	enum profile_lane lane;
	uint32_t construct; // of the task that it was in; NO_CONSTRUCT
	uint64_t task;	    // id; 0: an implicit task, or none
	uint64_t from, to;
};
#define NO_PROFILE_CONSTRUCT UINT32_MAX

#define UNKNOWN_TIME UINT64_MAX

/** An explicit task. Times may be UNKNOWN_TIME. */
struct profile_task {
	uint64_t id, parent; // parent 0: an implicit task
	uint32_t construct, creator, flags;
	uint32_t thread; // UINT32_MAX: none
	uint32_t depth;	 // below the implicit task
	uint64_t children, below;
	uint64_t created, begun, ended;
	uint64_t times[NUM_TASK_TIMES];
	struct profile_task *kept_parent;
	uint32_t *threads; // of the one that was asked for
	size_t num_threads, threads_capacity;
	uint64_t *child_ids;
	size_t num_child_ids, child_ids_capacity;
};

struct profile_bucket {
	uint64_t lanes[NUM_LANES];
	uint64_t weight;
	uint32_t construct; // that has most of the work
	uint32_t switches;
};
struct profile_timeline {
	uint64_t begin, end, width; // ns; width: of a bucket
	size_t num_buckets;
	struct profile_bucket *buckets; // num_buckets for each thread
	uint64_t *pool;			// ns times tasks that waited
};

struct profile_lane_times {
	uint64_t begin, end;
	uint64_t lanes[NUM_LANES];
	uint64_t events, tasks; // tasks: explicit ones that ended there
};

struct profile_options {
	uint64_t task;	   // asked for; 0: none
	uint64_t from, to; // of the timeline and the slices; to 0: the end
	/** Find the address that stands for all of one place in the source; NULL: each for itself. */
	uint64_t (*place)(void *context, uint64_t code, uint64_t time);
	/** Take a slice; of one thread in order. NULL: nobody wants them. */
	void (*slice)(void *context, const struct profile_slice *slice);
	void *context;
};

struct profile {
	struct arena arena;
	struct pool pool;
	struct profile_options options;
	size_t num_threads;
	struct profile_lane_times *times; // for each thread
	uint64_t tasks, regions, events;
	uint64_t unknown_tasks; // of which events are missing
	uint64_t work;
	uint64_t end;
	struct path *path; // the longest
	struct profile_construct *constructs;
	size_t num_constructs, constructs_capacity;
	struct profile_lock **locks;
	size_t num_locks, locks_capacity;
	uint64_t other_locks; // takings of locks of which there are too many
	struct profile_edge **edges;
	size_t num_edges, edges_capacity;
	struct profile_task **tree; // parents before their children
	size_t num_tree, tree_capacity;
	struct profile_task *task; // the one that was asked for; NULL: not seen
	struct profile_timeline timeline;
	struct profile_room *room;
};

/** Begin a profile. @p duration: of the trace. */
struct profile *profile_create(const struct profile_options *options,
			       const struct trace_thread *threads, size_t num_threads,
			       uint64_t duration);
void profile_add(struct profile *profile, const struct trace_event *event);
/** Complete the profile after the last event, at the end of the trace. */
void profile_end(struct profile *profile, uint64_t end);
void profile_destroy(struct profile *profile);

#endif

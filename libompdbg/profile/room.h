// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this room share: the state of the run at the latest event.

#ifndef OMPDBG_PROFILE_ROOM_H
#define OMPDBG_PROFILE_ROOM_H

#include "ompt/omp-tools.h"
#include "profile/map.h"
#include "profile/profile.h"

enum { FRAME_RUNTIME = 0, MAX_FRAMES = 3, MAX_LOOPS = 2 };
enum dependence_class { READS, WRITES, EXCLUDES, IN_SET, NUM_CLASSES };

/** A task waits, or is in the runtime to create a task or a region. */
struct frame {
	uint8_t kind; // ompt_sync_region_t, or FRAME_RUNTIME
	bool is_idle; // the region has ended meanwhile
	bool at_once; // of FRAME_RUNTIME: the program has it execute the task itself
	uint32_t construct;
	uint64_t time;	// that it waited; of FRAME_RUNTIME, when it began
	uint64_t child; // of FRAME_RUNTIME: the task; 0: none yet, or a region
};

/** A taskgroup. */
struct group {
	uint32_t users;
	struct path *longest; // of its tasks that have ended
	struct group *outer;
};

/** An address on which tasks of one parent depend. */
struct depended {
	struct path *longest[NUM_CLASSES]; // of tasks that have ended
	uint32_t last[NUM_CLASSES];	   // 1 + construct of the task that was created last
};
struct domain {
	uint32_t users;
	struct map addresses; // -> struct depended
	struct path *all;     // of tasks that depend on all memory
};
struct dependence {
	struct depended *on; // NULL: all memory
	enum dependence_class class;
};

enum phase { PHASE_NONE, PHASE_CREATED, PHASE_RUNS, PHASE_SUSPENDED, PHASE_ENDED };

/** A task: explicit (with an id), implicit or initial. */
struct node {
	uint32_t users; // itself until its end, and its children until theirs
	uint32_t construct;
	uint64_t id;
	struct node *parent;
	struct region *region;
	uint32_t flags, creator, thread, depth;
	bool is_on_path; // it is counted in its path
	bool joins;	 // its creator goes on only when it has ended
	bool is_below;	 // the task that was asked for
	uint8_t phase;
	// Its path
	struct path *path;
	uint64_t own;	       // work since
	struct path *children; // the longest of children that have ended
	struct group *group;   // of its new tasks
	struct group *member;  // in which it is
	struct domain *domain; // of its children; then the one in which it is
	struct domain *siblings;
	struct dependence *dependences;
	size_t num_dependences, max_dependences;
	// Times
	uint64_t create_begin, created, create_end, begun, ended, since; // UNKNOWN_TIME
	uint64_t execution, suspension, work;
	uint32_t suspensions;
	uint32_t num_frames; // may be more than MAX_FRAMES: inner ones are not kept
	struct frame frames[MAX_FRAMES];
	struct {
		uint32_t construct;
		uint64_t begin;
	} loops[MAX_LOOPS];	   // that it is in, outermost first
	uint32_t num_loops;	   // may be more than MAX_LOOPS
	struct profile_task *kept; // itself, or the nearest above it that is kept
	// Of implicit tasks
	struct node *outer, *outer_level;
	uint64_t entered, member_work, member_wait;
	uint32_t thread_num, barriers;
	bool is_counted;
};

/** A barrier that threads are at. */
struct meeting {
	uint32_t number;
	bool is_over;
	struct path *longest;
};

struct region {
	uint32_t users;
	uint32_t construct;
	uint64_t number, begin;
	struct node *encountered_by;
	struct path *fork, *longest; // longest: of its tasks, and of members that left
	struct meeting meetings[2];
	struct node **members; // NULL: it has left
	size_t num_members, capacity;
	uint64_t count, work, slowest, thread_time, barrier_wait;
	bool has_ended;
};

struct thread_state {
	bool has_begun, has_ended;
	uint32_t type;
	uint64_t last;	       // time up to which all is accounted
	struct node *current;  // task that it is in
	struct node *level;    // its innermost implicit task
	struct node *finished; // explicit task that has just ended
	uint64_t latest;       // id of the task that it created last
	bool acquires;
	uint64_t mutex, acquire_begin;
	struct profile_slice slice;
};

struct profile_room {
	struct thread_state *threads;
	struct map constructs, tasks, regions, locks, edges;
	uint64_t in_pool, pool_since;
	uint32_t kept_at[64]; // tasks of each depth in the tree
};

// ---- profile.c ---------------------------------------------------------------------------------

void stat_add(struct profile_stat *stat, uint64_t value);
uint32_t construct_of(struct profile *profile, enum profile_kind kind,
		      const struct trace_event *event);
/** Count an edge. */
void count_edge(struct profile *profile, uint32_t from, uint32_t to, bool depends);

// ---- threads.c ---------------------------------------------------------------------------------

/** Account a thread's time up to a moment. @p lane: instead of what the thread's task does; NUM_LANES. */
void advance(struct profile *profile, uint32_t thread, uint64_t now, enum profile_lane lane);
struct frame *top_frame(struct node *node);
struct frame *push_frame(struct node *node, uint8_t kind);
/** Remove the innermost frame. @return it, valid until the next one; NULL: there is none, or it was not kept. */
struct frame *pop_frame(struct node *node);

// ---- nodes.c -----------------------------------------------------------------------------------

struct node *node_create(struct profile *profile, uint32_t construct);
void node_drop(struct profile *profile, struct node **node);
/** Put what the task has done since into its path. */
void node_settle(struct profile *profile, struct node *node);
void node_join(struct profile *profile, struct node *node, struct path *path);
void group_begin(struct profile *profile, struct node *node);
void group_end(struct profile *profile, struct node *node);
/** Return the same group for another user; null for none. */
struct group *group_share(struct group *group);
/** Let a taskwait end. */
void task_wait_ended(struct profile *profile, struct node *node);
/** Note a dependence of the task that was created last. */
void dependence_add(struct profile *profile, const struct trace_event *event);
/** Let a task follow those that @p node waited for by its dependences. */
void dependences_join(struct profile *profile, struct node *node, struct node *follower);
/** Leave the path of a task that has ended to those that wait for it by dependences. */
void dependences_leave(struct profile *profile, struct node *node);

// ---- tasks.c -----------------------------------------------------------------------------------

void task_pause(struct node *node, uint64_t now);
void task_resume(struct node *node, uint64_t now);
void task_event(struct profile *profile, const struct trace_event *event);
/** Complete the figures of a task whose removal was, or was not, seen. */
void task_finish(struct profile *profile, struct thread_state *thread, uint64_t removed);
/** Note what is known of a task. */
void task_note(struct profile *profile, struct node *node, uint64_t removed);
void pool_change(struct profile *profile, uint64_t now, int change);

// ---- regions.c ---------------------------------------------------------------------------------

void region_event(struct profile *profile, const struct trace_event *event);
void sync_event(struct profile *profile, const struct trace_event *event);
void work_event(struct profile *profile, const struct trace_event *event);
/** Let a task begin to wait. */
void wait_begin(struct profile *profile, struct node *node, uint8_t kind,
		const struct trace_event *event);
void wait_end(struct profile *profile, struct node *node, uint64_t now);
void region_drop(struct profile *profile, struct region **region);

// ---- locks.c -----------------------------------------------------------------------------------

void mutex_event(struct profile *profile, const struct trace_event *event);

// ---- timeline.c --------------------------------------------------------------------------------

void timeline_create(struct profile *profile, uint64_t duration);
void timeline_add(struct profile *profile, const struct profile_slice *slice);
void timeline_add_pool(struct profile *profile, uint64_t from, uint64_t to, uint64_t tasks);

#endif

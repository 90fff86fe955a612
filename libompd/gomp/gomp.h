// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ompdbg knows of libgomp: threads, teams, tasks, control variables and waits, in terms of
// the runtime's structures by field name. The comments that name functions (gomp_team_start, …)
// name those of libgomp on whose behaviour a rule rests.

#ifndef OMPDBG_GOMP_H
#define OMPDBG_GOMP_H

#include "layout/layout.h"
#include "ompd/ompd_ext.h"
#include "runtime/activity.h"
#include "runtime/family.h"
#include "target/idmap.h"
#include "target/nptl.h"
#include "target/reason.h"
#include "target/target.h"

struct gomp_interposer;
struct wait_calls;

/** One process's libgomp. Everything in it is constant for the life of the process. */
struct runtime {
	struct target target;
	struct gomp_layout layout;
	struct nptl nptl;
	struct wait_calls *waits; // resolved at the first question
	struct gomp_interposer *interposer;
	struct idmap *owners; // by enum gomp_owned, as found last; believed if still so
	char release[24];     // "GCC 12"
};

// The operations of the family, gomp_open() and so on.
#define OPERATION(type, name, parameters) type gomp_##name parameters;
#include "runtime/operations.def"

extern const struct family gomp_family;

// ---- Fields (gomp/read.c) --------------------------------------------------------------------

// The fields of the structures that are named often.
#define THREAD(field) GOMP_FIELD_gomp_thread__##field
#define STATE(field) GOMP_FIELD_gomp_team_state__##field
#define TEAM(field) GOMP_FIELD_gomp_team__##field
#define TASK(field) GOMP_FIELD_gomp_task__##field
#define ICV(field) GOMP_FIELD_gomp_task_icv__##field
#define SHARE(field) GOMP_FIELD_gomp_work_share__##field

/** Address of a field of the structure at @p base. */
static inline uint64_t gomp_at(const struct runtime *runtime, uint64_t base, enum gomp_field field)
{
	return base + runtime->layout.field[field].offset;
}

static inline bool gomp_has(const struct runtime *runtime, enum gomp_field field)
{
	return runtime->layout.field[field].size != 0;
}

/** Value of an integer, boolean or pointer field, zero-extended. */
ompd_rc_t gomp_read(const struct runtime *runtime, uint64_t base, enum gomp_field field,
		    uint64_t *ret);

/** Value of a global variable of @p size bytes; ompd_rc_unsupported if its place is not known. */
ompd_rc_t gomp_read_global(const struct runtime *runtime, enum gomp_global global,
			   unsigned int size, uint64_t *ret);

enum {
	GOMP_RECORD_MAX = 512, // no structure that is read as a whole is larger
};

/** A copy of a whole structure of the target. */
struct gomp_record {
	uint64_t address;
	uint8_t bytes[GOMP_RECORD_MAX];
};

ompd_rc_t gomp_read_record(const struct runtime *runtime, uint64_t address, enum gomp_struct type,
			   struct gomp_record *ret);
/** Field of a record, zero-extended; 0 if the release has no such field. @p base is the offset of
 * the structure within the record. */
uint64_t gomp_get(const struct runtime *runtime, const struct gomp_record *record, uint32_t base,
		  enum gomp_field field);

// ---- Threads (gomp/thread.c) -----------------------------------------------------------------

/** struct gomp_team_state: a thread's place in one region. */
struct gomp_team_state {
	uint64_t team; // 0: no team
	uint32_t team_id;
	uint32_t level;
	uint32_t active_level;
	uint32_t place_partition_off;
	uint32_t place_partition_len;
	uint64_t def_allocator;
};

struct thread {
	uint64_t address; // of the struct gomp_thread
	struct gomp_team_state ts;
	uint64_t fn; // set by the primary thread, cleared by the worker when it leaves the dock
	uint64_t task;
	uint64_t pool;
	uint32_t place;	    // plus one; 0: not bound
	uint32_t num_teams; // less one
	uint32_t team_num;
};

ompd_rc_t gomp_read_team_state(const struct runtime *runtime, uint64_t address,
			       struct gomp_team_state *ret);
ompd_rc_t gomp_read_thread(const struct runtime *runtime, uint64_t address, struct thread *ret);

/** Return the pthread_t with the struct gomp_thread at @p thread: on x86-64 the thread pointer. */
static inline uint64_t gomp_pthread(const struct runtime *runtime, uint64_t thread)
{
	return thread - runtime->layout.tls_offset;
}

/**
 * Check whether a thread takes part in OpenMP: ompd_rc_ok, or ompd_rc_unavailable with the reason
 * for one that never did, or is on its way out.
 */
ompd_rc_t gomp_check_openmp_thread(const struct runtime *runtime, const struct thread *thread);

/** Kinds of things that a thread can own. */
enum gomp_owned {
	GOMP_OWNED_POOL, // by its address: of the thread that is number 0 in all of its teams
	GOMP_OWNED_TEAM, // by its address: of its primary thread
	GOMP_OWNED_TASK, // by the address of its control variables: of the thread that has begun it
	GOMP_OWNED_COUNT
};

/** @p *ret is to be closed in any case. nomem. */
ompd_rc_t gomp_owners_open(const struct target *target, struct idmap **ret);
void gomp_owners_close(const struct target *target, struct idmap *owners);

/**
 * Find the owner (gomp/owner.c).
 * @return ok; unavailable (no thread is the owner); error (none that is left of a damaged list, and
 *         of threads that can be read); nomem.
 */
ompd_rc_t gomp_owner(const struct runtime *runtime, enum gomp_owned kind, uint64_t what,
		     uint64_t *ret);

/** Note an owner that was found in another way. nomem. */
ompd_rc_t gomp_note_owner(const struct runtime *runtime, enum gomp_owned kind, uint64_t what,
			  uint64_t thread);

/**
 * Return whether a thread with this place, and the thread that it was before each region that it is
 * in, encountered all of these regions.
 */
ompd_rc_t gomp_owns_pool(const struct runtime *runtime, struct gomp_team_state ts, bool *ret);

/** Return the initial thread of the thread's contention group: itself, or the owner of its pool. */
ompd_rc_t gomp_root_of(const struct runtime *runtime, const struct thread *thread, uint64_t *ret);

/** A contention group. Most questions need not know its initial thread, which costs reads. */
struct gomp_group {
	uint64_t pool;
	uint64_t root; // its initial thread; 0: the owner of the pool, whom nobody has asked for
};

/** Return the initial thread of a contention group. */
ompd_rc_t gomp_group_root(const struct runtime *runtime, const struct gomp_group *group,
			  uint64_t *ret);

/** Return the primary thread of a team where it was found last, if it is still in the team. */
bool gomp_primary_where_seen(const struct runtime *runtime, uint64_t team, uint32_t level,
			     struct thread *ret);

/**
 * Check whether a worker is idle: in its pool's dock, its last region at an end. libgomp leaves the
 * team pointer of an idle worker as it was; the pool's last_team and the primary thread, which is
 * no longer in the team, show that the region is over.
 */
ompd_rc_t gomp_is_idle(const struct runtime *runtime, const struct thread *thread, bool *ret);

// ---- Regions (gomp/region.c) -----------------------------------------------------------------

enum {
	GOMP_MAX_LEVEL = 4096, // deeper nesting is taken for damage
};

/** A parallel region. team 0: the implicit region of an initial thread. */
struct region {
	uint64_t team;
	struct gomp_group group;  // its root is known at level 0
	uint64_t artificial_team; // libgomp may give an implicit region a team for its tasks
	uint32_t level;
	uint32_t active_level;
	uint32_t nthreads;
	struct gomp_team_state outer; // of the primary thread, before the region
};

/** Return the region of a team state, and verify the team's invariants. */
ompd_rc_t gomp_region_of_state(const struct runtime *runtime, const struct gomp_group *group,
			       const struct gomp_team_state *ts, struct region *ret);

/**
 * Look for the initial thread around a region on level 1: its initial task may be the parent of the
 * region's tasks, and have no record but the thread.
 */
ompd_rc_t gomp_know_parent(const struct runtime *runtime, struct region *region);

/** Where a thread, or its ancestor, stands in a region that may enclose the thread's own. */
struct gomp_membership {
	struct gomp_team_state ts;    // of the thread or its ancestor in the region
	struct gomp_team_state inner; // one level further in; team 0 if the region is innermost
	bool member;		      // the thread itself belongs to the region's team
};

/**
 * Find @p region among the thread's region and those that enclose it. A thread is a member of an
 * enclosing region only as the primary thread of each region between; else its ancestor is.
 * ompd_rc_unavailable if the region does not enclose the thread.
 */
ompd_rc_t gomp_find_membership(const struct runtime *runtime, const struct thread *thread,
			       const struct region *region, struct gomp_membership *ret);

/** Address of the record of an implicit task. */
uint64_t gomp_implicit_task_address(const struct runtime *runtime, uint64_t team,
				    uint32_t thread_num);

// ---- Tasks (gomp/task.c) ---------------------------------------------------------------------

/** A task. address 0: the initial task of its group's root, for which libgomp has no record. */
struct task {
	uint64_t address;
	uint64_t thread; // through which it was found as the current task, 0 if otherwise
	bool orphan;	 // its parent has ended, though its record may still name it
	struct region region;
};

/** enum gomp_task_kind; the values are checked against the debug information by a test. */
enum gomp_task_kind {
	GOMP_TASK_IMPLICIT,
	GOMP_TASK_UNDEFERRED,
	GOMP_TASK_WAITING,
	GOMP_TASK_TIED,
	GOMP_TASK_ASYNC_RUNNING,
	GOMP_TASK_DETACHED,
	GOMP_TASK_KIND_COUNT
};

/** A task's record with the fields that are always meaningful. */
struct gomp_task_record {
	struct gomp_record record;
	enum gomp_task_kind kind;
	uint64_t parent;
};

/** Check for a task that libgomp was given to execute later: it keeps the function of these only
 * (GOMP_task, GOMP_taskloop). */
static inline bool gomp_is_deferred(const struct gomp_task_record *record)
{
	return record->kind != GOMP_TASK_IMPLICIT && record->kind != GOMP_TASK_UNDEFERRED;
}

ompd_rc_t gomp_read_task(const struct runtime *runtime, uint64_t address,
			 struct gomp_task_record *ret);

/**
 * Read the record of the task that a thread executes, if no more is asked of it.
 * @return unavailable: it is the initial task without a record.
 */
ompd_rc_t gomp_running_task(const struct runtime *runtime, const struct thread *thread,
			    struct gomp_task_record *ret);
/** Return the current task of a member of @p region within that region. */
ompd_rc_t gomp_member_task(const struct runtime *runtime, const struct thread *thread,
			   const struct region *region, struct task *ret);
/** Number of the implicit task at @p address in its team; false if it is none of the region. */
bool gomp_implicit_task_number(const struct runtime *runtime, const struct region *region,
			       uint64_t address, uint32_t *ret);

// ---- The interposer (gomp/interposer.c) ------------------------------------------------------

/** @p *ret is to be released with target_free() in any case. nomem. */
ompd_rc_t gomp_interposer_open(const struct target *target, struct gomp_interposer **ret);
/**
 * Return the program's function of a deferred task; 0 for a target task.
 * @return ok; incompatible (the interposer is of another version); error (damaged).
 */
ompd_rc_t gomp_deferred_function(const struct runtime *runtime,
				 const struct gomp_task_record *record, uint64_t *ret);
/** Return the program's data of a deferred task, as gomp_deferred_function() does with its function. */
ompd_rc_t gomp_deferred_data(const struct runtime *runtime, const struct gomp_task_record *record,
			     uint64_t *ret);

// ---- Which thread has which task (gomp/activity.c) -------------------------------------------

/** List what the threads of @p region do. */
ompd_rc_t gomp_activity_open(const struct runtime *runtime, const struct region *region,
			     struct activity *ret);
/** List what the threads of a task's region do, as far as that one task needs it. */
ompd_rc_t gomp_activity_open_for(const struct runtime *runtime, const struct task *task,
				 struct activity *ret);

// ---- What is known of a task (gomp/task_info.c) ----------------------------------------------

/** Describe a task whose record was already read, from the activity of its region. */
void gomp_describe_task(const struct runtime *runtime, const struct region *region,
			const struct activity *activity, const struct gomp_task_record *record,
			ompd_ext_task_info *ret);
/** Describe the initial task that has no record. */
void gomp_describe_initial_task(const struct region *region, const struct activity *activity,
				ompd_ext_task_info *ret);
/** Check whether a task waits in a taskwait: bits of ompd_ext_task_in_taskwait, _in_depend_wait. */
ompd_rc_t gomp_taskwait_flags(const struct runtime *runtime, const struct gomp_task_record *record,
			      uint32_t *ret);
/** Check whether a task opened the taskgroup that it is in, and sleeps at the end of it. */
ompd_rc_t gomp_waits_in_taskgroup(const struct runtime *runtime,
				  const struct gomp_task_record *record, bool *ret);

#endif

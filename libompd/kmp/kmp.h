// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ompdbg knows of LLVM's runtime (libomp, libiomp5): threads, teams, tasks, control variables
// and waits, in terms of the runtime's structures by field name. The comments that name functions
// (__kmp_fork_call, …) name those of the runtime on whose behaviour a rule rests.

#ifndef OMPDBG_KMP_H
#define OMPDBG_KMP_H

#include "layout/kmp_layout.h"
#include "ompd/ompd_ext.h"
#include "runtime/family.h"
#include "target/idmap.h"
#include "target/nptl.h"
#include "target/reason.h"
#include "target/target.h"

struct wait_calls;

/** How far a runtime's layout is known. */
enum kmp_knowledge {
	KMP_FOUND, // the runtime tells its layout, it was not asked yet
	KMP_EARLY, // what could be known before the runtime was initialized
	KMP_KNOWN,
};

/**
 * A hint from earlier reads of the runtime's list of threads: where to look first, never believed.
 */
struct kmp_seen {
	uint64_t list;	      // the array, as of the last look
	uint64_t searched;    // the array in which these were found
	struct idmap threads; // pthread_t -> kmp_info
	bool without_tool;    // for good: a tool is started before the first worker
	bool asked_cancellation, no_cancellation; // constant, too
};

/** One process's libomp. All but what the comments name is constant for the life of the process. */
struct runtime {
	enum kmp_knowledge knowledge;
	struct target target;
	struct kmp_layout layout;
	struct nptl nptl;
	struct wait_calls *waits; // resolved at the first question
	struct kmp_seen *seen;
	char name[24];	  // "libomp"
	char release[48]; // "LLVM 14"
};

// The operations of the family, kmp_open() and so on.
#define OPERATION(type, name, parameters) type kmp_##name parameters;
#include "runtime/operations.def"

extern const struct family kmp_family;

// ---- Fields (kmp/read.c) ---------------------------------------------------------------------

// The fields of the structures that are named often.
#define INFO(field) KMP_FIELD_kmp_base_info_t__##field
#define TEAM(field) KMP_FIELD_kmp_base_team_t__##field
#define TASK(field) KMP_FIELD_kmp_taskdata_t__##field
#define ICV(field) KMP_FIELD_kmp_internal_control_t__##field

/** Check whether the release keeps it, be it that where is not proven. */
static inline bool kmp_has(const struct runtime *runtime, enum kmp_field field)
{
	return runtime->layout.field[field].size != 0 ||
	       runtime->layout.standing[field] == LAYOUT_DOUBTED;
}

/** Check whether the release keeps it, and where is not proven. */
static inline bool kmp_doubts(const struct runtime *runtime, enum kmp_field field)
{
	return runtime->layout.field[field].size == 0 &&
	       runtime->layout.standing[field] == LAYOUT_DOUBTED;
}

/** No address of a structure: what is read there is not proven. */
#define KMP_NOWHERE UINT64_C(1)

/** Address of a field of the structure at @p base; KMP_NOWHERE if it is not known. */
static inline uint64_t kmp_at(const struct runtime *runtime, uint64_t base, enum kmp_field field)
{
	const struct layout_field *place = &runtime->layout.field[field];

	return place->size == 0 || base == KMP_NOWHERE ? KMP_NOWHERE : base + place->offset;
}

/** Value of an integer or pointer field, zero-extended. unsupported if the release has none. */
ompd_rc_t kmp_read(const struct runtime *runtime, uint64_t base, enum kmp_field field,
		   uint64_t *ret);
enum {
	KMP_WHOLE = 512, // bytes: structures of no more are read whole, for the reads that follow
};

/** A field that is wanted, and where: as a word, or as the int that it is. */
struct kmp_wanted {
	enum kmp_field field;
	uint64_t *word;
	int32_t *number;
};

#define WANT(of, to)                        \
	{                                   \
		.field = (of), .word = (to) \
	}
#define WANT_INT(of, to)                      \
	{                                     \
		.field = (of), .number = (to) \
	}

/**
 * Read fields of a structure, each a WANT(field, &word) or WANT_INT(field, &number). The first
 * failure counts.
 */
#define KMP_READ(runtime, base, ...)                                           \
	kmp_read_each((runtime), (base), (struct kmp_wanted[]){ __VA_ARGS__ }, \
		      sizeof((struct kmp_wanted[]){ __VA_ARGS__ }) / sizeof(struct kmp_wanted))
ompd_rc_t kmp_read_each(const struct runtime *runtime, uint64_t base,
			const struct kmp_wanted *wanted, size_t count);

/**
 * Read several fields of a structure by one read of the target: of the part of the structure in
 * which they lie. The first failure counts.
 */
ompd_rc_t kmp_read_fields(const struct runtime *runtime, uint64_t base,
			  const struct kmp_wanted *wanted, size_t count);

/** A part of a structure, which is read at once. */
struct kmp_span {
	uint32_t first, end;
};

#define KMP_SPAN_EMPTY                        \
	{                                     \
		.first = UINT32_MAX, .end = 0 \
	}

/**
 * Extend @p span to a field of the structure that begins @p start bytes after that of the span.
 */
void kmp_span_add(const struct runtime *runtime, struct kmp_span *span, uint32_t start,
		  enum kmp_field field);
/** Read a part of the structure at @p base, for the reads within it that follow. */
void kmp_view_span(const struct runtime *runtime, uint64_t base, const struct kmp_span *span);

/** unsupported, with the reason, if the place of one of the flags of tasks is not proven. */
ompd_rc_t kmp_know_flags(const struct runtime *runtime);
/** Value of an int field. */
ompd_rc_t kmp_read_int(const struct runtime *runtime, uint64_t base, enum kmp_field field,
		       int32_t *ret);

/** Value of a variable of @p size bytes; unsupported if its place is not known. */
ompd_rc_t kmp_read_global(const struct runtime *runtime, enum kmp_global global, unsigned int size,
			  uint64_t *ret);

/** Element @p index of the array of pointers at @p array. */
ompd_rc_t kmp_read_element(const struct runtime *runtime, uint64_t array, uint64_t index,
			   uint64_t *ret);

/** ok in place of unavailable, where that there is none is an answer. */
static inline ompd_rc_t kmp_or_none(ompd_rc_t rc)
{
	if (rc != ompd_rc_unavailable)
		return rc;
	reason_clear();
	return ompd_rc_ok;
}

// ---- The list of threads (kmp/thread_list.c) -------------------------------------------------

/**
 * Return the thread with this gtid, 0 if there is none now.
 * @return unavailable: the runtime has never had so many threads.
 */
ompd_rc_t kmp_thread_at(const struct runtime *runtime, uint64_t gtid, uint64_t *ret);

/** Return the thread with the next gtid from @p gtid on; unavailable at the end. */
ompd_rc_t kmp_next_listed(const struct runtime *runtime, uint64_t *gtid, uint64_t *ret);

// ---- Threads (kmp/thread.c) ------------------------------------------------------------------

struct thread {
	uint64_t address; // of the kmp_info
	uint64_t pthread; // 0: could not be read
	uint64_t list;	  // the runtime's array of threads in which it was found
	uint64_t team;	  // 0: in the pool
	uint64_t
		primary; // the thread with number 0 of its team; 0: where that is kept is not known
	uint32_t gtid;
	uint32_t tid;	     // number in its team
	int32_t teams_level; // of the teams construct that it is, or was, in; -1: none
	bool in_pool;
};

/** Read the thread at @p address, which must be one of the runtime's array of threads. */
ompd_rc_t kmp_read_thread(const struct runtime *runtime, uint64_t address, struct thread *ret);

/** Read the address of the kmp_taskdata of the task that a thread executes. */
static inline ompd_rc_t kmp_thread_task(const struct runtime *runtime, const struct thread *thread,
					uint64_t *ret)
{
	return kmp_read(runtime, thread->address, INFO(th_current_task), ret);
}

/** Read the pthread_t of a thread; 0: it has none yet. */
ompd_rc_t kmp_read_pthread(const struct runtime *runtime, uint64_t thread, uint64_t *ret);

/** Check whether the thread with that gtid is a hidden helper. */
ompd_rc_t kmp_is_helper(const struct runtime *runtime, uint64_t gtid, bool *ret);

/**
 * Check whether a worker is idle: in the pool, or kept by a team whose region is over, or by a team
 * of a league that is in no region. A hot team keeps its workers, and they keep their pointers to
 * it; its primary thread, which is in it, shows that it is at work.
 */
ompd_rc_t kmp_is_idle(const struct runtime *runtime, const struct thread *thread, bool *ret);

/** Return the enum ompd_ext_thread_kind of a thread. */
ompd_rc_t kmp_thread_kind(const struct runtime *runtime, const struct thread *thread,
			  uint32_t *ret);

// ---- Teams (kmp/team.c) ----------------------------------------------------------------------

/** A kmp_team: one region of several threads, or one or more nested serialized regions. */
struct kmp_team {
	uint64_t address;
	uint64_t parent;
	uint64_t threads; // array of kmp_info pointers
	uint64_t implicit_tasks;
	uint32_t serialized; // nested regions of one thread that it stands for; 0: it is none
	uint32_t level, active_level;
	uint32_t nproc;
	uint32_t master_tid; // number of its primary thread in the parent
};

enum {
	KMP_MAX_LEVEL = 4096,	   // deeper nesting is taken for damage
	KMP_MAX_THREADS = 1 << 18, // likewise a larger team, or list of threads
};

/** Extend a part of a team to all that kmp_read_team() reads. */
void kmp_span_of_team(const struct runtime *runtime, struct kmp_span *span);
/** Read a team and check what must hold of any. */
ompd_rc_t kmp_read_team(const struct runtime *runtime, uint64_t address, struct kmp_team *ret);

/** Read the address of the thread with that number from the array of a team. */
ompd_rc_t kmp_team_thread(const struct runtime *runtime, const struct kmp_team *team,
			  uint32_t number, uint64_t *ret);

/** Count the regions that a team stands for. */
static inline uint32_t kmp_team_regions(const struct kmp_team *team)
{
	return team->serialized ? team->serialized : 1;
}

/**
 * Tell whether the team's primary thread has given it up at the end of a region, and may wait in it until
 * the others have left it (__kmp_free_team). Only a root's own team, which counts as serialized, has no
 * parent otherwise.
 */
static inline bool kmp_is_given_up(const struct kmp_team *team)
{
	return !team->parent && !team->serialized;
}

/** Check whether the team at @p wanted is @p team or one of its ancestors. */
ompd_rc_t kmp_is_within(const struct runtime *runtime, uint64_t team, uint64_t wanted, bool *ret);

// ---- Regions (kmp/region.c) ------------------------------------------------------------------

enum kmp_region_kind {
	KMP_REGION_INITIAL, // the implicit region of a root
	KMP_REGION_PARALLEL,
	KMP_REGION_LEAGUE,	 // the implicit region of an initial thread of a league
	KMP_REGION_WHOLE_LEAGUE, // no region: the team of a league, whose threads are in no other
};

#define KMP_UNCOUNTED UINT32_MAX // of a parallel region; what teams are around it matters to few

struct region {
	enum kmp_region_kind kind;
	struct kmp_team team;
	uint32_t above; // regions of the same team within this one
	uint32_t depth; // teams and serialized regions from the root to this one, or KMP_UNCOUNTED
	uint32_t level, active_level, nthreads;
	int32_t teams_level; // level of the teams construct around it, -1: none; or was, if uncounted
};

/** Check the number of a thread in its own region: a thread gets its number and its team one after
 * the other (__kmp_initialize_info). */
ompd_rc_t kmp_check_number(const struct runtime *runtime, const struct thread *thread,
			   const struct region *region);

/**
 * Check whether a thread is in its league's own team: it waits there for the others at the end, or
 * has not begun its part.
 */
ompd_rc_t kmp_is_in_whole_league(const struct runtime *runtime, const struct thread *thread,
				 bool *ret);

/** Where a thread, or its ancestor, stands in a region that may enclose the thread's own. */
struct kmp_place {
	uint32_t thread_num;
	bool member;	     // the thread itself is of the region's team
	bool innermost;	     // the region is the thread's own
	struct region inner; // else the region within it that the thread is in
	bool inner_is_left;  // and is about to leave
};

/** unavailable if the region does not enclose the thread. */
ompd_rc_t kmp_find_place(const struct runtime *runtime, const struct thread *thread,
			 const struct region *region, struct kmp_place *ret);

/**
 * Return the team of the league that a region of kind LEAGUE is one of; the same for a serialized
 * one.
 */
ompd_rc_t kmp_league_team(const struct runtime *runtime, const struct region *region,
			  struct kmp_team *ret);

/**
 * Entry point of the region's outlined function; unavailable if it is not kept (kmp/function.c).
 */
ompd_rc_t kmp_region_function(struct runtime *runtime, const struct region *region, uint64_t *ret);

// ---- Tasks (kmp/task.c) ----------------------------------------------------------------------

/** A task: a kmp_taskdata; the implicit tasks of nested serialized regions share one. */
struct task {
	uint64_t address;
	bool implicit;
	uint32_t likely; // the thread that is asked first whether it works on it
	struct region region;
};

/** A task's record with what is always meaningful. */
struct kmp_task_record {
	uint64_t address;
	uint64_t team, parent;
	uint32_t flags; // kmp_tasking_flags; bits whose place is not proven are 0
	bool is_explicit;
};

ompd_rc_t kmp_read_task(const struct runtime *runtime, uint64_t address,
			struct kmp_task_record *ret);
/** Return the address of the kmp_taskdata in front of a kmp_task. */
uint64_t kmp_taskdata_of(const struct runtime *runtime, uint64_t task);
/** Return the address of the kmp_task behind a kmp_taskdata. */
uint64_t kmp_task_behind(const struct runtime *runtime, uint64_t taskdata);
/** Member of the kmp_task behind a kmp_taskdata. */
ompd_rc_t kmp_read_behind(const struct runtime *runtime, uint64_t taskdata, enum kmp_field field,
			  uint64_t *ret);

/** Check whether a bit of kmp_tasking_flags is set; false if the release has no such bit, or where
 *  it is is not proven. */
bool kmp_flag(const struct runtime *runtime, uint32_t flags, enum kmp_field bit);

// The bits that are named often.
#define FLAG(bit) KMP_FIELD_kmp_tasking_flags_t__##bit

/**
 * Return the record that the runtime uses for it: in nested regions of one thread perhaps
 * another's.
 */
ompd_rc_t kmp_current_record(const struct runtime *runtime, const struct thread *thread,
			     struct task *ret);
/**
 * Return the task that a member of @p region works on in that region; @p running: at this moment.
 */
ompd_rc_t kmp_member_task(const struct runtime *runtime, const struct thread *thread,
			  const struct region *region, struct task *ret, bool *running);

/** Number of the implicit task at @p address in the region's team; false if it is none. */
bool kmp_implicit_task_number(const struct runtime *runtime, const struct region *region,
			      uint64_t address, uint32_t *ret);

/**
 * Check whether the explicit tasks of the region's team belong to it, and not to a region within.
 */
bool kmp_owns_tasks(const struct region *region);

// ---- The tool interface (kmp/ompt.c) ---------------------------------------------------------

/** Find what the runtime keeps for a tool: the address of an ompt_task_info. */
ompd_rc_t kmp_ompt_task(const struct runtime *runtime, const struct task *task, uint64_t *ret);

// ---- States and waits (kmp/wait.c) -----------------------------------------------------------

/** Check that the program cannot cancel regions, so that threads leave no barrier before all have come. */
bool kmp_never_cancels(const struct runtime *runtime);
/** Check whether an address lies among the functions of the runtime. */
ompd_rc_t kmp_is_own_code(struct runtime *runtime, uint64_t address, bool *ret);

// ---- Locks (kmp/lock.c) ----------------------------------------------------------------------

/** A lock that a variable of the program leads to. */
struct kmp_lock {
	bool direct; // the variable is itself the lock
	uint32_t word;
	uint64_t address; // of the lock; 0: there is none yet
	uint64_t type;	  // kmp_indirect_locktag_t
};

ompd_rc_t kmp_find_lock(const struct runtime *runtime, uint32_t kind, uint64_t variable,
			struct kmp_lock *ret);
/** Check whether threads queue for a lock, and the queue names them. */
bool kmp_lock_has_queue(const struct kmp_lock *lock);
ompd_rc_t kmp_lock_owner(const struct runtime *runtime, const struct kmp_lock *lock,
			 ompd_ext_lock_info *ret);

#endif

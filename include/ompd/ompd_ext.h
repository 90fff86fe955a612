// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ompdbg answers beyond the OMPD standard: every task of a team, wait sites, identities of
// handles, and how the layout of the runtime is known. A client finds these functions with
// dlsym(); a library without them is a plain OMPD library.
//
// All functions return ompd_rc_t codes with the standard's meanings. Memory that a function
// returns is allocated with the alloc_memory callback and owned by the caller, unless the comment
// says otherwise.

#ifndef OMPD_OMPD_EXT_H
#define OMPD_OMPD_EXT_H

#include <stddef.h>

#include "ompd/ompd.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Several runtimes in one process ---------------------------------------------------------

/**
 * Return the name of a runtime that the library can recognise: "libgomp" for @p index 0, and so on.
 * @param[out] name static.
 * @return ok; unavailable (no name at @p index); bad_input; error (not initialized).
 */
ompd_rc_t ompd_ext_enumerate_runtimes(size_t index, const char **name);

/**
 * Open a process as ompd_process_initialize() does, for one runtime that
 * ompd_ext_enumerate_runtimes() names.
 * A process may hold several; each has an address space handle of its own, and every thread may be
 * asked of each.
 *
 * @param runtime a name; NULL: the first that is recognised.
 * @return ok; unavailable (it is not in the process); incompatible (it is, but the library does
 *         not know enough of it); bad_input; nomem; or what a callback returned.
 */
ompd_rc_t ompd_ext_process_initialize(ompd_address_space_context_t *context, const char *runtime,
				      ompd_address_space_handle_t **host_handle);

// ---- How the answers are known ---------------------------------------------------------------

/** Where the layout of the runtime's structures was taken from. */
enum ompd_ext_layout_source {
	ompd_ext_layout_none = 0,	// no layout: nothing can be answered
	ompd_ext_layout_runtime = 1,	// the runtime's own ompd_access__… variables
	ompd_ext_layout_debug_info = 2, // debug information, answered by the debugger
	ompd_ext_layout_table = 3,	// built-in table of a release
};

typedef struct ompd_ext_layout_info {
	ompd_size_t size;	// in: sizeof (struct) of the caller; fields past it are left alone
	const char *runtime;	// "libgomp", static
	const char *release;	// releases that the layout describes, "GCC 13 to 16", static
	uint32_t source;	// enum ompd_ext_layout_source
	uint32_t probes_agreed; // code probes that confirmed the layout
	uint32_t probes_silent; // probes whose code could not be read or decoded
	uint32_t doubted;	// fields whose place is not proven: what needs them is unsupported
} ompd_ext_layout_info;

/**
 * Tell how the layout of @p handle's runtime is known.
 * @return ompd_rc_ok; ompd_rc_bad_input (no info, or size 0); ompd_rc_stale_handle (no handle).
 */
ompd_rc_t ompd_ext_get_layout_info(ompd_address_space_handle_t *handle, ompd_ext_layout_info *info);

/**
 * Return why the last call of this library did not return ompd_rc_ok, as one line of text without a
 * newline; "" if it did or if there is nothing to add to the return code. Owned by the library and
 * valid until the next call into it.
 */
const char *ompd_ext_last_reason(void);

// ---- Identities ------------------------------------------------------------------------------

/**
 * Return a number that identifies what a handle stands for as long as the target does not run: two
 * handles of one scope in one address space have equal identities exactly if they compare equal.
 * Never 0.
 *
 * @param scope ompd_scope_thread, _parallel or _task (ompd_scope_implicit_task is the same here).
 * @return ompd_rc_ok, ompd_rc_bad_input, ompd_rc_stale_handle (no handle).
 */
ompd_rc_t ompd_ext_get_handle_id(void *handle, ompd_scope_t scope, uint64_t *id);

// ---- Tasks -----------------------------------------------------------------------------------

enum ompd_ext_task_kind {
	ompd_ext_task_initial = 0,
	ompd_ext_task_implicit = 1,
	ompd_ext_task_explicit = 2,
	ompd_ext_task_target = 3,
};

enum ompd_ext_task_status {
	ompd_ext_task_running = 0,   // the current task of its thread
	ompd_ext_task_suspended = 1, // begun, and a thread runs another task on top of it
	ompd_ext_task_queued = 2,    // ready, waiting for a thread
	ompd_ext_task_blocked = 3,   // waits for the completion of tasks that it depends on
	ompd_ext_task_detached = 4,  // body is done, completion event not yet fulfilled
	ompd_ext_task_creating = 5,  // being set up by its generating task
	ompd_ext_task_completed = 6, // done, memory not yet reused
	ompd_ext_task_started = 7,   // begun; whether it runs at this moment is not recorded
	// Its thread is just entering or leaving the team, or the place of what tells is not proven.
	ompd_ext_task_unknown = 8,
};

/** Bits that say what a task is; a bit counts only if it is set in flags_known too. */
enum ompd_ext_task_flag {
	ompd_ext_task_final = 1 << 0,
	ompd_ext_task_undeferred = 1 << 1,
	ompd_ext_task_untied = 1 << 2,
	ompd_ext_task_mergeable = 1 << 3,
	ompd_ext_task_detachable = 1 << 4,
	ompd_ext_task_in_taskwait = 1 << 5,	  // waits in a taskwait
	ompd_ext_task_in_depend_wait = 1 << 6,	  // waits for predecessors: taskwait or undeferred
	ompd_ext_task_in_taskgroup_wait = 1 << 7, // waits at the end of a taskgroup
	ompd_ext_task_in_wait = 1 << 8, // one of these or a taskyield; which, may not be recorded
	ompd_ext_task_depends_lost = 1 << 9, // its depend clauses may have had more elements
	ompd_ext_task_proxy = 1 << 10, // a foreign event, not the end of its code, completes it
};

typedef struct ompd_ext_task_info {
	uint64_t id;	      // as of ompd_ext_get_handle_id
	uint64_t parent_id;   // generating task, 0 if the runtime no longer records it
	uint64_t parallel_id; // the region that the task is bound to
	uint64_t function;    // entry of its outlined function, 0 if not kept
	uint64_t taskgroup;   // address of the innermost taskgroup's descriptor, 0 if none
	uint32_t kind;	      // enum ompd_ext_task_kind
	uint32_t status;      // enum ompd_ext_task_status
	uint32_t flags;	      // enum ompd_ext_task_flag
	uint32_t flags_known;
	int32_t priority;	   // of an explicit task, 0 otherwise
	int32_t thread_num;	   // of whom runs it or, implicit, owns it; -1 unknown
	uint32_t num_depends;	   // elements of its depend clauses
	uint32_t num_predecessors; // unfinished tasks that it still waits for (blocked tasks)
	// Address of a text of the form ";file;function;line;column;;" that tells where the task's
	// construct is in the source, "unknown" and 0 in place of what the compiler was not asked
	// for; 0 if the runtime keeps none, or it cannot be told.
	uint64_t source;
	// Address that the runtime passes to the code of a deferred task: to GCC's, the task's copies and
	// addresses of variables; to Clang's, as its second argument, the task's record. 0: of other tasks.
	uint64_t argument;
} ompd_ext_task_info;

/** Fill @p info for one task. Codes: ok, bad_input, stale_handle, error (memory unreadable). */
ompd_rc_t ompd_ext_get_task_info(ompd_task_handle_t *task, ompd_ext_task_info *info);

typedef struct ompd_ext_task_iterator ompd_ext_task_iterator;

/**
 * Start an enumeration of every task of one team: implicit tasks in the order of their thread
 * numbers, then each explicit task exactly once, a parent before its children where the runtime
 * records the parent. Tasks of enclosed regions are not included. For the implicit region
 * outside of any parallel construct the only task is the initial task.
 *
 * @param[out] iterator to be released with ompd_ext_tasks_close(), or with its address space.
 * @return ok, bad_input, stale_handle, nomem, error.
 */
ompd_rc_t ompd_ext_tasks_open(ompd_parallel_handle_t *parallel, ompd_ext_task_iterator **iterator);

/**
 * Start an enumeration of the tasks of every live region of every thread of the process, enclosing
 * regions first.
 * ompd_rc_unavailable if the threads of the process cannot be enumerated (no glibc descriptors).
 */
ompd_rc_t ompd_ext_tasks_open_all(ompd_address_space_handle_t *handle,
				  ompd_ext_task_iterator **iterator);

/**
 * Store up to @p max records. *count is 0 at the end.
 * @return ompd_rc_ok; ompd_rc_incomplete if a list was found damaged or longer than any sane
 *         target's (what was read is returned, and the enumeration can go on);
 *         ompd_rc_nomem, ompd_rc_bad_input.
 */
ompd_rc_t ompd_ext_tasks_next(ompd_ext_task_iterator *iterator, ompd_ext_task_info *records,
			      size_t max, size_t *count);

/**
 * After the end of an enumeration: how many tasks the runtime counts that the enumeration could
 * not reach (a detached task, say, or a running one whose parent has ended).
 * @return ok, unavailable (the runtime holds its lock: the count is in motion), bad_input.
 */
ompd_rc_t ompd_ext_tasks_unreached(ompd_ext_task_iterator *iterator, uint32_t *count);

ompd_rc_t ompd_ext_tasks_close(ompd_ext_task_iterator *iterator);

/**
 * Return a handle for the task of a record that an enumeration returned since the process stopped.
 * No list is searched for it.
 *
 * @param parallel the region that the record names.
 * @param[out] task to be released with ompd_rel_task_handle().
 * @return ok, bad_input (a record of another region), stale_handle, nomem.
 */
ompd_rc_t ompd_ext_get_task_by_info(ompd_parallel_handle_t *parallel,
				    const ompd_ext_task_info *info, ompd_task_handle_t **task);

enum ompd_ext_depend_kind {
	ompd_ext_depend_out = 0, // out or inout; of libgomp mutexinoutset too: not told apart
	ompd_ext_depend_in = 1,
	ompd_ext_depend_inoutset = 2,
	ompd_ext_depend_all_memory = 3,
	ompd_ext_depend_other = 4, // in, inoutset or mutexinoutset: not told apart
	ompd_ext_depend_mutexinoutset = 5,
};

typedef struct ompd_ext_depend {
	uint64_t address;
	uint32_t kind; // enum ompd_ext_depend_kind
	uint32_t reserved;
} ompd_ext_depend;

/**
 * Return the depend clauses of a task. At most @p max are stored; *count is their number.
 * @return ok; incomplete (libomp: what a later sibling's clause repeats is not recorded, so that
 *         there may be more); bad_input; stale_handle; error.
 */
ompd_rc_t ompd_ext_get_task_depends(ompd_task_handle_t *task, ompd_ext_depend *depends, size_t max,
				    size_t *count);

/** Return the identities of the tasks that wait for the completion of @p task. Arguments and codes
 * are those of ompd_ext_get_task_depends(). */
ompd_rc_t ompd_ext_get_task_dependers(ompd_task_handle_t *task, uint64_t *ids, size_t max,
				      size_t *count);

// ---- Threads ---------------------------------------------------------------------------------

/**
 * Every OpenMP thread of the process, idle ones included: in the order of glibc's own list of
 * threads (libgomp), or of the runtime's (libomp).
 * @param[out] threads an array that the caller frees, after each of its handles was released with
 *             ompd_rel_thread_handle(); NULL: only their number is wanted.
 * @return ok; incomplete (some thread could not be read, and is left out); unavailable (the threads
 *         cannot be enumerated: no glibc descriptors); bad_input; stale_handle; nomem.
 */
ompd_rc_t ompd_ext_get_threads(ompd_address_space_handle_t *handle, ompd_thread_handle_t ***threads,
			       size_t *count);

/**
 * Return the thread's number in the team of @p parallel, or, in a region that encloses the thread's
 * own, the number of its ancestor there: what omp_get_ancestor_thread_num() answers in the thread.
 * Codes: ok; unavailable (the region does not enclose the thread); bad_input; stale_handle.
 */
ompd_rc_t ompd_ext_get_thread_num(ompd_thread_handle_t *thread, ompd_parallel_handle_t *parallel,
				  int *thread_num);

enum ompd_ext_thread_kind {
	ompd_ext_thread_initial = 0, // of the program; or of a league
	ompd_ext_thread_worker = 1,
	ompd_ext_thread_helper = 2, // of the runtime, for target tasks that are not waited for
};

typedef struct ompd_ext_thread_info {
	uint32_t kind;	    // enum ompd_ext_thread_kind
	int32_t global_num; // the runtime's own number of the thread, -1 if it gives none
	// 0 or 1; the other one each time that the thread leaves a barrier of its team, before which
	// it is the same for all threads of the team. -1: not known.
	int32_t barrier_phase;
} ompd_ext_thread_info;

/** Return the kind of a thread. Codes: ok, unavailable, bad_input, stale_handle, error. */
ompd_rc_t ompd_ext_get_thread_info(ompd_thread_handle_t *thread, ompd_ext_thread_info *info);

/**
 * Check whether the runtime keeps what it keeps for a tool: states of all threads, frames, tool
 * data.
 * @return ok: it does; needs_state_tracking: it could, and was not asked to when the process
 *         started; unsupported: it never does; unavailable: it cannot be found out; bad_input;
 *         stale_handle; error.
 */
ompd_rc_t ompd_ext_get_state_tracking(ompd_address_space_handle_t *handle);

// ---- Variables -------------------------------------------------------------------------------

/**
 * Return a control variable by its name, for any handle that determines the value: a thread has
 * one current region and one task, a task one region, everything one process. bad_input: it does
 * not. Besides the names that ompd_enumerate_icvs() tells it knows "nest-var" of a task, which
 * OpenMP 5.0 took out: what omp_get_nested() answers there.
 */
ompd_rc_t ompd_ext_get_icv(void *handle, ompd_scope_t scope, const char *name, ompd_word_t *value);

// ---- Regions ---------------------------------------------------------------------------------

enum ompd_ext_parallel_kind {
	ompd_ext_parallel_region = 0,
	ompd_ext_parallel_initial = 1, // the implicit region around a thread of the program
	ompd_ext_parallel_league = 2,  // the implicit region of an initial thread of a league
};

typedef struct ompd_ext_parallel_info {
	uint32_t kind;	     // enum ompd_ext_parallel_kind
	uint32_t serialized; // 1: one thread, and no team of its own in the runtime
	uint64_t function;   // entry of its outlined function, 0 if not kept or its place not known
	uint64_t source;     // as of ompd_ext_task_info
} ompd_ext_parallel_info;

/** Describe a region. Codes: ok, unavailable, bad_input, stale_handle, error. */
ompd_rc_t ompd_ext_get_parallel_info(ompd_parallel_handle_t *parallel,
				     ompd_ext_parallel_info *info);

// ---- What OMPT answers in the process, for third parties ---------------------------------------
//
// ompd_get_state() and ompd_enumerate_states() are two more of them. Levels are those of OMPT: 0 is
// the thread's innermost task or region, 1 the one below or around it, and so on. Codes: ok;
// unavailable with the reason (there is none at that level, or the runtime keeps none of it);
// unsupported (a runtime without OMPT); needs_state_tracking (it is kept for a tool, and none is
// active); bad_input; stale_handle; error.

/** Members of the following that are known. */
enum ompd_ext_ompt_member {
	ompd_ext_ompt_task_data = 1 << 0,
	ompd_ext_ompt_parallel_data = 1 << 1,
	ompd_ext_ompt_frame = 1 << 2,
	ompd_ext_ompt_thread_num = 1 << 3,
	ompd_ext_ompt_type = 1 << 4,
};

/** Answers of ompt_get_task_info() and ompt_get_parallel_info(). Data are a tool's: without one the
 * runtime keeps none. */
typedef struct ompd_ext_ompt_task_info {
	uint32_t known;	    // enum ompd_ext_ompt_member: the rest is zero
	uint32_t type;	    // ompt_task_flag_t
	int32_t thread_num; // of the thread, or its ancestor, in the task's region
	uint32_t reserved;
	uint64_t task_data, parallel_data;
	ompd_frame_info_t exit_frame, enter_frame;
} ompd_ext_ompt_task_info;

typedef struct ompd_ext_ompt_parallel_info {
	uint32_t known;	   // enum ompd_ext_ompt_member
	int32_t team_size; // always known
	uint64_t parallel_data;
} ompd_ext_ompt_parallel_info;

/** ompt_get_thread_data() */
ompd_rc_t ompd_ext_get_thread_data(ompd_thread_handle_t *thread, uint64_t *data);
/** ompt_get_task_info() */
ompd_rc_t ompd_ext_get_ompt_task_info(ompd_thread_handle_t *thread, int level,
				      ompd_ext_ompt_task_info *info);
/** ompt_get_parallel_info() */
ompd_rc_t ompd_ext_get_ompt_parallel_info(ompd_thread_handle_t *thread, int level,
					  ompd_ext_ompt_parallel_info *info);
/**
 * ompt_get_task_memory(), of the thread's task: block 0 is all that there is.
 * @param[out] address, size As the release's own answers: in LLVM's runtime up to 16 what lies
 *             behind the members that every task has, from 17 on the runtime's record and all.
 * @return unavailable: an implicit task; libgomp, which does not keep the size.
 */
ompd_rc_t ompd_ext_get_task_memory(ompd_thread_handle_t *thread, int block, uint64_t *address,
				   uint64_t *size);
/**
 * ompt_get_proc_id(): the processor on which the thread last ran its own code.
 * @return unavailable: glibc before 2.35, or started with glibc.pthread.rseq=0.
 */
ompd_rc_t ompd_ext_get_proc_id(ompd_thread_handle_t *thread, int *proc_id);
/** ompt_get_place_num() */
ompd_rc_t ompd_ext_get_place_num(ompd_thread_handle_t *thread, int *place_num);
/** ompt_get_partition_place_nums(): at most @p max are stored; *count is their number. */
ompd_rc_t ompd_ext_get_partition_place_nums(ompd_thread_handle_t *thread, int *place_nums,
					    size_t max, size_t *count);
/** ompt_get_target_info(). unavailable: no runtime that is known records it. */
ompd_rc_t ompd_ext_get_target_info(ompd_thread_handle_t *thread, uint64_t *device_num,
				   uint64_t *target_id, uint64_t *host_op_id);
/**
 * ompt_get_num_devices(): what the runtime tells its tools. unavailable: it has no such interface.
 */
ompd_rc_t ompd_ext_get_num_devices(ompd_address_space_handle_t *handle, int *num_devices);
/**
 * ompt_enumerate_mutex_impls(): the one after @p current. The first has number 0, and is not told.
 * @param[out] name static.
 */
ompd_rc_t ompd_ext_enumerate_mutex_impls(ompd_address_space_handle_t *handle, int current,
					 int *next, const char **name, int *more);

// ---- Progress --------------------------------------------------------------------------------

enum ompd_ext_barrier_flag {
	ompd_ext_barrier_tasks = 1 << 0, // all have arrived and wait for the region's tasks
	ompd_ext_barrier_cancelled = 1 << 1,
};

/** Arrivals at the barriers of a region since all its threads last met at one. */
typedef struct ompd_ext_barrier_info {
	uint32_t total;	      // threads that must arrive
	uint32_t arrived;     // at a barrier within the region, whichever that is
	uint32_t arrived_end; // at the barrier that ends the region
	uint32_t flags;	      // enum ompd_ext_barrier_flag
} ompd_ext_barrier_info;

/**
 * Count how many threads of a region have arrived at its barrier, as the runtime counts them.
 * @return ok; unavailable (the runtime does not count, or there is no region); bad_input;
 *         stale_handle; error.
 */
ompd_rc_t ompd_ext_get_barrier_info(ompd_parallel_handle_t *parallel, ompd_ext_barrier_info *info);

/**
 * Return the thread whose turn it is in the ordered region for which @p thread waits.
 * @param[out] thread_num number in the thread's team.
 * @return ok; unavailable (not recorded); bad_input; stale_handle; error.
 */
ompd_rc_t ompd_ext_get_ordered_turn(ompd_thread_handle_t *thread, int *thread_num);

enum ompd_ext_loop_flag {
	ompd_ext_loop_ordered = 1 << 0,	  // with an ordered clause
	ompd_ext_loop_sections = 1 << 1,  // the sections of a sections construct
	ompd_ext_loop_total = 1 << 2,	  // total is known
	ompd_ext_loop_remaining = 1 << 3, // remaining is known
	ompd_ext_loop_own = 1 << 4, // remaining is the thread's own share, of which others may take
	// The runtime records neither that a thread has left its loop nor what kind of construct that
	// was: the program's code has to tell.
	ompd_ext_loop_last = 1 << 5,
};

/** A loop whose iterations the threads of a team fetch from the runtime. */
typedef struct ompd_ext_loop_info {
	uint64_t id;	    // the same for all threads in the loop
	uint64_t total;	    // iterations
	uint64_t remaining; // that no thread has fetched
	uint64_t chunk;	    // iterations of a chunk, the least ones of a guided loop; 0: not given
	uint32_t schedule;  // omp_sched_t: static 1, dynamic 2, guided 3; 0: another
	uint32_t flags;	    // enum ompd_ext_loop_flag
} ompd_ext_loop_info;

/**
 * Return the loop in which @p thread works, if the runtime hands out its iterations.
 * @return ok; unavailable (none, or one whose iterations the program's own code divides);
 *         unsupported; bad_input; stale_handle; error.
 */
ompd_rc_t ompd_ext_get_loop_info(ompd_thread_handle_t *thread, ompd_ext_loop_info *info);

/** Tasks that are not done, as the runtime counts them for those who wait for them. */
typedef struct ompd_ext_task_counts {
	uint64_t children;  // of the task
	uint64_t taskgroup; // in the task's innermost taskgroup; 0 if it is in none
	uint64_t
		detached; // not 0: in the region are tasks whose ends others than their threads tell
} ompd_ext_task_counts;

/**
 * For how many tasks a taskwait of @p task, and the end of its taskgroup, would wait.
 * @return ok; unavailable (the runtime does not count); bad_input; stale_handle; error.
 */
ompd_rc_t ompd_ext_get_task_counts(ompd_task_handle_t *task, ompd_ext_task_counts *counts);

/**
 * Return the value of an environment variable when the process started.
 * @param[out] value owned by the caller; at most 255 characters of it.
 * @return ok; unavailable (it was not set); bad_input; stale_handle; nomem; error (the environment
 *         cannot be read).
 */
ompd_rc_t ompd_ext_get_environment(ompd_address_space_handle_t *handle, const char *name,
				   const char **value);

// ---- Locks -----------------------------------------------------------------------------------

enum ompd_ext_lock_kind {
	ompd_ext_lock_simple = 0, // omp_lock_t
	ompd_ext_lock_nested = 1, // omp_nest_lock_t
	ompd_ext_lock_critical = 2,
};

/** Kinds of owner that the memory of a held lock can name. */
enum ompd_ext_lock_owner {
	ompd_ext_lock_owner_unrecorded = 0, // nobody: this kind of lock never does, or not yet
	ompd_ext_lock_owner_thread = 1,
	ompd_ext_lock_owner_task = 2,	 // a task that no thread runs: suspended, ended, or damage
	ompd_ext_lock_owner_missing = 3, // a thread that does not exist: it has ended, or damage
	ompd_ext_lock_owner_invalid = 4, // the number of no thread at all: damage
};

typedef struct ompd_ext_lock_info {
	uint32_t held;	  // 1: somebody holds it; 0: it is free
	uint32_t depth;	  // how many times its owner has set a nested lock
	uint64_t thread;  // identity of its owner; 0 unless owner is ompd_ext_lock_owner_thread
	int64_t recorded; // what the lock holds: a thread's global_num, or a task's address; else 0
	uint32_t owner;	  // enum ompd_ext_lock_owner
	uint32_t reserved; // 0
} ompd_ext_lock_info;

/**
 * Tell who owns a lock.
 * @param kind enum ompd_ext_lock_kind.
 * @param address of the program's variable; of a critical construct, of its lock's.
 * @return ok; unavailable (it cannot be told of this lock); bad_input; stale_handle; error.
 */
ompd_rc_t ompd_ext_get_lock_info(ompd_address_space_handle_t *handle, uint32_t kind,
				 uint64_t address, ompd_ext_lock_info *info);

// ---- Wait sites ------------------------------------------------------------------------------

enum ompd_ext_wait_kind {
	ompd_ext_wait_none = 0, // a call into the runtime that does not wait
	ompd_ext_wait_barrier = 1,
	ompd_ext_wait_barrier_workshare = 2, // implicit, at the end of a worksharing construct
	ompd_ext_wait_barrier_parallel = 3,  // implicit, at the end of a parallel region
	ompd_ext_wait_critical = 4,
	ompd_ext_wait_lock = 5,
	ompd_ext_wait_nest_lock = 6,
	ompd_ext_wait_atomic = 7,
	ompd_ext_wait_ordered = 8,
	ompd_ext_wait_taskwait = 9,
	ompd_ext_wait_taskgroup = 10,
	ompd_ext_wait_taskyield = 11,
	ompd_ext_wait_single = 12, // copyprivate data of a single construct
	ompd_ext_wait_doacross = 13,
	ompd_ext_wait_parallel = 14, // encounters a parallel construct: start, body, or end of it
	ompd_ext_wait_task = 15, // encounters a task construct: creates it, or runs it undeferred
	ompd_ext_wait_taskloop = 16,
	ompd_ext_wait_teams = 17,
	ompd_ext_wait_target = 18,
	ompd_ext_wait_idle = 19,	  // idle in the pool
	ompd_ext_wait_workshare = 20,	  // asks for the next iterations, section or single
	ompd_ext_wait_runtime_lock = 21,  // the runtime's internal lock
	ompd_ext_wait_cancel = 22,	  // cancel or cancellation point
	ompd_ext_wait_dependences = 23,	  // predecessors of an undeferred task or taskwait depend
	ompd_ext_wait_reduction = 24,	  // the reduction at the end of a construct
	ompd_ext_wait_barrier_teams = 25, // implicit, at the end of a teams construct
};

typedef struct ompd_ext_wait_site {
	uint32_t kind;	      // enum ompd_ext_wait_kind
	uint32_t state;	      // ompt_state_t of a thread that waits there
	uint64_t entry;	      // address of the runtime's function, 0 if not told by a call
	const char *function; // its name ("GOMP_barrier"), static; NULL if not told by a call
} ompd_ext_wait_site;

/**
 * Which function of the runtime the call instruction before @p return_address calls: follows
 * direct calls, calls through the PLT, and calls through the GOT.
 * @return ok; unavailable (no call there that can be followed, or not into the runtime);
 *         bad_input; stale_handle.
 */
ompd_rc_t ompd_ext_classify_call(ompd_address_space_handle_t *handle, uint64_t return_address,
				 ompd_ext_wait_site *site);

/**
 * Return the entry of the function that the call instruction before @p return_address calls, found
 * in the same way, whether it waits or not.
 * @return ok; unavailable (no call there that can be followed); bad_input; stale_handle.
 */
ompd_rc_t ompd_ext_get_call_target(ompd_address_space_handle_t *handle, uint64_t return_address,
				   uint64_t *entry);

/**
 * Classify as ompd_ext_classify_call() an address that is itself the entry point of a function or
 * its PLT stub.
 */
ompd_rc_t ompd_ext_classify_entry(ompd_address_space_handle_t *handle, uint64_t entry,
				  ompd_ext_wait_site *site);

/** `value`, and if a register is named: plus `scale` times a number. */
typedef struct ompd_ext_argument {
	const char *register_name; // of the calling frame, "rbx"; static; NULL if there is none
	uint64_t value;
	int64_t scale;
	int32_t offset;	   // the number is in memory, so far from where the register points to
	uint8_t in_memory; // 0: the register holds it
	int8_t width;	   // bytes of the number; less than 0 if it has a sign
} ompd_ext_argument;

/**
 * Which variable the call before @p return_address passes, that is to a function that waits for a
 * lock or at a critical construct: told by the instructions before it. Code that jumps to between
 * these is not seen, so that ompd_ext_confirm_lock() has the last word.
 * @return ok; unavailable (they do not tell, or the function gets none); bad_input; stale_handle.
 */
ompd_rc_t ompd_ext_get_lock_argument(ompd_address_space_handle_t *handle, uint64_t return_address,
				     ompd_ext_argument *argument);

/**
 * Check whether a thread waits for the lock of a variable that it may have passed to the runtime.
 * The queue of the lock, which names the thread, tells it, or else that the runtime works with it.
 * @param kind enum ompd_ext_lock_kind.
 * @param in_use values in the registers and on the stack of the runtime's frames of the thread.
 * @return ok: it does; unavailable: nothing confirms it; bad_input; stale_handle.
 */
ompd_rc_t ompd_ext_confirm_lock(ompd_thread_handle_t *thread, uint32_t kind, uint64_t variable,
				const uint64_t *in_use, size_t in_use_count);

/**
 * Classify what a thread waits for that sleeps on @p futex (the address that its system call waits
 * on): compare the address with the barrier, semaphores and locks of the thread's team, pool and
 * task.
 * @return ok; unavailable (none of the runtime's own: a user's lock or critical); bad_input;
 *         stale_handle.
 */
ompd_rc_t ompd_ext_classify_futex(ompd_thread_handle_t *thread, uint64_t futex,
				  ompd_ext_wait_site *site);

#ifdef __cplusplus
}
#endif

#endif

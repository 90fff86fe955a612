// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the API asks of a family of runtimes: one table of operations a family. The API knows no
// runtime's structures: it holds a family's records in memory of the sizes that the table names.
//
// Operations return the codes of the entry points that they serve, with a reason; arguments have
// been checked by then.

#ifndef OMPDBG_FAMILY_H
#define OMPDBG_FAMILY_H

#include "ompd/ompd_ext.h"
#include "runtime/icv.h"
#include "target/nptl.h"
#include "target/target.h"

// Each family's own.
struct family_runtime;
struct family_region;
struct family_task;
struct family_walk;

/** A thread that was found, and what shows later that it still is the same. */
struct family_thread {
	uint64_t address; // of the runtime's structure for it
	uint64_t pthread; // 0: could not be read
	uint64_t list;	  // the runtime's list of threads in which it was found
	bool primary;	  // its team had it as number 0: decides what is read at once
};

/** Position in an enumeration of threads. Starts zeroed. */
struct family_cursor {
	struct nptl_cursor nptl; // a family may count by itself instead
	uint64_t next;
	bool damaged; // some thread could not be read, and was left out
};

/** The object for which a variable or tool data is read; the other members are zero. */
struct family_query {
	const struct family_thread *thread;
	const struct family_region *region;
	const struct family_task *task;
};

/** Facts that a runtime tells its tools (OMPT) by itself. */
struct family_ompt {
	const char *const *mutex_impls; // numbered from 0; a null pointer ends them
	int num_devices;
};

/** A family's operations on tasks. */
struct family_tasks {
	ompd_rc_t (*current_task)(const struct family_runtime *runtime,
				  const struct family_thread *thread, struct family_task *ret);
	ompd_rc_t (*implicit_task)(const struct family_runtime *runtime,
				   const struct family_region *region, uint32_t thread_num,
				   struct family_task *ret);
	ompd_rc_t (*generating_task)(const struct family_runtime *runtime,
				     const struct family_task *task, struct family_task *ret);
	ompd_rc_t (*scheduling_task)(const struct family_runtime *runtime,
				     const struct family_task *task, struct family_task *ret);
	/** The task that a walk over @p region told of. */
	void (*task_of_info)(const struct family_region *region, const ompd_ext_task_info *info,
			     struct family_task *ret);
	void (*task_region)(const struct family_task *task, struct family_region *ret);
	uint64_t (*task_id)(const struct family_task *task);
	ompd_rc_t (*task_function)(struct family_runtime *runtime, const struct family_task *task,
				   uint64_t *ret);
	ompd_rc_t (*task_frame)(const struct family_runtime *runtime,
				const struct family_task *task, ompd_frame_info_t *exit_frame,
				ompd_frame_info_t *enter_frame);
	ompd_rc_t (*task_info)(const struct family_runtime *runtime, const struct family_task *task,
			       ompd_ext_task_info *ret);
	ompd_rc_t (*task_depends)(const struct family_runtime *runtime,
				  const struct family_task *task, ompd_ext_depend *depends,
				  size_t max, size_t *count);
	ompd_rc_t (*task_dependers)(const struct family_runtime *runtime,
				    const struct family_task *task, uint64_t *ids, size_t max,
				    size_t *count);

	ompd_rc_t (*walk_open)(const struct family_runtime *runtime,
			       const struct family_region *region, struct family_walk **ret);
	/** Next task; unavailable at the end; nomem. */
	ompd_rc_t (*walk_next)(struct family_walk *walk, ompd_ext_task_info *ret);
	/** Check whether a list was found damaged so far; the others are walked all the same. */
	bool (*walk_damaged)(const struct family_walk *walk);
	ompd_rc_t (*walk_unreached)(const struct family_walk *walk, uint32_t *ret);
	void (*walk_close)(struct family_walk *walk);

	ompd_rc_t (*task_counts)(const struct family_runtime *runtime,
				 const struct family_task *task, ompd_ext_task_counts *ret);
	/** Bits of ompt_task_flag_t, as of ompt_get_task_info(). */
	ompd_rc_t (*ompt_task_type)(const struct family_runtime *runtime,
				    const struct family_task *task, uint32_t *ret);
	/** Answer as ompt_get_task_memory(). */
	ompd_rc_t (*task_memory)(const struct family_runtime *runtime,
				 const struct family_task *task, uint64_t *address, uint64_t *size);
};

/** ... with what threads wait for, or share. */
struct family_waits {
	ompd_rc_t (*barrier_info)(const struct family_runtime *runtime,
				  const struct family_region *region, ompd_ext_barrier_info *ret);
	ompd_rc_t (*ordered_turn)(const struct family_runtime *runtime,
				  const struct family_thread *thread, int *ret);
	ompd_rc_t (*loop_info)(const struct family_runtime *runtime,
			       const struct family_thread *thread, ompd_ext_loop_info *ret);
	ompd_rc_t (*lock_info)(const struct family_runtime *runtime, uint32_t kind,
			       uint64_t address, ompd_ext_lock_info *ret);
	ompd_rc_t (*lock_argument)(struct family_runtime *runtime, uint64_t return_address,
				   ompd_ext_argument *ret);
	ompd_rc_t (*confirm_lock)(const struct family_runtime *runtime,
				  const struct family_thread *thread, uint32_t kind,
				  uint64_t variable, const uint64_t *in_use, size_t in_use_count);
	ompd_rc_t (*classify_call)(struct family_runtime *runtime, uint64_t return_address,
				   ompd_ext_wait_site *site);
	ompd_rc_t (*classify_entry)(struct family_runtime *runtime, uint64_t entry,
				    ompd_ext_wait_site *site);
	ompd_rc_t (*classify_futex)(const struct family_runtime *runtime,
				    const struct family_thread *thread, uint64_t futex,
				    ompd_ext_wait_site *site);
};

struct family {
	/** Names of the runtimes of this family, "libgomp"; a null pointer ends them. */
	const char *const *names;
	size_t runtime_size, region_size, task_size;

	/** Recognises a runtime in @p target and proves its layout. @p name is one of names. */
	ompd_rc_t (*open)(struct family_runtime *runtime, const struct target *target,
			  const char *name);
	void (*close)(struct family_runtime *runtime);
	/**
	 * Learn what was left for later when the runtime was opened, or could not be known before
	 * it was initialized. NULL: nothing ever is. Codes as of open.
	 */
	ompd_rc_t (*ready)(struct family_runtime *runtime);
	/**
	 * Return the name by which the debugger knows the runtime's file; NULL if it is not known.
	 */
	const char *(*file_name)(const struct family_runtime *runtime);
	const struct nptl *(*nptl)(const struct family_runtime *runtime);
	ompd_word_t (*omp_version)(const struct family_runtime *runtime);
	void (*describe)(const struct family_runtime *runtime, char *text, size_t size);
	/** Fills all but size. */
	void (*layout_info)(const struct family_runtime *runtime, ompd_ext_layout_info *info);

	ompd_rc_t (*thread_of_pthread)(const struct family_runtime *runtime, uint64_t pthread,
				       struct family_thread *ret);
	ompd_rc_t (*pthread_of_thread)(const struct family_runtime *runtime,
				       const struct family_thread *thread, uint64_t *ret);
	/** Next OpenMP thread; unavailable at the end; unsupported if they cannot be enumerated. */
	ompd_rc_t (*next_thread)(const struct family_runtime *runtime, struct family_cursor *cursor,
				 struct family_thread *ret);
	ompd_rc_t (*thread_num)(const struct family_runtime *runtime,
				const struct family_thread *thread,
				const struct family_region *region, int *ret);
	ompd_rc_t (*thread_info)(const struct family_runtime *runtime,
				 const struct family_thread *thread, ompd_ext_thread_info *ret);
	ompd_rc_t (*state)(const struct family_runtime *runtime, const struct family_thread *thread,
			   ompd_word_t *state, ompd_wait_id_t *wait_id);
	/** Check whether it keeps states and frames; needs_state_tracking, unsupported. */
	ompd_rc_t (*state_tracking)(const struct family_runtime *runtime);

	ompd_rc_t (*current_region)(const struct family_runtime *runtime,
				    const struct family_thread *thread, struct family_region *ret);
	ompd_rc_t (*enclosing_region)(const struct family_runtime *runtime,
				      const struct family_region *region,
				      struct family_region *ret);
	ompd_rc_t (*region_member)(const struct family_runtime *runtime,
				   const struct family_region *region, uint32_t thread_num,
				   struct family_thread *ret);
	uint64_t (*region_id)(const struct family_region *region);
	ompd_rc_t (*region_info)(struct family_runtime *runtime, const struct family_region *region,
				 ompd_ext_parallel_info *ret);

	const struct family_tasks *tasks;
	const struct family_waits *waits;

	ompd_rc_t (*icv_value)(const struct family_runtime *runtime, enum icv icv,
			       const struct family_query *query, ompd_word_t *ret);
	/** @p text has ICV_TEXT_MAX bytes. */
	ompd_rc_t (*icv_text)(const struct family_runtime *runtime, enum icv icv,
			      const struct family_query *query, char *text);
	/** The value that the process began with, or has for all. */
	ompd_rc_t (*initial_icv_text)(const struct family_runtime *runtime, enum icv icv,
				      char *text);
	/** Environment variables that steer the runtime; a null name ends them. */
	const struct icv_control_var *control_vars;
	ompd_rc_t (*tool_data)(const struct family_runtime *runtime,
			       const struct family_query *query, ompd_word_t *value,
			       uint64_t *pointer);
	const struct family_ompt *ompt; // NULL: no tool interface
};

/** All families, in the order in which they are tried; a null pointer ends them. */
extern const struct family *const families[];

extern const struct family gomp_family, kmp_family;

#endif

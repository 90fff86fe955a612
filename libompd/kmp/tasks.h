// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a region: who has them, where they are queued, what they wait for, what they are.

#ifndef OMPDBG_KMP_TASKS_H
#define OMPDBG_KMP_TASKS_H

#include "kmp/kmp.h"
#include "runtime/activity.h"

// ---- Which thread has which task (kmp/activity.c) --------------------------------------------

ompd_rc_t kmp_activity_open(const struct runtime *runtime, const struct region *region,
			    struct activity *ret);
/** List what threads do, only of as many threads as are needed to tell who works on one task. */
ompd_rc_t kmp_activity_of_task(const struct runtime *runtime, const struct task *task,
			       struct activity *ret);

// ---- Queues (kmp/deque.c) --------------------------------------------------------------------

/** The deques of a region's threads, and of its priorities, one after another. */
struct kmp_deques {
	struct idmap known;  // task teams
	uint32_t member;     // next thread whose task team is looked at
	uint64_t data, left; // next kmp_thread_data of the task team in turn, and how many are left
	uint64_t priorities; // next list of it
	struct cycle cycle;  // of these lists
	uint64_t deque;	     // array of pointers, 0: none
	uint32_t size, head, count;
	bool damaged;
};

/** Next task in a deque; unavailable at the end; nomem. Starts zeroed. */
ompd_rc_t kmp_deques_next(const struct runtime *runtime, const struct region *region,
			  struct kmp_deques *deques, uint64_t *ret);
void kmp_deques_close(const struct runtime *runtime, struct kmp_deques *deques);

// ---- Dependences (kmp/depend.c) --------------------------------------------------------------

/** A depnode that a list of the runtime names, with the clause that put it there. */
struct kmp_depnode {
	uint64_t address;
	uint64_t variable;
	enum ompd_ext_depend_kind kind;
};

enum { KMP_DEPHASH_CHUNK = 64 }; // buckets that are read at once

/** A walk over the hash in which a task keeps the dependences of its children. */
struct kmp_dephash {
	uint64_t buckets, size, next; // next bucket
	uint64_t chunk[KMP_DEPHASH_CHUNK];
	uint64_t entry; // in turn, 0: none
	uint64_t all;	// the last task that depends on all memory, 0: none
	enum { DEPHASH_OUT, DEPHASH_SET, DEPHASH_PREVIOUS } list;
	uint64_t node;		     // of the list, 0: it is at its end
	struct cycle entries, nodes; // of the bucket, and of the list
	bool damaged;		     // a bucket is, and was left
};

/** unavailable if the task at @p parent keeps none. */
ompd_rc_t kmp_dephash_open(const struct runtime *runtime, uint64_t parent, struct kmp_dephash *ret);
/** Next node; unavailable at the end; error there if a part of the hash is damaged. */
ompd_rc_t kmp_dephash_next(const struct runtime *runtime, struct kmp_dephash *hash,
			   struct kmp_depnode *ret);
/** Return the taskdata of a node; 0 if its task has ended. */
ompd_rc_t kmp_depnode_task(const struct runtime *runtime, uint64_t node, uint64_t *ret);

/** The list of those that wait for a task. */
struct kmp_successors {
	uint64_t entry;
	bool was_taken; // its next is in turn
	struct cycle cycle;
};

/** unavailable if the task at @p task has no dependences. */
ompd_rc_t kmp_successors_open(const struct runtime *runtime, uint64_t task,
			      struct kmp_successors *ret);
/** Next taskdata; unavailable at the end. */
ompd_rc_t kmp_successors_next(const struct runtime *runtime, struct kmp_successors *list,
			      uint64_t *ret);

/** Count the tasks that the one at @p task still waits for; 0 if it has no dependences. */
ompd_rc_t kmp_task_predecessors(const struct runtime *runtime, uint64_t task, int32_t *ret);

// ---- What is known of a task (kmp/task_info.c) -----------------------------------------------

/** Describe a task whose record was already read; @p queued: it was met in a deque. */
ompd_rc_t kmp_describe_task(const struct runtime *runtime, const struct region *region,
			    const struct activity *activity, const struct kmp_task_record *record,
			    bool queued, ompd_ext_task_info *ret);

/** Add to @p ret, of which status is set, the flags that tell in what the task waits. */
ompd_rc_t kmp_task_waits(const struct runtime *runtime, const struct task *task,
			 ompd_ext_task_info *ret);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of LLVM's runtime, made by calling it as Clang's code does, so that a test knows their
// functions, flags, places in the source, and addresses.

#ifndef KMP_TASKS_H
#define KMP_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "ompd/ompd_ext.h"

/** Flags of __kmpc_omp_task_alloc(). */
enum kmp_task_flag {
	KMP_TASK_TIED = 1 << 0,
	KMP_TASK_FINAL = 1 << 1,
	KMP_TASK_PROXY = 1 << 4,
	KMP_TASK_PRIORITY = 1 << 5,
	KMP_TASK_DETACHABLE = 1 << 6,
};

/** Kinds of clauses. */
enum kmp_depend_flag {
	KMP_DEPEND_IN = 1,
	KMP_DEPEND_OUT = 3, // inout, too
	KMP_DEPEND_MUTEXINOUTSET = 4,
	KMP_DEPEND_INOUTSET = 8,
};

struct kmp_depend {
	intptr_t address;
	size_t length;
	uint8_t flags;
};

typedef int (*kmp_task_entry)(int gtid, void *task);

/** What the compiler tells of the place of every task of these tests. */
extern const char kmp_task_source[];

/** A task that has not been started; @p priority counts with KMP_TASK_PRIORITY. */
void *kmp_task_make(kmp_task_entry entry, int flags, int priority);
/** Encounters the task construct. */
void kmp_task_queue(void *task);
void kmp_task_queue_with(void *task, struct kmp_depend *depends, int count);
/** Runs it at once (if clause false). */
void kmp_task_run(void *task, kmp_task_entry entry);
/** The event of a detachable task, for omp_fulfill_event(). */
void *kmp_task_event(void *task);

/** Completes a proxy task, as a thread does that the runtime does not know. */
void kmp_task_complete(void *task);

/** Identity of a task: learnt from one that a thread runs. */
uint64_t kmp_task_identity(const void *task);
void kmp_task_learn(const void *task, uint64_t identity);

#endif

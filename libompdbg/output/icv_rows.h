// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tables and documents have in common.

#ifndef OMPDBG_ICV_ROWS_H
#define OMPDBG_ICV_ROWS_H

#include "model/icv.h"
#include "output/output.h"

/** A variable with one of its values, and the threads that have it. */
struct icv_row {
	const struct icv *icv;
	struct thread_list threads;
};
/** List the variables of threads, each value once. @p scope: "process", ... or NULL for all. */
const struct icv_row *icv_rows(struct process *process, struct thread *const *threads,
			       size_t num_threads, const char *scope, size_t *count);

/** Defects of the lists of all runtimes' tasks. */
struct tasks_visited {
	bool is_damaged;
	int64_t unreached; // NOT_KNOWN
};
/** Visit every task of all runtimes (tasks_visit()). */
struct ompdbg_error *process_tasks_visit(struct process *process,
					 struct ompdbg_error *(*visit)(void *context,
								       struct task *task),
					 void *context, struct tasks_visited *ret);

#endif

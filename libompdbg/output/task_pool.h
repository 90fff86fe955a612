// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a runtime with what is below each. All live as long as the process.

#ifndef OMPDBG_TASK_POOL_H
#define OMPDBG_TASK_POOL_H

#include "model/room.h"

/** Tasks that are alike: they were not begun, and differ in nothing that a table shows. */
struct tasks_alike {
	struct runtime *runtime;
	uint64_t parallel_id, parent_id, function;
	uint32_t kind, status;
	uint64_t number;	      // of all
	struct task *first;	      // of those that a pool does not keep
	uint64_t listed, last_listed; // in a report: how many, and the identity of one
	struct tasks_alike *next;     // with the same hash
};

/** Find those that a task is like in a table of theirs: new ones have the number 0. */
struct tasks_alike *tasks_alike(struct table *table, const struct task *task);

/** A task of the tree. */
struct task_node {
	struct task *task;
	size_t *children, num_children, capacity; // indices of nodes
	struct tasks_alike **more;
	size_t num_more, more_capacity;
	bool is_shown;
};

/** The tasks of one runtime; of many tasks alike only the first few are kept. */
struct task_pool {
	struct runtime *runtime;
	struct arena *arena;
	uint64_t keep; // of tasks alike
	struct task_node *nodes;
	size_t count, capacity;
	struct table by_id;	     // -> index + 1
	struct table alike;	     // hash -> struct tasks_alike *
	struct tasks_alike **groups; // of which some were left out
	size_t num_groups, group_capacity;
	uint64_t total;
	int64_t unreached;
	bool is_damaged;
};

/** Read the tasks; of those alike that were not begun only @p keep. */
struct ompdbg_error *task_pool_read(struct runtime *runtime, uint64_t keep, struct task_pool *pool);
/** Return the task with an id of the runtime's; NULL. */
struct task_node *task_pool_find(struct task_pool *pool, uint64_t id);
/** Check for a task that the tree of a team has, below another one. */
bool is_below_another(const struct task *task, uint64_t team);
bool has_tasks_below(const struct task_pool *pool, const struct task_node *node);

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every task of a region as libompd enumerates them, and tasks made by calling the runtime as
// compilers do, so that a test knows their functions, flags and priorities.

#ifndef TASK_LIST_H
#define TASK_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "ompd/ompd_ext.h"

enum {
	TASK_LIST_MAX = 8192,
};

struct task_list {
	ompd_ext_task_info records[TASK_LIST_MAX];
	size_t count;
	uint32_t unreached;
};

/**
 * Enumerates the tasks of @p parallel, @p chunk records at a time; or, if it is NULL, those of all
 * regions. Fails the test if the enumeration does not end well or returns a task twice.
 */
void task_list_read(ompd_address_space_handle_t *space, ompd_parallel_handle_t *parallel,
		    size_t chunk, struct task_list *list);

/** The record with this identity, NULL if there is none. */
const ompd_ext_task_info *task_list_find(const struct task_list *list, uint64_t id);

/** The record of explicit tasks with this priority, NULL if there is none; fails if there are two. */
const ompd_ext_task_info *task_list_of_priority(const struct task_list *list, int priority);

/** Number of records of a kind and status. */
size_t task_list_tally(const struct task_list *list, uint32_t kind, uint32_t status);

/** Flags of GOMP_task(). */
enum task_flag {
	TASK_UNTIED = 1 << 0,
	TASK_FINAL = 1 << 1,
	TASK_DEPEND = 1 << 3,
	TASK_PRIORITY = 1 << 4,
};

/** What a task is made with. */
struct task_spec {
	void (*body)(void *data);	    // data is the address of the argument
	void (*copy)(void *to, void *from); // copies the argument, if not NULL
	void *argument;
	bool undeferred;
	unsigned int flags;
	int priority;
	void *depends[4]; // all of kind inout
	int num_depends;
};

/** Encounters a task construct. */
void task_create(const struct task_spec *spec);

#endif

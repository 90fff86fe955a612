// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "task_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// The entry point of libgomp that a task construct becomes. Releases before GCC 11 lack the last
// parameter, and ignore it.
extern void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long size,
		      long alignment, bool if_clause, unsigned int flags, void **depend,
		      int priority, void *detach);

void task_create(const struct task_spec *spec)
{
	void *depend[2 + 4] = { (void *)(intptr_t)spec->num_depends,
				(void *)(intptr_t)spec->num_depends };
	void *data = spec->argument;
	unsigned int flags = spec->flags;

	memcpy(depend + 2, spec->depends, sizeof(spec->depends));
	if (spec->num_depends)
		flags |= TASK_DEPEND;
	if (spec->priority)
		flags |= TASK_PRIORITY;
	GOMP_task(spec->body, &data, spec->copy, sizeof(data), sizeof(data), !spec->undeferred,
		  flags, depend, spec->priority, NULL);
}

static void check_once(const struct task_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		assert_int_not_equal(list->records[i].id, 0);
		// Long lists are checked in part: all pairs would take too long.
		for (size_t j = i + 1; j < list->count && j < i + 300; j++)
			assert_int_not_equal(list->records[i].id, list->records[j].id);
	}
}

// Read the list once; incomplete if a part of it could not be read.
static ompd_rc_t read_once(ompd_address_space_handle_t *space, ompd_parallel_handle_t *parallel,
			   size_t chunk, struct task_list *list)
{
	ompd_ext_task_iterator *iterator = NULL;
	ompd_rc_t whole = ompd_rc_ok;
	size_t got = 1;

	memset(list, 0, sizeof(*list));
	assert_int_equal(parallel ? ompd_ext_tasks_open(parallel, &iterator) :
				    ompd_ext_tasks_open_all(space, &iterator),
			 ompd_rc_ok);
	while (got && whole == ompd_rc_ok) {
		size_t room = TASK_LIST_MAX - list->count;

		assert_int_not_equal(room, 0);
		whole = ompd_ext_tasks_next(iterator, list->records + list->count,
					    room < chunk ? room : chunk, &got);
		list->count += got;
	}
	if (parallel && whole == ompd_rc_ok)
		assert_int_equal(ompd_ext_tasks_unreached(iterator, &list->unreached), ompd_rc_ok);
	assert_int_equal(ompd_ext_tasks_close(iterator), ompd_rc_ok);
	return whole;
}

// Threads that have left an earlier region may still be on their way to their pool.
void task_list_read(ompd_address_space_handle_t *space, ompd_parallel_handle_t *parallel,
		    size_t chunk, struct task_list *list)
{
	ompd_rc_t rc = ompd_rc_incomplete;

	for (int i = 0; i < 1000 && rc == ompd_rc_incomplete; i++) {
		rc = read_once(space, parallel, chunk, list);
		if (rc == ompd_rc_incomplete)
			usleep(1000);
	}
	assert_int_equal(rc, ompd_rc_ok);
	check_once(list);
}

const ompd_ext_task_info *task_list_find(const struct task_list *list, uint64_t id)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->records[i].id == id)
			return &list->records[i];
	}
	return NULL;
}

const ompd_ext_task_info *task_list_of_priority(const struct task_list *list, int priority)
{
	const ompd_ext_task_info *found = NULL;

	for (size_t i = 0; i < list->count; i++) {
		if (list->records[i].kind != ompd_ext_task_explicit ||
		    list->records[i].priority != priority)
			continue;
		assert_null(found);
		found = &list->records[i];
	}
	return found;
}

size_t task_list_tally(const struct task_list *list, uint32_t kind, uint32_t status)
{
	size_t tally = 0;

	for (size_t i = 0; i < list->count; i++)
		tally += list->records[i].kind == kind && list->records[i].status == status;
	return tally;
}

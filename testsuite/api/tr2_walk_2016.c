// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a target with the interface of 2016: all threads; from each all regions and tasks; of each
// of them everything.

#include <inttypes.h>
#include <string.h>

#include "tr2_client.h"

static FILE *out;

static void value(const char *who, const char *what, ompd_rc_t rc, int64_t number)
{
	if (rc == ompd_rc_ok)
		fprintf(out, "%s %s %" PRId64 "\n", who, what, number);
	else
		fprintf(out, "%s %s code %d\n", who, what, rc);
}

static void address(const char *who, const char *what, ompd_rc_t rc, ompd_address_t at)
{
	value(who, what, rc, (int64_t)at.address);
}

#define SETTING(who, name, handle)                                    \
	do {                                                          \
		ompd_tword_t word_ = 0;                               \
		ompd_rc_t rc_ = client.ompd_##name((handle), &word_); \
		value((who), #name, rc_, word_);                      \
	} while (0)

#define STRING_ID(who, what, handle)                                                    \
	do {                                                                            \
		char *id_;                                                              \
		client_check(client.ompd_get_##what##_handle_string_id((handle), &id_), \
			     "string id");                                              \
		fprintf(out, "%s id %s\n", (who), id_);                                 \
		tr2_free(id_);                                                          \
	} while (0)

static void walk_members(const char *who, ompd_parallel_handle_t *parallel)
{
	ompd_thread_handle_t **threads, *master;
	ompd_task_handle_t **tasks;
	int count, same;
	ompd_rc_t rc = client.ompd_get_thread_in_parallel(parallel, &threads, &count);

	value(who, "threads", rc, count);
	for (int i = 0; rc == ompd_rc_ok && i < count; i++) {
		fprintf(out, "%s member %d\n", who, client_lwp(threads[i]));
		client_check(client.ompd_thread_handle_compare(threads[0], threads[i], &same),
			     "compare");
		if ((same == 0) != (i == 0))
			fprintf(out, "%s members are one thread\n", who);
	}
	for (int i = 0; rc == ompd_rc_ok && i < count; i++)
		client_check(client.ompd_release_thread_handle(threads[i]), "release");
	if (rc == ompd_rc_ok)
		tr2_free(threads);
	rc = client.ompd_get_master_thread_in_parallel(parallel, &master);
	value(who, "master", rc, rc == ompd_rc_ok ? client_lwp(master) : 0);
	if (rc == ompd_rc_ok)
		client_check(client.ompd_release_thread_handle(master), "release");
	rc = client.ompd_get_implicit_task_in_parallel(parallel, &tasks, &count);
	value(who, "tasks", rc, count);
	for (int i = 0; rc == ompd_rc_ok && i < count; i++) {
		STRING_ID(who, task, tasks[i]);
		SETTING(who, is_implicit, tasks[i]);
		client_check(client.ompd_task_handle_compare(tasks[0], tasks[i], &same), "compare");
		if ((same == 0) != (i == 0))
			fprintf(out, "%s implicit tasks are one\n", who);
	}
	for (int i = 0; rc == ompd_rc_ok && i < count; i++)
		client_check(client.ompd_release_task_handle(tasks[i]), "release");
	if (rc == ompd_rc_ok)
		tr2_free(tasks);
}

static void walk_regions(const char *thread, ompd_parallel_handle_t *parallel, ompd_rc_t rc)
{
	char who[64];

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		ompd_address_t function = { 0, 0 };
		ompd_parallel_handle_t *outer;
		int same;

		snprintf(who, sizeof(who), "%s region %d", thread, depth);
		value(who, "there", rc, 1);
		if (rc != ompd_rc_ok)
			return;
		STRING_ID(who, parallel, parallel);
		SETTING(who, get_num_threads, parallel);
		SETTING(who, get_level, parallel);
		SETTING(who, get_active_level, (ompd_task_handle_t *)parallel);
		rc = client.ompd_get_parallel_function(parallel, &function);
		address(who, "function", rc, function);
		walk_members(who, parallel);
		rc = client.ompd_get_enclosing_parallel_handle(parallel, &outer);
		if (rc == ompd_rc_ok) {
			client_check(client.ompd_parallel_handle_compare(parallel, outer, &same),
				     "compare");
			if (same == 0)
				fprintf(out, "%s lies within itself\n", who);
		}
		client_check(client.ompd_release_parallel_handle(parallel), "release");
		parallel = outer;
	}
}

static void walk_task(const char *who, ompd_task_handle_t *task)
{
	ompd_address_t function = { 0, 0 }, leave = { 0, 0 }, enter = { 0, 0 };
	ompd_proc_bind_t bind = 0;
	ompd_tword_t modifier = 0;
	ompd_sched_t sched = 0;
	ompd_parallel_handle_t *parallel;
	ompd_rc_t rc;

	STRING_ID(who, task, task);
	SETTING(who, is_implicit, task);
	SETTING(who, in_final, task);
	SETTING(who, in_parallel, task);
	SETTING(who, get_active_level, task);
	SETTING(who, get_max_threads, task);
	SETTING(who, get_dynamic, task);
	SETTING(who, get_nested, task);
	rc = client.ompd_get_schedule(task, &sched, &modifier);
	value(who, "schedule", rc, sched);
	value(who, "modifier", rc, modifier);
	rc = client.ompd_get_proc_bind(task, &bind);
	value(who, "bind", rc, bind);
	rc = client.ompd_get_task_function(task, &function);
	address(who, "function", rc, function);
	rc = client.ompd_get_task_frame(task, &leave, &enter);
	address(who, "exit", rc, leave);
	address(who, "reenter", rc, enter);
	client_check(client.ompd_get_task_parallel_handle(task, &parallel), "region of a task");
	STRING_ID(who, parallel, parallel);
	client_check(client.ompd_release_parallel_handle(parallel), "release");
}

static void walk_tasks(const char *thread, const char *kind, ompd_task_handle_t *task, ompd_rc_t rc,
		       ompd_rc_t (*next)(ompd_task_handle_t *, ompd_task_handle_t **))
{
	ompd_task_handle_t *parent;
	char who[64];

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		snprintf(who, sizeof(who), "%s %s %d", thread, kind, depth);
		value(who, "there", rc, 1);
		if (rc != ompd_rc_ok)
			return;
		walk_task(who, task);
		rc = next(task, &parent);
		client_check(client.ompd_release_task_handle(task), "release");
		task = parent;
	}
}

static void walk_thread(ompd_address_space_handle_t *space, ompd_thread_handle_t *thread)
{
	ompd_parallel_handle_t *parallel = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_thread_handle_t *again;
	ompd_state_t state = ompd_state_undefined;
	ompd_wait_id_t wait = 0;
	uint64_t pthread = 0;
	int lwp = client_lwp(thread), same = 1;
	char who[32];
	ompd_rc_t rc;

	snprintf(who, sizeof(who), "thread %d", lwp);
	rc = client.ompd_get_osthread(thread, ompd_osthread_pthread, sizeof(pthread), &pthread);
	value(who, "pthread", rc, (int64_t)pthread);
	client_check(client.ompd_get_thread_handle(space, ompd_osthread_pthread, sizeof(pthread),
						   &pthread, &again),
		     "thread of a pthread");
	client_check(client.ompd_thread_handle_compare(thread, again, &same), "compare");
	value(who, "same", ompd_rc_ok, same);
	client_check(client.ompd_release_thread_handle(again), "release");
	STRING_ID(who, thread, thread);
	SETTING(who, get_thread_num, thread);
	SETTING(who, get_max_active_levels, thread);
	rc = client.ompd_get_state(thread, &state, &wait);
	value(who, "state", rc, state);
	value(who, "wait", rc, (int64_t)wait);
	rc = client.ompd_get_top_parallel_region(thread, &parallel);
	walk_regions(who, parallel, rc);
	rc = client.ompd_get_top_task_region(thread, &task);
	walk_tasks(who, "task", task, rc, client.ompd_get_generating_ancestor_task_region);
	rc = client.ompd_get_top_task_region(thread, &task);
	walk_tasks(who, "below", task, rc, client.ompd_get_scheduling_ancestor_task_region);
}

void walk_2016(void *library, FILE *to)
{
	ompd_address_space_handle_t *space = client_open(library);
	ompd_thread_handle_t **threads;
	const char *const *vars;
	int count, alone;

	out = to;
	SETTING("space", get_num_procs, space);
	SETTING("space", get_thread_limit, space);
	client_check(client.ompd_get_display_control_vars(space, &vars), "variables");
	for (int i = 0; vars[i]; i++)
		fprintf(out, "space %s\n", vars[i]);
	client_check(client.ompd_release_display_control_vars(vars), "variables");
	client_check(client.ompd_get_threads(space, &threads, &count), "threads");
	client_check(client.ompd_get_threads(space, NULL, &alone), "number of threads");
	value("space", "threads", ompd_rc_ok, count);
	value("space", "counted", ompd_rc_ok, alone);
	for (int i = 0; i < count; i++) {
		walk_thread(space, threads[i]);
		client_check(client.ompd_release_thread_handle(threads[i]), "release");
	}
	tr2_free(threads);
	client_close(space);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a target with the interface of OpenMP 5.2, and writes what it finds in the terms of 2016.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks.h"
#include "ompd/ompd_ext.h"
#include "tr2_target.h"

static struct {
#define FUNCTION(name) __typeof__(name) *name;
#include "tr2_later.def"
} later;

static ompd_address_space_handle_t *space;
static FILE *out;

static void check(ompd_rc_t rc, const char *what)
{
	if (rc == ompd_rc_ok)
		return;
	fprintf(stderr, "%s: %d\n", what, rc);
	exit(1);
}

// ---- Values ----------------------------------------------------------------------------------

static void value(const char *who, const char *what, ompd_rc_t rc, int64_t number)
{
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
		fprintf(out, "%s %s %" PRId64 "\n", who, what, number);
	else
		fprintf(out, "%s %s code %d\n", who, what, rc);
}

static ompd_icv_id_t id_of(const char *name)
{
	ompd_icv_id_t id = 0;
	ompd_scope_t scope;
	const char *next;
	int more = 1, found = 0;

	while (more && !found) {
		check(later.ompd_enumerate_icvs(space, id, &id, &next, &scope, &more), name);
		found = strcmp(next, name) == 0;
		tr2_free((char *)next);
	}
	return id;
}

static void icv(const char *who, const char *what, void *handle, ompd_scope_t scope,
		const char *name)
{
	ompd_word_t word = 0;
	ompd_rc_t rc = later.ompd_ext_get_icv(handle, scope, name, &word);

	value(who, what, rc, word);
}

static void identity(const char *who, const char *what, void *handle, ompd_scope_t scope)
{
	uint64_t id;

	check(later.ompd_ext_get_handle_id(handle, scope, &id), "identity");
	fprintf(out, "%s id %s_%" PRIx64 "\n", who, what, id);
}

static int lwp_of(ompd_thread_handle_t *thread)
{
	int lwp = 0;

	check(later.ompd_get_thread_id(thread, ompd_thread_id_lwp, sizeof(lwp), &lwp), "lwp");
	return lwp;
}

// ---- Regions and tasks -----------------------------------------------------------------------

static void walk_members(const char *who, ompd_parallel_handle_t *parallel)
{
	ompd_thread_handle_t *thread;
	ompd_task_handle_t *task;
	int count = 0;
	ompd_rc_t rc;

	for (int i = 0;
	     (rc = later.ompd_get_thread_in_parallel(parallel, i, &thread)) != ompd_rc_bad_input;
	     i++) {
		if (i == 0)
			value(who, "master", rc, rc == ompd_rc_ok ? lwp_of(thread) : 0);
		if (rc != ompd_rc_ok)
			continue;
		count++;
		fprintf(out, "%s member %d\n", who, lwp_of(thread));
		later.ompd_rel_thread_handle(thread);
	}
	value(who, "threads", ompd_rc_ok, count);
	count = 0;
	for (int i = 0;
	     (rc = later.ompd_get_task_in_parallel(parallel, i, &task)) != ompd_rc_bad_input; i++) {
		if (rc != ompd_rc_ok)
			continue;
		count++;
		identity(who, "task", task, ompd_scope_task);
		icv(who, "is_implicit", task, ompd_scope_task, "implicit-task-var");
		later.ompd_rel_task_handle(task);
	}
	value(who, "tasks", ompd_rc_ok, count);
}

static void walk_regions(const char *thread, ompd_parallel_handle_t *parallel, ompd_rc_t rc)
{
	ompd_ext_parallel_info info;
	ompd_parallel_handle_t *outer;
	char who[64];

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		snprintf(who, sizeof(who), "%s region %d", thread, depth);
		value(who, "there", rc, 1);
		if (rc != ompd_rc_ok)
			return;
		identity(who, "parallel", parallel, ompd_scope_parallel);
		icv(who, "get_num_threads", parallel, ompd_scope_parallel, "team-size-var");
		icv(who, "get_level", parallel, ompd_scope_parallel, "levels-var");
		icv(who, "get_active_level", parallel, ompd_scope_parallel, "active-levels-var");
		rc = later.ompd_ext_get_parallel_info(parallel, &info);
		value(who, "function", info.function ? rc : ompd_rc_unavailable,
		      (int64_t)info.function);
		walk_members(who, parallel);
		rc = later.ompd_get_enclosing_parallel_handle(parallel, &outer);
		later.ompd_rel_parallel_handle(parallel);
		parallel = outer;
	}
}

static void walk_schedule(const char *who, ompd_task_handle_t *task)
{
	ompd_word_t kind = 0;
	const char *text = NULL, *comma;
	ompd_rc_t rc = later.ompd_ext_get_icv(task, ompd_scope_task, "run-sched-var", &kind);

	value(who, "schedule", rc, kind & 0x7fffffff);
	rc = later.ompd_get_icv_string_from_scope(task, ompd_scope_task, id_of("run-sched-var"),
						  &text);
	comma = rc == ompd_rc_ok ? strchr(text, ',') : NULL;
	value(who, "modifier", rc, comma ? atol(comma + 1) : 0);
	tr2_free((char *)text);
}

static void walk_task(const char *who, ompd_task_handle_t *task)
{
	ompd_frame_info_t leave = { { 0, 0 }, 0 }, enter = { { 0, 0 }, 0 };
	ompd_address_t function = { 0, 0 };
	ompd_parallel_handle_t *parallel;
	ompd_word_t word = 0;
	ompd_rc_t rc;

	identity(who, "task", task, ompd_scope_task);
	icv(who, "is_implicit", task, ompd_scope_task, "implicit-task-var");
	icv(who, "in_final", task, ompd_scope_task, "final-task-var");
	rc = later.ompd_ext_get_icv(task, ompd_scope_task, "active-levels-var", &word);
	value(who, "in_parallel", rc, word > 0);
	value(who, "get_active_level", rc, word);
	icv(who, "get_max_threads", task, ompd_scope_task, "nthreads-var");
	icv(who, "get_dynamic", task, ompd_scope_task, "dyn-var");
	rc = later.ompd_ext_get_icv(task, ompd_scope_task, "nest-var", &word);
	value(who, "get_nested", rc, word);
	walk_schedule(who, task);
	rc = later.ompd_ext_get_icv(task, ompd_scope_task, "bind-var", &word);
	value(who, "bind", rc == ompd_rc_ok && word > 4 ? ompd_rc_unavailable : rc, word);
	rc = later.ompd_get_task_function(task, &function);
	value(who, "function", rc, (int64_t)function.address);
	rc = later.ompd_get_task_frame(task, &leave, &enter);
	value(who, "exit", rc, (int64_t)leave.frame_address.address);
	value(who, "reenter", rc, (int64_t)enter.frame_address.address);
	check(later.ompd_get_task_parallel_handle(task, &parallel), "region of a task");
	identity(who, "parallel", parallel, ompd_scope_parallel);
	later.ompd_rel_parallel_handle(parallel);
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
		later.ompd_rel_task_handle(task);
		task = parent;
	}
}

// The task that a task's thread left for it. 2016 has one for the implicit task of a region's first
// thread, too: the task that encountered the region.
static ompd_rc_t task_below(ompd_task_handle_t *task, ompd_task_handle_t **ret)
{
	ompd_rc_t rc = later.ompd_get_scheduling_task_handle(task, ret);
	ompd_word_t implicit = 0, number = 1;

	if (rc != ompd_rc_unavailable ||
	    later.ompd_ext_get_icv(task, ompd_scope_task, "implicit-task-var", &implicit) !=
		    ompd_rc_ok ||
	    !implicit ||
	    later.ompd_ext_get_icv(task, ompd_scope_task, "thread-num-var", &number) !=
		    ompd_rc_ok ||
	    number)
		return rc;
	return later.ompd_get_generating_task_handle(task, ret);
}

// ---- Threads ---------------------------------------------------------------------------------

// What 2016 calls a state, by the hundreds and tens of the later numbers (OpenMP 5.2, 19.4.4.28).
static int64_t state_of(ompd_word_t state)
{
	switch (state) {
	case 0x000 ... 0x002:
		return state;
	case 0x010 ... 0x016:
		return state == 0x014 ? 0x42 : state >= 0x011 && state <= 0x013 ? 0x41 : 0x40;
	case 0x020 ... 0x021:
		return 0x50 + (state - 0x020);
	case 0x040 ... 0x044:
		return 0x60 + (state - 0x040);
	case 0x100:
		return 0x10;
	case 0x101:
		return 0x20;
	default:
		return NO_STATE;
	}
}

static void walk_thread(ompd_thread_handle_t *thread)
{
	ompd_parallel_handle_t *parallel = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_word_t state = 0;
	ompd_wait_id_t wait = 0;
	uint64_t pthread = 0;
	char who[32];
	ompd_rc_t rc;

	snprintf(who, sizeof(who), "thread %d", lwp_of(thread));
	rc = later.ompd_get_thread_id(thread, ompd_thread_id_pthread, sizeof(pthread), &pthread);
	value(who, "pthread", rc, (int64_t)pthread);
	value(who, "same", ompd_rc_ok, 0);
	identity(who, "thread", thread, ompd_scope_thread);
	icv(who, "get_thread_num", thread, ompd_scope_thread, "thread-num-var");
	icv(who, "get_max_active_levels", thread, ompd_scope_thread, "max-active-levels-var");
	rc = later.ompd_get_state(thread, &state, &wait);
	value(who, "state", rc, state_of(state));
	value(who, "wait", rc, (int64_t)wait);
	rc = later.ompd_get_curr_parallel_handle(thread, &parallel);
	walk_regions(who, parallel, rc);
	rc = later.ompd_get_curr_task_handle(thread, &task);
	walk_tasks(who, "task", task, rc, later.ompd_get_generating_task_handle);
	rc = later.ompd_get_curr_task_handle(thread, &task);
	walk_tasks(who, "below", task, rc, task_below);
}

// thread-limit-var of the initial task: the last of those that generated a thread's task.
static void walk_thread_limit(ompd_thread_handle_t *thread)
{
	ompd_task_handle_t *task, *parent;
	ompd_rc_t rc = later.ompd_get_curr_task_handle(thread, &task);

	if (rc != ompd_rc_ok)
		return;
	while (later.ompd_get_generating_task_handle(task, &parent) == ompd_rc_ok) {
		later.ompd_rel_task_handle(task);
		task = parent;
	}
	icv("space", "get_thread_limit", task, ompd_scope_task, "thread-limit-var");
	later.ompd_rel_task_handle(task);
}

static void open_library(void *library)
{
#define FUNCTION(name) later.name = tr2_function(library, #name);
#include "tr2_later.def"
	check(later.ompd_initialize(202111, &plain_callbacks), "initialize");
	check(later.ompd_process_initialize(plain_context(), &space), "process");
}

void walk_later(void *library, FILE *to)
{
	const char *const *vars;
	ompd_thread_handle_t *thread;
	int count = 0;

	out = to;
	open_library(library);
	icv("space", "get_num_procs", space, ompd_scope_address_space, "num-procs-var");
	check(later.ompd_get_display_control_vars(space, &vars), "variables");
	for (int i = 0; vars[i]; i++)
		fprintf(out, "space %s\n", vars[i]);
	check(later.ompd_rel_display_control_vars(&vars), "variables");
	for (size_t i = 0; i < tr2_num_threads(); i++) {
		int lwp = tr2_lwp(i);

		if (later.ompd_get_thread_handle(space, ompd_thread_id_lwp, sizeof(lwp), &lwp,
						 &thread) != ompd_rc_ok)
			continue;
		if (count++ == 0)
			walk_thread_limit(thread);
		walk_thread(thread);
		later.ompd_rel_thread_handle(thread);
	}
	value("space", "threads", ompd_rc_ok, count);
	value("space", "counted", ompd_rc_ok, count);
	check(later.ompd_rel_address_space_handle(space), "release");
	check(later.ompd_finalize(), "finalize");
}

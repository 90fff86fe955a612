// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of address spaces (section 8) and of tasks and threads (section 11.2).

#include <stdlib.h>
#include <string.h>

#include "front.h"

// Return a control variable; for a list, its first element (section 11.2, ompd_get_max_threads).
ompd_rc_t front_setting(const void *handle, const char *name, ompd_tword_t *val)
{
	static const struct {
		enum handle_kind kind;
		core_scope_t scope;
	} scopes[] = {
		{ HANDLE_ADDRESS_SPACE, core_scope_address_space },
		{ HANDLE_THREAD, core_scope_thread },
		{ HANDLE_PARALLEL, core_scope_parallel },
		{ HANDLE_TASK, core_scope_task },
	};
	const enum handle_kind kind = handle_kind_of(handle);
	core_word_t value;
	size_t i = 0;

	while (scopes[i].kind != kind)
		i++;
	core_rc_t rc = core_ext_get_icv((void *)handle, scopes[i].scope, name, &value);

	if (rc == core_rc_incomplete)
		rc = core_rc_ok;
	if (rc == core_rc_ok)
		*val = value;
	return front_rc(rc);
}

/** Section 8: omp_get_num_procs(). unavailable: the runtime has not counted them yet. */
ompd_rc_t ompd_get_num_procs(ompd_address_space_handle_t *handle, ompd_tword_t *val)
{
	FRONT_ENTER(handle, HANDLE_ADDRESS_SPACE, val);
	return front_setting(handle, "num-procs-var", val);
}

// The region around all others of a thread. The caller releases it.
static core_rc_t outermost_region(core_thread_handle_t *thread, core_parallel_handle_t **ret)
{
	core_parallel_handle_t *outer;
	core_rc_t rc = core_get_curr_parallel_handle(thread, ret);

	if (rc != core_rc_ok)
		return rc;
	while ((rc = core_get_enclosing_parallel_handle(*ret, &outer)) == core_rc_ok) {
		core_rel_parallel_handle(*ret);
		*ret = outer;
	}
	if (rc == core_rc_unavailable)
		return core_rc_ok;
	core_rel_parallel_handle(*ret);
	return rc;
}

static core_rc_t limit_around(core_thread_handle_t *thread, core_word_t *ret)
{
	core_parallel_handle_t *parallel;
	core_task_handle_t *task;
	core_rc_t rc = outermost_region(thread, &parallel);

	if (rc != core_rc_ok)
		return rc;
	rc = core_get_task_in_parallel(parallel, 0, &task);
	core_rel_parallel_handle(parallel);
	if (rc != core_rc_ok)
		return rc;
	rc = core_ext_get_icv(task, core_scope_task, "thread-limit-var", ret);
	core_rel_task_handle(task);
	return rc;
}

/**
 * Section 8: omp_get_thread_limit(). A variable of the device in 2016, and of tasks since: it is
 * what the initial task has around the first thread that is in any.
 * @return ok; unavailable (no thread is); bad_input; stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_thread_limit(ompd_address_space_handle_t *handle, ompd_tword_t *val)
{
	core_rc_t found = core_rc_unavailable;
	core_thread_handle_t **threads = NULL;
	core_word_t value;
	size_t count = 0;

	FRONT_ENTER(handle, HANDLE_ADDRESS_SPACE, val);
	core_rc_t rc =
		core_ext_get_threads((core_address_space_handle_t *)handle, &threads, &count);

	if (rc != core_rc_ok && rc != core_rc_incomplete)
		return front_rc(rc);
	for (size_t i = 0; i < count; i++) {
		if (found == core_rc_unavailable)
			found = limit_around(threads[i], &value);
		core_rel_thread_handle(threads[i]);
	}
	front_free(threads);
	if (found == core_rc_ok)
		*val = value;
	return front_rc(found);
}

/** Section 11.2: omp_get_max_threads(), nthreads-var. */
ompd_rc_t ompd_get_max_threads(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	FRONT_ENTER(task_handle, HANDLE_TASK, val);
	return front_setting(task_handle, "nthreads-var", val);
}

/** Section 11.2: omp_get_thread_num(). unavailable: the thread is idle. */
ompd_rc_t ompd_get_thread_num(const ompd_thread_handle_t *thread_handle, ompd_tword_t *val)
{
	FRONT_ENTER(thread_handle, HANDLE_THREAD, val);
	return front_setting(thread_handle, "thread-num-var", val);
}

/** Section 11.2: omp_in_parallel(), 0 or 1. */
ompd_rc_t ompd_in_parallel(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	FRONT_ENTER(task_handle, HANDLE_TASK, val);
	ompd_rc_t rc = front_setting(task_handle, "active-levels-var", val);

	if (rc == ompd_rc_ok)
		*val = *val > 0;
	return rc;
}

/** Section 11.2: omp_in_final(), 0 or 1. */
ompd_rc_t ompd_in_final(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	FRONT_ENTER(task_handle, HANDLE_TASK, val);
	return front_setting(task_handle, "final-task-var", val);
}

/** Section 11.2: omp_get_dynamic(), 0 or 1. */
ompd_rc_t ompd_get_dynamic(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	FRONT_ENTER(task_handle, HANDLE_TASK, val);
	return front_setting(task_handle, "dyn-var", val);
}

/** Section 11.2: omp_get_nested(), 0 or 1. */
ompd_rc_t ompd_get_nested(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	FRONT_ENTER(task_handle, HANDLE_TASK, val);
	return front_setting(task_handle, "nest-var", val);
}

/** Section 11.2: omp_get_max_active_levels(). The prototype wants a thread, the section a task:
 * either does. */
ompd_rc_t ompd_get_max_active_levels(const ompd_thread_handle_t *thread_handle, ompd_tword_t *val)
{
	FRONT_ENTER(thread_handle, HANDLE_THREAD | HANDLE_TASK, val);
	return front_setting(thread_handle, "max-active-levels-var", val);
}

// The chunk behind the comma of "monotonic:dynamic,4"; 0 if there is none.
static core_rc_t chunk_of(const ompd_task_handle_t *task, core_word_t *ret)
{
	core_address_space_handle_t *space = handle_space(task);
	const char *text = NULL, *name, *comma;
	core_icv_id_t id = 0;
	core_scope_t scope;
	int more = 1;
	bool found = false;
	core_rc_t rc = core_rc_ok;

	while (rc == core_rc_ok && more && !found) {
		rc = core_enumerate_icvs(space, id, &id, &name, &scope, &more);
		if (rc == core_rc_ok) {
			found = strcmp(name, "run-sched-var") == 0;
			front_free((void *)name);
		}
	}
	if (rc == core_rc_ok)
		rc = core_get_icv_string_from_scope((void *)task, core_scope_task, id, &text);
	if (rc != core_rc_ok)
		return rc;
	comma = strchr(text, ',');
	*ret = comma ? strtol(comma + 1, NULL, 10) : 0;
	front_free((void *)text);
	return core_rc_ok;
}

/**
 * Section 11.2: omp_get_schedule(). That a schedule is monotonic, which came later, is left out.
 * @param[out] modifier its chunk size; 0: none was set.
 */
ompd_rc_t ompd_get_schedule(ompd_task_handle_t *task_handle, ompd_sched_t *kind,
			    ompd_tword_t *modifier)
{
	const ompd_tword_t kinds = 0x7fffffff;
	ompd_tword_t value;
	core_word_t chunk = 0;

	FRONT_ENTER(task_handle, HANDLE_TASK, kind && modifier);
	ompd_rc_t rc = front_setting(task_handle, "run-sched-var", &value);

	if (rc == ompd_rc_ok)
		rc = front_rc(chunk_of(task_handle, &chunk));
	if (rc == ompd_rc_ok) {
		*kind = (ompd_sched_t)(value & kinds);
		*modifier = chunk;
	}
	return rc;
}

/** Section 11.2: bind-var. unavailable: the runtime has a value of its own that 2016 has not. */
ompd_rc_t ompd_get_proc_bind(ompd_task_handle_t *task_handle, ompd_proc_bind_t *bind)
{
	ompd_tword_t value;

	FRONT_ENTER(task_handle, HANDLE_TASK, bind);
	ompd_rc_t rc = front_setting(task_handle, "bind-var", &value);

	if (rc == ompd_rc_ok && (value < ompd_proc_bind_false || value > ompd_proc_bind_spread))
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*bind = (ompd_proc_bind_t)value;
	return rc;
}

/** Section 11.2: whether a task is implicit, 0 or 1. */
ompd_rc_t ompd_is_implicit(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	FRONT_ENTER(task_handle, HANDLE_TASK, val);
	return front_setting(task_handle, "implicit-task-var", val);
}

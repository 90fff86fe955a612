// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of parallel regions (section 7.3) and inquiries about them (section 9).

#include "ids.h"

/**
 * Section 7.3: the innermost region of a thread; outside of all parallel constructs the implicit
 * region around the initial thread.
 * @return ok; unavailable (the thread is idle); bad_input; stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_top_parallel_region(ompd_thread_handle_t *thread_handle,
				       ompd_parallel_handle_t **parallel_handle)
{
	core_parallel_handle_t *parallel;

	FRONT_ENTER(thread_handle, HANDLE_THREAD, parallel_handle);
	core_rc_t rc =
		core_get_curr_parallel_handle((core_thread_handle_t *)thread_handle, &parallel);

	return HANDLE_GIVE(rc, parallel, PARALLEL, thread_handle, parallel_handle);
}

/** Section 7.3: the region around a region. unavailable: it is the outermost. */
ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
					     ompd_parallel_handle_t **enclosing_parallel_handle)
{
	core_parallel_handle_t *parallel;

	FRONT_ENTER(parallel_handle, HANDLE_PARALLEL, enclosing_parallel_handle);
	core_rc_t rc = core_get_enclosing_parallel_handle((core_parallel_handle_t *)parallel_handle,
							  &parallel);

	return HANDLE_GIVE(rc, parallel, PARALLEL, parallel_handle, enclosing_parallel_handle);
}

/** Section 7.3: the region that a task is bound to. */
ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
					ompd_parallel_handle_t **task_parallel_handle)
{
	core_parallel_handle_t *parallel;

	FRONT_ENTER(task_handle, HANDLE_TASK, task_parallel_handle);
	core_rc_t rc = core_get_task_parallel_handle((core_task_handle_t *)task_handle, &parallel);

	return HANDLE_GIVE(rc, parallel, PARALLEL, task_handle, task_parallel_handle);
}

/** Section 7.3. stale_handle: it was released before. */
ompd_rc_t ompd_release_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
	return handle_release(parallel_handle, HANDLE_PARALLEL);
}

/** Section 7.3: as ompd_thread_handle_compare(). */
ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
				       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value)
{
	FRONT_ENTER(parallel_handle_1, HANDLE_PARALLEL, true);
	FRONT_ENTER(parallel_handle_2, HANDLE_PARALLEL, cmp_value);
	return front_rc(core_parallel_handle_compare((core_parallel_handle_t *)parallel_handle_1,
						     (core_parallel_handle_t *)parallel_handle_2,
						     cmp_value));
}

/** Section 7.3: as ompd_get_thread_handle_string_id(). */
ompd_rc_t ompd_get_parallel_handle_string_id(ompd_parallel_handle_t *parallel_handle,
					     char **string_id)
{
	FRONT_ENTER(parallel_handle, HANDLE_PARALLEL, string_id);
	return string_id_of(parallel_handle, "parallel", core_scope_parallel, string_id);
}

/** Section 9.1: how many threads the region's team has. */
ompd_rc_t ompd_get_num_threads(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val)
{
	FRONT_ENTER(parallel_handle, HANDLE_PARALLEL, val);
	return front_setting(parallel_handle, "team-size-var", val);
}

/** Section 9.1: how deep the region lies; 0 outside of all parallel constructs. A task's handle
 * does as well: then it is that of its region. */
ompd_rc_t ompd_get_level(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val)
{
	FRONT_ENTER(parallel_handle, HANDLE_PARALLEL | HANDLE_TASK, val);
	return front_setting(parallel_handle, "levels-var", val);
}

/** Section 9.1: how many of these regions are active. The text says that the handle is a region's,
 * the prototype a task's: either does. */
ompd_rc_t ompd_get_active_level(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	FRONT_ENTER(task_handle, HANDLE_PARALLEL | HANDLE_TASK, val);
	return front_setting(task_handle, "active-levels-var", val);
}

/** Section 9.2: entry point of the code of the region. unavailable: the runtime keeps none. */
ompd_rc_t ompd_get_parallel_function(ompd_parallel_handle_t *parallel_handle,
				     ompd_address_t *entry_point)
{
	core_ext_parallel_info info;

	FRONT_ENTER(parallel_handle, HANDLE_PARALLEL, entry_point);
	core_rc_t rc = core_ext_get_parallel_info((core_parallel_handle_t *)parallel_handle, &info);

	if (rc == core_rc_ok && !info.function)
		return ompd_rc_unavailable;
	if (rc == core_rc_ok)
		*entry_point = (ompd_address_t){ OMPD_SEGMENT_UNSPECIFIED, info.function };
	return front_rc(rc);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task handles (section 7.4), task functions (11.1) and frames (11.3, 11.4).

#include "ids.h"
#include "vectors.h"

/** Section 7.4: the task that a thread executes. unavailable: the thread is idle. */
ompd_rc_t ompd_get_top_task_region(ompd_thread_handle_t *thread_handle,
				   ompd_task_handle_t **task_handle)
{
	core_task_handle_t *task;

	FRONT_ENTER(thread_handle, HANDLE_THREAD, task_handle);
	core_rc_t rc = core_get_curr_task_handle((core_thread_handle_t *)thread_handle, &task);

	return HANDLE_GIVE(rc, task, TASK, thread_handle, task_handle);
}

/** Section 7.4: the task whose construct a task comes from. unavailable: an initial task, or it has
 * ended. */
ompd_rc_t ompd_get_generating_ancestor_task_region(ompd_task_handle_t *task_handle,
						   ompd_task_handle_t **parent_task_handle)
{
	core_task_handle_t *task;

	FRONT_ENTER(task_handle, HANDLE_TASK, parent_task_handle);
	core_rc_t rc = core_get_generating_task_handle((core_task_handle_t *)task_handle, &task);

	return HANDLE_GIVE(rc, task, TASK, task_handle, parent_task_handle);
}

// Of an implicit task the core has none. In 2016 that of a region's first thread has the task that
// encountered the region, which the thread left for it.
static core_rc_t scheduling_ancestor(ompd_task_handle_t *of, core_task_handle_t **ret)
{
	core_task_handle_t *task = (core_task_handle_t *)of;
	ompd_tword_t implicit = 0, number = 1;
	core_rc_t rc = core_get_scheduling_task_handle(task, ret);

	if (rc != core_rc_unavailable ||
	    front_setting(of, "implicit-task-var", &implicit) != ompd_rc_ok || !implicit)
		return rc;
	if (front_setting(of, "thread-num-var", &number) != ompd_rc_ok || number)
		return rc;
	return core_get_generating_task_handle(task, ret);
}

/** Section 7.4: the task that a task's thread left for it. unavailable: there is none, or the
 * runtime does not record it; needs_state_tracking: it would. */
ompd_rc_t ompd_get_scheduling_ancestor_task_region(ompd_task_handle_t *task_handle,
						   ompd_task_handle_t **parent_task_handle)
{
	core_task_handle_t *task;

	FRONT_ENTER(task_handle, HANDLE_TASK, parent_task_handle);
	core_rc_t rc = scheduling_ancestor(task_handle, &task);

	return HANDLE_GIVE(rc, task, TASK, task_handle, parent_task_handle);
}

static core_rc_t member(core_parallel_handle_t *parallel, int number, void **ret)
{
	core_task_handle_t *task = NULL;
	core_rc_t rc = core_get_task_in_parallel(parallel, number, &task);

	*ret = task;
	return rc;
}

/**
 * Section 7.4: the implicit tasks of a region, in the order of their threads' numbers.
 * @param[out] task_handle_vector an array that the debugger frees, after it has released each of
 *             its handles. NULL: only their number is wanted, as in 7.2.
 * @return ok; bad_input; stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_implicit_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
					     ompd_task_handle_t ***task_handle_vector,
					     int *num_handles)
{
	void **vector;

	FRONT_ENTER(parallel_handle, HANDLE_PARALLEL, num_handles);
	ompd_rc_t rc = vector_of_team(parallel_handle, member, HANDLE_TASK,
				      task_handle_vector ? &vector : NULL, num_handles);

	if (rc == ompd_rc_ok && task_handle_vector)
		*task_handle_vector = (ompd_task_handle_t **)vector;
	return rc;
}

/** Section 7.4. stale_handle: it was released before. */
ompd_rc_t ompd_release_task_handle(ompd_task_handle_t *task_handle)
{
	return handle_release(task_handle, HANDLE_TASK);
}

/** Section 7.4: as ompd_thread_handle_compare(). */
ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
				   ompd_task_handle_t *task_handle_2, int *cmp_value)
{
	FRONT_ENTER(task_handle_1, HANDLE_TASK, true);
	FRONT_ENTER(task_handle_2, HANDLE_TASK, cmp_value);
	return front_rc(core_task_handle_compare((core_task_handle_t *)task_handle_1,
						 (core_task_handle_t *)task_handle_2, cmp_value));
}

/** Section 7.4: as ompd_get_thread_handle_string_id(). */
ompd_rc_t ompd_get_task_handle_string_id(ompd_task_handle_t *task_handle, char **string_id)
{
	FRONT_ENTER(task_handle, HANDLE_TASK, string_id);
	return string_id_of(task_handle, "task", core_scope_task, string_id);
}

/** Section 11.1: entry point of the code of a task. unavailable: the runtime keeps none. */
ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle, ompd_address_t *entry_point)
{
	core_address_t entry;

	FRONT_ENTER(task_handle, HANDLE_TASK, entry_point);
	core_rc_t rc = core_get_task_function((core_task_handle_t *)task_handle, &entry);

	if (rc == core_rc_ok)
		*entry_point = (ompd_address_t){ entry.segment, entry.address };
	return front_rc(rc);
}

/**
 * Return (sections 11.3 and 11.4) the frame at which the task's thread left the runtime for the
 * task's code, and the one at which that code called the runtime again; 0: it has not, or has
 * returned.
 * @return ok; unavailable (the runtime never keeps frames); needs_state_tracking (it would, with
 *         OMP_DEBUG=enabled or a tool); bad_input; stale_handle; error.
 */
ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle, ompd_address_t *exit_runtime_addr,
			      ompd_address_t *reenter_runtime_addr)
{
	core_frame_info_t leave, enter;

	FRONT_ENTER(task_handle, HANDLE_TASK, exit_runtime_addr && reenter_runtime_addr);
	core_rc_t rc = core_get_task_frame((core_task_handle_t *)task_handle, &leave, &enter);

	if (rc == core_rc_ok) {
		*exit_runtime_addr = (ompd_address_t){ leave.frame_address.segment,
						       leave.frame_address.address };
		*reenter_runtime_addr = (ompd_address_t){ enter.frame_address.segment,
							  enter.frame_address.address };
	}
	return front_rc(rc);
}

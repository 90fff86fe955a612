// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel region handles (OpenMP 5.2, 20.5.6).

#include "api/handles.h"

/**
 * The innermost region that the thread takes part in; outside of every parallel construct the
 * implicit region of the initial thread.
 * @return ok; unavailable (the thread is idle); stale_handle; bad_input; nomem; error.
 */
ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle,
					ompd_parallel_handle_t **parallel_handle)
{
	struct gomp_thread thread;
	struct gomp_region region;

	API_ENTER(thread_handle, THREAD);
	if (!parallel_handle)
		return reason(ompd_rc_bad_input, "no place for the handle");
	ompd_rc_t rc = handle_read_thread(thread_handle, &thread);

	if (rc == ompd_rc_ok)
		rc = gomp_current_region(&thread_handle->space->runtime, &thread, &region);
	return rc == ompd_rc_ok ?
		       handle_new_parallel(thread_handle->space, &region, parallel_handle) :
		       rc;
}

/** The region around a region. unavailable: it is the outermost. */
ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
					     ompd_parallel_handle_t **enclosing_parallel_handle)
{
	struct gomp_region outer;

	API_ENTER(parallel_handle, PARALLEL);
	if (!enclosing_parallel_handle)
		return reason(ompd_rc_bad_input, "no place for the handle");
	ompd_rc_t rc = gomp_enclosing_region(&parallel_handle->space->runtime,
					     &parallel_handle->region, &outer);

	return rc == ompd_rc_ok ? handle_new_parallel(parallel_handle->space, &outer,
						      enclosing_parallel_handle) :
				  rc;
}

/** The region that a task is bound to. */
ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
					ompd_parallel_handle_t **task_parallel_handle)
{
	API_ENTER(task_handle, TASK);
	if (!task_parallel_handle)
		return reason(ompd_rc_bad_input, "no place for the handle");
	return handle_new_parallel(task_handle->space, &task_handle->task.region,
				   task_parallel_handle);
}

ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
	return handle_release(parallel_handle, HANDLE_PARALLEL);
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
				       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value)
{
	API_ENTER(parallel_handle_1, PARALLEL);
	API_ENTER(parallel_handle_2, PARALLEL);
	return handle_compare(gomp_region_id(&parallel_handle_1->region),
			      gomp_region_id(&parallel_handle_2->region), cmp_value);
}

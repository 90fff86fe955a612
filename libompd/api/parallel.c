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
	API_ENTER(thread_handle, THREAD);
	if (!parallel_handle)
		return reason(ompd_rc_bad_input, "no place for the handle");
	ompd_address_space_handle_t *space = thread_handle->space;
	ompd_parallel_handle_t *handle = handle_new_parallel(space);

	if (!handle)
		return ompd_rc_nomem;
	return handle_give(handle,
			   space->family->current_region(space->runtime, thread_handle->thread,
							 handle->region),
			   parallel_handle);
}

/** The region around a region. unavailable: it is the outermost. */
ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
					     ompd_parallel_handle_t **enclosing_parallel_handle)
{
	API_ENTER(parallel_handle, PARALLEL);
	if (!enclosing_parallel_handle)
		return reason(ompd_rc_bad_input, "no place for the handle");
	ompd_address_space_handle_t *space = parallel_handle->space;
	ompd_parallel_handle_t *handle = handle_new_parallel(space);

	if (!handle)
		return ompd_rc_nomem;
	return handle_give(handle,
			   space->family->enclosing_region(space->runtime, parallel_handle->region,
							   handle->region),
			   enclosing_parallel_handle);
}

/** The region that a task is bound to. */
ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
					ompd_parallel_handle_t **task_parallel_handle)
{
	API_ENTER(task_handle, TASK);
	if (!task_parallel_handle)
		return reason(ompd_rc_bad_input, "no place for the handle");
	ompd_parallel_handle_t *handle = handle_new_parallel(task_handle->space);

	if (!handle)
		return ompd_rc_nomem;
	task_handle->space->family->tasks->task_region(task_handle->task, handle->region);
	*task_parallel_handle = handle;
	return ompd_rc_ok;
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
	return handle_compare(
		parallel_handle_1->space->family->region_id(parallel_handle_1->region),
		parallel_handle_2->space->family->region_id(parallel_handle_2->region), cmp_value);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel region handles (OpenMP 5.2, 20.5.6).

#include <string.h>

#include "api/handles.h"

/**
 * Return the innermost region that the thread takes part in; outside of every parallel construct
 * the implicit region of the initial thread.
 * @return ok; unavailable (the thread is idle); stale_handle; bad_input; nomem; error.
 */
ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle,
					ompd_parallel_handle_t **parallel_handle)
{
	API_ENTER(self, THREAD, thread_handle);
	API_CHECK(parallel_handle, "handle pointer is NULL");
	API_READ_THREAD(self, THREAD_REGION);
	struct api_space *space = self->space;
	API_NEW(handle, parallel, space);
	return HANDLE_GIVE(space->family->current_region(space->runtime, self->thread,
							 handle->region),
			   PARALLEL, handle, space, parallel_handle);
}

/** Return the region around a region. unavailable: it is the outermost. */
ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
					     ompd_parallel_handle_t **enclosing_parallel_handle)
{
	API_ENTER(self, PARALLEL, parallel_handle);
	API_CHECK(enclosing_parallel_handle, "handle pointer is NULL");
	struct api_space *space = self->space;
	API_NEW(handle, parallel, space);
	return HANDLE_GIVE(space->family->enclosing_region(space->runtime, self->region,
							   handle->region),
			   PARALLEL, handle, space, enclosing_parallel_handle);
}

/** Return the region that a task is bound to. */
ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
					ompd_parallel_handle_t **task_parallel_handle)
{
	API_ENTER(self, TASK, task_handle);
	API_CHECK(task_parallel_handle, "handle pointer is NULL");
	API_NEW(handle, parallel, self->space);
	memcpy(handle->region, self->space->family->task_region(self->task),
	       self->space->family->region_size);
	return HANDLE_GIVE(ompd_rc_ok, PARALLEL, handle, self->space, task_parallel_handle);
}

ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
	return handle_release(parallel_handle, HANDLE_PARALLEL);
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
				       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value)
{
	API_ENTER(first, PARALLEL, parallel_handle_1);
	API_ENTER(second, PARALLEL, parallel_handle_2);
	return handle_compare(first->space->family->region_id(first->region),
			      second->space->family->region_id(second->region), cmp_value);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task handles (OpenMP 5.2, 20.5.7).

#include "api/handles.h"

typedef ompd_rc_t (*relative_fn)(const struct runtime *runtime, const struct task *task,
				 struct task *ret);

static ompd_rc_t get_relative(const struct api_task *of, ompd_task_handle_t **ret,
			      relative_fn relative)
{
	API_CHECK(ret, "handle pointer is NULL");
	API_NEW(handle, task, of->space);
	return HANDLE_GIVE(relative(of->space->runtime, of->task, handle->task), TASK, handle,
			   of->space, ret);
}

/** Return the task that a thread executes. unavailable: the thread is idle. */
ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle,
				    ompd_task_handle_t **task_handle)
{
	API_ENTER(self, THREAD, thread_handle);
	API_CHECK(task_handle, "handle pointer is NULL");
	API_READ_THREAD(self, THREAD_TASK);
	struct api_space *space = self->space;
	API_NEW(handle, task, space);
	return HANDLE_GIVE(space->family->current_task(space->runtime, self->thread, handle->task),
			   TASK, handle, space, task_handle);
}

/**
 * Return the task that generated a task; for the implicit task of a region, the task that
 * encountered it. unavailable: the initial task, or the generating task has ended.
 */
ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle,
					  ompd_task_handle_t **generating_task_handle)
{
	API_ENTER(self, TASK, task_handle);
	return get_relative(self, generating_task_handle, self->space->family->generating_task);
}

/**
 * Give the task on top of which a task's thread runs it. unavailable: an implicit task has none; or
 * the runtime does not record it (deferred tasks in libgomp).
 */
ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle,
					  ompd_task_handle_t **scheduling_task_handle)
{
	API_ENTER(self, TASK, task_handle);
	return get_relative(self, scheduling_task_handle, self->space->family->scheduling_task);
}

/** Return the implicit task of thread @p thread_num. bad_input: no such number. */
ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				    ompd_task_handle_t **task_handle)
{
	API_ENTER(self, PARALLEL, parallel_handle);
	API_CHECK(task_handle && thread_num >= 0,
		  "handle pointer is NULL, or the number is negative");
	struct api_space *space = self->space;
	API_NEW(handle, task, space);
	return HANDLE_GIVE(space->family->implicit_task(space->runtime, self->region,
							(uint32_t)thread_num, handle->task),
			   TASK, handle, space, task_handle);
}

ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle)
{
	return handle_release(task_handle, HANDLE_TASK);
}

ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
				   ompd_task_handle_t *task_handle_2, int *cmp_value)
{
	API_ENTER(first, TASK, task_handle_1);
	API_ENTER(second, TASK, task_handle_2);
	return handle_compare(first->space->family->task_id(first->task),
			      second->space->family->task_id(second->task), cmp_value);
}

/** Entry point of a task's outlined function. unavailable: the runtime does not keep it. */
ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle, ompd_address_t *entry_point)
{
	uint64_t function;

	API_ENTER(self, TASK, task_handle);
	API_CHECK(entry_point, "address pointer is NULL");
	const struct api_space *space = self->space;
	ompd_rc_t rc = space->family->task_function(space->runtime, self->task, &function);

	if (rc == ompd_rc_ok)
		*entry_point = (ompd_address_t){ ompd_segment_none, function };
	return rc;
}

/** Return where the runtime's frames around a task begin and end. unavailable: it records none. */
ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle, ompd_frame_info_t *exit_frame,
			      ompd_frame_info_t *enter_frame)
{
	API_ENTER(self, TASK, task_handle);
	API_CHECK(exit_frame && enter_frame, "frames pointer is NULL");
	const struct api_space *space = self->space;

	return space->family->task_frame(space->runtime, self->task, exit_frame, enter_frame);
}

ompd_rc_t ompd_ext_get_task_info(ompd_task_handle_t *task, ompd_ext_task_info *info)
{
	API_ENTER(self, TASK, task);
	API_CHECK(info, "result pointer is NULL");
	return self->space->family->task_info(self->space->runtime, self->task, info);
}

ompd_rc_t ompd_ext_get_task_depends(ompd_task_handle_t *task, ompd_ext_depend *depends, size_t max,
				    size_t *count)
{
	API_ENTER(self, TASK, task);
	API_CHECK(count && (!max || depends), "result pointer is NULL");
	return self->space->family->task_depends(self->space->runtime, self->task, depends, max,
						 count);
}

ompd_rc_t ompd_ext_get_task_dependers(ompd_task_handle_t *task, uint64_t *ids, size_t max,
				      size_t *count)
{
	API_ENTER(self, TASK, task);
	API_CHECK(count && (!max || ids), "result pointer is NULL");
	return self->space->family->task_dependers(self->space->runtime, self->task, ids, max,
						   count);
}

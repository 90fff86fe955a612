// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task handles (OpenMP 5.2, 20.5.7).

#include "api/handles.h"

typedef ompd_rc_t (*relative_fn)(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret);

static ompd_rc_t get_relative(ompd_task_handle_t *task_handle, ompd_task_handle_t **ret,
			      relative_fn relative)
{
	if (!ret)
		return reason(ompd_rc_bad_input, "no place for the handle");
	ompd_task_handle_t *handle = handle_new_task(task_handle->space);

	if (!handle)
		return ompd_rc_nomem;
	return handle_give(handle,
			   relative(task_handle->space->runtime, task_handle->task, handle->task),
			   ret);
}

/** The task that a thread executes. unavailable: the thread is idle. */
ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle,
				    ompd_task_handle_t **task_handle)
{
	API_ENTER(thread_handle, THREAD);
	if (!task_handle)
		return reason(ompd_rc_bad_input, "no place for the handle");
	ompd_address_space_handle_t *space = thread_handle->space;
	ompd_task_handle_t *handle = handle_new_task(space);

	if (!handle)
		return ompd_rc_nomem;
	return handle_give(handle,
			   space->family->tasks->current_task(space->runtime, thread_handle->thread,
							      handle->task),
			   task_handle);
}

/**
 * The task that generated a task; for the implicit task of a region, the task that encountered
 * it. unavailable: the initial task, or the generating task has ended.
 */
ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle,
					  ompd_task_handle_t **generating_task_handle)
{
	API_ENTER(task_handle, TASK);
	return get_relative(task_handle, generating_task_handle,
			    task_handle->space->family->tasks->generating_task);
}

/**
 * The task on top of which a task's thread runs it. unavailable: there is none, or the runtime
 * does not record it (deferred tasks in libgomp).
 */
ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle,
					  ompd_task_handle_t **scheduling_task_handle)
{
	API_ENTER(task_handle, TASK);
	return get_relative(task_handle, scheduling_task_handle,
			    task_handle->space->family->tasks->scheduling_task);
}

/** The implicit task of thread @p thread_num. bad_input: no such number. */
ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				    ompd_task_handle_t **task_handle)
{
	API_ENTER(parallel_handle, PARALLEL);
	if (!task_handle || thread_num < 0)
		return reason(ompd_rc_bad_input, "no place for the handle, or a negative number");
	ompd_address_space_handle_t *space = parallel_handle->space;
	ompd_task_handle_t *handle = handle_new_task(space);

	if (!handle)
		return ompd_rc_nomem;
	return handle_give(handle,
			   space->family->tasks->implicit_task(space->runtime,
							       parallel_handle->region,
							       (uint32_t)thread_num, handle->task),
			   task_handle);
}

ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle)
{
	return handle_release(task_handle, HANDLE_TASK);
}

ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
				   ompd_task_handle_t *task_handle_2, int *cmp_value)
{
	API_ENTER(task_handle_1, TASK);
	API_ENTER(task_handle_2, TASK);
	return handle_compare(task_handle_1->space->family->tasks->task_id(task_handle_1->task),
			      task_handle_2->space->family->tasks->task_id(task_handle_2->task),
			      cmp_value);
}

/** Entry point of a task's outlined function. unavailable: the runtime does not keep it. */
ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle, ompd_address_t *entry_point)
{
	uint64_t function;

	API_ENTER(task_handle, TASK);
	if (!entry_point)
		return reason(ompd_rc_bad_input, "no place for the address");
	const ompd_address_space_handle_t *space = task_handle->space;
	ompd_rc_t rc =
		space->family->tasks->task_function(space->runtime, task_handle->task, &function);

	if (rc == ompd_rc_ok)
		*entry_point = (ompd_address_t){ ompd_segment_none, function };
	return rc;
}

/** Where the runtime's frames around a task begin and end. unavailable: it records no frames. */
ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle, ompd_frame_info_t *exit_frame,
			      ompd_frame_info_t *enter_frame)
{
	API_ENTER(task_handle, TASK);
	if (!exit_frame || !enter_frame)
		return reason(ompd_rc_bad_input, "no place for the frames");
	const ompd_address_space_handle_t *space = task_handle->space;

	return space->family->tasks->task_frame(space->runtime, task_handle->task, exit_frame,
						enter_frame);
}

ompd_rc_t ompd_ext_get_task_info(ompd_task_handle_t *task, ompd_ext_task_info *info)
{
	API_ENTER(task, TASK);
	if (!info)
		return reason(ompd_rc_bad_input, "no place for the result");
	return task->space->family->tasks->task_info(task->space->runtime, task->task, info);
}

ompd_rc_t ompd_ext_get_task_depends(ompd_task_handle_t *task, ompd_ext_depend *depends, size_t max,
				    size_t *count)
{
	API_ENTER(task, TASK);
	if (!count || (max && !depends))
		return reason(ompd_rc_bad_input, "no place for the result");
	return task->space->family->tasks->task_depends(task->space->runtime, task->task, depends,
							max, count);
}

ompd_rc_t ompd_ext_get_task_dependers(ompd_task_handle_t *task, uint64_t *ids, size_t max,
				      size_t *count)
{
	API_ENTER(task, TASK);
	if (!count || (max && !ids))
		return reason(ompd_rc_bad_input, "no place for the result");
	return task->space->family->tasks->task_dependers(task->space->runtime, task->task, ids,
							  max, count);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a region, its loops and tasks have come, and what the process was started with (ompd/ompd_ext.h).

#include "api/handles.h"
#include "target/environ.h"

ompd_rc_t ompd_ext_get_barrier_info(ompd_parallel_handle_t *parallel, ompd_ext_barrier_info *info)
{
	API_ENTER(parallel, PARALLEL);
	if (!info)
		return reason(ompd_rc_bad_input, "no place for the result");
	return parallel->space->family->waits->barrier_info(parallel->space->runtime,
							    parallel->region, info);
}

ompd_rc_t ompd_ext_get_ordered_turn(ompd_thread_handle_t *thread, int *thread_num)
{
	API_ENTER(thread, THREAD);
	if (!thread_num)
		return reason(ompd_rc_bad_input, "no place for the result");
	return thread->space->family->waits->ordered_turn(thread->space->runtime, thread->thread,
							  thread_num);
}

ompd_rc_t ompd_ext_get_loop_info(ompd_thread_handle_t *thread, ompd_ext_loop_info *info)
{
	API_ENTER(thread, THREAD);
	if (!info)
		return reason(ompd_rc_bad_input, "no place for the result");
	return thread->space->family->waits->loop_info(thread->space->runtime, thread->thread,
						       info);
}

ompd_rc_t ompd_ext_get_task_counts(ompd_task_handle_t *task, ompd_ext_task_counts *counts)
{
	API_ENTER(task, TASK);
	if (!counts)
		return reason(ompd_rc_bad_input, "no place for the result");
	return task->space->family->tasks->task_counts(task->space->runtime, task->task, counts);
}

ompd_rc_t ompd_ext_get_environment(ompd_address_space_handle_t *handle, const char *name,
				   const char **value)
{
	char text[ICV_TEXT_MAX];

	API_ENTER(handle, ADDRESS_SPACE);
	if (!name || !value)
		return reason(ompd_rc_bad_input, "no name, or no place for the result");
	ompd_rc_t rc = environ_get(&handle->target, name, text, sizeof(text));

	if (rc == ompd_rc_unavailable)
		return reason(rc, "the variable was not set when the process started");
	if (rc != ompd_rc_ok)
		return reason(rc, "the environment of the process cannot be read");
	*value = target_strdup(&handle->target, text);
	return *value ? ompd_rc_ok : ompd_rc_nomem;
}

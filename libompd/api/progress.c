// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a region, its loops and tasks have come, and what the process was started with (ompd/ompd_ext.h).

#include "api/handles.h"
#include "target/environ.h"

ompd_rc_t ompd_ext_get_barrier_info(ompd_parallel_handle_t *parallel, ompd_ext_barrier_info *info)
{
	API_ENTER(self, PARALLEL, parallel);
	API_CHECK(info, "result pointer is NULL");
	return self->space->family->barrier_info(self->space->runtime, self->region, info);
}

ompd_rc_t ompd_ext_get_ordered_turn(ompd_thread_handle_t *thread, int *thread_num)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(thread_num, "result pointer is NULL");
	API_READ_THREAD(self, THREAD_PLACE);
	return self->space->family->ordered_turn(self->space->runtime, self->thread, thread_num);
}

ompd_rc_t ompd_ext_get_loop_info(ompd_thread_handle_t *thread, ompd_ext_loop_info *info)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(info, "result pointer is NULL");
	API_READ_THREAD(self, THREAD_PLACE);
	return self->space->family->loop_info(self->space->runtime, self->thread, info);
}

ompd_rc_t ompd_ext_get_task_counts(ompd_task_handle_t *task, ompd_ext_task_counts *counts)
{
	API_ENTER(self, TASK, task);
	API_CHECK(counts, "result pointer is NULL");
	return self->space->family->task_counts(self->space->runtime, self->task, counts);
}

ompd_rc_t ompd_ext_get_environment(ompd_address_space_handle_t *handle, const char *name,
				   const char **value)
{
	char text[ICV_TEXT_MAX];

	API_ENTER(space, ADDRESS_SPACE, handle);
	API_CHECK(name && value, "name or result pointer is NULL");
	ompd_rc_t rc = environ_get(&space->target, name, text, sizeof(text));

	if (rc == ompd_rc_unavailable)
		return reason(rc, "the variable was not set when the process started");
	if (rc != ompd_rc_ok)
		return reason(rc, "the environment of the process cannot be read");
	*value = target_strdup(&space->target, text);
	return *value ? ompd_rc_ok : ompd_rc_nomem;
}

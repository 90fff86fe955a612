// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_runtime.h"

#define MAX_EVENTS 64

struct fake_runtime omp;
static ompt_callback_t callbacks[MAX_EVENTS];

/** Keep a callback; the events of devices never come. */
static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
	if (event == ompt_callback_target_emi)
		return ompt_set_never;
	callbacks[event] = callback;
	return ompt_set_always;
}

/** Look up an entry point. */
static ompt_interface_fn_t look_up(const char *name)
{
	return strcmp(name, "ompt_set_callback") ? NULL : (ompt_interface_fn_t)set_callback;
}

/** Start the recorder. */
void start_fake_runtime(void)
{
	ompt_start_tool_result_t *tool = ompt_start_tool(202111, "a test");

	if (!tool || !tool->initialize(look_up, 0, &tool->tool_data)) {
		fprintf(stderr, "the recorder does not start\n");
		exit(1);
	}
	omp.finalize = tool->finalize;
#define TAKE(member, event) omp.member = (__typeof__(omp.member))callbacks[ompt_callback_##event]
	TAKE(thread_begin, thread_begin);
	TAKE(thread_end, thread_end);
	TAKE(parallel_begin, parallel_begin);
	TAKE(parallel_end, parallel_end);
	TAKE(implicit_task, implicit_task);
	TAKE(task_create, task_create);
	TAKE(task_schedule, task_schedule);
	TAKE(dependences, dependences);
	TAKE(work, work);
	TAKE(dispatch, dispatch);
	TAKE(sync, sync_region);
	TAKE(wait, sync_region_wait);
	TAKE(acquire, mutex_acquire);
	TAKE(acquired, mutex_acquired);
	TAKE(released, mutex_released);
	TAKE(lock_init, lock_init);
	TAKE(lock_destroy, lock_destroy);
	TAKE(nest_lock, nest_lock);
	TAKE(masked, masked);
	TAKE(cancel, cancel);
	TAKE(target, target);
#undef TAKE
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about regions.

#include "answer.h"

static ompd_rc_t ask_member(ompd_parallel_handle_t *parallel, int variant, struct answer *answer)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;

	if (variant % 2 == 0)
		return say_thread(ompd_get_thread_in_parallel(parallel, variant / 2, &thread),
				  &thread, answer);
	return say_task(ompd_get_task_in_parallel(parallel, variant / 2, &task), &task, answer);
}

ASK(members)
{
	return ask_member(handles->parallel, variant, answer);
}

ASK(outer_members)
{
	return ask_member(handles->outer, variant, answer);
}

ASK(enclosing)
{
	ompd_parallel_handle_t *parallel = NULL;

	return say_parallel(ompd_get_enclosing_parallel_handle(
				    variant ? handles->outer : handles->parallel, &parallel),
			    &parallel, answer);
}

ASK(parallel_info)
{
	ompd_ext_parallel_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_parallel_info(handles->parallel, &info);

	(void)variant;
	say(answer, "%u %u", info.kind, info.serialized);
	say_if_told(answer, "function", info.function);
	say_if_told(answer, "source", info.source);
	return rc;
}

ASK(barrier)
{
	ompd_ext_barrier_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_barrier_info(handles->parallel, &info);

	(void)variant;
	say(answer, "%u %u %u %x", info.total, info.arrived, info.arrived_end, info.flags);
	return rc;
}

ASK(compare)
{
	int result = 9;
	ompd_rc_t rc =
		variant == 0 ?
			ompd_thread_handle_compare(handles->thread, handles->thread, &result) :
		variant == 1 ?
			ompd_parallel_handle_compare(handles->parallel, handles->outer, &result) :
			ompd_task_handle_compare(handles->task, handles->task, &result);

	say(answer, "%d", result);
	return rc;
}

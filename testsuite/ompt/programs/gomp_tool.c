// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that counts a few events and writes the numbers to standard error when it ends.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "omp-tools.h"

static int initial, workers, thread_ends, regions, region_ends, implicit, implicit_ends, barriers,
	barrier_ends, tasks;

#define COUNT(number) __atomic_add_fetch(&(number), 1, __ATOMIC_RELAXED)

static void thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	(void)data;
	COUNT(*(type == ompt_thread_initial ? &initial : &workers));
}

static void thread_end(ompt_data_t *data)
{
	(void)data;
	COUNT(thread_ends);
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region,
			   unsigned int requested, int flags, const void *code)
{
	(void)task, (void)frame, (void)region, (void)requested, (void)flags, (void)code;
	COUNT(regions);
}

static void parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code)
{
	(void)region, (void)task, (void)flags, (void)code;
	COUNT(region_ends);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
			  unsigned int size, unsigned int index, int flags)
{
	(void)region, (void)task, (void)size, (void)index;
	if (!(flags & ompt_task_initial))
		COUNT(*(endpoint == ompt_scope_begin ? &implicit : &implicit_ends));
}

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
			ompt_data_t *region, ompt_data_t *task, const void *code)
{
	(void)region, (void)task, (void)code;
	if (kind == ompt_sync_region_barrier_explicit)
		COUNT(*(endpoint == ompt_scope_begin ? &barriers : &barrier_ends));
}

static void task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *made, int flags,
			int has_dependences, const void *code)
{
	(void)task, (void)frame, (void)made, (void)flags, (void)has_dependences, (void)code;
	COUNT(tasks);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	set(ompt_callback_thread_begin, (ompt_callback_t)thread_begin);
	set(ompt_callback_thread_end, (ompt_callback_t)thread_end);
	set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
	set(ompt_callback_parallel_end, (ompt_callback_t)parallel_end);
	set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
	set(ompt_callback_sync_region, (ompt_callback_t)sync_region);
	set(ompt_callback_task_create, (ompt_callback_t)task_create);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
	fprintf(stderr,
		"pid=%d initial=%d workers=%d thread_ends=%d regions=%d region_ends=%d "
		"implicit=%d implicit_ends=%d barriers=%d barrier_ends=%d tasks=%d\n",
		(int)getpid(), initial, workers, thread_ends, regions, region_ends, implicit,
		implicit_ends, barriers, barrier_ends, tasks);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)version, (void)runtime;
	return getenv("TEST_DECLINE") ? NULL : &result;
}

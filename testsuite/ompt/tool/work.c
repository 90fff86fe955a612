// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing, synchronization and cancellation.

#include "tool.h"

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
		    ompt_data_t *data, uint64_t number, const void *code)
{
	bool begins = endpoint != ompt_scope_end;
	struct thread *thread = enter(begins ? EVENT_WORK_BEGIN : EVENT_WORK_END, kind);
	struct task *task = check_task(thread, EVENT_WORK_BEGIN, data);

	(void)number;
	check_region(task, EVENT_WORK_BEGIN, region);
	check_code(begins ? EVENT_WORK_BEGIN : EVENT_WORK_END, code);
	if (endpoint == ompt_scope_beginend) {
		count(EVENT_WORK_END, kind);
		return;
	}
	// OpenMP 6.0 and some runtimes know the schedule only at one of the two.
	if (begins)
		scope_begin(task, EVENT_WORK_BEGIN, kind, NULL);
	else
		scope_end(task, EVENT_WORK_BEGIN, kind);
}

static void on_dispatch(ompt_data_t *region, ompt_data_t *data, ompt_dispatch_t kind,
			ompt_data_t instance)
{
	struct thread *thread = enter(EVENT_DISPATCH, kind);
	struct task *task = check_task(thread, EVENT_DISPATCH, data);

	(void)instance;
	check_region(task, EVENT_DISPATCH, region);
	if (!task)
		return;
	// A chunk of a taskloop is a task; others are dispatched within their construct.
	if (kind == ompt_dispatch_taskloop_chunk ?
		    !(task->flags & ompt_task_explicit) :
		    !task->scope_count ||
			    task->scope[task->scope_count - 1].event != EVENT_WORK_BEGIN)
		complain("dispatch.%s: not in a worksharing region",
			 kind_name(EVENT_DISPATCH, kind));
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *data,
		      const void *code)
{
	bool begins = endpoint == ompt_scope_begin;
	struct thread *thread = enter(begins ? EVENT_MASKED_BEGIN : EVENT_MASKED_END, 0);
	struct task *task = check_task(thread, EVENT_MASKED_BEGIN, data);

	check_region(task, EVENT_MASKED_BEGIN, region);
	check_code(begins ? EVENT_MASKED_BEGIN : EVENT_MASKED_END, code);
	if (begins)
		scope_begin(task, EVENT_MASKED_BEGIN, 0, NULL);
	else
		scope_end(task, EVENT_MASKED_BEGIN, 0);
}

static void sync(enum event begin, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		 ompt_data_t *region, ompt_data_t *data, const void *code)
{
	bool begins = endpoint != ompt_scope_end;
	enum event event = begins ? begin : begin + 1;
	struct thread *thread = enter(event, kind);
	struct task *task = check_task(thread, event, data);

	// At the end of a region's barrier the region may be over.
	if (begins || (kind != ompt_sync_region_barrier_implicit_parallel &&
		       kind != ompt_sync_region_barrier_implicit))
		check_region(task, event, region);
	check_code(event, code);
	if (endpoint == ompt_scope_beginend)
		count(begin + 1, kind);
	else if (begins)
		scope_begin(task, begin, kind, NULL);
	else
		scope_end(task, begin, kind);
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
			   ompt_data_t *region, ompt_data_t *data, const void *code)
{
	sync(EVENT_SYNC_BEGIN, kind, endpoint, region, data, code);
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
				ompt_data_t *region, ompt_data_t *data, const void *code)
{
	sync(EVENT_WAIT_BEGIN, kind, endpoint, region, data, code);
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
			 ompt_data_t *region, ompt_data_t *data, const void *code)
{
	sync(EVENT_REDUCTION_BEGIN, kind, endpoint, region, data, code);
}

static void on_cancel(ompt_data_t *data, int flags, const void *code)
{
	struct thread *thread;

	// A discarded task is not the current one.
	if (flags & ompt_cancel_discarded_task)
		return;
	thread = enter(EVENT_CANCEL, (unsigned int)flags);
	check_task(thread, EVENT_CANCEL, data);
	check_code(EVENT_CANCEL, code);
}

static void on_flush(ompt_data_t *data, const void *code)
{
	(void)data;
	enter(EVENT_FLUSH, 0);
	check_code(EVENT_FLUSH, code);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
	enter(EVENT_CONTROL, 0);
	check_code(EVENT_CONTROL, code);
	if (argument)
		*(uint64_t *)argument = command << 32 | modifier;
	return 17;
}

static void on_error(ompt_severity_t severity, const char *message, size_t length, const void *code)
{
	(void)severity;
	(void)message;
	(void)length;
	enter(EVENT_ERROR, 0);
	check_code(EVENT_ERROR, code);
}

void register_work_callbacks(void)
{
	SET(work, sometimes);
	SET(dispatch, sometimes);
	SET(masked, sometimes);
	SET(sync_region, sometimes);
	SET(sync_region_wait, sometimes);
	SET(reduction, sometimes);
	SET(cancel, sometimes);
	SET(flush, sometimes);
	SET(control_tool, always);
	SET(error, sometimes);
}

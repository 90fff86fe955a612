// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ompt_tool.h"

/** ompt_callbacks_t. */
enum callback {
	CALLBACK_THREAD_BEGIN = 1,
	CALLBACK_PARALLEL_BEGIN = 3,
	CALLBACK_TASK_CREATE = 5,
	CALLBACK_IMPLICIT_TASK = 7,
};

struct tool {
	int (*initialize)(lookup_function lookup, int device, union data *data);
	void (*finalize)(union data *data);
	union data data;
};

__thread uint64_t tool_thread, tool_task;
uint64_t tool_newest_region, tool_newest_task;

static uint64_t next_number(void)
{
	static uint64_t last_number = 1000;

	return __atomic_add_fetch(&last_number, 1, __ATOMIC_SEQ_CST);
}

static void thread_begin(int type, union data *thread)
{
	(void)type;
	thread->value = tool_thread = next_number();
}

static void parallel_begin(union data *task, const void *frame, union data *region,
			   unsigned int threads, int flags, const void *code)
{
	(void)task;
	(void)frame;
	(void)threads;
	(void)flags;
	(void)code;
	region->value = tool_newest_region = next_number();
}

static void task_create(union data *parent, const void *frame, union data *task, int flags,
			int has_dependences, const void *code)
{
	(void)parent;
	(void)frame;
	(void)flags;
	(void)has_dependences;
	(void)code;
	task->value = tool_newest_task = next_number();
}

static void implicit_task(int endpoint, union data *region, union data *task, unsigned int threads,
			  unsigned int index, int flags)
{
	(void)region;
	(void)threads;
	(void)index;
	(void)flags;
	if (endpoint == 1)
		task->value = tool_task = next_number();
	else if (tool_implicit_task_ends)
		tool_implicit_task_ends();
}

static int initialize(lookup_function lookup, int device, union data *data)
{
	int (*set)(int which, any_function function) =
		(int (*)(int, any_function))lookup("ompt_set_callback");

	(void)device;
	(void)data;
	if (tool_starts)
		tool_starts(lookup);
	set(CALLBACK_THREAD_BEGIN, (any_function)thread_begin);
	set(CALLBACK_PARALLEL_BEGIN, (any_function)parallel_begin);
	set(CALLBACK_TASK_CREATE, (any_function)task_create);
	set(CALLBACK_IMPLICIT_TASK, (any_function)implicit_task);
	return 1;
}

static void finalize(union data *data)
{
	(void)data;
}

// The runtime looks for a function of this name.
struct tool *ompt_start_tool(unsigned int version, const char *runtime)
{
	static struct tool tool = { .initialize = initialize, .finalize = finalize };

	(void)version;
	(void)runtime;
	return &tool;
}

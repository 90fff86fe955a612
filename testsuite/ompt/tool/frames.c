// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frames of tasks, compared with the stack: what is between the exit and the enter frame of some
// task is the program's, what is not is the runtime's. And what else the runtime answers of the
// current task, compared with what events told.

#include <unwind.h>

#include "tool.h"

enum { FRAMES = 400, LEVELS = 64 };

/** Frames from the innermost one on. That at i is between sp[i] and sp[i + 1]. */
struct stack {
	unsigned int count;
	uintptr_t sp[FRAMES + 1];
	const void *pc[FRAMES];
	bool is_task[FRAMES]; // some task's, if one believes ompt_get_task_info
};

bool frames_wanted;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;

void frames_start(ompt_function_lookup_t lookup)
{
	get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
	get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
	get_state = (ompt_get_state_t)lookup("ompt_get_state");
	if (!get_task_info || !get_parallel_info || !get_state)
		complain("no ompt_get_task_info, ompt_get_parallel_info or ompt_get_state");
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *data)
{
	struct stack *stack = data;

	if (stack->count == FRAMES)
		return _URC_END_OF_STACK;
	// What libgcc calls the CFA at this point is the stack pointer in the frame.
	stack->sp[stack->count] = _Unwind_GetCFA(context);
	stack->pc[stack->count] = (const void *)_Unwind_GetIP(context);
	stack->is_task[stack->count] = false;
	stack->count++;
	return _URC_NO_REASON;
}

// The frame that an address is of; -1: it is not on this stack.
static int frame_at(const struct stack *stack, uintptr_t address, int flags)
{
	bool is_cfa = (flags & 0xf0) == ompt_frame_cfa;

	for (unsigned int i = 0; i < stack->count; i++) {
		if (is_cfa ? address == stack->sp[i + 1] :
			     address >= stack->sp[i] && address < stack->sp[i + 1])
			return (int)i;
	}
	return -1;
}

static enum owner frame_owner(const struct stack *stack, unsigned int i)
{
	// The address may be that behind a call at the very end of a function.
	return code_owner((const char *)stack->pc[i] - 1);
}

static void check_flags(const struct stack *stack, int frame, int flags, const char *which,
			const char *event, const char *kind)
{
	bool is_program = frame_owner(stack, (unsigned int)frame) == OWNER_PROGRAM;

	if ((flags & ompt_frame_application) ? !is_program : is_program)
		complain("frames: %s.%s: the %s frame is said to be of the %s", event, kind, which,
			 flags & ompt_frame_application ? "program" : "runtime");
}

static void mark_task(struct stack *stack, const ompt_frame_t *frame, const char *event,
		      const char *kind)
{
	int enter, exit = (int)stack->count;

	if (!frame->enter_frame.ptr)
		return;
	enter = frame_at(stack, (uintptr_t)frame->enter_frame.ptr, frame->enter_frame_flags);
	if (enter < 0) // of a task on another thread's stack
		return;
	check_flags(stack, enter, frame->enter_frame_flags, "enter", event, kind);
	if (frame->exit_frame.ptr) {
		exit = frame_at(stack, (uintptr_t)frame->exit_frame.ptr, frame->exit_frame_flags);
		if (exit < 0) {
			complain("frames: %s.%s: the exit frame is not on the stack", event, kind);
			return;
		}
		check_flags(stack, exit, frame->exit_frame_flags, "exit", event, kind);
		exit += (frame->exit_frame_flags & ompt_frame_application) != 0;
	}
	enter += (frame->enter_frame_flags & ompt_frame_application) == 0;
	for (int i = enter; i < exit; i++) {
		if (stack->is_task[i])
			complain("frames: %s.%s: frame %d is of two tasks", event, kind, i);
		stack->is_task[i] = true;
	}
}

__attribute__((noinline)) void frames_check(enum event event, unsigned int kind)
{
	const char *name = event_name(event), *of = kind_name(event, kind);
	struct stack stack = { .count = 0 };

	// An initial task begins and ends in no call of its own.
	if ((event == EVENT_IMPLICIT_BEGIN || event == EVENT_IMPLICIT_END) && kind != 0)
		return;
	_Unwind_Backtrace(add_frame, &stack);
	stack.sp[stack.count] = UINTPTR_MAX;
	for (int level = 0; level < LEVELS; level++) {
		ompt_frame_t *frame = NULL;

		if (!get_task_info(level, NULL, NULL, &frame, NULL, NULL))
			break;
		if (frame)
			mark_task(&stack, frame, name, of);
	}
	for (unsigned int i = 0; i < stack.count; i++) {
		enum owner owner = frame_owner(&stack, i);

		if (owner == OWNER_PROGRAM && !stack.is_task[i]) {
			complain("frames: %s.%s: frame %u of %u of the program is no task's", name,
				 of, i, stack.count);
			return;
		}
		if ((owner == OWNER_RUNTIME || owner == OWNER_TOOL) && stack.is_task[i]) {
			complain("frames: %s.%s: frame %u of %u of the runtime is a task's", name,
				 of, i, stack.count);
			return;
		}
	}
	count(EVENT_FRAMES, 0);
}

// While tasks change, both the old and the new one may be the current one.
static bool changes_task(enum event event)
{
	return event == EVENT_IMPLICIT_BEGIN || event == EVENT_IMPLICIT_END ||
	       event == EVENT_SCHEDULE || event == EVENT_PARALLEL_END ||
	       event == EVENT_PARALLEL_BEGIN;
}

void inquiry_check(struct thread *thread, enum event event, unsigned int kind)
{
	const char *name = event_name(event), *of = kind_name(event, kind);
	ompt_data_t *task_data = NULL, *region_data = NULL, *parallel_data = NULL;
	int flags = 0, number = -1, size = -1;
	struct task *task = thread->task;
	bool over = (event == EVENT_WAIT_END || event == EVENT_SYNC_END) &&
		    (kind == ompt_sync_region_barrier_implicit_parallel ||
		     kind == ompt_sync_region_barrier_implicit);

	if (!task || !task->region || changes_task(event))
		return;
	if (get_task_info(0, &flags, &task_data, NULL, &region_data, &number) != 2) {
		complain("inquiry: %s.%s: nothing is known of the task", name, of);
		return;
	}
	if (task_of(task_data) != task)
		complain("inquiry: %s.%s: another current task", name, of);
	else if ((flags & 0xff) != (task->flags & 0xff))
		complain("inquiry: %s.%s: flags %#x, not %#x", name, of, (unsigned int)flags,
			 (unsigned int)task->flags);
	// A worker may hear of the end of its region's barrier when the region is over.
	if (over)
		return;
	if (region_of(region_data) != task->region)
		complain("inquiry: %s.%s: another region of the task", name, of);
	if (!(task->flags & ompt_task_initial) && number != (int)task->index)
		complain("inquiry: %s.%s: thread number %d, not %u", name, of, number, task->index);
	if (get_parallel_info(0, &parallel_data, &size) != 2)
		complain("inquiry: %s.%s: nothing is known of the region", name, of);
	else if (region_of(parallel_data) != task->region)
		complain("inquiry: %s.%s: another current region", name, of);
	else if ((task->flags & ompt_task_implicit) && size != (int)task->team_size)
		complain("inquiry: %s.%s: %d threads, not %u", name, of, size, task->team_size);
}

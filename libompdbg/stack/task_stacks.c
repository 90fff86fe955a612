// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On which thread's stack the tasks lie that have begun.
//
// The runtime records the current task of a thread only. That task was executed by a call of the
// runtime, in a taskwait of the task that generated it, say: then that one lies below it on the same
// stack, suspended. The calls on a thread's stack tell so, and can be followed down.

#include "stack/room.h"

/** Check whether a taskwait executes tasks of others, too: in a program with priorities it does. */
static bool may_have_priorities(struct runtime *runtime)
{
	int64_t icv = runtime_icv(runtime, "max-task-priority-var");
	int64_t value;

	return icv < 0 ||
	       answer_of(space_icv_value(runtime->space, ompd_scope_address_space,
					 space_handle(runtime->space), (uint64_t)icv, &value)) !=
		       ANSWER_FOUND ||
	       value != 0;
}

static bool read_info(struct runtime *runtime, ompd_task_handle_t *task, ompd_ext_task_info *ret)
{
	*ret = (ompd_ext_task_info){ 0 };
	return answer_of(SPACE_CALL(runtime->space, ext_get_task_info, task, ret)) == ANSWER_FOUND;
}

/** Find the handle of the task that generated another, and what is known of it. */
static bool find_generating(struct runtime *runtime, ompd_task_handle_t **task,
			    ompd_ext_task_info *ret)
{
	ompd_task_handle_t *generating = NULL;

	if (answer_of(SPACE_CALL(runtime->space, get_generating_task_handle, *task, &generating)) !=
	    ANSWER_FOUND)
		return false;
	space_keep(runtime->space, ompd_scope_task, generating);
	*task = generating;
	return read_info(runtime, generating, ret);
}

/** Check for a task that lies on a stack. */
static bool is_on_stack(const ompd_ext_task_info *info)
{
	return info->kind == ompd_ext_task_explicit &&
	       (info->status == ompd_ext_task_running || info->status == ompd_ext_task_suspended ||
		info->status == ompd_ext_task_started);
}

/** Follow the stack of a thread down from the task that it executes. */
static void follow(struct thread *thread, ompd_task_handle_t *task, bool only_children,
		   struct table *placements)
{
	struct runtime *runtime = thread->runtime;
	struct arena *arena = &runtime->process->arena;
	ompd_ext_task_info info, parent;
	size_t count;

	if (thread->thread_num == NOT_KNOWN || !read_info(runtime, task, &info))
		return;
	// A thread that waits may have left its task's code by a jump. Then the first frame is that of
	// an older task, and frames do not tell what code a task has.
	bool is_certain = !thread_is_in_runtime(thread);
	const struct task_frame *frames = walk_task_frames(thread_walk(thread), &count);
	for (size_t i = 0; i < count; i++) {
		bool is_called = frames[i].call == ompd_ext_wait_task;

		if (info.function && info.function != frames[i].entry)
			return;
		struct placement *placement = ARENA_NEW(arena, struct placement);
		placement->info = info;
		placement->thread_num = thread->thread_num;
		placement->entry = info.function	   ? info.function :
				   is_certain && is_called ? frames[i].entry :
							     0;
		*table_put(placements, arena, info.id) = placement;
		if (!is_called && (frames[i].call != ompd_ext_wait_taskwait || !only_children))
			return;
		if (!find_generating(runtime, &task, &parent) || !is_on_stack(&parent) ||
		    parent.parallel_id != info.parallel_id || table_get(placements, parent.id))
			return;
		info = parent;
	}
}

const struct table *runtime_placements(struct runtime *runtime)
{
	struct process *process = runtime->process;

	if (runtime->placements)
		return runtime->placements;
	bool only_children = !may_have_priorities(runtime);
	runtime->placements = ARENA_NEW(&process->arena, struct table);
	for (size_t i = 0; i < process->num_targets && !process_is_interrupted(process); i++) {
		struct thread *thread = runtime->threads[i];
		struct task *task = thread->handle ? thread_task(thread) : NULL;

		if (task && task->info.kind == ompd_ext_task_explicit && task->handle)
			follow(thread, task->handle, only_children, runtime->placements);
	}
	return runtime->placements;
}

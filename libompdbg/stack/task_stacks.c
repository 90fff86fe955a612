// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On which thread's stack the tasks lie that have begun.
//
// The runtime records the current task of a thread only. That task was executed by a call of the
// runtime, in a taskwait of the task that generated it, say: then that one lies below it on the same
// stack, suspended. The calls on a thread's stack tell so, and can be followed down.

#include <string.h>

#include "stack/room.h"

/** The tasks that are being placed. */
struct placing {
	struct runtime *runtime;
	bool only_children;  // a taskwait executes no tasks but those that its own task generated
	struct table *under; // entry point -> the only thread that has such code under that of the
			     // task that it executes, or &several; NULL: not asked
	bool is_partial;     // there are threads that run, whose stacks are unknown
	struct table *placements;
};

static struct thread several;

/** Check whether a taskwait executes children only. That of libgomp does, but in a program with
 *  priorities; that of LLVM's runtime executes all descendants. */
static bool waits_execute_children(struct runtime *runtime)
{
	int64_t icv = runtime_icv(runtime, "max-task-priority-var");
	int64_t value;

	return runtime->name && strcmp(runtime->name, "libgomp") == 0 && icv >= 0 &&
	       is_ok(space_icv_value(runtime->space, ompd_scope_address_space,
				     space_handle(runtime->space), (uint64_t)icv, &value)) &&
	       value == 0;
}

static bool read_info(struct runtime *runtime, ompd_task_handle_t *task, ompd_ext_task_info *ret)
{
	*ret = (ompd_ext_task_info){ 0 };
	return is_ok(SPACE_CALL(runtime->space, ext_get_task_info, task, ret));
}

/** Find the handle of the task that generated another, and what is known of it. */
static bool find_generating(struct runtime *runtime, ompd_task_handle_t **task,
			    ompd_ext_task_info *ret)
{
	ompd_task_handle_t *generating = NULL;

	if (!is_ok(SPACE_CALL(runtime->space, get_generating_task_handle, *task, &generating)))
		return false;
	space_keep(runtime->space, ompd_scope_task, generating);
	*task = generating;
	return read_info(runtime, generating, ret);
}

/** Check for a task that lies on a stack, and that other tasks may be executed on top of. */
static bool is_under_others(const ompd_ext_task_info *info)
{
	return info->kind == ompd_ext_task_explicit &&
	       (info->status == ompd_ext_task_suspended || info->status == ompd_ext_task_started);
}

// ---- Code under that of other tasks ------------------------------------------------------------

static void note_code_under(struct placing *placing, struct thread *thread)
{
	struct arena *arena = &placing->runtime->process->arena;
	const struct task *task = thread_task(thread);
	size_t count;
	const struct task_frame *frames = walk_task_frames(thread_walk(thread), true, &count);
	// The first is that of the task that the thread executes, if nothing has left by a jump.
	size_t first = count && frames[0].is_certain && task &&
		       task->info.kind == ompd_ext_task_explicit;

	for (size_t i = first; i < count; i++) {
		void **holder = table_put(placing->under, arena, frames[i].entry);

		*holder = *holder && *holder != thread ? &several : thread;
	}
}

/** Check that no stack but that of a thread has such code under that of other tasks. */
static bool is_only_under(struct placing *placing, uint64_t entry, struct thread *thread)
{
	struct process *process = placing->runtime->process;

	if (!placing->under) {
		placing->under = ARENA_NEW(&process->arena, struct table);
		for (size_t i = 0; i < process->num_targets; i++) {
			placing->is_partial |= process->targets[i].running;
			if (!placing->is_partial)
				note_code_under(placing, placing->runtime->threads[i]);
		}
	}
	return entry && !placing->is_partial && table_get(placing->under, entry) == thread;
}

// ---- Stacks ------------------------------------------------------------------------------------

/** Follow the stack of a thread down from the task that it executes. */
static void follow(struct placing *placing, struct thread *thread, ompd_task_handle_t *task)
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
	const struct task_frame *frames = walk_task_frames(thread_walk(thread), false, &count);
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
		placement->thread = thread;
		placement->frame = placement->entry && frames[i].is_certain ? frames[i].code : NULL;
		*table_put(placing->placements, arena, info.id) = placement;
		if (!is_called && frames[i].call != ompd_ext_wait_taskwait)
			return;
		if (!find_generating(runtime, &task, &parent) || !is_under_others(&parent) ||
		    parent.parallel_id != info.parallel_id ||
		    table_get(placing->placements, parent.id))
			return;
		// One that another thread generated may be executed here; its parent lies there then.
		if (!is_called && !placing->only_children &&
		    (info.flags & ompd_ext_task_untied ||
		     !is_only_under(placing, parent.function, thread)))
			return;
		info = parent;
	}
}

const struct table *runtime_placements(struct runtime *runtime)
{
	struct process *process = runtime->process;

	if (runtime->placements)
		return runtime->placements;
	runtime->placements = ARENA_NEW(&process->arena, struct table);
	struct placing placing = { .runtime = runtime,
				   .only_children = waits_execute_children(runtime),
				   .placements = runtime->placements };
	for (size_t i = 0; i < process->num_targets && !process_is_interrupted(process); i++) {
		struct thread *thread = runtime->threads[i];
		struct task *task = thread->handle ? thread_task(thread) : NULL;

		if (task && task->info.kind == ompd_ext_task_explicit && task->handle)
			follow(&placing, thread, task->handle);
	}
	return runtime->placements;
}

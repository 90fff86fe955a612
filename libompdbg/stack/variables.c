// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of frames, and the data-sharing attributes of those in a construct's code, as far as these are
// certain.

#include "stack/stack.h"

/** @p is_task: a task's block of data is its own, and has also what is shared and only read. A region has
 *  one for all threads, with what is shared. */
static const char *attribute_of(enum ompdbg_storage storage, bool is_task)
{
	switch (storage) {
	case OMPDBG_STORAGE_OUTER:
		return "shared";
	case OMPDBG_STORAGE_PASSED:
		return is_task ? NULL : "shared";
	case OMPDBG_STORAGE_COPY:
		return "firstprivate";
	case OMPDBG_STORAGE_OWN:
		return "private";
	default:
		return NULL;
	}
}

const char *variable_sharing(struct thread *thread, const struct logical_frame *frame,
			     const char *name)
{
	enum ompdbg_storage storage = OMPDBG_STORAGE_UNKNOWN;
	bool is_task = is_task_construct(frame->construct);

	if ((!is_task && frame->construct != CONSTRUCT_PARALLEL &&
	     frame->construct != CONSTRUCT_TEAMS) ||
	    !thread->runtime->process->services->variable_storage ||
	    !is_ok(SERVICE(thread->runtime->process, variable_storage, thread->target->number,
			   &frame->frame->at, name, &storage)))
		return NULL;
	return attribute_of(storage, is_task);
}

const struct ompdbg_variable *frame_variables(struct thread *thread,
					      const struct logical_frame *frame,
					      enum ompdbg_variables which, size_t *count)
{
	const struct ompdbg_variable *found = NULL;

	*count = 0;
	if (frame->owner != FRAME_USER || !thread->runtime->process->services->variables ||
	    !is_ok(SERVICE(thread->runtime->process, variables, thread->target->number,
			   &frame->frame->at, which, &found, count)))
		*count = 0;
	return found;
}

static bool variables_given(struct task *task, struct task_variable **ret, size_t *count)
{
	const struct ompdbg_given *given;

	if (!task_given(task, &given, count))
		return false;
	*ret = ARENA_ARRAY(&task->runtime->process->arena, struct task_variable, *count);
	for (size_t i = 0; i < *count; i++)
		(*ret)[i] = (struct task_variable){ given[i].name, given[i].value,
						    given[i].is_shared ? "shared" : NULL };
	return true;
}

static bool variables_in_frame(struct task *task, struct task_variable **ret, size_t *count)
{
	const struct placement *placement = task->placement;

	if (!placement || !placement->frame)
		return false;
	const struct ompdbg_variable *found =
		frame_variables(placement->thread, placement->frame, OMPDBG_LOCALS, count);
	*ret = ARENA_ARRAY(&task->runtime->process->arena, struct task_variable, *count);
	for (size_t i = 0; i < *count; i++)
		(*ret)[i] = (struct task_variable){
			found[i].name, found[i].value,
			variable_sharing(placement->thread, placement->frame, found[i].name)
		};
	return *count || placement->frame->construct_file;
}

bool task_variables(struct task *task, const struct task_variable **ret, size_t *count)
{
	struct task_variable *variables = NULL;
	bool is_known = task_has_begun(task) ? variables_in_frame(task, &variables, count) :
					       variables_given(task, &variables, count);

	*ret = variables;
	if (!is_known)
		*count = 0;
	return is_known;
}

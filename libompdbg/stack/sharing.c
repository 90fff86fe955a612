// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data-sharing attributes of the variables in a construct's code, as far as it is certain.

#include "base/error.h"
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
	const struct ompdbg_services *services = thread->runtime->process->services;
	enum ompdbg_storage storage = OMPDBG_STORAGE_UNKNOWN;
	bool is_task = is_task_construct(frame->construct);

	if ((!is_task && frame->construct != CONSTRUCT_PARALLEL &&
	     frame->construct != CONSTRUCT_TEAMS) ||
	    !services->variable_storage ||
	    !is_ok(services->variable_storage(services->context, thread->target->number,
					      &frame->frame->at, name, &storage)))
		return NULL;
	return attribute_of(storage, is_task);
}

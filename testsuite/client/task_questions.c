// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about tasks.

#include "answer.h"

static void say_info(const ompd_ext_task_info *info, struct answer *answer)
{
	bool status_known = info->status != ompd_ext_task_unknown &&
			    info->status != ompd_ext_task_started;

	say(answer, "kind %u priority %d depends %u %u", info->kind, info->priority,
	    info->num_depends, info->num_predecessors);
	say_address(answer, "id", info->id);
	say_address(answer, "parent", info->parent_id);
	say_address(answer, "parallel", info->parallel_id);
	say_address(answer, "function", info->function);
	say_address(answer, "group", info->taskgroup);
	say_if_told(answer, "source", info->source);
	say_number(answer, "status", status_known, info->status);
	say_number(answer, "thread", info->thread_num != -1, info->thread_num);
	for (unsigned int flag = 1; flag <= ompd_ext_task_proxy; flag <<= 1)
		say_number(answer, "flag", info->flags_known & flag, info->flags & flag);
	say(answer, "\n");
}

ASK(task_info)
{
	ompd_ext_task_info info;
	ompd_rc_t rc = ompd_ext_get_task_info(handles->task, &info);

	(void)variant;
	if (rc == ompd_rc_ok)
		say_info(&info, answer);
	return rc;
}

static ompd_rc_t say_tasks(ompd_rc_t rc, ompd_ext_task_iterator *const *opened,
			   struct answer *answer)
{
	ompd_ext_task_info records[5];
	ompd_rc_t worst = rc;
	ompd_ext_task_iterator *iterator = rc == ompd_rc_ok ? *opened : NULL;
	size_t count = 1;
	uint32_t unreached;

	while (count && (rc == ompd_rc_ok || rc == ompd_rc_incomplete)) {
		rc = ompd_ext_tasks_next(iterator, records, 5, &count);
		worst = rc == ompd_rc_ok ? worst : rc;
		for (size_t i = 0; i < count && rc != ompd_rc_nomem; i++)
			say_info(&records[i], answer);
	}
	if (iterator) {
		rc = ompd_ext_tasks_unreached(iterator, &unreached);
		say_number(answer, "unreached", rc == ompd_rc_ok, rc == ompd_rc_ok ? unreached : 0);
		ompd_ext_tasks_close(iterator);
	}
	return worst;
}

ASK(all_tasks)
{
	ompd_ext_task_iterator *iterator = NULL;

	(void)variant;
	return say_tasks(ompd_ext_tasks_open_all(handles->space, &iterator), &iterator, answer);
}

ASK(tasks)
{
	ompd_ext_task_iterator *iterator = NULL;

	(void)variant;
	return say_tasks(ompd_ext_tasks_open(handles->parallel, &iterator), &iterator, answer);
}

ASK(outer_tasks)
{
	ompd_ext_task_iterator *iterator = NULL;

	(void)variant;
	return say_tasks(ompd_ext_tasks_open(handles->outer, &iterator), &iterator, answer);
}

// Of the tasks of a region, which depend on one another.
ASK(dependences)
{
	enum { FIRST = 3 };
	ompd_ext_task_iterator *iterator = NULL;
	ompd_ext_task_info records[16];
	ompd_ext_depend depends[4];
	ompd_task_handle_t *task = NULL;
	uint64_t dependers[4];
	size_t count = 0, number = 0, wanted = FIRST + (size_t)variant / 2;
	ompd_rc_t rc = ompd_ext_tasks_open(handles->parallel, &iterator);

	if (rc == ompd_rc_ok) {
		rc = ompd_ext_tasks_next(iterator, records, 16, &count);
		ompd_ext_tasks_close(iterator);
	}
	if (rc != ompd_rc_ok || count <= wanted) // with some of them missing, others are asked
		return rc == ompd_rc_ok ? ompd_rc_bad_input : ompd_rc_error;
	rc = ompd_ext_get_task_by_info(handles->parallel, &records[wanted], &task);
	if (rc == ompd_rc_ok && variant % 2 == 0)
		rc = ompd_ext_get_task_depends(task, depends, 4, &number);
	else if (rc == ompd_rc_ok)
		rc = ompd_ext_get_task_dependers(task, dependers, 4, &number);
	say(answer, "%zu", number);
	for (size_t i = 0; (rc == ompd_rc_ok || rc == ompd_rc_incomplete) && i < number && i < 4;
	     i++)
		say_address(answer, "", variant % 2 ? dependers[i] : depends[i].address);
	if (task)
		ompd_rel_task_handle(task);
	return rc;
}

ASK(task_parallel)
{
	ompd_parallel_handle_t *parallel = NULL;

	(void)variant;
	return say_parallel(ompd_get_task_parallel_handle(handles->task, &parallel), &parallel,
			    answer);
}

ASK(relatives)
{
	ompd_task_handle_t *task = NULL;

	ompd_rc_t rc = variant ? ompd_get_scheduling_task_handle(handles->task, &task) :
				 ompd_get_generating_task_handle(handles->task, &task);

	return say_task(rc, &task, answer);
}

ASK(task_function)
{
	ompd_address_t address = { 0, 0 };
	ompd_rc_t rc = ompd_get_task_function(handles->task, &address);

	(void)variant;
	say_address(answer, "function", address.address);
	return rc;
}

ASK(task_frame)
{
	ompd_frame_info_t exit = { 0 }, enter = { 0 };
	ompd_rc_t rc = ompd_get_task_frame(handles->task, &exit, &enter);

	(void)variant;
	say_address(answer, "exit", exit.frame_address.address);
	say_address(answer, "enter", enter.frame_address.address);
	return rc;
}

ASK(task_counts)
{
	ompd_ext_task_counts counts = { 0 };
	ompd_rc_t rc = ompd_ext_get_task_counts(handles->task, &counts);

	(void)variant;
	say(answer, "%llu %llu %llu", (unsigned long long)counts.children,
	    (unsigned long long)counts.taskgroup, (unsigned long long)counts.detached);
	return rc;
}

ASK(tool_data)
{
	void *const of[] = { handles->thread, handles->parallel, handles->task };
	static const ompd_scope_t scopes[] = { ompd_scope_thread, ompd_scope_parallel,
					       ompd_scope_task };
	ompd_address_t pointer = { 0, 0 };
	ompd_word_t value = 0;
	ompd_rc_t rc = ompd_get_tool_data(of[variant], scopes[variant], &value, &pointer);

	say(answer, "%lld %llx", (long long)value, (unsigned long long)pointer.address);
	return rc;
}

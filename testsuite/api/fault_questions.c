// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "fault_questions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host.h"

enum {
	ICVS = 40, // ids up to this are asked, more than there are
};

// ---- Answers that are handles ----------------------------------------------------------------

static ompd_rc_t say_thread(ompd_rc_t rc, ompd_thread_handle_t *handle, struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(handle, ompd_scope_thread, &id);
		say(answer, "%llx", (unsigned long long)id);
		ompd_rel_thread_handle(handle);
	}
	return rc;
}

static ompd_rc_t say_parallel(ompd_rc_t rc, ompd_parallel_handle_t *handle, struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(handle, ompd_scope_parallel, &id);
		say(answer, "%llx", (unsigned long long)id);
		ompd_rel_parallel_handle(handle);
	}
	return rc;
}

static ompd_rc_t say_task(ompd_rc_t rc, ompd_task_handle_t *handle, struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(handle, ompd_scope_task, &id);
		say(answer, "%llx", (unsigned long long)id);
		ompd_rel_task_handle(handle);
	}
	return rc;
}

#define QUESTION(name) \
	static ompd_rc_t name(const struct handles *handles, int variant, struct answer *answer)

QUESTION(process)
{
	ompd_address_space_handle_t *space;
	static const char kin[] = "a kin of ";
	ompd_ext_layout_info layout = { .size = sizeof(layout) };
	ompd_word_t version = 0;
	ompd_rc_t rc = ompd_process_initialize(host_context(), &space);

	(void)handles;
	(void)variant;
	if (rc != ompd_rc_ok)
		return rc;
	ompd_get_omp_version(space, &version);
	ompd_ext_get_layout_info(space, &layout);
	// Less certain of the release is what the library is that can't read all of it.
	if (strncmp(layout.release, kin, sizeof(kin) - 1) == 0)
		layout.release += sizeof(kin) - 1;
	say(answer, "%lld %s %s %u", (long long)version, layout.runtime, layout.release,
	    layout.source);
	ompd_rel_address_space_handle(space);
	return rc;
}

QUESTION(version_string)
{
	const char *text;
	ompd_rc_t rc = ompd_get_omp_version_string(handles->space, &text);

	(void)variant;
	if (rc == ompd_rc_ok) {
		say(answer, "%s", text);
		host_free(text);
	}
	return rc;
}

QUESTION(thread)
{
	ompd_thread_handle_t *thread = NULL;
	uint64_t id = variant ? (uint64_t)syscall(SYS_gettid) : (uint64_t)pthread_self();
	ompd_rc_t rc = ompd_get_thread_handle(handles->space,
					      variant ? ompd_thread_id_lwp : ompd_thread_id_pthread,
					      8, &id, &thread);

	return say_thread(rc, thread, answer);
}

QUESTION(thread_in_parallel)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_rc_t rc = variant < 2 ?
			       ompd_get_thread_in_parallel(handles->parallel, variant, &thread) :
			       ompd_get_thread_in_parallel(handles->outer, variant - 2, &thread);

	return say_thread(rc, thread, answer);
}

QUESTION(thread_id)
{
	uint64_t id = 0;
	ompd_rc_t rc = ompd_get_thread_id(handles->thread, variant, 8, &id);

	say(answer, "%llx", (unsigned long long)id);
	return rc;
}

QUESTION(current_parallel)
{
	ompd_parallel_handle_t *parallel = NULL;

	(void)variant;
	ompd_rc_t rc = ompd_get_curr_parallel_handle(handles->thread, &parallel);

	return say_parallel(rc, parallel, answer);
}

QUESTION(enclosing_parallel)
{
	ompd_parallel_handle_t *parallel = NULL;

	ompd_rc_t rc = ompd_get_enclosing_parallel_handle(
		variant ? handles->outer : handles->parallel, &parallel);

	return say_parallel(rc, parallel, answer);
}

QUESTION(task_parallel)
{
	ompd_parallel_handle_t *parallel = NULL;

	(void)variant;
	ompd_rc_t rc = ompd_get_task_parallel_handle(handles->task, &parallel);

	return say_parallel(rc, parallel, answer);
}

QUESTION(current_task)
{
	ompd_task_handle_t *task = NULL;

	(void)variant;
	ompd_rc_t rc = ompd_get_curr_task_handle(handles->thread, &task);

	return say_task(rc, task, answer);
}

QUESTION(relatives)
{
	ompd_task_handle_t *task = NULL;

	ompd_rc_t rc = variant ? ompd_get_scheduling_task_handle(handles->task, &task) :
				 ompd_get_generating_task_handle(handles->task, &task);

	return say_task(rc, task, answer);
}

QUESTION(task_in_parallel)
{
	ompd_task_handle_t *task = NULL;

	ompd_rc_t rc = ompd_get_task_in_parallel(handles->outer, variant, &task);

	return say_task(rc, task, answer);
}

// ---- Other answers ---------------------------------------------------------------------------

QUESTION(task_function)
{
	ompd_address_t address = { 0, 0 };
	ompd_rc_t rc = ompd_get_task_function(handles->task, &address);

	(void)variant;
	say(answer, "%llx", (unsigned long long)address.address);
	return rc;
}

QUESTION(thread_state)
{
	ompd_word_t word = -1;
	ompd_wait_id_t wait = 0;
	ompd_rc_t rc = ompd_get_state(handles->thread, &word, &wait);

	(void)variant;
	say(answer, "%lld %llu", (long long)word, (unsigned long long)wait);
	return rc;
}

static void *handle_of_scope(const struct handles *handles, ompd_scope_t scope)
{
	switch (scope) {
	case ompd_scope_thread:
		return handles->thread;
	case ompd_scope_parallel:
		return handles->parallel;
	case ompd_scope_task:
		return handles->task;
	default:
		return handles->space;
	}
}

QUESTION(icv)
{
	ompd_scope_t scope = (ompd_scope_t)(ompd_scope_address_space + variant / ICVS);
	ompd_word_t value = -77;

	if (scope > ompd_scope_parallel)
		scope = ompd_scope_task;
	ompd_rc_t rc = ompd_get_icv_from_scope(handle_of_scope(handles, scope), scope,
					       variant % ICVS, &value);

	say(answer, "%lld", (long long)value);
	return rc;
}

QUESTION(icv_text)
{
	ompd_scope_t scope = (ompd_scope_t)(ompd_scope_address_space + variant / ICVS);
	const char *text;

	if (scope > ompd_scope_parallel)
		scope = ompd_scope_task;
	ompd_rc_t rc = ompd_get_icv_string_from_scope(handle_of_scope(handles, scope), scope,
						      variant % ICVS, &text);

	if (rc == ompd_rc_ok) {
		say(answer, "%s", text);
		host_free(text);
	}
	return rc;
}

QUESTION(control_variables)
{
	const char *const *variables;
	ompd_rc_t rc = ompd_get_display_control_vars(handles->space, &variables);

	(void)variant;
	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; variables[i]; i++)
		say(answer, "%s\n", variables[i]);
	ompd_rel_display_control_vars(&variables);
	return rc;
}

QUESTION(enumerations)
{
	const char *name;
	ompd_word_t next, more;
	ompd_icv_id_t id;
	ompd_scope_t scope;
	int more_icvs;
	ompd_rc_t rc =
		variant ? ompd_enumerate_icvs(handles->space, 0, &id, &name, &scope, &more_icvs) :
			  ompd_enumerate_states(handles->space, ompt_state_undefined, &next, &name,
						&more);

	if (rc == ompd_rc_ok) {
		say(answer, "%s", name);
		host_free(name);
	}
	return rc;
}

QUESTION(thread_id_kinds)
{
	ompd_thread_id_t *kinds;
	ompd_size_t *sizes;
	int count = 0;
	ompd_rc_t rc = ompd_get_device_thread_id_kinds(handles->space, &kinds, &sizes, &count);

	(void)variant;
	if (rc == ompd_rc_ok) {
		say(answer, "%d", count);
		host_free((const char *)kinds);
		host_free((const char *)sizes);
	}
	return rc;
}

static void say_number(struct answer *answer, const char *name, bool known, long long value)
{
	if (known)
		say(answer, " %s=%lld", name, value);
	else
		say(answer, " %s=unknown", name);
}

static void say_info(const ompd_ext_task_info *info, struct answer *answer)
{
	bool status_known = info->status != ompd_ext_task_unknown &&
			    info->status != ompd_ext_task_started;

	say(answer, "%llx of %llx in %llx: %llx group %llx kind %u priority %d depends %u %u",
	    (unsigned long long)info->id, (unsigned long long)info->parent_id,
	    (unsigned long long)info->parallel_id, (unsigned long long)info->function,
	    (unsigned long long)info->taskgroup, info->kind, info->priority, info->num_depends,
	    info->num_predecessors);
	say_number(answer, "status", status_known, info->status);
	say_number(answer, "thread", info->thread_num != -1, info->thread_num);
	for (unsigned int flag = 1; flag <= ompd_ext_task_in_taskgroup_wait; flag <<= 1)
		say_number(answer, "flag", info->flags_known & flag, info->flags & flag);
	say(answer, "\n");
}

QUESTION(task_info)
{
	ompd_ext_task_info info;
	ompd_rc_t rc = ompd_ext_get_task_info(handles->task, &info);

	(void)variant;
	if (rc == ompd_rc_ok)
		say_info(&info, answer);
	return rc;
}

QUESTION(all_tasks)
{
	ompd_ext_task_iterator *iterator = NULL;
	ompd_ext_task_info records[5];
	size_t count = 1, total = 0;
	ompd_rc_t rc = variant == 0 ? ompd_ext_tasks_open_all(handles->space, &iterator) :
		       variant == 1 ? ompd_ext_tasks_open(handles->parallel, &iterator) :
				      ompd_ext_tasks_open(handles->outer, &iterator);
	ompd_rc_t worst = rc;

	while (count && (rc == ompd_rc_ok || rc == ompd_rc_incomplete) && total < 100000) {
		rc = ompd_ext_tasks_next(iterator, records, 5, &count);
		worst = rc == ompd_rc_ok ? worst : rc;
		total += count;
		for (size_t i = 0; i < count; i++)
			say_info(&records[i], answer);
	}
	assert_in_range(total, 0, 99999);
	if (iterator)
		assert_int_equal(ompd_ext_tasks_close(iterator), ompd_rc_ok);
	return worst;
}

// Of the last task of the outer region: it depends on others.
QUESTION(dependences)
{
	ompd_ext_task_iterator *iterator = NULL;
	ompd_ext_task_info records[30];
	ompd_ext_depend depends[4];
	ompd_task_handle_t *task = NULL;
	uint64_t dependers[4];
	size_t count = 0, number = 0;
	ompd_rc_t rc = ompd_ext_tasks_open(handles->outer, &iterator);

	if (rc == ompd_rc_ok) {
		rc = ompd_ext_tasks_next(iterator, records, 30, &count);
		ompd_ext_tasks_close(iterator);
	}
	if (rc != ompd_rc_ok || count < 5)
		return rc == ompd_rc_ok ? ompd_rc_error : rc;
	rc = ompd_ext_get_task_by_id(handles->outer, records[4 + variant % 5].id, &task);
	if (rc == ompd_rc_ok && variant < 5)
		rc = ompd_ext_get_task_depends(task, depends, 4, &number);
	else if (rc == ompd_rc_ok)
		rc = ompd_ext_get_task_dependers(task, dependers, 4, &number);
	say(answer, "%zu", number);
	for (size_t i = 0; rc == ompd_rc_ok && i < number && i < 4; i++)
		say(answer, " %llx",
		    (unsigned long long)(variant < 5 ? depends[i].address : dependers[i]));
	if (task)
		ompd_rel_task_handle(task);
	return rc;
}

QUESTION(number_of_thread)
{
	int number = -1;
	ompd_rc_t rc = ompd_ext_get_thread_num(
		handles->thread, variant ? handles->outer : handles->parallel, &number);

	say(answer, "%d", number);
	return rc;
}

QUESTION(wait_site)
{
	ompd_ext_wait_site site = { 0 };
	ompd_rc_t rc;

	if (variant == 0)
		rc = ompd_ext_classify_call(
			handles->space, (uint64_t)(uintptr_t)__builtin_return_address(0), &site);
	else if (variant == 3)
		rc = ompd_ext_get_call_target(handles->space,
					      (uint64_t)(uintptr_t)__builtin_return_address(0),
					      &site.entry);
	else if (variant == 1)
		rc = ompd_ext_classify_entry(handles->space, (uint64_t)(uintptr_t)&usleep, &site);
	else
		rc = ompd_ext_classify_futex(handles->thread, (uint64_t)(uintptr_t)&site, &site);
	say(answer, "%u %llx %s", site.kind, (unsigned long long)site.entry,
	    site.function ? site.function : "");
	return rc;
}

// The first such question in a process resolves the functions' names.
QUESTION(first_wait_site)
{
	ompd_address_space_handle_t *space;
	ompd_ext_wait_site site = { 0 };
	ompd_rc_t rc = ompd_process_initialize(host_context(), &space);

	(void)handles;
	if (rc != ompd_rc_ok)
		return rc;
	uint64_t entry = variant ? (uintptr_t)&omp_set_lock : (uintptr_t)&omp_set_nest_lock;

	rc = ompd_ext_classify_entry(space, entry, &site);
	if (rc == ompd_rc_nomem) // and now there is some
		assert_int_equal(ompd_ext_classify_entry(space, entry, &site), ompd_rc_ok);
	ompd_rel_address_space_handle(space);
	say(answer, "%u %s", site.kind, site.function ? site.function : "");
	return rc;
}

const struct question questions[] = {
	{ "process", 1, process },
	{ "version_string", 1, version_string },
	{ "thread", 2, thread },
	{ "thread_in_parallel", 5, thread_in_parallel },
	{ "thread_id", 2, thread_id },
	{ "current_parallel", 1, current_parallel },
	{ "enclosing_parallel", 2, enclosing_parallel },
	{ "task_parallel", 1, task_parallel },
	{ "current_task", 1, current_task },
	{ "relatives", 2, relatives },
	{ "task_in_parallel", 3, task_in_parallel },
	{ "task_function", 1, task_function },
	{ "thread_state", 1, thread_state },
	{ "icv", 4 * ICVS, icv },
	{ "icv_text", 4 * ICVS, icv_text },
	{ "control_variables", 1, control_variables },
	{ "enumerations", 2, enumerations },
	{ "thread_id_kinds", 1, thread_id_kinds },
	{ "task_info", 1, task_info },
	{ "all_tasks", 3, all_tasks },
	{ "dependences", 10, dependences },
	{ "number_of_thread", 2, number_of_thread },
	{ "wait_site", 4, wait_site },
	{ "first_wait_site", 2, first_wait_site },
};

const size_t question_count = sizeof(questions) / sizeof(questions[0]);

void ask(const struct question *question, const struct handles *handles, int variant,
	 struct answer *answer)
{
	answer->used = 0;
	answer->text[0] = '\0';
	answer->rc = question->ask(handles, variant, answer);
}

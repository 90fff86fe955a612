// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "questions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugger.h"

enum { ICVS = 48 }; // ids up to this are asked, more than there are

struct scene_truth truth;
uint64_t code_addresses[CODE_ADDRESSES];

// ---- Texts -----------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void say(struct answer *answer, const char *format,
						      ...)
{
	va_list arguments;

	va_start(arguments, format);
	answer->used += (size_t)vsnprintf(answer->text + answer->used,
					  sizeof(answer->text) - answer->used, format, arguments);
	va_end(arguments);
	if (answer->used >= sizeof(answer->text))
		answer->used = sizeof(answer->text) - 1;
}

static void say_number(struct answer *answer, const char *name, bool known, long long value)
{
	if (known)
		say(answer, " %s=%lld", name, value);
	else
		say(answer, " %s=unknown", name);
}

static void say_address(struct answer *answer, const char *name, uint64_t value)
{
	say(answer, " %s=%llx", name, (unsigned long long)value);
}

static void say_if_told(struct answer *answer, const char *name, uint64_t value)
{
	if (value)
		say_address(answer, name, value);
	else
		say(answer, " %s=unknown", name);
}

static void free_block(const void *block)
{
	debugger_callbacks.free_memory((void *)block);
}

// A text that the caller owns.
static ompd_rc_t say_text(ompd_rc_t rc, const char *const *text, struct answer *answer)
{
	if (rc == ompd_rc_ok) {
		say(answer, "%s ", *text);
		free_block(*text);
	}
	return rc;
}

// Word by word; one of the form NAME=VALUE may be NAME=unknown instead.
static bool line_agrees(const char *got, const char *expected)
{
	static const char unknown[] = "=unknown";

	while (*got && *got != '\n') {
		size_t i = strcspn(got, " \n"), j = strcspn(expected, " \n");
		size_t name = strcspn(expected, "= \n");
		bool same = i == j && memcmp(got, expected, i) == 0;

		if (!same && !(i == name + strlen(unknown) && memcmp(got, expected, name) == 0 &&
			       memcmp(got + name, unknown, strlen(unknown)) == 0))
			return false;
		if (!same && got[i] != ' ')
			return true; // a value may hold blanks
		got += i + (got[i] == ' ');
		expected += j + (expected[j] == ' ');
	}
	return *got == *expected;
}

bool answers_agree(const struct question *question, const struct answer *got,
		   const struct answer *expected)
{
	const char *x = got->text, *y = expected->text;

	if (question->is_list && got->rc == ompd_rc_incomplete)
		return true;
	if (got->rc != expected->rc)
		return false;
	while (*x || *y) {
		size_t i = strcspn(x, "\n"), j = strcspn(y, "\n");

		if (!line_agrees(x, y)) {
			fprintf(stderr, "\"%.*s\", not \"%.*s\"\n", (int)i, x, (int)j, y);
			return false;
		}
		x += i + (x[i] != '\0');
		y += j + (y[j] != '\0');
	}
	return true;
}

// ---- Handles ---------------------------------------------------------------------------------

void place_open(struct handles *handles)
{
	handles->parallel = handles->outer = NULL;
	handles->task = NULL;
	if (!handles->thread)
		return;
	if (ompd_get_curr_parallel_handle(handles->thread, &handles->parallel) != ompd_rc_ok)
		handles->parallel = NULL;
	if (handles->parallel &&
	    ompd_get_enclosing_parallel_handle(handles->parallel, &handles->outer) != ompd_rc_ok)
		handles->outer = NULL;
	if (ompd_get_curr_task_handle(handles->thread, &handles->task) != ompd_rc_ok)
		handles->task = NULL;
}

void place_close(struct handles *handles)
{
	if (handles->task)
		ompd_rel_task_handle(handles->task);
	if (handles->outer)
		ompd_rel_parallel_handle(handles->outer);
	if (handles->parallel)
		ompd_rel_parallel_handle(handles->parallel);
	if (handles->thread)
		ompd_rel_thread_handle(handles->thread);
	*handles = (struct handles){ .space = handles->space };
}

static ompd_rc_t say_thread(ompd_rc_t rc, ompd_thread_handle_t *const *handle,
			    struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(*handle, ompd_scope_thread, &id);
		say_address(answer, "thread", id);
		ompd_rel_thread_handle(*handle);
	}
	return rc;
}

static ompd_rc_t say_parallel(ompd_rc_t rc, ompd_parallel_handle_t *const *handle,
			      struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(*handle, ompd_scope_parallel, &id);
		say_address(answer, "parallel", id);
		ompd_rel_parallel_handle(*handle);
	}
	return rc;
}

static ompd_rc_t say_task(ompd_rc_t rc, ompd_task_handle_t *const *handle, struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(*handle, ompd_scope_task, &id);
		say_address(answer, "task", id);
		ompd_rel_task_handle(*handle);
	}
	return rc;
}

#define QUESTION(name) \
	static ompd_rc_t name(const struct handles *handles, int variant, struct answer *answer)

// ---- The process -----------------------------------------------------------------------------

// Less certain of the release is what the library is that can't read all of it.
static const char *without_kin(const char *release)
{
	static const char kin[] = "a kin of ";
	const char *found = strstr(release, kin);

	return found ? found + sizeof(kin) - 1 : release;
}

QUESTION(process)
{
	ompd_address_space_handle_t *space;
	ompd_ext_layout_info layout = { .size = sizeof(layout) };
	ompd_word_t version = 0;
	ompd_rc_t rc = ompd_process_initialize(debugger_context(), &space);

	(void)handles;
	(void)variant;
	if (rc != ompd_rc_ok)
		return rc;
	ompd_get_omp_version(space, &version);
	ompd_ext_get_layout_info(space, &layout);
	say(answer, "%lld %s %s %u", (long long)version, layout.runtime,
	    without_kin(layout.release), layout.source);
	ompd_rel_address_space_handle(space);
	return rc;
}

QUESTION(version_string)
{
	const char *text = NULL;
	ompd_rc_t rc = ompd_get_omp_version_string(handles->space, &text);

	(void)variant;
	if (rc == ompd_rc_ok) {
		say(answer, "%.6s %s", text, without_kin(strstr(text, " of ") + 4));
		free_block(text);
	}
	return rc;
}

QUESTION(thread_id_kinds)
{
	ompd_thread_id_t *kinds = NULL;
	ompd_size_t *sizes = NULL;
	int count = 0;
	ompd_rc_t rc = ompd_get_device_thread_id_kinds(handles->space, &kinds, &sizes, &count);

	(void)variant;
	for (int i = 0; rc == ompd_rc_ok && i < count; i++)
		say(answer, "%d:%d ", (int)kinds[i], (int)sizes[i]);
	if (rc == ompd_rc_ok) {
		free_block(kinds);
		free_block(sizes);
	}
	return rc;
}

QUESTION(states)
{
	ompd_word_t state = ompt_state_undefined, more = 1;
	ompd_rc_t rc = ompd_rc_ok;
	const char *name;

	(void)variant;
	while (rc == ompd_rc_ok && more) {
		rc = ompd_enumerate_states(handles->space, state, &state, &name, &more);
		say_text(rc, &name, answer);
	}
	return rc;
}

QUESTION(icvs)
{
	ompd_rc_t rc = ompd_rc_ok;
	ompd_icv_id_t id = 0;
	ompd_scope_t scope;
	const char *name;
	int more = 1;

	(void)variant;
	while (rc == ompd_rc_ok && more) {
		rc = ompd_enumerate_icvs(handles->space, id, &id, &name, &scope, &more);
		say_text(rc, &name, answer);
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

QUESTION(environment)
{
	static const char *const names[] = { "OMP_NUM_THREADS", "OMPDBG_THAT_NOBODY_SETS" };
	const char *text = NULL;

	return say_text(ompd_ext_get_environment(handles->space, names[variant], &text), &text,
			answer);
}

QUESTION(threads)
{
	ompd_thread_handle_t **threads = NULL;
	size_t count = 0;
	ompd_rc_t rc = ompd_ext_get_threads(handles->space, variant ? &threads : NULL, &count);

	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
		say_number(answer, "count", true, (long long)count);
	for (size_t i = 0; threads && i < count; i++)
		say_thread(ompd_rc_ok, &threads[i], answer);
	if (threads)
		free_block(threads);
	return rc;
}

QUESTION(thread_by_id)
{
	ompd_thread_handle_t *thread = NULL;
	const struct scene_note *note = &truth.notes[variant / 2];
	ompd_rc_t rc;

	if (variant / 2 >= truth.count)
		return ompd_rc_bad_input;
	if (variant % 2)
		rc = ompd_get_thread_handle(handles->space, ompd_thread_id_lwp, sizeof(note->lwp),
					    &note->lwp, &thread);
	else
		rc = ompd_get_thread_handle(handles->space, ompd_thread_id_pthread,
					    sizeof(note->pthread), &note->pthread, &thread);
	return say_thread(rc, &thread, answer);
}

QUESTION(state_tracking)
{
	ompd_rc_t rc = ompd_ext_get_state_tracking(handles->space);

	(void)variant;
	(void)answer;
	return rc;
}

QUESTION(lock)
{
	static const uint32_t kinds[] = { ompd_ext_lock_simple, ompd_ext_lock_nested };
	ompd_ext_lock_info info = { 0 };
	uint64_t address = variant ? truth.nest_lock : truth.lock;

	if (!address)
		return ompd_rc_bad_input;
	ompd_rc_t rc = ompd_ext_get_lock_info(handles->space, kinds[variant], address, &info);

	say(answer, "held %u depth %u", info.held, info.depth);
	say_address(answer, "thread", info.thread);
	return rc;
}

QUESTION(calls)
{
	ompd_ext_wait_site site = { 0 };
	ompd_ext_argument argument = { 0 };
	uint64_t address = code_addresses[variant / 4];
	ompd_rc_t rc;

	if (!address)
		return ompd_rc_bad_input;
	if (variant % 4 == 0)
		rc = ompd_ext_classify_call(handles->space, address, &site);
	else if (variant % 4 == 1)
		rc = ompd_ext_get_call_target(handles->space, address, &site.entry);
	else if (variant % 4 == 2)
		rc = ompd_ext_classify_entry(handles->space, address, &site);
	else
		rc = ompd_ext_get_lock_argument(handles->space, address, &argument);
	say(answer, "%u %llx %s %s %llx", site.kind, (unsigned long long)site.entry,
	    site.function ? site.function : "",
	    argument.register_name ? argument.register_name : "",
	    (unsigned long long)argument.value);
	return rc;
}

QUESTION(ompt_numbers)
{
	int number = 0, more = 0;
	const char *name = "";
	ompd_rc_t rc = variant ? ompd_ext_enumerate_mutex_impls(handles->space, variant - 1,
								&number, &name, &more) :
				 ompd_ext_get_num_devices(handles->space, &number);

	say(answer, "%d %s %d", number, name, more);
	return rc;
}

// ---- Tasks -----------------------------------------------------------------------------------

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

QUESTION(task_info)
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

QUESTION(all_tasks)
{
	ompd_ext_task_iterator *iterator = NULL;

	(void)variant;
	return say_tasks(ompd_ext_tasks_open_all(handles->space, &iterator), &iterator, answer);
}

QUESTION(tasks)
{
	ompd_ext_task_iterator *iterator = NULL;

	(void)variant;
	return say_tasks(ompd_ext_tasks_open(handles->parallel, &iterator), &iterator, answer);
}

QUESTION(outer_tasks)
{
	ompd_ext_task_iterator *iterator = NULL;

	(void)variant;
	return say_tasks(ompd_ext_tasks_open(handles->outer, &iterator), &iterator, answer);
}

// Of the tasks of a region, which depend on one another.
QUESTION(dependences)
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
	rc = ompd_ext_get_task_by_id(handles->parallel, records[wanted].id, &task);
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

QUESTION(task_parallel)
{
	ompd_parallel_handle_t *parallel = NULL;

	(void)variant;
	return say_parallel(ompd_get_task_parallel_handle(handles->task, &parallel), &parallel,
			    answer);
}

QUESTION(relatives)
{
	ompd_task_handle_t *task = NULL;

	ompd_rc_t rc = variant ? ompd_get_scheduling_task_handle(handles->task, &task) :
				 ompd_get_generating_task_handle(handles->task, &task);

	return say_task(rc, &task, answer);
}

QUESTION(task_function)
{
	ompd_address_t address = { 0, 0 };
	ompd_rc_t rc = ompd_get_task_function(handles->task, &address);

	(void)variant;
	say_address(answer, "function", address.address);
	return rc;
}

QUESTION(task_frame)
{
	ompd_frame_info_t exit = { 0 }, enter = { 0 };
	ompd_rc_t rc = ompd_get_task_frame(handles->task, &exit, &enter);

	(void)variant;
	say_address(answer, "exit", exit.frame_address.address);
	say_address(answer, "enter", enter.frame_address.address);
	return rc;
}

QUESTION(task_counts)
{
	ompd_ext_task_counts counts = { 0 };
	ompd_rc_t rc = ompd_ext_get_task_counts(handles->task, &counts);

	(void)variant;
	say(answer, "%llu %llu %llu", (unsigned long long)counts.children,
	    (unsigned long long)counts.taskgroup, (unsigned long long)counts.detached);
	return rc;
}

QUESTION(tool_data)
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

// ---- Threads ---------------------------------------------------------------------------------

QUESTION(thread_id)
{
	uint64_t id = 0;
	ompd_rc_t rc = ompd_get_thread_id(handles->thread, (ompd_thread_id_t)variant, 8, &id);

	say_address(answer, "id", id);
	return rc;
}

QUESTION(thread_info)
{
	ompd_ext_thread_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_thread_info(handles->thread, &info);

	(void)variant;
	say(answer, "%u %d", info.kind, info.global_num);
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

QUESTION(current_parallel)
{
	ompd_parallel_handle_t *parallel = NULL;

	(void)variant;
	return say_parallel(ompd_get_curr_parallel_handle(handles->thread, &parallel), &parallel,
			    answer);
}

QUESTION(current_task)
{
	ompd_task_handle_t *task = NULL;

	(void)variant;
	return say_task(ompd_get_curr_task_handle(handles->thread, &task), &task, answer);
}

QUESTION(device)
{
	ompd_address_space_handle_t *space = NULL;
	ompd_rc_t rc = ompd_get_device_from_thread(handles->thread, &space);

	(void)variant;
	say(answer, "%d", space == handles->space);
	return rc;
}

QUESTION(thread_num)
{
	int number = -1;
	ompd_rc_t rc = ompd_ext_get_thread_num(
		handles->thread, variant ? handles->outer : handles->parallel, &number);

	say(answer, "%d", number);
	return rc;
}

QUESTION(loop)
{
	ompd_ext_loop_info info = { 0 };
	int turn = -1;
	ompd_rc_t rc = variant ? ompd_ext_get_ordered_turn(handles->thread, &turn) :
				 ompd_ext_get_loop_info(handles->thread, &info);

	say(answer, "%llx %llu %llu %llu %u %u %d", (unsigned long long)info.id,
	    (unsigned long long)info.total, (unsigned long long)info.remaining,
	    (unsigned long long)info.chunk, info.schedule, info.flags, turn);
	return rc;
}

QUESTION(sleeping)
{
	const uint64_t in_use[] = { truth.lock, truth.nest_lock };
	ompd_ext_wait_site site = { 0 };
	ompd_rc_t rc;

	if (variant < 2)
		rc = ompd_ext_confirm_lock(handles->thread,
					   variant ? ompd_ext_lock_nested : ompd_ext_lock_simple,
					   variant ? truth.nest_lock : truth.lock, in_use, 2);
	else
		rc = ompd_ext_classify_futex(handles->thread, handles->futex, &site);
	say(answer, "%u %u", site.kind, site.state);
	return rc;
}

QUESTION(ompt_task)
{
	ompd_ext_ompt_task_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_ompt_task_info(handles->thread, variant, &info);

	say_number(answer, "type", info.known & ompd_ext_ompt_type, info.type);
	say_number(answer, "number", info.known & ompd_ext_ompt_thread_num, info.thread_num);
	say_number(answer, "data", info.known & ompd_ext_ompt_task_data, (long long)info.task_data);
	say_number(answer, "exit", info.known & ompd_ext_ompt_frame,
		   (long long)info.exit_frame.frame_address.address);
	return rc;
}

QUESTION(ompt_parallel)
{
	ompd_ext_ompt_parallel_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_ompt_parallel_info(handles->thread, variant, &info);

	say(answer, "%d", info.team_size);
	say_number(answer, "data", info.known & ompd_ext_ompt_parallel_data,
		   (long long)info.parallel_data);
	return rc;
}

QUESTION(ompt_thread)
{
	uint64_t words[3] = { 0 };
	size_t count = 0;
	int numbers[4] = { 0 };
	ompd_rc_t rc = ompd_rc_ok;

	switch (variant) {
	case 0:
		rc = ompd_ext_get_thread_data(handles->thread, &words[0]);
		break;
	case 1:
		rc = ompd_ext_get_task_memory(handles->thread, 0, &words[0], &words[1]);
		break;
	case 2:
		rc = ompd_ext_get_proc_id(handles->thread, &numbers[0]);
		break;
	case 3:
		rc = ompd_ext_get_place_num(handles->thread, &numbers[0]);
		break;
	case 4:
		rc = ompd_ext_get_partition_place_nums(handles->thread, numbers, 4, &count);
		break;
	default:
		rc = ompd_ext_get_target_info(handles->thread, &words[0], &words[1], &words[2]);
	}
	say(answer, "%llx %llx %llx %zu %d %d", (unsigned long long)words[0],
	    (unsigned long long)words[1], (unsigned long long)words[2], count, numbers[0],
	    numbers[1]);
	return rc;
}

// ---- Regions ---------------------------------------------------------------------------------

static ompd_rc_t ask_member(ompd_parallel_handle_t *parallel, int variant, struct answer *answer)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;

	if (variant % 2 == 0)
		return say_thread(ompd_get_thread_in_parallel(parallel, variant / 2, &thread),
				  &thread, answer);
	return say_task(ompd_get_task_in_parallel(parallel, variant / 2, &task), &task, answer);
}

QUESTION(members)
{
	return ask_member(handles->parallel, variant, answer);
}

QUESTION(outer_members)
{
	return ask_member(handles->outer, variant, answer);
}

QUESTION(enclosing)
{
	ompd_parallel_handle_t *parallel = NULL;

	return say_parallel(ompd_get_enclosing_parallel_handle(
				    variant ? handles->outer : handles->parallel, &parallel),
			    &parallel, answer);
}

QUESTION(parallel_info)
{
	ompd_ext_parallel_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_parallel_info(handles->parallel, &info);

	(void)variant;
	say(answer, "%u %u", info.kind, info.serialized);
	say_if_told(answer, "function", info.function);
	say_if_told(answer, "source", info.source);
	return rc;
}

QUESTION(barrier)
{
	ompd_ext_barrier_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_barrier_info(handles->parallel, &info);

	(void)variant;
	say(answer, "%u %u %u %x", info.total, info.arrived, info.arrived_end, info.flags);
	return rc;
}

QUESTION(compare)
{
	int result = 9;
	ompd_rc_t rc =
		variant == 0 ?
			ompd_thread_handle_compare(handles->thread, handles->thread, &result) :
		variant == 1 ?
			ompd_parallel_handle_compare(handles->parallel, handles->outer, &result) :
			ompd_task_handle_compare(handles->task, handles->task, &result);

	say(answer, "%d", result);
	return rc;
}

// ---- Control variables -----------------------------------------------------------------------

static ompd_rc_t ask_icv(void *handle, ompd_scope_t scope, int variant, struct answer *answer)
{
	const ompd_icv_id_t id = (ompd_icv_id_t)variant / 2;
	ompd_word_t value = -77;
	const char *text = NULL;
	ompd_rc_t rc;

	if (variant % 2)
		return say_text(ompd_get_icv_string_from_scope(handle, scope, id, &text), &text,
				answer);
	rc = ompd_get_icv_from_scope(handle, scope, id, &value);
	say(answer, "%lld", (long long)value);
	return rc;
}

QUESTION(process_icv)
{
	return ask_icv(handles->space, ompd_scope_address_space, variant, answer);
}

QUESTION(thread_icv)
{
	return ask_icv(handles->thread, ompd_scope_thread, variant, answer);
}

QUESTION(parallel_icv)
{
	return ask_icv(handles->parallel, ompd_scope_parallel, variant, answer);
}

QUESTION(task_icv)
{
	return ask_icv(handles->task, variant % 4 / 2 ? ompd_scope_task : ompd_scope_implicit_task,
		       variant, answer);
}

QUESTION(nest_icv)
{
	ompd_word_t value = -77;
	ompd_rc_t rc = ompd_ext_get_icv(handles->task, ompd_scope_task, "nest-var", &value);

	(void)variant;
	say(answer, "%lld", (long long)value);
	return rc;
}

const struct question questions[] = {
	{ "process", NEEDS_SPACE, false, 1, process },
	{ "version_string", NEEDS_SPACE, false, 1, version_string },
	{ "thread_id_kinds", NEEDS_SPACE, false, 1, thread_id_kinds },
	{ "states", NEEDS_SPACE, false, 1, states },
	{ "icvs", NEEDS_SPACE, false, 1, icvs },
	{ "control_variables", NEEDS_SPACE, false, 1, control_variables },
	{ "environment", NEEDS_SPACE, false, 2, environment },
	{ "threads", NEEDS_SPACE, true, 2, threads },
	{ "thread_by_id", NEEDS_SPACE, false, 16, thread_by_id },
	{ "state_tracking", NEEDS_SPACE, false, 1, state_tracking },
	{ "lock", NEEDS_SPACE, false, 2, lock },
	{ "calls", NEEDS_SPACE, false, 4 * CODE_ADDRESSES, calls },
	{ "ompt_numbers", NEEDS_SPACE, false, 3, ompt_numbers },
	{ "all_tasks", NEEDS_SPACE, true, 1, all_tasks },
	{ "process_icv", NEEDS_SPACE, false, 2 * ICVS, process_icv },
	{ "thread_id", NEEDS_THREAD, false, 2, thread_id },
	{ "thread_info", NEEDS_THREAD, false, 1, thread_info },
	{ "thread_state", NEEDS_THREAD, false, 1, thread_state },
	{ "current_parallel", NEEDS_THREAD, false, 1, current_parallel },
	{ "current_task", NEEDS_THREAD, false, 1, current_task },
	{ "device", NEEDS_THREAD, false, 1, device },
	{ "loop", NEEDS_THREAD, false, 2, loop },
	{ "sleeping", NEEDS_THREAD, false, 3, sleeping },
	{ "ompt_task", NEEDS_THREAD, false, 3, ompt_task },
	{ "ompt_parallel", NEEDS_THREAD, false, 3, ompt_parallel },
	{ "ompt_thread", NEEDS_THREAD, false, 6, ompt_thread },
	{ "thread_icv", NEEDS_THREAD, false, 2 * ICVS, thread_icv },
	{ "thread_num", NEEDS_PARALLEL, false, 1, thread_num },
	{ "members", NEEDS_PARALLEL, false, 6, members },
	{ "enclosing", NEEDS_PARALLEL, false, 1, enclosing },
	{ "parallel_info", NEEDS_PARALLEL, false, 1, parallel_info },
	{ "barrier", NEEDS_PARALLEL, false, 1, barrier },
	{ "tasks", NEEDS_PARALLEL, true, 1, tasks },
	{ "dependences", NEEDS_PARALLEL, false, 8, dependences },
	{ "parallel_icv", NEEDS_PARALLEL, false, 2 * ICVS, parallel_icv },
	{ "outer_members", NEEDS_OUTER, false, 4, outer_members },
	{ "outer_tasks", NEEDS_OUTER, true, 1, outer_tasks },
	{ "outer_enclosing", NEEDS_OUTER, false, 2, enclosing },
	{ "outer_thread_num", NEEDS_OUTER, false, 2, thread_num },
	{ "compare", NEEDS_OUTER, false, 3, compare },
	{ "task_info", NEEDS_TASK, false, 1, task_info },
	{ "task_parallel", NEEDS_TASK, false, 1, task_parallel },
	{ "relatives", NEEDS_TASK, false, 2, relatives },
	{ "task_function", NEEDS_TASK, false, 1, task_function },
	{ "task_frame", NEEDS_TASK, false, 1, task_frame },
	{ "task_counts", NEEDS_TASK, false, 1, task_counts },
	{ "tool_data", NEEDS_TASK, false, 3, tool_data },
	{ "task_icv", NEEDS_TASK, false, 2 * ICVS, task_icv },
	{ "nest_icv", NEEDS_TASK, false, 1, nest_icv },
};

const size_t question_count = sizeof(questions) / sizeof(questions[0]);

bool ask(const struct question *question, const struct handles *handles, int variant,
	 struct answer *answer)
{
	const void *const needed[] = {
		[NEEDS_SPACE] = handles->space,	      [NEEDS_THREAD] = handles->thread,
		[NEEDS_PARALLEL] = handles->parallel, [NEEDS_OUTER] = handles->outer,
		[NEEDS_TASK] = handles->task,
	};

	answer->used = 0;
	answer->text[0] = '\0';
	if (!needed[question->needs])
		return false;
	answer->rc = question->ask(handles, variant, answer);
	return true;
}

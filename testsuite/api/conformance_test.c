// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a conforming library does with any argument, good or bad. The target is the test itself.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"

// A variable of the runtime's own that takes a number, and whether tools may attach by default.
#ifdef __clang__
#define OWN_VARIABLE "KMP_BLOCKTIME"
#define TOOL_SETTING "OMP_TOOL=enabled"
#else
#define OWN_VARIABLE "GOMP_SPINCOUNT"
#define TOOL_SETTING "OMP_TOOL=undefined"
#endif
#define OWN_SETTING OWN_VARIABLE "=17"

/** Handles of one thread in a region with tasks. */
struct handles {
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
};

static uint64_t self(void)
{
	return (uint64_t)pthread_self();
}

static ompd_rc_t open_handles(struct handles *handles)
{
	uint64_t id = self();
	ompd_rc_t rc = ompd_process_initialize(plain_context(), &handles->space);

	if (rc == ompd_rc_ok)
		rc = ompd_get_thread_handle(handles->space, ompd_thread_id_pthread, sizeof(id), &id,
					    &handles->thread);
	if (rc == ompd_rc_ok)
		rc = ompd_get_curr_parallel_handle(handles->thread, &handles->parallel);
	if (rc == ompd_rc_ok)
		rc = ompd_get_curr_task_handle(handles->thread, &handles->task);
	// What went well has no reason to tell.
	assert_int_equal(strlen(ompd_ext_last_reason()) != 0 && rc == ompd_rc_ok, 0);
	return rc;
}

static void close_handles(struct handles *handles)
{
	if (handles->task)
		assert_int_equal(ompd_rel_task_handle(handles->task), ompd_rc_ok);
	if (handles->parallel)
		assert_int_equal(ompd_rel_parallel_handle(handles->parallel), ompd_rc_ok);
	if (handles->thread)
		assert_int_equal(ompd_rel_thread_handle(handles->thread), ompd_rc_ok);
	if (handles->space)
		assert_int_equal(ompd_rel_address_space_handle(handles->space), ompd_rc_ok);
	memset(handles, 0, sizeof(*handles));
}

static int initialize(void **state)
{
	(void)state;
	return ompd_initialize(201811, &plain_callbacks) != ompd_rc_ok;
}

// Every test must give back what it took.
static int finalize(void **state)
{
	(void)state;
	if (here_blocks)
		fprintf(stderr, "%ld blocks are not freed\n", here_blocks);
	return here_blocks != 0 || ompd_finalize() != ompd_rc_ok;
}

// ---- The library -----------------------------------------------------------------------------

static void library(void **state)
{
	ompd_callbacks_t table = plain_callbacks;
	ompd_address_space_handle_t *space;
	ompd_word_t version = 0;
	const char *string = NULL;

	(void)state;
	assert_int_equal(ompd_get_api_version(&version), ompd_rc_ok);
	assert_int_equal(version, 202411);
	assert_int_equal(ompd_get_api_version(NULL), ompd_rc_bad_input);
	assert_int_equal(ompd_get_version_string(&string), ompd_rc_ok);
	assert_non_null(strstr(string, "ompdbg"));
	assert_int_equal(ompd_get_version_string(NULL), ompd_rc_bad_input);

	assert_int_equal(ompd_process_initialize(plain_context(), &space), ompd_rc_error);
	assert_int_equal(ompd_finalize(), ompd_rc_unsupported);
	assert_int_equal(ompd_initialize(201811, NULL), ompd_rc_bad_input);
	assert_int_equal(ompd_initialize(200505, &table), ompd_rc_unsupported);
	assert_int_equal(ompd_initialize(999999, &table), ompd_rc_unsupported);
	table.read_memory = NULL;
	assert_int_equal(ompd_initialize(201811, &table), ompd_rc_bad_input);
	// The table is copied: what becomes of the debugger's own afterwards is of no account.
	table.read_memory = plain_callbacks.read_memory;
	assert_int_equal(ompd_initialize(202411, &table), ompd_rc_ok);
	assert_int_equal(ompd_initialize(202411, &table), ompd_rc_error);
	memset(&table, 0, sizeof(table));
	assert_int_equal(ompd_process_initialize(plain_context(), &space), ompd_rc_ok);
	assert_int_equal(ompd_process_initialize(NULL, &space), ompd_rc_bad_input);
	assert_int_equal(ompd_process_initialize(plain_context(), NULL), ompd_rc_bad_input);
	assert_int_equal(ompd_rel_address_space_handle(space), ompd_rc_ok);
	assert_int_equal(ompd_rel_address_space_handle(NULL), ompd_rc_stale_handle);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
	assert_int_equal(here_blocks, 0);
}

// ---- Handles ---------------------------------------------------------------------------------

static void no_handle(void **state)
{
	ompd_parallel_handle_t *parallel;
	ompd_thread_handle_t *thread;
	ompd_task_handle_t *task;
	ompd_frame_info_t frame;
	ompd_address_t address;
	ompd_word_t word;
	uint64_t id = self();
	int number;

	(void)state;
	assert_int_equal(ompd_get_thread_handle(NULL, ompd_thread_id_pthread, 8, &id, &thread),
			 ompd_rc_stale_handle);
	assert_int_equal(ompd_get_thread_id(NULL, ompd_thread_id_pthread, 8, &id),
			 ompd_rc_stale_handle);
	assert_int_equal(ompd_get_thread_in_parallel(NULL, 0, &thread), ompd_rc_stale_handle);
	assert_int_equal(ompd_thread_handle_compare(NULL, NULL, &number), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_curr_parallel_handle(NULL, &parallel), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_enclosing_parallel_handle(NULL, &parallel), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_task_parallel_handle(NULL, &parallel), ompd_rc_stale_handle);
	assert_int_equal(ompd_parallel_handle_compare(NULL, NULL, &number), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_curr_task_handle(NULL, &task), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_generating_task_handle(NULL, &task), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_scheduling_task_handle(NULL, &task), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_task_in_parallel(NULL, 0, &task), ompd_rc_stale_handle);
	assert_int_equal(ompd_task_handle_compare(NULL, NULL, &number), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_task_function(NULL, &address), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_task_frame(NULL, &frame, &frame), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_state(NULL, &word, NULL), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_omp_version(NULL, &word), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_icv_from_scope(NULL, ompd_scope_thread, 1, &word),
			 ompd_rc_stale_handle);
	assert_int_equal(ompd_get_tool_data(NULL, ompd_scope_task, &word, &address),
			 ompd_rc_stale_handle);
	assert_int_equal(ompd_rel_thread_handle(NULL), ompd_rc_stale_handle);
	assert_int_equal(ompd_rel_parallel_handle(NULL), ompd_rc_stale_handle);
	assert_int_equal(ompd_rel_task_handle(NULL), ompd_rc_stale_handle);
}

static void thread_ids(void **state)
{
	struct handles handles = { 0 };
	ompd_address_space_handle_t *device = NULL;
	ompd_thread_handle_t *thread;
	ompd_thread_id_t *kinds = NULL;
	ompd_size_t *sizes = NULL;
	uint64_t id = self();
	int count = 0;

	(void)state;
	assert_int_equal(open_handles(&handles), ompd_rc_ok);
	assert_int_equal(ompd_get_thread_handle(handles.space, ompd_thread_id_pthread, 4, &id,
						&thread),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_thread_handle(handles.space, ompd_thread_id_lwp, 2, &id, &thread),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_thread_handle(handles.space, 99, 8, &id, &thread),
			 ompd_rc_unsupported);
	assert_int_equal(ompd_get_thread_handle(handles.space, ompd_thread_id_pthread, 8, NULL,
						&thread),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_thread_id(handles.thread, ompd_thread_id_pthread, 4, &id),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_thread_id(handles.thread, 99, 8, &id), ompd_rc_unsupported);
	id = 1; // no such process
	assert_int_equal(ompd_get_thread_handle(handles.space, ompd_thread_id_lwp, 4, &id, &thread),
			 ompd_rc_unavailable);
	assert_int_equal(ompd_get_device_thread_id_kinds(handles.space, &kinds, &sizes, &count),
			 ompd_rc_ok);
	assert_int_equal(count, 2);
	assert_int_equal(kinds[0], ompd_thread_id_pthread);
	assert_int_equal(sizes[0], 8);
	assert_int_equal(kinds[1], ompd_thread_id_lwp);
	assert_int_equal(sizes[1], 4);
	host_free((const char *)kinds);
	host_free((const char *)sizes);
	assert_int_equal(ompd_get_device_from_thread(handles.thread, &device), ompd_rc_ok);
	assert_ptr_equal(device, handles.space);
	assert_int_equal(ompd_device_initialize(handles.space, plain_context(), 1, 0, NULL,
						&device),
			 ompd_rc_unsupported);
	close_handles(&handles);
}

// ---- Enumerations ----------------------------------------------------------------------------

static void states_reach_each_once(void **state)
{
	bool met[0x200] = { false };
	struct handles handles = { 0 };
	ompd_word_t next = ompt_state_undefined, more = 1;
	const char *name;
	int count = 0;

	(void)state;
	assert_int_equal(open_handles(&handles), ompd_rc_ok);
	while (more) {
		assert_int_equal(ompd_enumerate_states(handles.space, next, &next, &name, &more),
				 ompd_rc_ok);
		assert_in_range(next, 0, 0x1ff);
		assert_false(met[next]);
		met[next] = true;
		assert_memory_equal(name, "ompt_state_", 11);
		host_free(name);
		assert_in_range(++count, 1, 100);
	}
	assert_int_equal(count, 23);
	assert_true(met[ompt_state_idle] && met[ompt_state_wait_critical] &&
		    met[ompt_state_undefined]);
	assert_int_equal(ompd_enumerate_states(handles.space, 0x77, &next, &name, &more),
			 ompd_rc_bad_input);
	close_handles(&handles);
}

static ompd_icv_id_t icv_id(ompd_address_space_handle_t *space, const char *name,
			    ompd_scope_t *scope)
{
	ompd_icv_id_t id = 0, found = 0;
	const char *next;
	int more = 1;

	while (more && !found) {
		assert_int_equal(ompd_enumerate_icvs(space, id, &id, &next, scope, &more),
				 ompd_rc_ok);
		if (strcmp(next, name) == 0)
			found = id;
		host_free(next);
	}
	return found;
}

// Those that no integer can represent.
static bool is_text(const char *name)
{
	static const char *const texts[] = { "affinity-format-var", "tool-libraries-var",
					     "tool-verbose-init-var", "place-partition-var",
					     "available-devices-var" };
	bool found = false;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		found |= strcmp(name, texts[i]) == 0;
	return found;
}

static void icvs_have_names_scopes_and_texts(void **state)
{
	static const struct {
		const char *name;
		ompd_scope_t scope;
	} expected[] = {
		{ "stacksize-var", ompd_scope_address_space },
		{ "cancel-var", ompd_scope_address_space },
		{ "max-task-priority-var", ompd_scope_address_space },
		{ "debug-var", ompd_scope_address_space },
		{ "display-affinity-var", ompd_scope_address_space },
		{ "affinity-format-var", ompd_scope_address_space },
		{ "tool-var", ompd_scope_address_space },
		{ "tool-libraries-var", ompd_scope_address_space },
		{ "tool-verbose-init-var", ompd_scope_address_space },
		{ "num-procs-var", ompd_scope_address_space },
		{ "wait-policy-var", ompd_scope_address_space },
		{ "target-offload-var", ompd_scope_address_space },
		{ "nteams-var", ompd_scope_address_space },
		{ "teams-thread-limit-var", ompd_scope_address_space },
		{ "dyn-var", ompd_scope_thread },
		{ "nthreads-var", ompd_scope_thread },
		{ "default-device-var", ompd_scope_thread },
		{ "thread-num-var", ompd_scope_thread },
		{ "place-partition-var", ompd_scope_thread },
		{ "levels-var", ompd_scope_parallel },
		{ "active-levels-var", ompd_scope_parallel },
		{ "team-size-var", ompd_scope_parallel },
		{ "run-sched-var", ompd_scope_task },
		{ "thread-limit-var", ompd_scope_task },
		{ "max-active-levels-var", ompd_scope_task },
		{ "bind-var", ompd_scope_task },
		{ "final-task-var", ompd_scope_task },
		{ "implicit-task-var", ompd_scope_task },
		{ "explicit-task-var", ompd_scope_task },
		{ "def-allocator-var", ompd_scope_thread },
		{ "team-generator-var", ompd_scope_parallel },
		{ "available-devices-var", ompd_scope_address_space },
		{ "num-devices-var", ompd_scope_address_space },
		{ "device-num-var", ompd_scope_address_space },
		{ "structured-thread-limit-var", ompd_scope_task },
		{ "free-agent-thread-limit-var", ompd_scope_task },
		{ "free-agent-var", ompd_scope_task },
		{ "place-assignment-var", ompd_scope_thread },
		{ "team-num-var", ompd_scope_thread },
		{ "league-size-var", ompd_scope_thread },
		{ "ompd-num-procs-var", ompd_scope_address_space },
		{ "ompd-thread-num-var", ompd_scope_thread },
		{ "ompd-final-var", ompd_scope_task },
		{ "ompd-implicit-var", ompd_scope_task },
		{ "ompd-team-size-var", ompd_scope_parallel },
	};
	struct handles handles = { 0 };

	(void)state;
	assert_int_equal(open_handles(&handles), ompd_rc_ok);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		void *const of_scope[] = {
			[ompd_scope_address_space] = handles.space,
			[ompd_scope_thread] = handles.thread,
			[ompd_scope_parallel] = handles.parallel,
			[ompd_scope_task] = handles.task,
		};
		ompd_scope_t scope;
		ompd_icv_id_t id = icv_id(handles.space, expected[i].name, &scope);
		const char *text;
		ompd_word_t value;

		assert_int_not_equal(id, 0);
		assert_int_equal(scope, expected[i].scope);
		ompd_rc_t rc = ompd_get_icv_from_scope(of_scope[scope], scope, id, &value);
		ompd_rc_t text_rc =
			ompd_get_icv_string_from_scope(of_scope[scope], scope, id, &text);

		// What has an integer has a text; what is unavailable says why.
		if (rc == ompd_rc_incompatible)
			assert_true(text_rc == ompd_rc_ok || text_rc == ompd_rc_unavailable ||
				    text_rc == ompd_rc_unsupported);
		else
			assert_int_equal(text_rc, rc == ompd_rc_incomplete ? ompd_rc_ok : rc);
		// What the runtime does not have is unsupported, be it a text or not.
		if (rc != ompd_rc_unsupported)
			assert_int_equal(rc == ompd_rc_incompatible, is_text(expected[i].name));
		if (text_rc == ompd_rc_ok)
			host_free(text);
		else
			assert_int_not_equal(strlen(ompd_ext_last_reason()), 0);
	}
	close_handles(&handles);
}

static void lists_of_numbers_of_threads(void **state)
{
	struct handles handles = { 0 };
	ompd_scope_t scope;
	ompd_word_t value = 0;
	const char *text;

	(void)state;
#pragma omp parallel num_threads(2)
#pragma omp master
	{
		assert_int_equal(open_handles(&handles), ompd_rc_ok);
		ompd_icv_id_t id = icv_id(handles.space, "nthreads-var", &scope);
		ompd_rc_t rc = ompd_get_icv_from_scope(handles.thread, scope, id, &value);

		// OMP_NUM_THREADS is 4,3,2: at level 1 the rest of the list remains.
		assert_int_equal(rc, ompd_rc_incomplete);
		assert_int_equal(value, 3);
		assert_int_equal(ompd_get_icv_string_from_scope(handles.thread, scope, id, &text),
				 ompd_rc_ok);
		assert_string_equal(text, "3,2");
		host_free(text);
		close_handles(&handles);
	}
}

// OMP_SCHEDULE is guided,5.
static void schedules_with_a_chunk(void **state)
{
	struct handles handles = { 0 };
	ompd_word_t value = 0;
	ompd_scope_t scope;
	omp_sched_t kind;
	const char *text;
	int chunk;

	(void)state;
	for (int round = 0; round < 2; round++) {
		omp_get_schedule(&kind, &chunk);
		assert_int_equal(chunk, round == 0 ? 5 : 0);
		assert_int_equal(open_handles(&handles), ompd_rc_ok);
		ompd_icv_id_t id = icv_id(handles.space, "run-sched-var", &scope);

		assert_int_equal(ompd_get_icv_from_scope(handles.task, scope, id, &value),
				 round == 0 ? ompd_rc_incomplete : ompd_rc_ok);
		assert_int_equal(value, kind);
		assert_int_equal(ompd_get_icv_string_from_scope(handles.task, scope, id, &text),
				 ompd_rc_ok);
		assert_string_equal(text, round == 0 ? "guided,5" : "static");
		host_free(text);
		close_handles(&handles);
		omp_set_schedule(omp_sched_static, 0);
	}
}

// OMP_PROC_BIND is close,spread,primary: at level 1 the rest of the list remains.
static void lists_of_bindings(void **state)
{
	static const char *const texts[] = { "close,spread,primary", "spread,primary", "primary" };

	(void)state;
	if (omp_get_proc_bind() == omp_proc_bind_false)
		return; // this machine binds no threads
	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp master
#pragma omp parallel num_threads(2)
#pragma omp master
	{
		struct handles handles = { 0 };
		ompd_scope_t scope;

		assert_int_equal(open_handles(&handles), ompd_rc_ok);
		ompd_icv_id_t id = icv_id(handles.space, "bind-var", &scope);

		for (int level = 2; level >= 0; level--) {
			ompd_task_handle_t *outer = NULL;
			ompd_word_t value = -1;
			const char *text;

			assert_int_equal(ompd_get_icv_from_scope(handles.task, scope, id, &value),
					 level == 2 ? ompd_rc_ok : ompd_rc_incomplete);
			if (level == 2)
				assert_int_equal(value, omp_get_proc_bind());
			assert_int_equal(ompd_get_icv_string_from_scope(handles.task, scope, id,
									&text),
					 ompd_rc_ok);
			assert_string_equal(text, texts[level]);
			host_free(text);
			if (level == 0)
				break;
			assert_int_equal(ompd_get_generating_task_handle(handles.task, &outer),
					 ompd_rc_ok);
			ompd_rel_task_handle(handles.task);
			handles.task = outer;
		}
		close_handles(&handles);
	}
}

// ---- Tasks -----------------------------------------------------------------------------------

static void implicit_tasks_have_no_scheduling_task(void **state)
{
	(void)state;
#pragma omp parallel num_threads(2)
#pragma omp critical
	{
		struct handles handles = { 0 };
		ompd_task_handle_t *task = NULL, *outer = NULL;

		assert_int_equal(open_handles(&handles), ompd_rc_ok);
		assert_int_equal(ompd_get_scheduling_task_handle(handles.task, &task),
				 ompd_rc_unavailable);
		assert_int_not_equal(strlen(ompd_ext_last_reason()), 0);
		// Neither has the initial task.
		assert_int_equal(ompd_get_generating_task_handle(handles.task, &outer), ompd_rc_ok);
		assert_int_equal(ompd_get_scheduling_task_handle(outer, &task),
				 ompd_rc_unavailable);
		assert_null(task);
		assert_int_equal(ompd_rel_task_handle(outer), ompd_rc_ok);
		close_handles(&handles);
	}
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task if (0)
	{
		struct handles handles = { 0 };
		ompd_task_handle_t *task = NULL, *generating = NULL;
		int difference = -1;

		assert_int_equal(open_handles(&handles), ompd_rc_ok);
		assert_int_equal(ompd_get_scheduling_task_handle(handles.task, &task), ompd_rc_ok);
		assert_int_equal(ompd_get_generating_task_handle(handles.task, &generating),
				 ompd_rc_ok);
		assert_int_equal(ompd_task_handle_compare(task, generating, &difference),
				 ompd_rc_ok);
		assert_int_equal(difference, 0);
		assert_int_equal(ompd_rel_task_handle(task), ompd_rc_ok);
		assert_int_equal(ompd_rel_task_handle(generating), ompd_rc_ok);
		close_handles(&handles);
	}
}

static void control_variables(void **state)
{
	static const char *const expected[] = { "OMP_SCHEDULE=guided,5",   "OMP_DYNAMIC=true",
						"OMP_CANCELLATION=true",   OWN_SETTING,
						"OMP_WAIT_POLICY=passive", "OMP_THREAD_LIMIT=64",
						"OMP_MAX_TASK_PRIORITY=9", TOOL_SETTING };
	struct handles handles = { 0 };
	const char *const *variables = NULL;

	(void)state;
	assert_int_equal(open_handles(&handles), ompd_rc_ok);
	setenv(OWN_VARIABLE, "23", 1); // too late for the runtime, and so for us
	assert_int_equal(ompd_get_display_control_vars(handles.space, &variables), ompd_rc_ok);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		bool found = false;

		for (size_t j = 0; variables[j]; j++)
			found |= strcasecmp(variables[j], expected[i]) == 0;
		if (!found)
			fail_msg("no %s", expected[i]);
	}
	assert_int_equal(ompd_rel_display_control_vars(&variables), ompd_rc_ok);
	assert_null(variables);
	assert_int_equal(ompd_rel_display_control_vars(&variables), ompd_rc_bad_input);
	close_handles(&handles);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library),
		cmocka_unit_test_setup_teardown(no_handle, initialize, finalize),
		cmocka_unit_test_setup_teardown(thread_ids, initialize, finalize),
		cmocka_unit_test_setup_teardown(states_reach_each_once, initialize, finalize),
		cmocka_unit_test_setup_teardown(icvs_have_names_scopes_and_texts, initialize,
						finalize),
		cmocka_unit_test_setup_teardown(lists_of_numbers_of_threads, initialize, finalize),
		cmocka_unit_test_setup_teardown(schedules_with_a_chunk, initialize, finalize),
		cmocka_unit_test_setup_teardown(lists_of_bindings, initialize, finalize),
		cmocka_unit_test_setup_teardown(implicit_tasks_have_no_scheduling_task, initialize,
						finalize),
		cmocka_unit_test_setup_teardown(control_variables, initialize, finalize),
	};
	static const char *const environment[][2] = {
		{ "OMP_NUM_THREADS", "4,3,2" },	  { "OMP_SCHEDULE", "guided,5" },
		{ "OMP_DYNAMIC", "true" },	  { "OMP_PROC_BIND", "close,spread,primary" },
		{ "OMP_CANCELLATION", "true" },	  { OWN_VARIABLE, "17" },
		{ "OMP_WAIT_POLICY", "passive" }, { "OMP_THREAD_LIMIT", "64" },
		{ "OMP_MAX_TASK_PRIORITY", "9" }, { "OMPDBG_CONFORMANCE", "again" },
	};

	// The runtime reads its environment before main: start anew with the one that is tested.
	if (argc > 0 && !getenv("OMPDBG_CONFORMANCE")) {
		for (size_t i = 0; i < sizeof(environment) / sizeof(environment[0]); i++)
			setenv(environment[i][0], environment[i][1], 1);
		execv("/proc/self/exe", argv);
		return 1;
	}
	omp_get_max_threads(); // libomp knows the initial thread from its first call on
	return cmocka_run_group_tests(tests, NULL, NULL);
}

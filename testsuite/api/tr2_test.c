// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of 2016 on the process that the test is: every function with arguments good and bad,
// every code of section 15.5, and whose memory is whose (section 5).

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tr2_here.h"

enum { SOME_READS = 400 };

// ---- Section 4 -------------------------------------------------------------------------------

static void library(void **state)
{
	ompd_callbacks_t table = tr2_host_callbacks;
	ompd_address_space_handle_t *space;
	const char *string = NULL;
	int version = 0;

	(void)state;
	assert_int_equal(ompd_get_version(&version), ompd_rc_ok);
	assert_int_equal(version, 2001);
	assert_int_equal(ompd_get_version(NULL), ompd_rc_bad_input);
	assert_int_equal(ompd_get_version_string(&string), ompd_rc_ok);
	assert_non_null(strstr(string, "2.001"));
	assert_int_equal(ompd_get_version_string(NULL), ompd_rc_bad_input);

	assert_int_equal(ompd_process_initialize(tr2_host_context(), &space), ompd_rc_error);
	assert_int_equal(ompd_finalize(), ompd_rc_error);
	assert_int_equal(ompd_release_display_control_vars(NULL), ompd_rc_error);
	assert_int_equal(ompd_initialize(NULL), ompd_rc_bad_input);
	table.t_read_memory = NULL;
	assert_int_equal(ompd_initialize(&table), ompd_rc_bad_input);
	// The table need not outlive the call; callbacks that are not needed may be missing.
	table = tr2_host_callbacks;
	table.print_string = NULL;
	table.t_write_memory = NULL;
	table.get_thread_context_for_osthread = NULL;
	assert_int_equal(ompd_initialize(&table), ompd_rc_ok);
	assert_int_equal(ompd_initialize(&table), ompd_rc_error);
	memset(&table, 0, sizeof(table));
	assert_int_equal(ompd_process_initialize(tr2_host_context(), &space), ompd_rc_ok);
	assert_int_equal(ompd_process_initialize(NULL, &space), ompd_rc_bad_input);
	assert_int_equal(ompd_process_initialize(tr2_host_context(), NULL), ompd_rc_bad_input);
	assert_int_equal(ompd_release_address_space_handle(space), ompd_rc_ok);
	assert_int_equal(ompd_release_address_space_handle(space), ompd_rc_stale_handle);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
	assert_int_equal(here_blocks, 0);
}

// ---- Arguments: every function that takes a handle -------------------------------------------

/** Calls a function with @p handle of its kind and good places for results. */
struct function {
	const char *name;
	ompd_rc_t (*call)(void *handle);
	ompd_rc_t (*without_result)(void *handle); // NULL: it has none
	char kind;				   // s, t, p, k: space, thread, parallel, task
};

static struct {
	ompd_thread_handle_t *thread, **threads;
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task, **tasks;
	const char *const *vars;
	char *id;
	ompd_tword_t word, other_word;
	ompd_address_t address, other_address;
	ompd_state_t state;
	ompd_wait_id_t wait;
	ompd_sched_t sched;
	ompd_proc_bind_t bind;
	int number;
	uint64_t os_id;
} out;

// A function with one result, and with two.
#define ONE(kind, name, result)                     \
	static ompd_rc_t call_##name(void *handle)  \
	{                                           \
		return ompd_##name(handle, result); \
	}                                           \
	static ompd_rc_t none_##name(void *handle)  \
	{                                           \
		return ompd_##name(handle, NULL);   \
	}
#define TWO(kind, name, first, second)                     \
	static ompd_rc_t call_##name(void *handle)         \
	{                                                  \
		return ompd_##name(handle, first, second); \
	}                                                  \
	static ompd_rc_t none_##name(void *handle)         \
	{                                                  \
		return ompd_##name(handle, first, NULL);   \
	}
#define COMPARE(kind, name)                                      \
	static ompd_rc_t call_##name(void *handle)               \
	{                                                        \
		return ompd_##name(handle, handle, &out.number); \
	}                                                        \
	static ompd_rc_t none_##name(void *handle)               \
	{                                                        \
		return ompd_##name(handle, handle, NULL);        \
	}
#include "tr2_functions.def"

static ompd_rc_t call_get_thread_handle(void *handle)
{
	out.os_id = self();
	return ompd_get_thread_handle(handle, ompd_osthread_pthread, 8, &out.os_id, &out.thread);
}

static ompd_rc_t none_get_thread_handle(void *handle)
{
	return ompd_get_thread_handle(handle, ompd_osthread_pthread, 8, &out.os_id, NULL);
}

static ompd_rc_t call_get_osthread(void *handle)
{
	return ompd_get_osthread(handle, ompd_osthread_pthread, 8, &out.os_id);
}

static ompd_rc_t none_get_osthread(void *handle)
{
	return ompd_get_osthread(handle, ompd_osthread_pthread, 8, NULL);
}

static const struct function functions[] = {
#define ONE(kind, name, result) { #name, call_##name, none_##name, kind },
#define TWO(kind, name, first, second) ONE(kind, name, first)
#define COMPARE(kind, name) ONE(kind, name, )
#include "tr2_functions.def"
	{ "get_thread_handle", call_get_thread_handle, none_get_thread_handle, 's' },
	{ "get_osthread", call_get_osthread, none_get_osthread, 't' },
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

// Gives back whatever a call stored.
static void release_results(void)
{
	for (int i = 0; out.threads && i < out.number; i++)
		assert_int_equal(ompd_release_thread_handle(out.threads[i]), ompd_rc_ok);
	for (int i = 0; out.tasks && i < out.number; i++)
		assert_int_equal(ompd_release_task_handle(out.tasks[i]), ompd_rc_ok);
	tr2_host_free(out.threads);
	tr2_host_free(out.tasks);
	tr2_host_free(out.id);
	if (out.thread)
		assert_int_equal(ompd_release_thread_handle(out.thread), ompd_rc_ok);
	if (out.parallel)
		assert_int_equal(ompd_release_parallel_handle(out.parallel), ompd_rc_ok);
	if (out.task)
		assert_int_equal(ompd_release_task_handle(out.task), ompd_rc_ok);
	if (out.vars)
		assert_int_equal(ompd_release_display_control_vars(out.vars), ompd_rc_ok);
	memset(&out, 0, sizeof(out));
}

static void *handle_of(const struct handles *handles, char kind)
{
	return kind == 's' ? (void *)handles->space :
	       kind == 't' ? (void *)handles->thread :
	       kind == 'p' ? (void *)handles->parallel :
			     (void *)handles->task;
}

// Levels are told of regions and tasks alike, active levels of threads and tasks.
static bool takes(const struct function *function, char kind)
{
	if (strcmp(function->name, "get_level") == 0 ||
	    strcmp(function->name, "get_active_level") == 0)
		return kind == 'p' || kind == 'k';
	if (strcmp(function->name, "get_max_active_levels") == 0)
		return kind == 't' || kind == 'k';
	return function->kind == kind;
}

static void arguments(void **state)
{
	static const char kinds[] = "stpk";
	struct handles handles;

	(void)state;
#pragma omp parallel num_threads(THREADS)
#pragma omp master
	{
		assert_int_equal(open_handles(&handles), ompd_rc_ok);
		for (int i = 0; i < FUNCTIONS; i++) {
			const struct function *function = &functions[i];
			void *good = handle_of(&handles, function->kind);

			assert_int_equal(function->call(NULL), ompd_rc_stale_handle);
			assert_int_equal(function->without_result(good), ompd_rc_bad_input);
			assert_int_equal(function->call(&handles), ompd_rc_stale_handle);
			for (int k = 0; kinds[k]; k++) {
				void *handle = handle_of(&handles, kinds[k]);
				ompd_rc_t rc = function->call(handle);

				release_results();
				if (!takes(function, kinds[k]))
					assert_int_equal(rc, ompd_rc_bad_input);
				else if (rc != ompd_rc_unavailable &&
					 rc != ompd_rc_needs_state_tracking)
					assert_int_equal(rc, ompd_rc_ok);
			}
		}
		assert_int_equal(ompd_release_thread_handle((void *)handles.task),
				 ompd_rc_bad_input);
		assert_int_equal(ompd_release_display_control_vars(NULL), ompd_rc_bad_input);
		close_handles(&handles);
	}
}

static void stale_handles(void **state)
{
	struct handles handles, kept;

	(void)state;
	assert_int_equal(open_handles(&handles), ompd_rc_ok);
	kept = handles;
	close_handles(&handles);
	for (int i = 0; i < FUNCTIONS; i++)
		assert_int_equal(functions[i].call(handle_of(&kept, functions[i].kind)),
				 ompd_rc_stale_handle);
	assert_int_equal(ompd_release_thread_handle(kept.thread), ompd_rc_stale_handle);
	assert_int_equal(ompd_release_parallel_handle(kept.parallel), ompd_rc_stale_handle);
	assert_int_equal(ompd_release_task_handle(kept.task), ompd_rc_stale_handle);

	// The address space first: what is left can only be released.
	assert_int_equal(open_handles(&handles), ompd_rc_ok);
	assert_int_equal(ompd_release_address_space_handle(handles.space), ompd_rc_ok);
	for (int i = 0; i < FUNCTIONS; i++)
		assert_int_equal(functions[i].call(handle_of(&handles, functions[i].kind)),
				 ompd_rc_stale_handle);
	handles.space = NULL;
	close_handles(&handles);
}

// ---- Section 15.5: codes that the functions above do not return -------------------------------

static void states_and_frames(void **state)
{
	struct handles here;
	ompd_state_t thread_state;
	ompd_wait_id_t wait;
	ompd_address_t leave, enter;
	ompd_rc_t rc;

	(void)state;
	assert_int_equal(open_handles(&here), ompd_rc_ok);
	rc = ompd_get_task_frame(here.task, &leave, &enter);
#ifdef __clang__
	assert_int_equal(rc, ompd_rc_needs_state_tracking);
	assert_int_equal(ompd_get_state(here.thread, &thread_state, &wait),
			 ompd_rc_needs_state_tracking);
#else
	assert_int_equal(rc, ompd_rc_unavailable);
	assert_int_equal(ompd_get_state(here.thread, &thread_state, &wait), ompd_rc_unavailable);
#endif
	close_handles(&here);
}

static void incompatible(void **state)
{
	ompd_address_space_handle_t *space;

	(void)state;
	tr2_host.no_symbols = true;
	assert_int_equal(ompd_process_initialize(tr2_host_context(), &space), ompd_rc_incompatible);
	tr2_host.no_symbols = false;
	tr2_host.pointer_size = 4;
	assert_int_equal(ompd_process_initialize(tr2_host_context(), &space), ompd_rc_incompatible);
	tr2_host.pointer_size = 0;
}

// What a callback returns comes back. Nothing is ever written to the target, so that its code for
// failed writes has no other way than this.
static void callback_codes(void **state)
{
	static const ompd_rc_t codes[] = { ompd_rc_target_read_error, ompd_rc_target_write_error,
					   ompd_rc_error };
	struct handles here;
	ompd_tword_t value;

	(void)state;
	assert_int_equal(open_handles(&here), ompd_rc_ok);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		tr2_host.failing_reads = codes[i];
		assert_int_equal(ompd_get_dynamic(here.task, &value), codes[i]);
		tr2_host.failing_reads = ompd_rc_ok;
	}
	assert_int_equal(ompd_get_dynamic(here.task, &value), ompd_rc_ok);
	close_handles(&here);
}

// Each allocation fails once, in every function: no crash, no leak, and a code that says so. Then
// each read does.
static void failing(void **state)
{
	struct handles here;

	(void)state;
#pragma omp parallel num_threads(THREADS)
#pragma omp master
	for (int i = 0; i < FUNCTIONS; i++) {
		ompd_rc_t rc = ompd_rc_nomem;
		bool reached = true;

		for (long n = 1; reached; n++) {
			assert_int_equal(open_handles(&here), ompd_rc_ok);
			tr2_host.fail_allocation = n;
			rc = functions[i].call(handle_of(&here, functions[i].kind));
			reached = tr2_host.fail_allocation == 0;
			tr2_host.fail_allocation = 0;
			if (reached)
				assert_int_equal(rc, ompd_rc_nomem);
			if (rc == ompd_rc_ok)
				release_results();
			memset(&out, 0, sizeof(out));
			close_handles(&here);
		}
		reached = true;
		assert_int_equal(open_handles(&here), ompd_rc_ok);
		for (long n = 1; reached && n < SOME_READS; n++) {
			tr2_host.fail_read = n;
			rc = functions[i].call(handle_of(&here, functions[i].kind));
			reached = tr2_host.fail_read == 0;
			tr2_host.fail_read = 0;
			if (rc == ompd_rc_ok)
				release_results();
			memset(&out, 0, sizeof(out));
		}
		close_handles(&here);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library),
		cmocka_unit_test_setup_teardown(arguments, initialize, finalize),
		cmocka_unit_test_setup_teardown(stale_handles, initialize, finalize),
		cmocka_unit_test_setup_teardown(states_and_frames, initialize, finalize),
		cmocka_unit_test_setup_teardown(incompatible, initialize, finalize),
		cmocka_unit_test_setup_teardown(callback_codes, initialize, finalize),
		cmocka_unit_test_setup_teardown(failing, initialize, finalize),
	};

	alarm(300);
	// The runtime counts the processors, and has its threads, from here on.
#pragma omp parallel num_threads(THREADS)
	meet();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

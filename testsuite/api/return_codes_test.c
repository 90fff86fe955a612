// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Return codes by the version of the interface that the debugger asks for: docs/return-codes.md. The
// target is the test itself.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"

// What the two runtimes differ in.
#ifdef __clang__
#define NO_TOOL ompd_rc_needs_state_tracking // none is active, and OMP_DEBUG is not set
#else
#define NO_TOOL ompd_rc_unsupported
#endif

enum { MAX_ICVS = 100 };

struct handles {
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
};

static struct handles here;
static ompd_word_t version;

static ompd_rc_t by_version(ompd_rc_t in_5, ompd_rc_t in_6)
{
	return version < 202411 ? in_5 : in_6;
}

static void open_handles(struct handles *handles)
{
	uint64_t id = (uint64_t)pthread_self();

	assert_int_equal(ompd_process_initialize(plain_context(), &handles->space), ompd_rc_ok);
	assert_int_equal(ompd_get_thread_handle(handles->space, ompd_thread_id_pthread, sizeof(id),
						&id, &handles->thread),
			 ompd_rc_ok);
	assert_int_equal(ompd_get_curr_parallel_handle(handles->thread, &handles->parallel),
			 ompd_rc_ok);
	assert_int_equal(ompd_get_curr_task_handle(handles->thread, &handles->task), ompd_rc_ok);
}

static void *of_scope(const struct handles *handles, ompd_scope_t scope)
{
	return scope <= ompd_scope_address_space ? (void *)handles->space :
	       scope == ompd_scope_thread	 ? (void *)handles->thread :
	       scope == ompd_scope_parallel	 ? (void *)handles->parallel :
						   (void *)handles->task;
}

static void handles_of_another_kind(void)
{
	const ompd_rc_t wrong = by_version(ompd_rc_stale_handle, ompd_rc_incompatible_handle);
	ompd_parallel_handle_t *parallel;
	ompd_address_t address;
	ompd_word_t word;
	int number;

	assert_int_equal(ompd_get_state((void *)here.parallel, &word, NULL), wrong);
	assert_int_equal(ompd_get_task_function((void *)here.space, &address), wrong);
	assert_int_equal(ompd_get_omp_version((void *)here.thread, &word), wrong);
	assert_int_equal(ompd_get_enclosing_parallel_handle((void *)here.task, &parallel), wrong);
	assert_int_equal(ompd_task_handle_compare(here.task, (void *)here.thread, &number), wrong);
	assert_int_equal(ompd_get_tool_data(here.task, ompd_scope_thread, &word, &address), wrong);
	assert_int_equal(ompd_rel_thread_handle((void *)here.task), wrong);
	assert_int_equal(ompd_rel_task_handle((void *)here.parallel), wrong);
	assert_int_equal(ompd_rel_parallel_handle((void *)here.space), wrong);
	assert_int_equal(ompd_rel_address_space_handle((void *)here.thread), wrong);
}

static void arguments(void)
{
	static const char zeros[1 << 16];
	ompd_thread_handle_t *thread;
	ompd_task_handle_t *task;
	ompd_address_t address;
	const char *text;
	ompd_word_t word;
	uint64_t id = 0;
	uint32_t lwp = 0;
	int team = omp_get_num_threads();

	// No handle is no valid handle.
	assert_int_equal(ompd_get_state(NULL, &word, NULL), ompd_rc_stale_handle);
	assert_int_equal(ompd_get_icv_from_scope(NULL, ompd_scope_thread, 1, &word),
			 ompd_rc_stale_handle);
	assert_int_equal(ompd_get_state(here.thread, NULL, NULL), ompd_rc_bad_input);
	assert_int_equal(ompd_get_thread_in_parallel(here.parallel, team, &thread),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_thread_in_parallel(here.parallel, -1, &thread),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_task_in_parallel(here.parallel, team, &task), ompd_rc_bad_input);
	assert_int_equal(ompd_get_task_in_parallel(here.parallel, -1, &task), ompd_rc_bad_input);
	assert_int_equal(ompd_get_tool_data(here.thread, (ompd_scope_t)77, &word, &address),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_icv_string_from_scope(here.thread, (ompd_scope_t)77, 1, &text),
			 ompd_rc_bad_input);

	// Threads: none of OpenMP, none at all.
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_thread_id_pthread, 8, &id,
						&thread),
			 ompd_rc_unavailable);
	id = 8;
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_thread_id_pthread, 8, &id,
						&thread),
			 ompd_rc_unavailable);
	id = UINT64_MAX - 7;
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_thread_id_pthread, 8, &id,
						&thread),
			 ompd_rc_unavailable);
	// Memory that a core does not have may be full of zeros, a thread's descriptor, too.
	id = (uint64_t)&zeros[sizeof(zeros) / 2];
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_thread_id_pthread, 8, &id,
						&thread),
			 ompd_rc_unavailable);
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_thread_id_lwp, 4, &lwp, &thread),
			 ompd_rc_unavailable);
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_thread_id_lwp, 3, &lwp, &thread),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_thread_handle(here.space, 1000, 4, &lwp, &thread),
			 ompd_rc_unsupported);
	assert_int_equal(ompd_get_thread_id(here.thread, 1000, 8, &id), ompd_rc_unsupported);
	assert_int_equal(ompd_get_thread_id(here.thread, ompd_thread_id_pthread, 7, &id),
			 ompd_rc_bad_input);
}

// Each ICV of each scope and handle. What the right ones answer, conformance_test.c knows.
static void icvs(void)
{
	ompd_icv_id_t id = ompd_icv_undefined, previous;
	ompd_scope_t home;
	const char *name, *text;
	ompd_word_t word;
	int more = 1;

	while (more) {
		previous = id;
		assert_int_equal(ompd_enumerate_icvs(here.space, previous, &id, &name, &home,
						     &more),
				 ompd_rc_ok);
		assert_int_not_equal(id, ompd_icv_undefined);
		assert_in_range(id, 1, MAX_ICVS);
		host_free(name);
		for (ompd_scope_t scope = ompd_scope_global; scope <= ompd_scope_task; scope++) {
			void *handle = of_scope(&here, scope);
			const ompd_rc_t other = by_version(ompd_rc_bad_input, ompd_rc_incompatible);
			const ompd_rc_t mismatch =
				by_version(ompd_rc_stale_handle, ompd_rc_incompatible);

			if (scope != home) {
				assert_int_equal(ompd_get_icv_from_scope(handle, scope, id, &word),
						 other);
				assert_int_equal(ompd_get_icv_string_from_scope(handle, scope, id,
										&text),
						 other);
			}
			if (handle != of_scope(&here, home)) {
				assert_int_equal(ompd_get_icv_from_scope(handle, home, id, &word),
						 mismatch);
				assert_int_equal(ompd_get_icv_string_from_scope(handle, home, id,
										&text),
						 mismatch);
			}
		}
		assert_int_equal(ompd_get_icv_from_scope(of_scope(&here, home), home, id, NULL),
				 ompd_rc_bad_input);
		assert_int_equal(ompd_get_icv_string_from_scope(of_scope(&here, home), home, id,
								NULL),
				 ompd_rc_bad_input);
	}
	assert_int_equal(ompd_enumerate_icvs(here.space, id, &previous, &name, &home, &more),
			 ompd_rc_bad_input);
	for (ompd_scope_t scope = ompd_scope_address_space; scope <= ompd_scope_task; scope++) {
		void *handle = of_scope(&here, scope);

		assert_int_equal(ompd_get_icv_from_scope(handle, scope, ompd_icv_undefined, &word),
				 ompd_rc_bad_input);
		assert_int_equal(ompd_get_icv_from_scope(handle, scope, id + 1, &word),
				 ompd_rc_bad_input);
	}
}

// The scopes of 6.0: of regions that a teams or target construct made.
static void generators(void)
{
	const ompd_rc_t other = by_version(ompd_rc_bad_input, ompd_rc_incompatible_handle);
	ompd_address_t address;
	ompd_word_t word = -1;

	assert_int_equal(ompd_ext_get_icv(here.parallel, ompd_scope_parallel, "team-generator-var",
					  &word),
			 ompd_rc_ok);
	assert_int_equal(word, ompd_generator_parallel);
	assert_int_equal(ompd_get_tool_data(here.parallel, ompd_scope_teams, &word, &address),
			 other);
	assert_int_equal(ompd_get_tool_data(here.parallel, ompd_scope_target, &word, &address),
			 other);
}

// What the runtime keeps only for a tool, or for OMPD when it is asked to.
static void state_tracking(void)
{
	ompd_frame_info_t leave, enter;
	ompd_address_t address;
	ompd_word_t word;
	ompd_rc_t rc;

	for (ompd_scope_t scope = ompd_scope_thread; scope <= ompd_scope_task; scope++)
		assert_int_equal(ompd_get_tool_data(of_scope(&here, scope), scope, &word, &address),
				 NO_TOOL);
	rc = ompd_get_state(here.thread, &word, NULL);
	assert_int_equal(rc, NO_TOOL == ompd_rc_unsupported ? ompd_rc_unavailable : NO_TOOL);
	rc = ompd_get_task_frame(here.task, &leave, &enter);
	assert_int_equal(rc, NO_TOOL == ompd_rc_unsupported ? ompd_rc_unavailable : NO_TOOL);
}

static void explicit_task(void)
{
	struct handles task;
	ompd_address_t address;
	ompd_word_t word;

	open_handles(&task);
	// That an explicit task is no implicit one, whatever the runtime keeps for it.
	assert_int_equal(ompd_get_tool_data(task.task, ompd_scope_implicit_task, &word, &address),
			 by_version(ompd_rc_stale_handle, ompd_rc_incompatible_handle));
	assert_int_equal(ompd_rel_address_space_handle(task.space), ompd_rc_ok);
}

// Every routine but those of the library itself needs ompd_initialize(), whatever its arguments.
static void not_initialized(void)
{
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_icv_id_t id;
	ompd_scope_t scope;
	const char *text;
	ompd_word_t word;
	int number;

	assert_int_equal(ompd_finalize(), ompd_rc_unsupported);
	assert_int_equal(ompd_process_initialize(plain_context(), &space), ompd_rc_error);
	assert_int_equal(ompd_process_initialize(NULL, NULL), ompd_rc_error);
	assert_int_equal(ompd_get_omp_version(NULL, &word), ompd_rc_error);
	assert_int_equal(ompd_get_thread_in_parallel(NULL, 0, &thread), ompd_rc_error);
	assert_int_equal(ompd_get_state(NULL, &word, NULL), ompd_rc_error);
	assert_int_equal(ompd_enumerate_states(NULL, 0, &word, &text, &word), ompd_rc_error);
	assert_int_equal(ompd_enumerate_icvs(NULL, 0, &id, &text, &scope, &number), ompd_rc_error);
	assert_int_equal(ompd_get_icv_from_scope(NULL, ompd_scope_thread, 1, &word), ompd_rc_error);
	assert_int_equal(ompd_get_tool_data(NULL, (ompd_scope_t)77, NULL, NULL), ompd_rc_error);
	assert_int_equal(ompd_rel_task_handle(NULL), ompd_rc_error);
	assert_int_equal(ompd_get_api_version(&word), ompd_rc_ok);
	assert_int_equal(word, 202411);
	assert_int_equal(ompd_get_version_string(&text), ompd_rc_ok);
}

static ompd_rc_t find_no_symbol(ompd_address_space_context_t *context,
				ompd_thread_context_t *thread, const char *name,
				ompd_address_t *address, const char *file)
{
	(void)context;
	(void)thread;
	(void)name;
	(void)address;
	(void)file;
	return ompd_rc_unavailable;
}

// A process without an OpenMP runtime, or in which it is not loaded yet: no symbol is there.
static void no_runtime(void)
{
	ompd_callbacks_t table = plain_callbacks;
	ompd_address_space_handle_t *space = NULL;

	table.symbol_addr_lookup = find_no_symbol;
	assert_int_equal(ompd_initialize(version, &table), ompd_rc_ok);
	assert_int_equal(ompd_process_initialize(plain_context(), &space), ompd_rc_unavailable);
	assert_null(space);
	assert_int_equal(here_blocks, 0);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
}

static void ask(ompd_word_t api_version)
{
	ompd_address_space_handle_t *space;

	not_initialized();
	version = api_version;
	no_runtime();
	// Versions that the library has not: those before 5.0, and after 6.0.
	assert_int_equal(ompd_initialize(201511, &plain_callbacks), ompd_rc_unsupported);
	assert_int_equal(ompd_initialize(202412, &plain_callbacks), ompd_rc_unsupported);
	assert_int_equal(ompd_initialize(version, &plain_callbacks), ompd_rc_ok);
	// What follows shows that a second call changes nothing: not the version, nor the callbacks.
	assert_int_equal(ompd_initialize(version < 202411 ? 202411 : 201811,
					 &(ompd_callbacks_t){ 0 }),
			 ompd_rc_error);
	assert_int_equal(ompd_process_initialize(NULL, &space), ompd_rc_bad_input);
	omp_set_dynamic(0);
#pragma omp parallel num_threads(2)
#pragma omp master
	{
		open_handles(&here);
		handles_of_another_kind();
		arguments();
		icvs();
		generators();
		state_tracking();
#pragma omp task if (0)
		explicit_task();
	}
	// All handles go with their address space.
	assert_int_equal(ompd_rel_address_space_handle(here.space), ompd_rc_ok);
	assert_int_equal(ompd_rel_thread_handle(here.thread), ompd_rc_stale_handle);
	assert_int_equal(here_blocks, 0);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
}

static void in_5_0(void **state)
{
	(void)state;
	ask(201811);
}

static void in_5_1(void **state)
{
	(void)state;
	ask(202011);
}

static void in_5_2(void **state)
{
	(void)state;
	ask(202111);
}

static void in_6_0(void **state)
{
	(void)state;
	ask(202411);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_5_0),
		cmocka_unit_test(in_5_1),
		cmocka_unit_test(in_5_2),
		cmocka_unit_test(in_6_0),
	};

	omp_get_max_threads(); // libomp knows the initial thread from its first call on
	return cmocka_run_group_tests(tests, NULL, NULL);
}

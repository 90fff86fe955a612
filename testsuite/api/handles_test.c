// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a handle is good: one that was released, one of an address space that was released, and
// anything that never was a handle. The target is the test itself.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "host.h"
#include "ompd/ompd_ext.h"

enum kind { SPACE, THREAD, PARALLEL, TASK, ITERATOR, KINDS };

/** One handle of each kind, of one address space. */
struct handles {
	void *of[KINDS];
};

static void open_handles(struct handles *handles)
{
	uint64_t id = (uint64_t)pthread_self();

	assert_int_equal(ompd_process_initialize(plain_context(), (void *)&handles->of[SPACE]),
			 ompd_rc_ok);
	assert_int_equal(ompd_get_thread_handle(handles->of[SPACE], ompd_thread_id_pthread,
						sizeof(id), &id, (void *)&handles->of[THREAD]),
			 ompd_rc_ok);
	assert_int_equal(ompd_get_curr_parallel_handle(handles->of[THREAD],
						       (void *)&handles->of[PARALLEL]),
			 ompd_rc_ok);
	assert_int_equal(ompd_get_curr_task_handle(handles->of[THREAD], (void *)&handles->of[TASK]),
			 ompd_rc_ok);
	assert_int_equal(ompd_ext_tasks_open(handles->of[PARALLEL], (void *)&handles->of[ITERATOR]),
			 ompd_rc_ok);
}

static ompd_rc_t release(enum kind kind, void *handle)
{
	switch (kind) {
	case SPACE:
		return ompd_rel_address_space_handle(handle);
	case THREAD:
		return ompd_rel_thread_handle(handle);
	case PARALLEL:
		return ompd_rel_parallel_handle(handle);
	case TASK:
		return ompd_rel_task_handle(handle);
	default:
		return ompd_ext_tasks_close(handle);
	}
}

// Passes a handle to every routine that takes one of its kind; the code that all of them return.
static ompd_rc_t pass(enum kind kind, void *handle)
{
	static const ompd_scope_t scopes[] = { ompd_scope_address_space, ompd_scope_thread,
					       ompd_scope_parallel, ompd_scope_task };
	ompd_rc_t codes[16] = { ompd_rc_ok };
	ompd_thread_id_t *kinds;
	ompd_ext_task_info record;
	ompd_ext_parallel_info region;
	ompd_ext_thread_info member;
	ompd_frame_info_t frame;
	ompd_icv_id_t id;
	ompd_scope_t scope;
	ompd_size_t *sizes;
	ompd_address_t address;
	ompd_wait_id_t wait;
	ompd_word_t word;
	const char *const *variables;
	const char *text;
	void *other;
	uint32_t unreached;
	uint64_t bits = 1;
	size_t length;
	int count = 0, number;

	if (kind < ITERATOR) {
		codes[count++] = ompd_get_icv_from_scope(handle, scopes[kind], 1, &word);
		codes[count++] = ompd_get_icv_string_from_scope(handle, scopes[kind], 1, &text);
	}
	if (kind > SPACE && kind < ITERATOR) {
		codes[count++] = ompd_get_tool_data(handle, scopes[kind], &word, &address);
		codes[count++] = ompd_ext_get_handle_id(handle, scopes[kind], &bits);
	}
	switch (kind) {
	case SPACE:
		codes[count++] = ompd_get_omp_version(handle, &word);
		codes[count++] = ompd_get_omp_version_string(handle, &text);
		codes[count++] = ompd_get_thread_handle(handle, ompd_thread_id_pthread, 8, &bits,
							(void *)&other);
		codes[count++] = ompd_get_device_thread_id_kinds(handle, &kinds, &sizes, &number);
		codes[count++] = ompd_device_initialize(handle, plain_context(), 0, 0, &bits,
							(void *)&other);
		codes[count++] =
			ompd_enumerate_states(handle, ompt_state_undefined, &word, &text, &word);
		codes[count++] = ompd_enumerate_icvs(handle, 0, &id, &text, &scope, &number);
		codes[count++] = ompd_get_display_control_vars(handle, &variables);
		codes[count++] = ompd_ext_tasks_open_all(handle, (void *)&other);
		codes[count++] = ompd_ext_get_threads(handle, NULL, &length);
		break;
	case THREAD:
		codes[count++] = ompd_get_thread_id(handle, ompd_thread_id_pthread, 8, &bits);
		codes[count++] = ompd_thread_handle_compare(handle, handle, &number);
		codes[count++] = ompd_get_device_from_thread(handle, (void *)&other);
		codes[count++] = ompd_get_curr_parallel_handle(handle, (void *)&other);
		codes[count++] = ompd_get_curr_task_handle(handle, (void *)&other);
		codes[count++] = ompd_get_state(handle, &word, &wait);
		codes[count++] = ompd_ext_get_thread_info(handle, &member);
		break;
	case PARALLEL:
		codes[count++] = ompd_get_thread_in_parallel(handle, 0, (void *)&other);
		codes[count++] = ompd_get_task_in_parallel(handle, 0, (void *)&other);
		codes[count++] = ompd_get_enclosing_parallel_handle(handle, (void *)&other);
		codes[count++] = ompd_parallel_handle_compare(handle, handle, &number);
		codes[count++] = ompd_ext_get_parallel_info(handle, &region);
		codes[count++] = ompd_ext_tasks_open(handle, (void *)&other);
		break;
	case TASK:
		codes[count++] = ompd_get_task_parallel_handle(handle, (void *)&other);
		codes[count++] = ompd_get_generating_task_handle(handle, (void *)&other);
		codes[count++] = ompd_get_scheduling_task_handle(handle, (void *)&other);
		codes[count++] = ompd_task_handle_compare(handle, handle, &number);
		codes[count++] = ompd_get_task_function(handle, &address);
		codes[count++] = ompd_get_task_frame(handle, &frame, &frame);
		codes[count++] = ompd_ext_get_task_info(handle, &record);
		break;
	default:
		codes[count++] = ompd_ext_tasks_next(handle, &record, 1, &length);
		codes[count++] = ompd_ext_tasks_unreached(handle, &unreached);
	}
	for (int i = 1; i < count; i++)
		assert_int_equal(codes[i], codes[0]);
	assert_int_equal(release(kind, handle), codes[0]);
	return codes[0];
}

static int initialize(void **state)
{
	(void)state;
	return ompd_initialize(202111, &plain_callbacks) != ompd_rc_ok;
}

// Every test gives back what it took, before the library does at its end.
static int finalize(void **state)
{
	(void)state;
	return here_blocks != 0 || ompd_finalize() != ompd_rc_ok || here_blocks != 0;
}

static void released(void **state)
{
	struct handles handles, others;

	(void)state;
	open_handles(&handles);
	open_handles(&others);
	for (int kind = KINDS - 1; kind >= 0; kind--) {
		assert_int_equal(release((enum kind)kind, handles.of[kind]), ompd_rc_ok);
		assert_int_equal(pass((enum kind)kind, handles.of[kind]), ompd_rc_stale_handle);
	}
	// Those of the other address space are as good as before.
	for (int kind = KINDS - 1; kind >= 0; kind--)
		assert_int_equal(release((enum kind)kind, others.of[kind]), ompd_rc_ok);
}

static void of_a_released_address_space(void **state)
{
	struct handles handles, others;
	ompd_ext_task_info record;
	size_t count;

	(void)state;
	open_handles(&handles);
	open_handles(&others);
	// An iterator that has begun owns memory besides its own.
	assert_int_equal(ompd_ext_tasks_next(handles.of[ITERATOR], &record, 1, &count), ompd_rc_ok);
	assert_int_equal(ompd_rel_address_space_handle(handles.of[SPACE]), ompd_rc_ok);
	for (int kind = 0; kind < KINDS; kind++)
		assert_int_equal(pass((enum kind)kind, handles.of[kind]), ompd_rc_stale_handle);
	for (int kind = KINDS - 1; kind >= 0; kind--)
		assert_int_equal(release((enum kind)kind, others.of[kind]), ompd_rc_ok);
}

static void never_a_handle(void **state)
{
	struct handles handles;
	int variable = 0;
	void *block = malloc(64);
	void *const values[] = { NULL,	     (void *)1,		(void *)8,
				 (void *)-1, (void *)INT64_MIN, &variable,
				 block,	     (void *)&pass,	(void *)"a text" };

	(void)state;
	open_handles(&handles);
	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			assert_int_equal(pass((enum kind)kind, values[i]), ompd_rc_stale_handle);
		for (int bit = 0; bit < 64; bit++) {
			const uintptr_t value = (uintptr_t)handles.of[kind] ^ (uintptr_t)1 << bit;

			assert_int_equal(pass((enum kind)kind, (void *)value),
					 ompd_rc_stale_handle);
		}
	}
	for (int kind = KINDS - 1; kind >= 0; kind--)
		assert_int_equal(release((enum kind)kind, handles.of[kind]), ompd_rc_ok);
	free(block);
}

static int by_value(const void *a, const void *b)
{
	const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

// Handles come and go: each is another one, and memory is that of those that live at once.
static void many(void **state)
{
	enum { AT_ONCE = 1000, ROUNDS = 100 };
	uintptr_t *seen = malloc(AT_ONCE * ROUNDS * sizeof(*seen));
	struct handles handles;
	long blocks = 0;

	(void)state;
	assert_non_null(seen);
	open_handles(&handles);
	for (int round = 0; round < ROUNDS; round++) {
		uintptr_t *now = seen + (ptrdiff_t)round * AT_ONCE;

		for (int i = 0; i < AT_ONCE; i++) {
			ompd_parallel_handle_t *parallel;

			assert_int_equal(ompd_get_task_parallel_handle(handles.of[TASK], &parallel),
					 ompd_rc_ok);
			now[i] = (uintptr_t)parallel;
		}
		if (round == 0)
			blocks = here_blocks;
		assert_int_equal(here_blocks, blocks);
		// In another order than that in which they came.
		for (int i = 0; i < AT_ONCE; i++)
			assert_int_equal(
				ompd_rel_parallel_handle((void *)now[(i * 7 + round) % AT_ONCE]),
				ompd_rc_ok);
	}
	qsort(seen, (size_t)AT_ONCE * ROUNDS, sizeof(*seen), by_value);
	for (int i = 1; i < AT_ONCE * ROUNDS; i++)
		assert_int_not_equal(seen[i], seen[i - 1]);
	free(seen);
	for (int kind = KINDS - 1; kind >= 0; kind--)
		assert_int_equal(release((enum kind)kind, handles.of[kind]), ompd_rc_ok);
}

// What the debugger has not released, the end of the library does; it stays stale in the next life.
static void finalized(void **state)
{
	struct handles handles, others, later;

	(void)state;
	assert_int_equal(initialize(NULL), 0);
	open_handles(&handles);
	open_handles(&others);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
	assert_int_equal(here_blocks, 0);
	for (int kind = 0; kind < KINDS; kind++)
		assert_int_equal(pass((enum kind)kind, handles.of[kind]), ompd_rc_error);
	assert_int_equal(initialize(NULL), 0);
	for (int kind = 0; kind < KINDS; kind++)
		assert_int_equal(pass((enum kind)kind, handles.of[kind]), ompd_rc_stale_handle);
	open_handles(&later);
	for (int kind = 0; kind < KINDS; kind++)
		assert_int_equal(pass((enum kind)kind, handles.of[kind]), ompd_rc_stale_handle);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
	assert_int_equal(here_blocks, 0);
}

// A handle of which there is no memory for the table is not given out, and costs nothing.
static void no_memory(void **state)
{
	struct handles handles;
	ompd_parallel_handle_t *parallel[200];
	long blocks;

	(void)state;
	open_handles(&handles);
	for (int i = 0; i < 200; i++) {
		for (long n = 1;; n++) {
			ompd_rc_t rc;

			blocks = here_blocks;
			host_fail_allocation = n;
			rc = ompd_get_task_parallel_handle(handles.of[TASK], &parallel[i]);
			if (rc == ompd_rc_ok)
				break;
			assert_int_equal(rc, ompd_rc_nomem);
			assert_int_equal(here_blocks, blocks);
		}
		host_fail_allocation = 0;
	}
	for (int i = 0; i < 200; i++)
		assert_int_equal(ompd_rel_parallel_handle(parallel[i]), ompd_rc_ok);
	for (int kind = KINDS - 1; kind >= 0; kind--)
		assert_int_equal(release((enum kind)kind, handles.of[kind]), ompd_rc_ok);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(released, initialize, finalize),
		cmocka_unit_test_setup_teardown(of_a_released_address_space, initialize, finalize),
		cmocka_unit_test_setup_teardown(never_a_handle, initialize, finalize),
		cmocka_unit_test_setup_teardown(many, initialize, finalize),
		cmocka_unit_test(finalized),
		cmocka_unit_test_setup_teardown(no_memory, initialize, finalize),
	};

	omp_get_max_threads(); // libomp knows the initial thread from its first call on
	return cmocka_run_group_tests(tests, NULL, NULL);
}

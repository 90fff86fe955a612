// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What OMPT answers, asked from outside in a program without a tool: what memory holds is told, and
// is what the routines of OpenMP answer; the rest is unavailable.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"
#include "standstill.h"

// What the runtime keeps for a tool, if it has an interface for any; and of target regions.
#ifdef __clang__
#define NO_TOOL ompd_rc_needs_state_tracking
#define NO_TARGET ompd_rc_unavailable
#else
#define NO_TOOL ompd_rc_unsupported
#define NO_TARGET ompd_rc_unsupported
#endif

enum { MAX_PLACES = 64, IMPLICIT_TYPES = 3 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static ompd_address_space_handle_t *space;
static int visits, placed;

static void check_levels(ompd_thread_handle_t *thread)
{
	ompd_ext_ompt_parallel_info region;
	ompd_ext_ompt_task_info task;
	const int depth = omp_get_level();

	for (int level = 0; level <= depth; level++) {
		assert_int_equal(ompd_ext_get_ompt_parallel_info(thread, level, &region),
				 ompd_rc_ok);
		assert_int_equal(region.team_size, omp_get_team_size(depth - level));
		assert_int_equal(region.known, 0);
		assert_int_equal(ompd_ext_get_ompt_task_info(thread, level, &task), ompd_rc_ok);
		assert_int_equal(task.known & ~(uint32_t)ompd_ext_ompt_type,
				 ompd_ext_ompt_thread_num);
		assert_int_equal(task.thread_num, omp_get_ancestor_thread_num(depth - level));
		if (task.known & ompd_ext_ompt_type)
			assert_int_equal(task.type & IMPLICIT_TYPES, level == depth ? 1 : 2);
	}
	assert_int_equal(ompd_ext_get_ompt_parallel_info(thread, depth + 1, &region),
			 ompd_rc_unavailable);
	assert_int_equal(ompd_ext_get_ompt_task_info(thread, depth + 1, &task),
			 ompd_rc_unavailable);
	assert_true(strlen(ompd_ext_last_reason()) > 0);
	assert_int_equal(ompd_ext_get_ompt_task_info(thread, -1, &task), ompd_rc_bad_input);
	assert_int_equal(ompd_ext_get_ompt_parallel_info(thread, 0, NULL), ompd_rc_bad_input);
	assert_int_equal(ompd_ext_get_ompt_task_info(NULL, 0, &task), ompd_rc_stale_handle);
}

static void check_places(ompd_thread_handle_t *thread)
{
	int ours[MAX_PLACES], theirs[MAX_PLACES], place;
	size_t count = 0;

	omp_get_partition_place_nums(theirs);
	// A thread of the program is bound when it first needs to be.
	if (ompd_ext_get_place_num(thread, &place) != ompd_rc_ok)
		return;
	placed++;
	assert_int_equal(place, omp_get_place_num());
	assert_int_equal(ompd_ext_get_partition_place_nums(thread, ours, MAX_PLACES, &count),
			 ompd_rc_ok);
	assert_int_equal(count, omp_get_partition_num_places());
	assert_memory_equal(ours, theirs, count * sizeof(*ours));
	assert_int_equal(ompd_ext_get_partition_place_nums(thread, NULL, 0, &count), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_partition_place_nums(thread, NULL, 1, &count),
			 ompd_rc_bad_input);
}

// The thread may be moved at any time.
static void check_processor(ompd_thread_handle_t *thread)
{
	const bool kept = host_keeps_processors();
	int before, after, own = -1;
	ompd_rc_t rc;

	do {
		before = sched_getcpu();
		rc = ompd_ext_get_proc_id(thread, &own);
		after = sched_getcpu();
	} while (before != after);
	assert_int_equal(rc, kept ? ompd_rc_ok : ompd_rc_unavailable);
	assert_int_equal(own, kept ? after : -1);
	assert_int_equal(ompd_ext_get_proc_id(thread, NULL), ompd_rc_bad_input);
}

static void check_here(void)
{
	uint64_t self = (uint64_t)pthread_self(), word, other;
	ompd_thread_handle_t *thread;

	pthread_mutex_lock(&turn);
	standstill_begin();
	visits++;
	assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self, &thread),
			 ompd_rc_ok);
	check_levels(thread);
	check_places(thread);
	assert_int_equal(ompd_ext_get_thread_data(thread, &word), NO_TOOL);
	assert_int_equal(ompd_ext_get_thread_data(thread, NULL), ompd_rc_bad_input);
	check_processor(thread);
	assert_int_equal(ompd_ext_get_task_memory(thread, 0, &word, &other), ompd_rc_unavailable);
	assert_int_equal(ompd_ext_get_target_info(thread, &word, &word, &other), NO_TARGET);
	ompd_rel_thread_handle(thread);
	standstill_end();
	pthread_mutex_unlock(&turn);
}

static void levels_and_places(void **state)
{
	(void)state;
	check_here();
	omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
	{
		check_here();
#pragma omp parallel num_threads(3)
		check_here();
#pragma omp parallel if (0)
#pragma omp parallel num_threads(2)
		check_here();
	}
	assert_int_equal(visits, 1 + 2 + 6 + 4);
	assert_true(placed >= 12);
}

static void of_the_runtime(void **state)
{
	const char *name;
	int number, more;

	(void)state;
#ifdef __clang__
	const ompd_rc_t expected = ompd_rc_ok, tracking = ompd_rc_needs_state_tracking;
#else
	const ompd_rc_t expected = ompd_rc_unsupported, tracking = ompd_rc_unsupported;
#endif
	assert_int_equal(ompd_ext_get_num_devices(space, &number), expected);
	assert_int_equal(ompd_ext_enumerate_mutex_impls(space, 0, &number, &name, &more), expected);
	assert_int_equal(ompd_ext_enumerate_mutex_impls(space, 0, NULL, &name, &more),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_ext_get_state_tracking(space), tracking);
	assert_int_equal(ompd_ext_get_state_tracking(NULL), ompd_rc_stale_handle);
}

static int open_space(void **state)
{
	const ompd_callbacks_t callbacks = standstill_callbacks();

	(void)state;
	omp_get_max_threads();
	return host_open(&callbacks, &space);
}

static int close_space(void **state)
{
	(void)state;
	return host_close(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_and_places),
		cmocka_unit_test(of_the_runtime),
	};

	alarm(100); // a failure in one thread leaves the others at a barrier
	return cmocka_run_group_tests(tests, open_space, close_space);
}

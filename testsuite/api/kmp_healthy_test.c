// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Healthy programs on LLVM's runtime whose memory looks unusual: null in one field of all threads,
// or two fields that are else equal and are not. None of them may be refused.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"

enum { THREADS = 4, BRIEFLY = 1000 };

static int arrived, over;

static int load(const int *number)
{
	return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

// In any thread: only that of the test can leave it.
static void look(void)
{
	ompd_address_space_handle_t *space;

	if (host_open(&plain_callbacks, &space) != 0 || host_close(space) != 0)
		abort();
}

// Called by @p count threads: the last one looks, while the others stay where they are.
static void meet(int count)
{
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == count) {
		look();
		__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	}
	while (!load(&over))
		usleep(BRIEFLY);
}

static int restart(void **state)
{
	(void)state;
	arrived = over = 0;
	return 0;
}

// ---- Tasks in regions of one thread ----------------------------------------------------------

static void tasks_in_nested_regions(void **state)
{
	(void)state;
#pragma omp parallel num_threads(THREADS)
#pragma omp parallel if (0)
#pragma omp task
	meet(THREADS);
}

static void loops_of_tasks_in_nested_regions(void **state)
{
	(void)state;
#pragma omp parallel num_threads(THREADS)
#pragma omp parallel if (0)
#pragma omp taskloop num_tasks(1)
	for (int i = 0; i < 1; i++)
		meet(THREADS);
}

static void *run_task(void *unused)
{
#pragma omp task
	meet(THREADS);
	return unused;
}

static void tasks_outside_of_regions(void **state)
{
	pthread_t thread[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_task, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
}

// ---- Leagues ---------------------------------------------------------------------------------

static void regions_in_a_league_of_single_threads(void **state)
{
	(void)state;
#pragma omp teams num_teams(THREADS) thread_limit(1)
#pragma omp parallel
	meet(omp_get_num_teams());
}

// ---- Who encountered a region ----------------------------------------------------------------

static uint32_t generating_kind(void)
{
	uint64_t self = (uint64_t)pthread_self();
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_task_handle_t *task, *outer;
	ompd_ext_task_info info = { .kind = 99 };

	if (host_open(&plain_callbacks, &space) != 0 ||
	    ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self, &thread) ||
	    ompd_get_curr_task_handle(thread, &task) ||
	    ompd_get_generating_task_handle(task, &outer) || ompd_ext_get_task_info(outer, &info))
		return 99;
	ompd_rel_task_handle(outer);
	ompd_rel_task_handle(task);
	ompd_rel_thread_handle(thread);
	return host_close(space) == 0 ? info.kind : 99;
}

static void check_generating_kind(uint32_t expected)
{
	uint32_t kinds[THREADS];

	omp_set_dynamic(0);
#pragma omp parallel num_threads(THREADS)
#pragma omp for ordered schedule(static, 1)
	for (int i = 0; i < THREADS; i++)
#pragma omp ordered
		kinds[i] = generating_kind();
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(kinds[i], expected);
}

// The records of the workers go on naming the task that encountered their team's first region.
static void another_task_encounters_the_next_region(void **state)
{
	(void)state;
#pragma omp task
	check_generating_kind(ompd_ext_task_explicit);
	check_generating_kind(ompd_ext_task_initial);
#pragma omp task
	check_generating_kind(ompd_ext_task_explicit);
}

// ---- A team that grows -----------------------------------------------------------------------

static bool looks_at_new_threads;
static int new_threads;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	if (looks_at_new_threads) {
		new_threads++;
		look();
	}
	return next(thread, attributes, start, argument);
}

// The team has new records of tasks by now, and its threads those that they had before.
static void team_that_grows(void **state)
{
	(void)state;
#pragma omp parallel num_threads(THREADS)
	usleep(BRIEFLY);
	new_threads = 0;
	looks_at_new_threads = true;
#pragma omp parallel num_threads(8 * THREADS)
	usleep(BRIEFLY);
	looks_at_new_threads = false;
	assert_true(new_threads > 0);
}

// ---- A root that has ended -------------------------------------------------------------------

static void *open_regions(void *unused)
{
#pragma omp parallel num_threads(4 * THREADS)
	usleep(BRIEFLY);
#pragma omp parallel num_threads(2)
	usleep(BRIEFLY);
	return unused;
}

// With KMP_HOT_TEAMS_MODE=1 a team keeps threads for which its latest region had no use. They stay with
// it when its root is gone.
static void threads_of_a_root_that_has_ended(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, open_regions, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	look();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(team_that_grows),
		cmocka_unit_test(threads_of_a_root_that_has_ended),
		cmocka_unit_test_setup(tasks_in_nested_regions, restart),
		cmocka_unit_test_setup(loops_of_tasks_in_nested_regions, restart),
		cmocka_unit_test_setup(tasks_outside_of_regions, restart),
		cmocka_unit_test_setup(regions_in_a_league_of_single_threads, restart),
		cmocka_unit_test(another_task_encounters_the_next_region),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

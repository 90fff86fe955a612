// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a nested region of LLVM's runtime: its primary thread has its number and task in the
// region around it again, but not yet its team, for as long as another thread of the team has not
// let go of it. That one is held here by the program itself, in its own tool (OMPT).
// And the beginning of a worker: the runtime has created it, and it has not run yet.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"
#include "ompt_tool.h"
#include "standstill.h"

static __thread bool is_held;	  // shall be, when it ends its implicit task
static atomic_bool held, let_go;  // whether one is; whether it may go on
static atomic_int tasks;	  // that have run
static uint64_t outer_threads[2]; // of pthread_self()

void tool_implicit_task_ends(void)
{
	if (!is_held)
		return;
	is_held = false;
	atomic_store(&held, true);
	while (!atomic_load(&let_go))
		usleep(100);
}

/** What the other thread of the outer region sees. */
struct seen {
	ompd_rc_t current, number; // of the innermost region; of the number in the outer region
	char reason[200];	   // for the innermost
	int thread_num;
};

static void look(struct seen *seen, ompd_address_space_handle_t *space, uint64_t thread,
		 ompd_parallel_handle_t *outer)
{
	ompd_parallel_handle_t *region;
	ompd_thread_handle_t *handle;

	standstill_begin();
	ompd_rc_t rc = ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &thread, &handle);
	seen->current = ompd_get_curr_parallel_handle(handle, &region);
	snprintf(seen->reason, sizeof(seen->reason), "%s", ompd_ext_last_reason());
	if (seen->current == ompd_rc_ok)
		ompd_rel_parallel_handle(region);
	seen->thread_num = -1;
	seen->number = ompd_ext_get_thread_num(handle, outer, &seen->thread_num);
	ompd_rel_thread_handle(handle);
	standstill_end();
	assert_int_equal(rc, ompd_rc_ok);
}

/** The region of the calling thread, which looks at @p other until that is at the end of its own. */
static void look_on(ompd_address_space_handle_t *space, int other)
{
	uint64_t self = (uint64_t)pthread_self();
	ompd_parallel_handle_t *outer;
	ompd_thread_handle_t *handle;
	struct seen seen;

	while (!atomic_load(&held))
		usleep(100);
	standstill_begin();
	ompd_rc_t rc = ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self, &handle);
	ompd_rc_t rc_outer = ompd_get_curr_parallel_handle(handle, &outer);
	standstill_end();
	assert_int_equal(rc, ompd_rc_ok);
	assert_int_equal(rc_outer, ompd_rc_ok);
	do { // nothing that it says meanwhile may be wrong
		usleep(1000);
		look(&seen, space, outer_threads[other], outer);
		if (seen.number == ompd_rc_ok)
			assert_int_equal(seen.thread_num, other);
	} while (!strstr(seen.reason, "about to leave a parallel region"));
	assert_int_equal(seen.current, ompd_rc_error);
	assert_int_equal(seen.number, ompd_rc_ok);
	ompd_rel_parallel_handle(outer);
	ompd_rel_thread_handle(handle);
	atomic_store(&let_go, true);
}

static void end_of_region(void **state)
{
	ompd_address_space_handle_t *space = *state;

	for (int opener = 0; opener < 2; opener++) {
		atomic_store(&held, false);
		atomic_store(&let_go, false);
#pragma omp parallel num_threads(2)
		{
			const int self = omp_get_thread_num();

			assert_int_equal(omp_get_num_threads(), 2);
			outer_threads[self] = (uint64_t)pthread_self();
#pragma omp barrier
			if (self != opener) {
				look_on(space, opener);
			} else {
#pragma omp parallel num_threads(2)
				{
					is_held = omp_get_thread_num() == 1;
					// The primary thread waits for those that may have tasks.
#pragma omp task
					atomic_fetch_add(&tasks, 1);
				}
			}
		}
	}
	assert_int_equal(tasks, 2 * 2);
}

// ---- A worker that has yet to begin ----------------------------------------------------------

typedef void *start_fn(void *argument);

static struct {
	ompd_address_space_handle_t *space; // NULL: not now
	int created;
	pthread_t thread; // the first one
	start_fn *start;
	atomic_bool may_begin;
	ompd_rc_t rc, region, state_rc;
	ompd_word_t state;
} worker;

static void *begin_late(void *argument)
{
	while (!atomic_load(&worker.may_begin))
		usleep(100);
	return worker.start(argument);
}

// In the thread that creates the next one; it holds locks of the runtime.
static void look_at_worker(void)
{
	uint64_t id = (uint64_t)worker.thread;
	ompd_parallel_handle_t *region;
	ompd_thread_handle_t *handle;
	ompd_wait_id_t wait;

	worker.rc = ompd_get_thread_handle(worker.space, ompd_thread_id_pthread, 8, &id, &handle);
	if (worker.rc != ompd_rc_ok)
		return;
	worker.region = ompd_get_curr_parallel_handle(handle, &region);
	if (worker.region == ompd_rc_ok)
		ompd_rel_parallel_handle(region);
	worker.state_rc = ompd_get_state(handle, &worker.state, &wait);
	ompd_rel_thread_handle(handle);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, start_fn *start,
		   void *argument)
{
	int (*create)(pthread_t *, const pthread_attr_t *, start_fn *, void *);

	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	if (worker.space && ++worker.created == 1) {
		worker.start = start;
		int failed = create(thread, attributes, begin_late, argument);

		worker.thread = *thread;
		return failed;
	}
	if (worker.space && worker.created == 2) {
		look_at_worker();
		atomic_store(&worker.may_begin, true);
	}
	return create(thread, attributes, start, argument);
}

static void new_worker(void **state)
{
	worker.space = *state;
#pragma omp parallel num_threads(3)
	assert_int_equal(omp_get_num_threads(), 3);
	worker.space = NULL;
	assert_int_equal(worker.created, 2);
	assert_int_equal(worker.rc, ompd_rc_ok);
	assert_int_equal(worker.region, ompd_rc_unavailable);
	assert_int_equal(worker.state_rc, ompd_rc_ok);
	assert_int_equal(worker.state, ompt_state_idle);
}

static int open_space(void **state)
{
	const ompd_callbacks_t callbacks = standstill_callbacks();

	omp_get_max_threads();
	omp_set_max_active_levels(2);
	return host_open(&callbacks, (ompd_address_space_handle_t **)state);
}

static int close_space(void **state)
{
	return host_close(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_worker), // before there are any
		cmocka_unit_test(end_of_region),
	};

	alarm(100); // what does not come to be
	return cmocka_run_group_tests(tests, open_space, close_space);
}

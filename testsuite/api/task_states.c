// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "host.h"
#include "task_states.h"

ompd_address_space_handle_t *space;
struct task_list list;

static volatile int stage;
static int arrived;

// One thread at a time enters the library.
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void open_here(struct here *here)
{
	uint64_t self = (uint64_t)pthread_self();

	pthread_mutex_lock(&library);
	assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self,
						&here->thread),
			 ompd_rc_ok);
	assert_int_equal(ompd_get_curr_parallel_handle(here->thread, &here->parallel), ompd_rc_ok);
	assert_int_equal(ompd_get_curr_task_handle(here->thread, &here->task), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_handle_id(here->parallel, ompd_scope_parallel,
						&here->parallel_id),
			 ompd_rc_ok);
	assert_int_equal(ompd_ext_get_handle_id(here->task, ompd_scope_task, &here->task_id),
			 ompd_rc_ok);
	pthread_mutex_unlock(&library);
}

void close_here(struct here *here)
{
	pthread_mutex_lock(&library);
	assert_int_equal(ompd_rel_task_handle(here->task), ompd_rc_ok);
	assert_int_equal(ompd_rel_parallel_handle(here->parallel), ompd_rc_ok);
	assert_int_equal(ompd_rel_thread_handle(here->thread), ompd_rc_ok);
	pthread_mutex_unlock(&library);
}

void wait_for_stage(int wanted)
{
	while (stage < wanted)
		usleep(200);
}

void arrive(void)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
}

void wait_for_arrivals(int wanted)
{
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < wanted)
		usleep(200);
}

void restart(void)
{
	stage = arrived = 0;
}

void begin_stage(int which)
{
	stage = which;
}

int open_space(void **state)
{
	(void)state;
	return ompd_initialize(202111, &plain_callbacks) != ompd_rc_ok ||
	       ompd_process_initialize(plain_context(), &space) != ompd_rc_ok;
}

int close_space(void **state)
{
	(void)state;
	ompd_rel_address_space_handle(space);
	ompd_finalize();
	return here_blocks != 0;
}

int run_task_tests(const struct CMUnitTest *tests, size_t count)
{
	if (omp_get_max_task_priority() < 9) {
		fprintf(stderr, "to be run with OMP_MAX_TASK_PRIORITY=9\n");
		return -1;
	}
	omp_set_dynamic(0);
	return _cmocka_run_group_tests("tasks", tests, count, open_space, close_space);
}

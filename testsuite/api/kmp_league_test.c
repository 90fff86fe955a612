// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of one thread in a league. A program of their own: where there was another region before, LLVM's
// runtime may fail an assertion (14 and 16).

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "host.h"

// How many regions there are around the calling thread, the initial one included.
static int count_regions(void)
{
	uint64_t self = (uint64_t)pthread_self();
	ompd_address_space_handle_t *space;
	ompd_parallel_handle_t *region, *outer;
	ompd_thread_handle_t *thread;
	int count = 1;

	if (host_open(&plain_callbacks, &space) != 0 ||
	    ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self, &thread) ||
	    ompd_get_curr_parallel_handle(thread, &region))
		return -1;
	for (; ompd_get_enclosing_parallel_handle(region, &outer) == ompd_rc_ok; region = outer) {
		ompd_rel_parallel_handle(region);
		count++;
	}
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);
	return host_close(space) == 0 ? count : -1;
}

static void serialized_regions_in_a_league(void **state)
{
	int counts[2];

	(void)state;
#pragma omp teams num_teams(1) thread_limit(2)
#pragma omp parallel if (0)
	{
		counts[0] = count_regions();
#pragma omp parallel if (0)
		counts[1] = count_regions();
	}
	// With the initial region and that of the league's initial thread.
	assert_int_equal(counts[0], 3);
	assert_int_equal(counts[1], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serialized_regions_in_a_league),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

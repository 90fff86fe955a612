// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls routines of OpenMP that answer at once. A thread in one of them works.

#include <omp.h>
#include <stdlib.h>

static omp_lock_t lock;

__attribute__((noinline)) int asks(void)
{
	omp_sched_t kind;
	int chunk;
	int sum = omp_get_thread_num() + omp_get_num_threads() + omp_in_parallel();

	sum += omp_get_ancestor_thread_num(0) + omp_get_team_size(1);
	sum += omp_get_max_active_levels() + omp_test_lock(&lock);
	omp_get_schedule(&kind, &chunk);
	return sum + chunk;
}

int main(void)
{
	int sum = 0;

	omp_init_lock(&lock);
	asks();
#pragma omp parallel num_threads(1) reduction(+ : sum)
	sum += asks();
	return sum ? EXIT_SUCCESS : EXIT_FAILURE;
}

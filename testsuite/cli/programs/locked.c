// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More than a hundred threads that wait for a lock with a long name.

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static omp_lock_t lock_of_the_boundary_cells;
static volatile int passed;

int main(void)
{
	omp_init_lock(&lock_of_the_boundary_cells);
	omp_set_lock(&lock_of_the_boundary_cells);
#pragma omp parallel num_threads(120)
	{
		if (omp_get_thread_num() == 0) {
			usleep(500000);
			puts("READY");
			fflush(stdout);
			for (;;)
				pause();
		}
		omp_set_lock(&lock_of_the_boundary_cells);
		passed++;
		omp_unset_lock(&lock_of_the_boundary_cells);
	}
}

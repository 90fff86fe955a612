// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primary thread cancels the region, and the others work until that is so. With an argument they work without
// cancellation points.

#include <omp.h>

static unsigned long work;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
		} else if (argc > 1) {
			for (;;)
				__atomic_fetch_add(&work, 1, __ATOMIC_RELAXED);
		} else {
			for (;;) {
				__atomic_fetch_add(&work, 1, __ATOMIC_RELAXED);
#pragma omp cancellation point parallel
			}
		}
	}
	return 0;
}

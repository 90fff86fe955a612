// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team of four threads, and then one of two, in which it stops.

#include "state.h"

#include <omp.h>

static int entered;

static void region(int size, int stop_here)
{
#pragma omp parallel num_threads(size)
	{
#pragma omp atomic
		entered++;
#pragma omp barrier
		if (stop_here && omp_get_thread_num() == 0)
			fixture_ready();
#pragma omp barrier
	}
}

int main(void)
{
	region(4, 0);
	region(2, 1);
	return entered != 6;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library of both.c.

#include <omp.h>

void library_region(void (*within)(void))
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			within();
#pragma omp barrier
		__asm__ volatile("" ::: "memory");
	}
	__asm__ volatile("" ::: "memory");
}

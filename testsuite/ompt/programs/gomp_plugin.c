// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in that uses OpenMP: two threads add how many they are, and each makes a task.

#include <omp.h>

int work(void);
int work(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		sum += omp_get_num_threads();
#pragma omp task
		(void)omp_get_level();
	}
	return sum;
}

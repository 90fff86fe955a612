// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with a region, to be loaded and unloaded.

void run_region(void);
void run_region(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp critical
	sum++;
}

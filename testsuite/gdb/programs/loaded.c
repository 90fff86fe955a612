// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library of loads.c: the number of threads, and of tasks.

int work(int threads)
{
	int sum = 0;

#pragma omp parallel num_threads(threads)
	{
#pragma omp atomic
		sum++;
#pragma omp single
#pragma omp task shared(sum)
#pragma omp atomic
		sum++;
	}
	return sum;
}

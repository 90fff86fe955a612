// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that have a number of their own, and how often that is 5. A region for each of some numbers.

#include <stdio.h>

static int tasks, regions;

static long fib(int n)
{
	long first, second;

	if (n < 2)
		return n;
#pragma omp task shared(first) firstprivate(n)
	{
		if (n == 5) {
#pragma omp atomic
			tasks++;
		}
		first = fib(n - 1);
	}
#pragma omp task shared(second) firstprivate(n) if (n > 3)
	{
		if (n == 5) {
#pragma omp atomic
			tasks++;
		}
		second = fib(n - 2);
	}
#pragma omp taskwait
	return first + second;
}

static void open_region(int size)
{
#pragma omp parallel num_threads(2) firstprivate(size)
	{
		if (size == 5) {
#pragma omp master
			regions++;
		}
	}
}

// All is counted.
__attribute__((noinline)) static void finished(long sum)
{
	printf("%ld %d %d\n", sum, tasks, regions);
}

int main(void)
{
	long sum = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	sum = fib(11);
	for (int i = 4; i < 7; i++)
		open_region(i);
	finished(sum);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs whose code ends with a call of a function: compilers make a jump of it.

#include <stdio.h>

static int sum;

__attribute__((noinline)) void stop_here(int n)
{
	sum += n;
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void of_task(int n)
{
	stop_here(n);
	sum++;
}

__attribute__((noinline)) void of_region(int n)
{
	stop_here(n);
	sum++;
}

int main(void)
{
#pragma omp parallel num_threads(1)
	{
#pragma omp task
		of_task(3);
#pragma omp taskwait
		of_region(1);
	}
	printf("%d\n", sum);
	return 0;
}

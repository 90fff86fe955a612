// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel regions and tasks whose condition is false: code by Clang runs them itself.
#include <stdio.h>

static long sum;

static __attribute__((noinline)) void add(int n)
{
#pragma omp atomic
	sum += n;
}

static __attribute__((noinline)) void regions(int cond, int n)
{
	add(1); // LINE: before
#pragma omp parallel if (cond) num_threads(2)
	{
		add(n); // LINE: outer-first
#pragma omp parallel if (!cond) num_threads(2) firstprivate(n)
		{
			n += 1; // LINE: inner-first
			add(n);
		}
		add(2); // LINE: inner-after
	}
	add(3); // LINE: after
}

static __attribute__((noinline)) void tasks(int n)
{
	int a = n;
#pragma omp task if (0) firstprivate(a) // LINE: task
	{
		a += 1; // LINE: task-first
		add(a);
	}
	add(a); // LINE: task-after
}

static __attribute__((noinline)) void down(int n)
{
#pragma omp parallel num_threads(2) if (n > 1)
	{
#pragma omp master
		if (n > 1)
			down(n - 1);
	}
	add(n);
}

int main(int argc, char **argv)
{
	(void)argv;
	regions(argc > 5, 10);
	regions(argc < 5, 10);
#pragma omp parallel num_threads(2)
#pragma omp master
	tasks(10);
	down(2);
	printf("sum %ld\n", sum);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs to step through. Usage: steps THREADS
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static double sum;
static int threads = 4;

static void region(int n)
{
	double scale = 2;

	sum = n; // LINE: region-before
#pragma omp parallel num_threads(threads)
	{
		double mine = omp_get_thread_num() * scale; // LINE: region-first
#pragma omp critical
		sum += mine;
	}
	sum++; // LINE: region-after
}

static void loop(int n)
{
	sum += n; // LINE: loop-before
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
	for (int i = 0; i < n; i++) // LINE: loop-for
		sum += i;	    // LINE: loop-first
	sum++;			    // LINE: loop-after
}

static void task(int n)
{
#pragma omp parallel num_threads(threads)
#pragma omp master
	{
		int x = n; // LINE: task-before
#pragma omp task firstprivate(x)
		{
			int y = x + 1; // LINE: task-first
#pragma omp atomic
			sum += y;
		}
		x++; // LINE: task-after
#pragma omp taskwait
#pragma omp atomic
		sum += x; // LINE: task-waited
	}
	sum++; // LINE: task-end
}

int main(int argc, char **argv)
{
	if (argc > 1)
		threads = atoi(argv[1]);
	region(3);
	loop(4);
	task(3);
	printf("sum %g\n", sum);
	return 0;
}

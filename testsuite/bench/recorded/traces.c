// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that do little but call the runtime: tasks without cut-off, and a loop of small chunks.
// Prints the least time of some runs, in ms of the processors; for run.py.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 5
#define FIBONACCI 24
#define ITERATIONS 200000
#define WORK 100

static int threads;

/** Compute a Fibonacci number, with two tasks for each. */
static long fibonacci(int n)
{
	long one, other;

	if (n < 2)
		return n;
#pragma omp task shared(one)
	one = fibonacci(n - 1);
#pragma omp task shared(other)
	other = fibonacci(n - 2);
#pragma omp taskwait
	return one + other;
}

static void tasks(void)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
	if (fibonacci(FIBONACCI) != 46368)
		exit(1);
}

static void chunks(void)
{
#pragma omp parallel for schedule(dynamic) num_threads(threads)
	for (int i = 0; i < ITERATIONS; i++)
		for (volatile int j = 0; j < WORK;)
			j++;
}

/** Return the processor time in ms: others use the machine, too. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/** Measure a program. */
static void measure(const char *name, void (*run)(void))
{
	double least = 1e18;

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now(), passed;

		run();
		passed = now() - begin;
		if (passed < least)
			least = passed;
	}
	printf("%s %.4f\n", name, least);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	threads = argc > 1 ? atoi(argv[1]) : 1;
	measure("tasks", tasks);
	measure("chunks", chunks);
	return 0;
}

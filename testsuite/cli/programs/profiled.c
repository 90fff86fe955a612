// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that knows what it does: tasks of two constructs, tasks with dependences, a dynamic loop, a
// critical construct, a lock. Prints its own counts, by names.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 40, CHUNK = 3, CHAIN = 20 };

static long first, second;
static omp_lock_t lock;

static long fibonacci(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp atomic
	first++;
#pragma omp task shared(a) // FIRST
	a = fibonacci(n - 1);
#pragma omp atomic
	second++;
#pragma omp task shared(b) untied // SECOND
	b = fibonacci(n - 2);
#pragma omp taskwait // TASKWAIT
	return a + b;
}

/** Let tasks follow one another. */
static int chain(void)
{
	int link = 0;

	for (int i = 0; i < CHAIN; i++) {
#pragma omp task shared(link) depend(inout : link) // LINK
		link++;
	}
#pragma omp taskwait
	return link;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 8, links = 0;
	long result = 0, sum = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(2) // REGION
#pragma omp single
	{
		result = fibonacci(n);
		links = chain();
	}
#pragma omp parallel for num_threads(2) schedule(dynamic, CHUNK) // LOOP
	for (int i = 0; i < ITERATIONS; i++) {
#pragma omp critical(sum) // CRITICAL
		sum += i;
		omp_set_lock(&lock); // LOCK
		sum++;
		omp_unset_lock(&lock);
	}
	printf("{\"result\": %ld, \"first\": %ld, \"second\": %ld, \"links\": %d, "
	       "\"iterations\": %d, \"chunk\": %d}\n",
	       result, first, second, links, ITERATIONS, CHUNK);
	return 0;
}

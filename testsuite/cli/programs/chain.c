// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: chain TASKS
//
// A thread creates a chain of tasks, each of which waits for the one before. The first stays.

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TASKS_A_THREAD = 64 }; // libgomp defers no more

int main(int argc, char **argv)
{
	int tasks = argc > 1 ? atoi(argv[1]) : 1, link = 0;
	atomic_int begun = 0;

#pragma omp parallel num_threads(2 + tasks / TASKS_A_THREAD) shared(link, begun)
#pragma omp single
	{
		for (int i = 0; i < tasks; i++) {
#pragma omp task depend(inout : link) shared(begun)
			{
				begun++;
				for (;;)
					pause();
			}
		}
		while (!begun)
			usleep(1000);
		puts("READY");
		fflush(stdout);
		for (;;)
			pause();
	}
	return 0;
}

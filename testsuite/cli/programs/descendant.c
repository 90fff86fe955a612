// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks with the same code: thread A waits for a child that is suspended on thread B, and executes
// meanwhile what this child generated. Writes the numbers of both threads.

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum kind { PARENT, CHILD, FIRST, SECOND };

static volatile int child_runs, first_runs, second_runs;

static void run(enum kind kind);

__attribute__((noinline)) static void generate(enum kind kind)
{
#pragma omp task firstprivate(kind)
	{
		run(kind);
		first_runs = first_runs;
	}
}

static void run(enum kind kind)
{
	switch (kind) {
	case PARENT:
		generate(CHILD);
		while (!child_runs)
			;
#pragma omp taskwait
		break;
	case CHILD:
		generate(FIRST);
		child_runs = omp_get_thread_num() + 1;
		while (!first_runs)
			;
		generate(SECOND);
#pragma omp taskwait
		break;
	case FIRST:
		first_runs = omp_get_thread_num() + 1;
		while (!second_runs)
			;
		printf("child %d first %d second %d\n", child_runs - 1, first_runs - 1,
		       second_runs - 1);
		puts("READY");
		fflush(stdout);
		for (;;)
			pause();
	case SECOND:
		second_runs = omp_get_thread_num() + 1;
		for (;;)
			pause();
	}
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	generate(PARENT);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hangs in the tasks of a taskloop, after a region that has ended; with an argument it ends. LLVM's
// runtime gives tools places in its own code: of such tasks, and of the end of a region that GCC
// compiled.

#include <omp.h>
#include <unistd.h>

enum { THREADS = 2, TASKS = 6 };

static int entered, hangs, total;

static void stay(void)
{
	if (__atomic_add_fetch(&entered, 1, __ATOMIC_SEQ_CST) == THREADS &&
	    write(STDOUT_FILENO, "READY\n", 6) != 6)
		_exit(1);
	while (hangs)
		pause();
}

int main(int argc, char *argv[])
{
	(void)argv;
	hangs = argc == 1;
#pragma omp parallel num_threads(THREADS)
#pragma omp atomic
	total++;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
#pragma omp taskloop num_tasks(TASKS) // makes the tasks
	for (int i = 0; i < TASKS; i++)
		stay();
	return total != THREADS;
}

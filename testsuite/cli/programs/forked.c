// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a region of two threads, forks, and has the child open one of four, of which one waits for a line
// of input at the end. With "asleep" the worker sleeps in the pool when the program forks; with "works"
// the child only works; with "elsewhere" the program does not wait for the child, but for a signal. The
// first line of output is the child's number.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_for_sleep(int thread)
{
	long number = -1;

	while (number != SYS_futex) {
		char name[64];
		snprintf(name, sizeof(name), "/proc/self/task/%d/syscall", thread);
		FILE *file = fopen(name, "r");
		if (!file || fscanf(file, "%ld", &number) != 1)
			number = -1;
		if (file)
			fclose(file);
	}
}

int main(int argc, char **argv)
{
	int worker = 0, status;

#pragma omp parallel num_threads(2) shared(worker)
	if (omp_get_thread_num() == 1)
		worker = (int)syscall(SYS_gettid);
	if (argc > 1 && strcmp(argv[1], "asleep") == 0)
		wait_for_sleep(worker);
	pid_t child = fork();
	if (child == 0) {
		for (volatile unsigned int done = 0; argc > 1 && strcmp(argv[1], "works") == 0;)
			done++;
#pragma omp parallel num_threads(4)
		if (omp_get_thread_num() == 0)
			(void)!getchar();
		_exit(0);
	}
	printf("%d\n", (int)child);
	fflush(stdout);
	while (argc > 1 && strcmp(argv[1], "elsewhere") == 0)
		pause();
	waitpid(child, &status, 0);
	return status != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: forked after|within|sleeps
//
// A child of a process that has a pool of threads. It has one thread: libgomp gives the others of the
// parent's to its next region, or waits for them at the end of the region in which fork() was called.
// An alarm wakes it. "sleeps": the child is in the region, and waits for nobody.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) void work(void)
{
	__asm__ volatile("" ::: "memory");
}

static pid_t child(void)
{
	pid_t found = fork();

	if (found == 0)
		alarm(3);
	return found;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "after";
	int status = 0, sum = 0;
	pid_t pid = -1;

#pragma omp parallel num_threads(4) shared(pid)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 0 && strcmp(kind, "after")) {
			pid = child();
			if (pid == 0 && !strcmp(kind, "sleeps"))
				pause();
		}
#pragma omp barrier
	}
	if (pid < 0)
		pid = child();
	if (pid == 0) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
		{
			work();
			sum += 1;
		}
		printf("child %d\n", sum);
		return 0;
	}
	waitpid(pid, &status, 0);
	return 0;
}

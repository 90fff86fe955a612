// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has one thread that holds a lock, one that waits for it, one that works, and one that answers each line of
// input with how often that one has worked. Ends with its input. With an argument, it calls itself first.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOLDER, WAITER, WORKER, THREADS = 4 };

static omp_lock_t lock;
static volatile unsigned long worked;

static __attribute__((noinline)) void answer(void)
{
	char line[16];

	printf("READY %d\n", (int)getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%lu\n", worked);
		fflush(stdout);
	}
	_exit(0);
}

int main(int argc, char **words)
{
	if (argc > 1 && fork() != 0)
		return wait(NULL) > 0 ? 0 : 1;
	(void)words;
	omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
	{
		int self = omp_get_thread_num();

		if (self == HOLDER)
			omp_set_lock(&lock);
#pragma omp barrier
		if (self == WAITER)
			omp_set_lock(&lock);
		while (self == HOLDER)
			pause();
		while (self == WORKER) {
			usleep(1000);
#pragma omp critical
			worked++;
		}
		if (self == WORKER + 1)
			answer();
	}
}

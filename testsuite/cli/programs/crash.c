// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: crash segv|abort|caught|fine|leave|stop
//
// A program that ends in several ways, the first two in thread 2 of a team of four.

#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef DEFAULT
#define DEFAULT "fine"
#endif

static void leave(int number)
{
	(void)number;
	_exit(3);
}

static void work(const char *how)
{
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 2) {
			sleep(1); // until the others have come to the barrier
			if (!strcmp(how, "segv") || !strcmp(how, "caught"))
				*(volatile int *)8 = 1;
			if (!strcmp(how, "abort"))
				abort();
			if (!strcmp(how, "stop"))
				pause();
		}
#pragma omp barrier
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : DEFAULT;

	if (!strcmp(how, "caught"))
		signal(SIGSEGV, leave);
	if (!strcmp(how, "leave") && fork() == 0)
		sleep(60);
	work(how);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process whose threads cannot be stopped. The argument: "call": one is in a system call that nothing
// interrupts, waiting for its child. "core": the kernel writes the core file, of so many MiB.

#define _DEFAULT_SOURCE
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void wait_for_child(void)
{
	if (vfork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void die(size_t size)
{
	char *used = malloc(size);

	if (used)
		memset(used, 1, size);
	puts("READY");
	fflush(stdout);
	abort();
}

int main(int argc, char **argv)
{
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) << 20 : 0;

	alarm(3600);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1 && size)
			die(size);
		if (omp_get_thread_num() == 1) {
			puts("READY");
			fflush(stdout);
			wait_for_child();
		}
#pragma omp barrier
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two runtimes in one process: this is compiled by GCC and has libgomp, both_library.c by Clang and
// has libomp. Both have teams at once, side by side and within one another:
//
//   main      opens a region, and stays in it
//   worker    in that region, has the library open one within it, and waits at its barrier
//   library   in that one, parks
//   side      a thread of the program's has the library open a region, and waits at its barrier
//   other     in that one, opens a region here within it, and waits at its barrier
//   innermost in that one, parks

#include <omp.h>
#include <pthread.h>
#include <stddef.h>

#include "state.h"

void library_region(void (*within)(void));

static const char *const asleep[] = { "OMP_WAIT_POLICY=passive", "KMP_BLOCKTIME=0", NULL };

static void park(void)
{
	state_park();
	STATE_KEEP_FRAME();
}

static void open_here(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			park();
#pragma omp barrier
		STATE_KEEP_FRAME();
	}
	STATE_KEEP_FRAME();
}

static void *side(void *unused)
{
	library_region(open_here);
	STATE_KEEP_FRAME();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argc;
	state_environment(argv, asleep);
	pthread_create(&thread, NULL, side, NULL);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			library_region(park);
		else
			state_reached(5);
		STATE_KEEP_FRAME();
	}
	return 0;
}

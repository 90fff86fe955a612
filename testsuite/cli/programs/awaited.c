// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team of 8: the first threads, as many as the argument says, each wait for two tasks that other
// threads run.

#include "state.h"

#include <omp.h>
#include <sched.h>

enum { THREADS = 8, AWAITED = 2 };

static int begun;

static void run(int all)
{
	if (__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST) == all)
		state_reached(THREADS - 1);
	state_park();
}

int main(int argc, char **argv)
{
	int waiters = state_number(argc, argv, 1, 1), all = waiters * AWAITED;

	omp_set_dynamic(0);
#pragma omp parallel num_threads(THREADS)
	{
		if (omp_get_thread_num() < waiters) {
			for (int i = 0; i < AWAITED; i++) {
#pragma omp task
				run(all);
			}
			while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < all)
				sched_yield(); // until others run them
#pragma omp taskwait
		}
	}
	return 0;
}

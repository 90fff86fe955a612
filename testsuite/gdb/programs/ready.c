// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread 0 of the team makes a task, and waits for it; thread 1 sleeps, and thread 2 is at the barrier.

#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

enum { NUM_THREADS = 3 };

static atomic_int there, done;

void everything_ready(void);

__attribute__((noinline)) void everything_ready(void)
{
	__asm__ volatile("");
}

int main(void)
{
#pragma omp parallel num_threads(NUM_THREADS)
	switch (omp_get_thread_num()) {
	case 0:
		while (there < NUM_THREADS - 1)
			;
		sleep(1); // the others have come
		everything_ready();
#pragma omp task
		done++;
#pragma omp taskwait
		done++;
		break;
	case 1:
		there++;
		pause();
		break;
	default:
		there++;
	}
	return 0;
}

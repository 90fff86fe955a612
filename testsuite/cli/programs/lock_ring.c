// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forty threads, each of which has a lock and waits for that of the next. Says "ready" when all have theirs.

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 40 };

static omp_nest_lock_t locks[THREADS];

int main(void)
{
	alarm(120);
	for (int i = 0; i < THREADS; i++)
		omp_init_nest_lock(&locks[i]);
#pragma omp parallel num_threads(THREADS)
	{
		int number = omp_get_thread_num();
		omp_set_nest_lock(&locks[number]);
#pragma omp barrier
		if (number == 0) {
			puts("ready");
			fflush(stdout);
		}
		omp_set_nest_lock(&locks[(number + 1) % THREADS]);
	}
	return 0;
}

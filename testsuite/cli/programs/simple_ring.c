// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sixty-four threads, each of which has a simple lock, of which no owner is recorded, and waits for that
// of the next. Says "ready" when all have theirs.

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 64 };

static omp_lock_t locks[THREADS];

int main(void)
{
	alarm(120);
	for (int i = 0; i < THREADS; i++)
		omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(THREADS)
	{
		int number = omp_get_thread_num();
		omp_set_lock(&locks[number]);
#pragma omp barrier
		if (number == 0) {
			puts("ready");
			fflush(stdout);
		}
		omp_set_lock(&locks[(number + 1) % THREADS]);
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forty threads, each of which has a lock and waits for that of the next. Says "ready" when all have theirs.
// The locks are nestable, or with SIMPLE simple ones, of which no runtime records an owner.

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#ifdef SIMPLE
#define LOCK(what, end) omp_##what##lock##end
#else
#define LOCK(what, end) omp_##what##nest_lock##end
#endif

enum { THREADS = 40 };

static LOCK(, _t) locks[THREADS];

int main(void)
{
	alarm(3600);
	for (int i = 0; i < THREADS; i++)
		LOCK(init_, )(&locks[i]);
#pragma omp parallel num_threads(THREADS)
	{
		int number = omp_get_thread_num();
		LOCK(set_, )(&locks[number]);
#pragma omp barrier
		if (number == 0) {
			puts("ready");
			fflush(stdout);
		}
		LOCK(set_, )(&locks[(number + 1) % THREADS]);
	}
	return 0;
}

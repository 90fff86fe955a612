// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forty threads: two in work that never ends, the others at the end of the region. Says so by "ready".

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 40, FIRST = 7, SECOND = 30 };

int main(void)
{
	atomic_int begun = 0;

	alarm(3600);
#pragma omp parallel num_threads(THREADS)
	{
		int number = omp_get_thread_num();
		begun++;
		if (number == FIRST) {
			while (begun < THREADS)
				usleep(1000);
			puts("ready");
			fflush(stdout);
		}
		while (number == FIRST || number == SECOND)
			usleep(1000);
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: rebuilt abort|wait
//
// Aborts in thread 1 of a team of two, or waits there. -DMORE: another program. -DSHIFTED: the same
// code in other lines.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef MORE
int unused(int number)
{
	return number * 3 + 1;
}
#endif

#ifdef SHIFTED
#line 500
#endif

static void work(const char *how)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 1) {
			puts("READY");
			fflush(stdout);
			if (!strcmp(how, "abort"))
				abort();
			pause();
		}
	}
}

int main(int argc, char **argv)
{
	work(argc > 1 ? argv[1] : "");
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of four threads two wait at a barrier, and one for a critical construct, in which the fourth sleeps.

#include <omp.h>
#include <unistd.h>

static int width = 4;

static void hold(int length)
{
#pragma omp critical(table) // LINE: hold
	while (length)
		pause(); // LINE: sleep
}

static void work(int number)
{
	int local = number * 10 + 1;

	if (number < 2)
		hold(local);
#pragma omp barrier // LINE: barrier
	width += local;
}

int main(void)
{
#pragma omp parallel num_threads(width)
	work(omp_get_thread_num());
	return 0;
}

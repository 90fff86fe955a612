// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads work by turns: each waits awake until the other says that it is its turn. They never end.

#include <omp.h>
#include <sched.h>

static volatile int turn[2], sum;

static void await(volatile int *flag)
{
	while (!*flag) {
#ifdef YIELDS
		sched_yield();
#endif
	}
	*flag = 0;
}

static void work(void)
{
	for (int i = 0; i < 30; i++)
		sum += i;
}

int main(void)
{
#pragma omp parallel num_threads(2)
	for (;;) {
		const int number = omp_get_thread_num();

		if (number)
			await(&turn[number]);
		work();
		turn[!number] = 1;
		if (!number)
			await(&turn[number]);
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four threads: thread 1 is in a critical construct and waits for two tasks that need it, too. Thread 0
// runs one of them at the end of the region, whose code has no frame any more.

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static volatile int has_begun;
static int sum;

static void add(int number)
{
	if (omp_get_thread_num() == 0)
		has_begun = 1;
#pragma omp critical(sum)
	sum += number;
}

static void await_thread_0(void)
{
	while (!has_begun)
		usleep(1000);
}

int main(void)
{
	alarm(3600);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 1) {
#pragma omp critical(sum)
			{
				for (int i = 0; i < 2; i++) {
#pragma omp task
					add(i);
				}
				await_thread_0();
#pragma omp taskwait
			}
		} else if (omp_get_thread_num() > 1) {
			await_thread_0();
		}
	}
	printf("%d\n", sum);
	return 0;
}

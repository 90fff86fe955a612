// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread 0 of the team comes to the barrier last, and sleeps after it.

#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int there;

void everything_ready(void);

__attribute__((noinline)) void everything_ready(void)
{
	__asm__ volatile("");
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
			there++;
		} else {
			while (!there)
				;
			sleep(1); // the other has come
			everything_ready();
		}
#pragma omp barrier
		if (omp_get_thread_num() == 0)
			pause();
		there++;
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of tasks that is never left ends with a call, and with a row of the table of lines at the address where
// the next function begins.

#include <omp.h>
#include <unistd.h>

__attribute__((noinline)) static void wait_for_ever(void)
{
	for (;;)
		pause();
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task if (0) // LINE: 0
			wait_for_ever();
		} else if (omp_get_thread_num() == 1) {
#pragma omp task if (0) // LINE: 1
			wait_for_ever();
		} else {
#pragma omp task if (0) // LINE: 2
			wait_for_ever();
		}
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that others wait for unsets a lock, and then the one for which they wait.

#include <omp.h>
#include <unistd.h>

static omp_lock_t outer, inner;
static volatile int about_to_wait;

int main(void)
{
	omp_init_lock(&outer);
	omp_init_lock(&inner);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		omp_set_lock(&outer);
		omp_set_lock(&inner);
		while (!about_to_wait)
			usleep(1000);
		usleep(200000);
		getppid(); // for a breakpoint
		omp_unset_lock(&inner);
		omp_unset_lock(&outer);
	} else {
		usleep(100000);
		about_to_wait = 1;
		omp_set_lock(&outer);
		omp_unset_lock(&outer);
	}
	return 0;
}

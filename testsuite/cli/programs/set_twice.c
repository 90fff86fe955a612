// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread sets a lock twice, in a branch that the others do not take.

#include <omp.h>

int main(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			omp_set_lock(&lock);
			omp_set_lock(&lock);
		}
#pragma omp barrier
	}
	return 0;
}

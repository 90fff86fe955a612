// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three of four threads come to a barrier by two calls, as where a compiler has made two copies of one; the
// fourth sleeps.

#include <omp.h>
#include <unistd.h>

void GOMP_barrier(void);

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		const int number = omp_get_thread_num();

		if (number == 3)
			pause();
		else if (number == 1)
			GOMP_barrier();
		else
			GOMP_barrier();
	}
	return 0;
}

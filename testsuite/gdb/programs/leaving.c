// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primary thread of a region enters and leaves others, while the other threads work.

#include <stdatomic.h>

static atomic_int done;

static void inner(void)
{
#pragma omp parallel num_threads(2)
	atomic_load(&done);
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp master
		{
			for (int i = 0; i < 3; i++)
				inner();
			done = 1;
		}
		while (!done)
			;
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library of mixed.c.

void enter(void (*meet)(void))
{
#pragma omp parallel num_threads(2)
	{
#pragma omp critical(shared)
		{
#pragma omp master
			meet();
		}
	}
}

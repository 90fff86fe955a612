// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program in a region, for the stand-in.

#include <unistd.h>

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp barrier
#pragma omp master
		{
			if (write(STDOUT_FILENO, "READY\n", 6) == 6)
				for (;;)
					pause();
		}
#pragma omp barrier
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All threads access what they may not, at the same time and in the same instruction.

int main(void)
{
#pragma omp parallel num_threads(16)
	{
#pragma omp barrier
		*(volatile int *)0 = 1;
	}
	return 0;
}

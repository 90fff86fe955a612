// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Crashes when its team has gone, so that no thread waits for another.

int count;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp atomic
	count++;
	if (count)
		*(volatile int *)0 = 1;
	return 0;
}

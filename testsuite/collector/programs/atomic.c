// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates of a wide type, for which GCC's programs take a lock of the runtime.

#include <stdio.h>

int main(void)
{
	static long double sum;

#pragma omp parallel num_threads(2)
	for (int i = 0; i < 20; i++) {
#pragma omp atomic
		sum += 1;
	}
	printf("%d\n", (int)sum);
	return 0;
}

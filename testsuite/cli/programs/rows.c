// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs in a row in one function: GCC, which optimises, gives all calls the first one's line.

#include <stdio.h>

int main(void)
{
	double sum = 0;
	int count = 0;

#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : sum) // LOOP
	for (int i = 0; i < 10; i++)
		sum += i;
#pragma omp parallel num_threads(2) // SECOND
	{
#pragma omp critical
		count++;
	}
#pragma omp parallel num_threads(2) // THIRD
	{
#pragma omp critical
		count++;
	}
	printf("%g %d\n", sum, count);
	return 0;
}

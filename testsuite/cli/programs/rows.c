// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs in a row in one function: GCC, which optimises, gives calls of several the first one's
// line, and inlines what their code calls.

#include <stdio.h>

static double values[2][64];

static void fill(int row)
{
	for (int i = 0; i < 64; i++)
		values[row][i] += row + i;
}

int main(void)
{
	double sum = 0;
	int count = 0;

#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : sum) // region
	for (int i = 0; i < 10; i++)
		sum += i;
#pragma omp parallel num_threads(2) // region
	{
#pragma omp critical
		count++;
	}
#pragma omp parallel num_threads(2) // region
#pragma omp single
	{
#pragma omp task // task
		fill(0);
#pragma omp task // task
		fill(1);
	}
#pragma omp parallel num_threads(2) // region
	{
#pragma omp for schedule(dynamic, 2) reduction(+ : sum)
		for (int i = 0; i < 10; i++)
			sum += i;
#pragma omp critical(other)
		count++;
#pragma omp single
		for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : sum) // tasks
			fill(0);
#pragma omp task depend(inout : count) // tasks
			fill(1);
		}
	}
	printf("%g %d %g\n", sum, count, values[1][3]);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fibonacci numbers without cut-off: the tasks of the paper's Table 3. Prints the result.

#include <stdio.h>
#include <stdlib.h>

static int fibonacci(int n)
{
	int x, y;

	if (n < 2)
		return n;
#pragma omp task shared(x)
	x = fibonacci(n - 1);
#pragma omp task shared(y)
	y = fibonacci(n - 2);
#pragma omp taskwait
	return x + y;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4, result = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	result = fibonacci(n);
	printf("%d\n", result);
	return 0;
}

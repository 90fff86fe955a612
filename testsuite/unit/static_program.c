// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only to be linked statically: a program that needs little of libgomp.

#include <omp.h>
#include <stdio.h>

int main(void)
{
	int threads = 0;

#pragma omp parallel reduction(+ : threads)
	threads++;
	printf("%d of %d\n", threads, omp_get_max_threads());
	return 0;
}

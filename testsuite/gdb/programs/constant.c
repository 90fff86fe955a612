// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function whose argument is always the same: compilers make it a constant.

#include <stdio.h>

__attribute__((noinline)) void inspect(int value)
{
	asm volatile("" : : "r"(value) : "memory");
}

static __attribute__((noinline)) void scale(int factor, int value)
{
	inspect(factor * value);
	printf("%d %d\n", factor, value);
}

int main(int argc, char **argv)
{
	(void)argv;
	scale(3, argc);
#pragma omp parallel num_threads(2)
#pragma omp single
	scale(3, argc + 1);
	return 0;
}

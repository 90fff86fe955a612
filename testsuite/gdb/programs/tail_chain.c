// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that ends with a jump to another one, in the midst of a stack.

#include <stdio.h>

static volatile int sum;

__attribute__((noinline)) void innermost(int n)
{
	sum += n;
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void jumps(int n)
{
	sum++;
	innermost(n + 1);
}

__attribute__((noinline)) void outermost(int n)
{
	jumps(n + 1);
	sum++;
}

int main(void)
{
#pragma omp parallel num_threads(1)
	{
		outermost(3);
		sum++;
	}
	printf("%d\n", sum);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of which optimized code has only the values.
#include <stdio.h>

void __attribute__((noinline)) inspect(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
#pragma omp parallel num_threads(1)
	{
		enum colour { RED, GREEN };
		int count = 7;
		double scale = 2.5;
		enum colour colour = GREEN;
		struct {
			int first, second;
		} pair = { 1, 2 };

		inspect();
		printf("%d %g %d %d\n", count, scale, colour, pair.first);
	}
	return 0;
}

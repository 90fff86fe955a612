// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of which nothing is known any more where the program stops.
#include <cstdio>
#include <vector>

long sum;

extern "C" void __attribute__((noinline)) inspect()
{
	__asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) solve(int n)
{
	std::vector<int> lost(n, 5);
	long field[4] = { n, 2, 3, 4 };
#pragma omp parallel num_threads(1) firstprivate(field)
	{
#pragma omp task
		{
			sum += lost[1] + field[2];
			inspect();
		}
	}
}

int main()
{
	solve(3);
	std::printf("%ld\n", sum);
	return 0;
}

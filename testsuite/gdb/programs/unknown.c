// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs of which debug information tells too little of their variables: sections of arrays,
// and regions that are not called by the runtime.
#include <stdio.h>

int zero;

void __attribute__((noinline)) inspect(void)
{
	__asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) sections(int n)
{
	int fixed[6] = { 1, 2, 3, 4, 5, 6 }, whole[3] = { 0 }, length[n];

	length[1] = 1;
#pragma omp parallel num_threads(1) reduction(+ : fixed [1:3], length [1:n - 1], whole)
	{
		fixed[1] = 500;
		length[1] = 600;
		whole[1] = 700;
		inspect();
	}
	zero *= fixed[1] + length[1] + whole[1];
}

static void __attribute__((noinline)) serial(int n)
{
#pragma omp parallel num_threads(1)
	{
		int inner[n], outer = 8;

		for (int i = 0; i < n; i++)
			inner[i] = i + 1;
#pragma omp target map(tofrom : inner, outer)
#pragma omp parallel if (zero)
		{
			outer += inner[0];
			inspect();
		}
		zero *= inner[1] + outer;
	}
}

int shared[4] = { 1, 2, 3, 4 };

static void __attribute__((noinline)) orphaned(int *array)
{
	static int fixed[5] = { 1, 2, 3, 4, 5 }, whole[3] = { 1, 2, 3 };

#pragma omp for reduction(+ : fixed [1:3], shared [1:2], array [1:2], whole)
	for (int i = 0; i < 2; i++) {
		fixed[1] += 500;
		shared[2] += 600;
		array[1] += 800;
		whole[1] += 700;
		inspect();
	}
}

int main(void)
{
	int array[3] = { 1, 2, 3 };

	sections(3 + zero);
	serial(3 + zero);
	orphaned(array);
	printf("%d\n", zero);
	return 0;
}

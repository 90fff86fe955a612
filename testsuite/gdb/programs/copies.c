// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of which a construct has copies: of all elements, and of some, which have the array's name, too.
#include <stdio.h>

// Of copies_elsewhere.c: here, debug information does not tell of them.
extern int cells[5], table[6];
int global[4];
static int ours[5];

void __attribute__((noinline)) inspect(void)
{
	__asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) fill(int *array, int count, int first)
{
	for (int i = 0; i < count; i++)
		array[i] = first + i;
}

static void __attribute__((noinline)) other(void)
{
	double own[7] = { 1 };
	static int fixed[5];

	inspect();
	printf("%g %d\n", own[0], fixed[0]);
}

static void __attribute__((noinline)) region(void)
{
	int own[3], matrix[2][2], outer[2], fixed[2];

	{
		int cells[2], ours[4]; // as many as the copies have of the others'

		fill(cells, 2, 1);
		fill(ours, 4, 1);
		printf("%d\n", cells[1] + ours[1]);
	}
#pragma omp parallel num_threads(1) private(own, matrix, global, fixed) \
	reduction(+ : cells [1:2], table [2:3], ours [1:4])
	{
		int within[3];

		fill(own, 3, 10);
		fill(matrix[0], 4, 20);
		fill(global, 4, 30);
		fill(within, 3, 40);
		fill(fixed, 2, 80);
		cells[1] = table[2] = ours[1] = 50;
#pragma omp for private(within, outer)
		for (int i = 0; i < 1; i++) {
			fill(within, 3, 60);
			fill(outer, 2, 70);
			inspect();
			printf("%d\n", within[0] + outer[1]);
		}
		printf("%d %d %d %d\n", own[0], matrix[1][1], global[3], within[2]);
	}
	printf("%d %d %d\n", cells[1], table[2], ours[1]);
}

int main(void)
{
	other();
	region();
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of many shapes. One thread sleeps in the iteration in which `row` is 5.

#include <stdlib.h>
#include <unistd.h>

static volatile int forever = 1;
static double sum;

__attribute__((noinline)) static void visit(int row)
{
	while (row == 5 && forever)
		pause();
}

static void of_bound(int count)
{
#pragma omp parallel for num_threads(2) reduction(+ : sum)
	for (int row = 0; row < count; row++)
		visit(row);
}

static void of_constant(int count)
{
#pragma omp parallel for num_threads(2)
	for (int row = 0; row < 24; row++)
		visit(row);
	(void)count;
}

static void from_start(int count)
{
#pragma omp parallel for num_threads(2)
	for (int row = count / 8; row < count; row += 2)
		visit(row);
}

static void dynamic(int count)
{
#pragma omp parallel for num_threads(2) schedule(dynamic, count / 4)
	for (int row = 0; row < count; row++)
		visit(row);
}

static void collapsed(int count)
{
#pragma omp parallel for num_threads(2) collapse(2)
	for (int row = 5; row < count; row++)
		for (int column = 0; column < count; column++)
			visit(row);
}

static void last(int count)
{
	int row;
#pragma omp parallel for num_threads(2) lastprivate(row)
	for (row = 0; row < count; row++)
		visit(row);
}

static void in_region(int count)
{
#pragma omp parallel num_threads(2)
#pragma omp for
	for (int row = 0; row < count; row++)
		visit(row);
}

static void in_taskloop(int count)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop
	for (int row = 0; row < count; row++)
		visit(row);
}

static void simd(int count)
{
#pragma omp parallel num_threads(2)
#pragma omp for simd
	for (int row = 0; row < count; row++)
		visit(row);
}

int main(int argc, char **argv)
{
	static void (*const shapes[])(int count) = {
		of_bound, of_constant, from_start,  dynamic, collapsed,
		last,	  in_region,   in_taskloop, simd,
	};

	shapes[argc > 1 ? atoi(argv[1]) : 0](24);
	return 0;
}

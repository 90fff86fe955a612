// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that has not begun, with references: of one it has a copy. Writes into a file what these are.

#include <cstdio>
#include <unistd.h>

struct point {
	int x, y;
	point(int x, int y) : x(x), y(y)
	{
	}
	point(const point &other) : x(other.x + 10), y(other.y)
	{
	}
};

int main(int argc, char **argv)
{
	double written = argc;
	double &alias = written;
	point corner(argc + 2, 4);
	point &place = corner, &copied = corner;
	FILE *file = argc > 1 ? fopen(argv[1], "w") : nullptr;

	if (!file)
		return 2;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task firstprivate(copied) depend(inout : written)
		for (;;)
			pause();
#pragma omp task firstprivate(copied) depend(inout : written)
		alias += place.x + copied.x;
		written = 2.5;
		corner.y = 7;
		fprintf(file, "alias=%g place={x = %d, y = %d} copied={x = %d, y = 4}\n", alias,
			place.x, place.y, place.x + 10);
		fclose(file);
		puts("READY");
		fflush(stdout);
		for (;;)
			pause();
	}
}

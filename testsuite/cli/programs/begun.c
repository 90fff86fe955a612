// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that have begun, each on top of the one that generated it. Writes into a file what their variables
// are. With a number as second argument, the task of that depth ends with a jump to the taskwait.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEEPEST = 3 };

struct point {
	int x, y;
};

static FILE *file;
static int jumps_at = -1;
static double total = 0.5;

__attribute__((noinline)) static void use(const void *first, const void *second, const void *third)
{
	__asm__ volatile("" : : "r"(first), "r"(second), "r"(third) : "memory");
}

static void stay(void)
{
	puts("READY");
	fflush(stdout);
	for (;;)
		pause();
}

static void descend(int depth, double *shared);

__attribute__((noinline)) static void generate(int depth, double *shared)
{
	struct point corner = { depth, -depth };
	double sum = depth + 0.25;

#pragma omp task firstprivate(depth, corner) shared(sum)
	{
		int own = depth * 10;

		corner.x += 100;
		sum += 1;
		fprintf(file, "depth=%d corner={x = %d, y = %d} sum=%g own=%d\n", depth, corner.x,
			corner.y, sum, own);
		fflush(file);
		use(&depth, &corner, &own);
		descend(depth + 1, &sum);
		use(&depth, &corner, &own);
	}
#pragma omp taskwait
	use(shared, &sum, &corner);
}

// Its code is a task's, too, and the last thing that this does may be a taskwait.
__attribute__((noinline)) static void jump(int depth)
{
#pragma omp task firstprivate(depth)
	{
		fprintf(file, "depth=%d\n", depth);
		fflush(file);
		if (depth == DEEPEST) {
			stay();
		} else if (depth == jumps_at) {
			jump(depth + 1);
#pragma omp taskwait
		} else {
			jump(depth + 1);
#pragma omp taskwait
			total += depth;
		}
	}
}

static void descend(int depth, double *shared)
{
	if (depth > DEEPEST)
		stay();
	generate(depth, shared);
}

int main(int argc, char **argv)
{
	file = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (!file)
		return 2;
	if (argc > 2)
		jumps_at = atoi(argv[2]);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			for (;;)
				pause();
		else if (argc > 2)
			jump(0);
		else
			descend(0, &total);
	}
}

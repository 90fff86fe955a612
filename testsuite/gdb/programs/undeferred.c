// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explicit tasks of all kinds, most of which nobody defers. Clang puts the code of these where they
// are made, once it optimizes. GCC has the code of two that do the same once. Prints how many tasks
// it executed: argument THREADS.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int executed;

static void count(int tasks)
{
#pragma omp atomic
	executed += tasks;
}

static void never_deferred(void)
{
#pragma omp task if (0) // LINE: never
	count(1);
}

static void same(void)
{
#pragma omp task // LINE: same
	count(1);
}

static void perhaps(int defers)
{
#pragma omp task if (defers) firstprivate(defers) // LINE: perhaps
	{
		count(1);
		count(0 * defers);
	}
}

static void nested(int depth)
{
	if (!depth)
		return;
#pragma omp task if (depth % 2) firstprivate(depth) // LINE: nested
	{
		count(1);
		nested(depth - 1);
	}
#pragma omp taskwait
}

static void depends(int *value)
{
#pragma omp task depend(out : *value) // LINE: writes
	{
		count(1);
		*value = 4;
	}
#pragma omp task if (0) depend(in : *value) // LINE: reads
	count(*value == 4);
}

static void is_final(void)
{
#pragma omp task final(1) // LINE: final
	{
		count(1);
#pragma omp task // LINE: included
		count(1);
	}
#pragma omp taskwait
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	int value = 0;

#pragma omp parallel num_threads(threads)
	{
		never_deferred();
		same();
		for (int i = 0; i < 3; i++)
			perhaps(i);
	}
	perhaps(0);
#pragma omp parallel num_threads(threads)
#pragma omp single
	{
		nested(4);
		depends(&value);
		is_final();
	}
	printf("executed %d\n", executed);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that constructs share, copy and have of their own. Stops in inspect().
#include <omp.h>

double total;

__attribute__((noinline)) static void inspect(double *value)
{
	*value += 1;
	__asm__ volatile("" : : "r"(value) : "memory");
}

__attribute__((noinline)) static void deep(int depth, double *value)
{
	if (depth)
		deep(depth - 1, value);
	else
		inspect(value);
	*value += depth;
}

__attribute__((noinline)) static void solve(int size)
{
	double scale = 2.5, field = 1;
	int count = 7;

#pragma omp parallel num_threads(2) firstprivate(count)
	{
		int mine = omp_get_thread_num() + 40;
#pragma omp barrier
#pragma omp single
		{
			int chosen = 9;
#pragma omp task firstprivate(mine, chosen) shared(field)
			{
				int within = chosen + 4;

				deep(40, &field);
				scale += within + mine;
			}
		}
		inspect(&scale);
		total += mine + count + size;
	}
}

int main(void)
{
	solve(3);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread watches the others and prints how far they are, until they have finished.

#include <omp.h>
#include <stdio.h>

enum { STEPS = 1000 };

static int finished;
static int steps_done;

static double work(int step)
{
	double value = step;

	for (int i = 0; i < 100; i++)
		value = value * 0.5 + 1;
	return value;
}

static void watch(int workers)
{
	while (finished < workers)
		;
	printf("%d steps\n", steps_done);
}

static void compute(void)
{
	double sum = 0;

	for (int step = 0; step < STEPS; step++) {
		sum += work(step);
#pragma omp atomic
		steps_done++;
	}
#pragma omp atomic
	finished += sum > 0;
}

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 0)
			watch(omp_get_num_threads() - 1);
		else
			compute();
	}
	return 0;
}

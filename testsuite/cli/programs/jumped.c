// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs whose code is called in an unusual way: a parallel region that is the last thing that a teams
// region or a task does, and a taskloop with a reduction. All threads sleep.

#include <omp.h>
#include <string.h>
#include <unistd.h>

static int sum;

static void stay(void)
{
	for (;;)
		pause();
}

__attribute__((noinline)) static void in_league(void)
{
#pragma omp teams num_teams(1) thread_limit(2)
	{
#pragma omp parallel num_threads(2) // LINE: league
		stay();
	}
}

__attribute__((noinline)) static void region(void)
{
#pragma omp parallel num_threads(2) // LINE: task
	stay();
}

__attribute__((noinline)) static void in_task(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		region();
#pragma omp taskwait
		sum++;
	}
}

__attribute__((noinline)) static void in_taskloop(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) // LINE: taskloop
	for (int i = 0; i < 9; i++) {
		stay();
		sum += i;
	}
}

int main(int argc, char *argv[])
{
	const char *way = argc > 1 ? argv[1] : "";

	alarm(3600);
	omp_set_max_active_levels(2);
	if (strcmp(way, "league") == 0)
		in_league();
	else if (strcmp(way, "task") == 0)
		in_task();
	else
		in_taskloop();
	return sum;
}

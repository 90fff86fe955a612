// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls point() with what OpenMP says of the calling thread, everywhere. Usage: points [ROUNDS]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int points;

__attribute__((noinline)) static void point(int number, int size, int level, int in_task)
{
	__asm__ volatile("" : : "r"(number), "r"(size), "r"(level), "r"(in_task) : "memory");
#pragma omp atomic
	points++;
}

static void here(int in_task)
{
	point(omp_get_thread_num(), omp_get_num_threads(), omp_get_level(), in_task);
}

static void team(int rounds)
{
#pragma omp parallel num_threads(4)
	for (int i = 0; i < rounds; i++)
		here(0);
}

static void nested(int rounds)
{
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	for (int i = 0; i < rounds; i++)
		here(0);
}

static void tasks(int rounds)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < rounds; i++) {
#pragma omp task
		here(1);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;

	omp_set_max_active_levels(2);
	here(0);
	team(rounds);
	nested(rounds);
	tasks(rounds);
	here(0);
	printf("%d points\n", points);
	return 0;
}

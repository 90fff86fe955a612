// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that come and go: regions of several threads of the program, one of 256 threads, nested ones,
// and a child of fork. Prints how many threads were in regions.

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int members;

static void *region_of_three(void *unused)
{
	(void)unused;
#pragma omp parallel num_threads(3)
	{
#pragma omp atomic
		members++;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	pid_t child;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, region_of_three, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	fflush(stdout);
	child = fork();
	if (!child) {
#pragma omp parallel num_threads(1)
		members++;
		return members == 13 ? 0 : 1;
	}
	int status = 0;

	waitpid(child, &status, 0);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	{
#pragma omp atomic
		members++;
	}
#pragma omp parallel num_threads(256)
	{
#pragma omp barrier
#pragma omp atomic
		members++;
	}
	printf("%d %d\n", members, status);
	return 0;
}

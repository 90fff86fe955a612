// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that encounters the region waits for two tasks, each of which is suspended on its thread: that
// runs a child of it, which waits for ever. Neither the runtime nor the stacks tell which lies where.

#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

enum { TASKS = 2, MICROSECONDS = 1000 };

static omp_lock_t locks[TASKS];
static atomic_int num_begun, num_waiting;

static void await(atomic_int *number)
{
	(*number)++;
	while (*number < TASKS)
		usleep(MICROSECONDS);
}

static void wait_for_other(int mine)
{
	omp_set_lock(&locks[mine]);
	await(&num_waiting);
	omp_set_lock(&locks[!mine]);
}

int main(void)
{
	for (int i = 0; i < TASKS; i++)
		omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(TASKS + 1)
#pragma omp master
	{
		for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
			{
				await(&num_begun);
#pragma omp task firstprivate(i)
				wait_for_other(i);
#pragma omp taskwait
			}
		}
		while (num_waiting < TASKS)
			usleep(MICROSECONDS);
#pragma omp taskwait
	}
	return 0;
}

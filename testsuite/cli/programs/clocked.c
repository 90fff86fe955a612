// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that measures itself: how long it is in the bodies of tasks, in the constructs that create
// them, and how long its threads take from the begin of the region to their code in it. One thread
// creates tasks that are put off, then tasks that are executed at once. Prints sums in nanoseconds.

#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { TASKS = 200, BODY = 50000, THREADS = 2 };

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void body(long *sum)
{
	long begin = now(), end;

	do
		end = now();
	while (end - begin < BODY);
#pragma omp atomic
	*sum += end - begin;
}

int main(void)
{
	long put_off = 0, at_once = 0, around_put_off = 0, around_at_once = 0;
	long start = now(), entered[THREADS] = { 0 };

#pragma omp parallel num_threads(THREADS)
	{
		entered[omp_get_thread_num()] = now() - start;
#pragma omp single
		{
			for (int i = 0; i < TASKS; i++) {
				long begin = now();
#pragma omp task shared(put_off)
				body(&put_off);
				around_put_off += now() - begin;
			}
#pragma omp taskwait
			for (int i = 0; i < TASKS; i++) {
				long begin = now();
#pragma omp task shared(at_once) if (0)
				body(&at_once);
				around_at_once += now() - begin;
			}
		}
	}
	printf("{\"tasks\": %d, \"put_off\": %ld, \"around_put_off\": %ld, \"at_once\": %ld, "
	       "\"around_at_once\": %ld, \"entered_0\": %ld, \"entered_1\": %ld}\n",
	       TASKS, put_off, around_put_off, at_once, around_at_once, entered[0], entered[1]);
	return 0;
}

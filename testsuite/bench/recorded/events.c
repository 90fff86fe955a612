// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What constructs cost: loops of one construct each. Prints for each its name, the time of one
// construct for each thread in ns, the least of many rounds, and the events that each recorded; for
// run.py.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "include/ompt/recorder.h"

#define ROUNDS 100
#define REPEATS 400
#define WORK 20

static omp_lock_t lock;
static int threads;

/** Return the processor time in ns: others use the machine, too. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/** Count the events of all threads. */
static uint64_t count_events(void)
{
	const struct record_root *root = dlsym(RTLD_DEFAULT, "ompdbg_record");
	const volatile struct record_thread *thread;
	uint64_t number = 0;

	if (!root || !root->magic[0])
		return 0;
	for (thread = (const void *)(uintptr_t)root->threads; thread;
	     thread = (const void *)(uintptr_t)thread->next)
		number += thread->head;
	return number;
}

/** Do a little, so that constructs do not meet. */
static void work(void)
{
	for (volatile int i = 0; i < WORK;)
		i++;
}

static void parallel(void)
{
	for (int i = 0; i < REPEATS; i++) {
#pragma omp parallel num_threads(threads)
		work();
	}
}

static void barrier(void)
{
#pragma omp parallel num_threads(threads)
	for (int i = 0; i < REPEATS; i++) {
		work();
#pragma omp barrier
	}
}

static void critical(void)
{
#pragma omp parallel num_threads(threads)
	for (int i = 0; i < REPEATS; i++) {
		work();
#pragma omp critical
		work();
	}
}

static void locks(void)
{
#pragma omp parallel num_threads(threads)
	for (int i = 0; i < REPEATS; i++) {
		work();
		omp_set_lock(&lock);
		work();
		omp_unset_lock(&lock);
	}
}

static void tasks(void)
{
#pragma omp parallel num_threads(threads)
	for (int i = 0; i < REPEATS; i++) {
#pragma omp task
		work();
	}
}

static void dynamic(void)
{
#pragma omp parallel for schedule(dynamic) num_threads(threads)
	for (int i = 0; i < REPEATS * threads; i++)
		work();
}

/** Measure a loop. */
static void measure(const char *name, void (*function)(void))
{
	double least = 1e18;
	uint64_t events;

	function();
	events = count_events();
	for (int i = 0; i < ROUNDS; i++) {
		double begin = now(), passed;

		function();
		passed = now() - begin;
		if (passed < least)
			least = passed;
	}
	events = count_events() - events;
	printf("%s %.2f %.3f\n", name, least / REPEATS / threads,
	       (double)events / ROUNDS / REPEATS / threads);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	threads = argc > 1 ? atoi(argv[1]) : 1;
	omp_init_lock(&lock);
	measure("parallel", parallel);
	measure("barrier", barrier);
	measure("critical", critical);
	measure("lock", locks);
	measure("task", tasks);
	measure("dynamic", dynamic);
	return 0;
}

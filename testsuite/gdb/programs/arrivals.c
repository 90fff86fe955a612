// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: arrivals KIND
//
// barriers: threads of a team at different barriers. tasks: all have come to one, and two of them run
// tasks there. lock: a thread waits for a lock that it has set. A plain thread calls arrivals_ready().
// late: one is about to enter the barrier at which the others sleep, and calls it.

#include "state.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1000000000, NUM_THREADS = 4 };

static atomic_int there;
static omp_lock_t lock;

void arrivals_ready(void);

__attribute__((noinline)) void arrivals_ready(void)
{
	__asm__ volatile("");
}

static void *watch(void *unused)
{
	while (there < NUM_THREADS)
		usleep(1000);
	sleep(1); // each is where it will stay
	arrivals_ready();
	pause();
	return unused;
}

static void barriers(void)
{
#pragma omp parallel num_threads(NUM_THREADS)
	{
		there++;
		if (omp_get_thread_num() % 2) {
#pragma omp barrier
		} else {
#pragma omp barrier
#pragma omp barrier
		}
	}
}

static void nap(void)
{
	there++;
	usleep(LONG);
}

static void tasks(void)
{
#pragma omp parallel num_threads(NUM_THREADS)
	{
#pragma omp master
		for (int i = 0; i < 2; i++) {
#pragma omp task
			nap();
		}
		there += omp_get_thread_num() > 1;
#pragma omp barrier
	}
}

static void self(void)
{
#pragma omp parallel num_threads(NUM_THREADS)
	{
		there++;
		if (omp_get_thread_num() == 2) {
			omp_set_lock(&lock);
			omp_set_lock(&lock);
			omp_unset_lock(&lock);
		}
	}
}

static void late(void)
{
#pragma omp parallel num_threads(NUM_THREADS)
	{
		if (omp_get_thread_num() == NUM_THREADS - 1) {
			state_rest(NUM_THREADS - 1);
			arrivals_ready();
		}
#pragma omp barrier
		__asm__ volatile(""); // no jump
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	pthread_t watcher;

	omp_init_lock(&lock);
	if (strcmp(kind, "late") != 0)
		pthread_create(&watcher, NULL, watch, NULL);
	if (strcmp(kind, "late") == 0)
		late();
	else if (strcmp(kind, "barriers") == 0)
		barriers();
	else if (strcmp(kind, "tasks") == 0)
		tasks();
	else
		self();
	return 0;
}

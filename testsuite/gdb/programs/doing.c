// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: doing [crash]
//
// Each thread does something else. With an argument, thread 0 of the team crashes.

#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONG = 1000000000, NUM_THREADS = 5 };

static atomic_int there, naps;
static volatile int go_on;
static omp_lock_t lock;
static sem_t never;

void everything_ready(void);

__attribute__((noinline)) void everything_ready(void)
{
	__asm__ volatile("");
}

static void *watch(void *unused)
{
	sem_wait(&never);
	return unused;
}

static void settle(void)
{
	while (there < NUM_THREADS - 1)
		;
	sleep(1); // none of the others does anything else any more
	everything_ready();
}

static void nap(void)
{
	naps = 1;
	there++;
	usleep(LONG);
}

int main(int argc, char **argv)
{
	pthread_t watcher;

	(void)argv;
	omp_init_lock(&lock);
	omp_set_lock(&lock);
	pthread_create(&watcher, NULL, watch, NULL);
#pragma omp parallel num_threads(NUM_THREADS)
	switch (omp_get_thread_num()) {
	case 0:
		settle();
		if (argc > 1)
			abort();
		poll(NULL, 0, -1);
		break;
	case 1:
		there++;
		omp_set_lock(&lock);
		break;
	case 2:
		there++;
		while (!go_on)
			;
		break;
	case 3:
#pragma omp task
		nap();
#pragma omp taskwait
		break;
	default:
		while (!naps) // else this thread may take the task
			;
		there++;
		break;
	}
	return 0;
}

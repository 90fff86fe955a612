// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals for all threads of a team, wherever they are, also between regions: the tool asks the runtime in
// their handler. What was on the stack of a region is overwritten when that is over.

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 60, BYTES = 16384 };

__attribute__((weak)) void take_sample(void);

static pthread_t threads[THREADS];
static atomic_int samples, is_over;

static void on_signal(int number)
{
	(void)number;
	if (take_sample)
		take_sample();
	atomic_fetch_add(&samples, 1);
}

static void *send_signals(void *unused)
{
	while (!atomic_load(&is_over)) {
		for (int i = 0; i < THREADS; i++)
			pthread_kill(threads[i], SIGUSR1);
		usleep(50);
	}
	return unused;
}

__attribute__((noinline)) static void overwrite_stack(void)
{
	volatile char bytes[BYTES];

	memset((char *)bytes, 0xa5, sizeof(bytes));
}

static void region(int depth)
{
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp task
		usleep(20);
		if (depth && omp_get_thread_num() == 1)
			region(depth - 1);
	}
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t sender;

	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	sigaction(SIGUSR1, &action, NULL);
#pragma omp parallel num_threads(THREADS)
	threads[omp_get_thread_num()] = pthread_self();
	if (pthread_create(&sender, NULL, send_signals, NULL))
		abort();
	for (int round = 0; round < ROUNDS; round++) {
		region(round % 2);
		overwrite_stack();
		usleep(500);
	}
	atomic_store(&is_over, 1);
	pthread_join(sender, NULL);
	printf("samples %d\n", atomic_load(&samples));
	return 0;
}

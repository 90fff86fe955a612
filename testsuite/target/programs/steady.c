// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies its own results and timing while it is looked at, until its input ends; then prints what
// it has found: {"errors": 0, "rounds": 123, "gap_us": 45}. For each line of its input it prints the
// longest gap since the last line. The argument is the number of threads; those past the fourth
// sleep.

#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK, COMPUTER, SLEEPER, PARTNER, KINDS };

static volatile int ended;
static long errors, rounds, longest;
static sem_t ping, pong;

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000;
}

static void complain(int failed)
{
	if (failed)
		__atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
}

/** The thread that sees when it was stopped, and answers. */
static void watch_clock(void)
{
	int64_t before = now(), since_poll = before;
	char line[16];

	while (!ended) {
		int64_t time = now();
		struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

		complain(time < before);
		if (time - before > longest)
			longest = time - before;
		before = time;
		if (time - since_poll < 1000)
			continue;
		since_poll = time;
		if (poll(&input, 1, 0) <= 0)
			continue;
		ended = read(STDIN_FILENO, line, sizeof(line)) <= 0;
		if (!ended) {
			printf("%ld\n", longest);
			fflush(stdout);
			longest = 0;
		}
	}
}

static uint64_t computed(uint64_t seed)
{
	for (int i = 0; i < 100000; i++)
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return seed;
}

static void compute(void)
{
	const uint64_t first = computed(1);

	while (!ended) {
		complain(computed(1) != first);
		rounds++;
	}
}

static void sleep_often(void)
{
	const struct timespec pause = { 0, 2000000 };

	while (!ended) {
		int64_t before = now();

		complain(nanosleep(&pause, NULL) != 0);
		complain(now() - before < 2000);
		sem_post(&ping);
		complain(sem_wait(&pong) != 0);
	}
	sem_post(&ping);
}

static void answer(void)
{
	do {
		complain(sem_wait(&ping) != 0);
		sem_post(&pong);
	} while (!ended);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : KINDS;

	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	puts("READY");
	fflush(stdout);
#pragma omp parallel num_threads(threads)
	{
		switch (omp_get_thread_num()) {
		case CLOCK:
			watch_clock();
			break;
		case COMPUTER:
			compute();
			break;
		case SLEEPER:
			sleep_often();
			break;
		case PARTNER:
			answer();
			break;
		default:
			while (!ended)
				usleep(100000);
		}
#pragma omp barrier
	}
	printf("{\"errors\": %ld, \"rounds\": %ld, \"gap_us\": %ld}\n", errors, rounds, longest);
	return errors != 0;
}

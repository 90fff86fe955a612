// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that come and go by the thousand, some of them the runtime's own, and more threads at once
// than most machines have processors.

#include <omp.h>
#include <pthread.h>

#include "own_record.h"

#define THREADS 3000
#define TEAMS 100
#define MANY 256

static omp_lock_t lock;

/** Use a lock on a thread that the runtime does not know. */
static void *use_lock(void *unused)
{
	(void)unused;
	omp_set_lock(&lock);
	REQUIRE(count_holds(own_thread()) == 1);
	omp_unset_lock(&lock);
	REQUIRE(count_holds(own_thread()) == 0);
	return NULL;
}

/** Run a region on such a thread. */
static void *run_team(void *unused)
{
	(void)unused;
#pragma omp parallel num_threads(2)
	use_lock(NULL);
	return NULL;
}

/** Start threads one by one. */
static void start(int number, void *(*function)(void *))
{
	for (int i = 0; i < number; i++) {
		pthread_t thread;

		REQUIRE(pthread_create(&thread, NULL, function, NULL) == 0);
		REQUIRE(pthread_join(thread, NULL) == 0);
	}
}

int main(void)
{
	const struct record_root *root;
	uint64_t sum = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
	root = own_root();
	start(THREADS, use_lock);
	REQUIRE(root->threads_seen >= THREADS);
	REQUIRE(root->num_threads < 10);
	start(TEAMS, run_team);
	REQUIRE(root->threads_seen >= THREADS + TEAMS);
#pragma omp parallel num_threads(MANY) reduction(+ : sum)
	{
		sum += own_thread()->number != UINT64_MAX;
		use_lock(NULL);
	}
	REQUIRE(sum == (uint64_t)MANY);
	REQUIRE(count_threads() >= MANY);
	REQUIRE(root->threads_dropped == 0);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends inside a region, with a status of its own; nothing of the process has changed.

#include <errno.h>
#include <omp.h>
#include <signal.h>

#include "own_record.h"

static volatile sig_atomic_t handled;
static omp_lock_t handlers_lock;

/** Use the runtime in a signal handler. */
static void handle(int number)
{
	(void)number;
	if (omp_test_lock(&handlers_lock)) {
		omp_unset_lock(&handlers_lock);
		handled++;
	}
}

/** Take and release locks while signals come. */
static void be_interrupted(void)
{
	struct sigaction action = { .sa_handler = handle };
	omp_lock_t lock;

	omp_init_lock(&lock);
	omp_init_lock(&handlers_lock);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 2000; i++) {
		omp_set_lock(&lock);
		raise(SIGUSR1);
		REQUIRE(count_holds(own_thread()) == 1);
		omp_unset_lock(&lock);
		REQUIRE(count_holds(own_thread()) == 0);
	}
	REQUIRE(handled == 2000);
	REQUIRE(own_thread()->lost_holds == 0);
}

int main(void)
{
	sigset_t before, after;

	sigprocmask(SIG_SETMASK, NULL, &before);
#pragma omp parallel num_threads(3)
	{
		errno = 42;
#pragma omp critical
		{
#pragma omp task
			REQUIRE(own_thread()->head > 0);
		}
		REQUIRE(errno == 42);
	}
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int i = 1; i < NSIG; i++)
		REQUIRE(sigismember(&before, i) == sigismember(&after, i));
	be_interrupted();
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 1)
			exit(0);
#pragma omp barrier
	}
	return 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: misplaced idle|mutex
//
// Ends by a signal in a thread that is idle in the pool, or hangs: two threads of a team each wait for the
// mutex of the other.

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void lock_both(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(other);
}

static void hang(void)
{
	pthread_barrier_init(&both, NULL, 2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			lock_both(&right, &left);
		else
			lock_both(&left, &right);
	}
}

static void signal_idle(void)
{
	pthread_t worker;

#pragma omp parallel num_threads(2)
	if (omp_get_thread_num())
		worker = pthread_self();
	pthread_kill(worker, SIGSEGV);
	pause();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "mutex"))
		hang();
	else
		signal_idle();
	return 0;
}

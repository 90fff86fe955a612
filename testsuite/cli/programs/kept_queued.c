// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two tasks that wait for one another, and so keep all threads from others that are queued.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { QUEUED = 110 }; // more than documents list

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static atomic_int arrived;
static int done;

static void meet(void)
{
	arrived++;
	while (arrived < 2)
		sched_yield();
}

static void insert(void)
{
	pthread_mutex_lock(&table);
	meet();
#pragma omp critical(disk)
	done++;
	pthread_mutex_unlock(&table);
}

static void save(void)
{
#pragma omp critical(disk)
	{
		meet();
		pthread_mutex_lock(&table);
		done++;
		pthread_mutex_unlock(&table);
	}
}

int main(void)
{
	alarm(3600);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		insert();
#pragma omp task
		save();
		for (int i = 0; i < QUEUED; i++) {
#pragma omp task
			done++;
		}
	}
	return 0;
}

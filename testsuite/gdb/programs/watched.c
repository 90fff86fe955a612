// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that wait for one another all the time, and never for good. Each marks what it is about to
// do, and that it has done it, so that whoever stops the program knows who may wait for what.
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, LOCKS = 2 };

enum what {
	WORKS,
	AT_BARRIER,
	WANTS_LOCK,
	HAS_LOCK,
	WANTS_CRITICAL,
	HAS_CRITICAL,
	AT_TASKWAIT,
	IN_TASK
};

// Of a thread, by its number. `which`: of locks; of tasks the thread that has generated it.
struct mark {
	int lwp;
	enum what what;
	int which;
	long barriers; // that it has left behind
};

volatile struct mark marks[THREADS];
omp_lock_t locks[LOCKS];
static volatile long sink;

static void does(enum what what, int which)
{
	marks[omp_get_thread_num()].which = which;
	marks[omp_get_thread_num()].what = what;
}

static __attribute__((noinline)) void work(unsigned int *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	for (unsigned int i = (*seed >> 10) % 1000000; i > 0; i--)
		sink += i;
}

static __attribute__((noinline)) void take_lock(int which, unsigned int *seed)
{
	does(WANTS_LOCK, which);
	omp_set_lock(&locks[which]);
	does(HAS_LOCK, which);
	work(seed);
	omp_unset_lock(&locks[which]);
	does(WORKS, 0);
}

static __attribute__((noinline)) void in_critical(unsigned int *seed)
{
	does(WANTS_CRITICAL, 0);
#pragma omp critical(table)
	{
		does(HAS_CRITICAL, 0);
		work(seed);
	}
	does(WORKS, 0);
}

static __attribute__((noinline)) void at_barrier(void)
{
	does(AT_BARRIER, 0);
#pragma omp barrier
	marks[omp_get_thread_num()].barriers++;
	does(WORKS, 0);
}

static __attribute__((noinline)) void run_task(int creator, unsigned int seed)
{
	volatile struct mark *mark = &marks[omp_get_thread_num()];
	enum what what = mark->what;
	int which = mark->which;

	does(IN_TASK, creator);
	work(&seed);
	mark->which = which;
	mark->what = what;
}

static __attribute__((noinline)) void make_tasks(unsigned int *seed)
{
	int creator = omp_get_thread_num();

	for (unsigned int i = 0; i < 3; i++) {
		unsigned int own = *seed + i;
#pragma omp task firstprivate(own, creator)
		run_task(creator, own);
	}
	does(AT_TASKWAIT, 0);
#pragma omp taskwait
	does(WORKS, 0);
}

int main(void)
{
	for (int i = 0; i < LOCKS; i++)
		omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(THREADS)
	{
		int self = omp_get_thread_num();
		unsigned int seed = (unsigned int)self + 1;

		marks[self].lwp = (int)gettid();
#pragma omp barrier
		for (long round = 0; round < 100000; round++) {
			work(&seed);
			at_barrier();
			take_lock((int)((round + self) % LOCKS), &seed);
			in_critical(&seed);
			at_barrier();
			if (round % 2 == self % 2)
				make_tasks(&seed);
		}
	}
	return 0;
}

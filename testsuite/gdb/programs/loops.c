// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: loops KIND
//
// A team of 4 in a loop: all threads but the first stay in their first iteration, which calls
// begun(), and the first calls inspect() in each of its own. Nobody else fetches iterations then, so
// that all that are left come to the first thread. At its end it calls finished().

#include <omp.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEAM = 4, COUNT = 60 };

static sem_t go_on;
static int here;
static __thread int mine;
int done[TEAM]; // iterations, by thread

void __attribute__((noinline)) inspect(void)
{
	if (getenv("FIXTURE_ABORT"))
		abort(); // for a core file of the kernel's
	__asm__ volatile("");
}

void __attribute__((noinline)) finished(void)
{
	__asm__ volatile("");
}

static void __attribute__((noinline)) iterate(void)
{
	const int self = omp_get_thread_num();

	if (mine++ == 0)
		__atomic_add_fetch(&here, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&here, __ATOMIC_SEQ_CST) < TEAM)
		;
	if (self == 0)
		inspect();
	else if (mine == 1)
		sem_wait(&go_on);
	done[self]++;
	__asm__ volatile("" ::: "memory");
}

static void release(void)
{
	finished();
	for (int i = 1; i < TEAM; i++)
		sem_post(&go_on);
}

#define LOOP(name, init, condition, step, ...)                                       \
	static void __attribute__((noinline)) name(void)                             \
	{                                                                            \
		_Pragma("omp parallel num_threads(TEAM)")                            \
		{                                                                    \
			_Pragma(#__VA_ARGS__) for (init; condition; step) iterate(); \
			if (omp_get_thread_num() == 0)                               \
				release();                                           \
		}                                                                    \
	}

LOOP(dynamic, int i = 0, i < COUNT, i++, omp for schedule(monotonic : dynamic, 3) nowait)
LOOP(guided, long i = 1, i <= COUNT, i++, omp for schedule(guided, 2) nowait)
LOOP(stealing, int i = 0, i < COUNT, i++, omp for schedule(nonmonotonic : dynamic, 3) nowait)
LOOP(runtime, int i = 0, i < 2 * COUNT, i += 2, omp for schedule(runtime) nowait)
LOOP(unsigned_long, unsigned long long i = 0, i < 7ull * COUNT, i += 7,
     omp for schedule(dynamic, 2) nowait)
LOOP(downwards, long i = 3L * COUNT, i > 0, i -= 3, omp for schedule(monotonic : dynamic, 4) nowait)
LOOP(divided, int i = 0, i < COUNT, i++, omp for schedule(static) nowait)

// Nobody comes to the ordered part while the first thread inspects its first iteration.
static void __attribute__((noinline)) in_order(void)
{
#pragma omp parallel num_threads(TEAM)
	{
#pragma omp for schedule(dynamic, 2) ordered
		for (int i = 0; i < COUNT; i++) {
			iterate();
			if (omp_get_thread_num() == 0 && mine == 1)
				release();
#pragma omp ordered
			done[omp_get_thread_num()] += 0;
		}
	}
}

// The work share of the loop before must not be taken for one of the threads here.
static void __attribute__((noinline)) copied(void)
{
	int value;

#pragma omp parallel num_threads(TEAM) private(value)
	{
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < COUNT; i++)
			__asm__ volatile("" ::: "memory");
#pragma omp single copyprivate(value)
		value = 3;
		__asm__ volatile("" ::"r"(value));
		iterate();
		if (omp_get_thread_num() == 0)
			release();
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "dynamic", dynamic }, { "guided", guided },	 { "stealing", stealing },
	{ "runtime", runtime }, { "ordered", in_order }, { "unsigned", unsigned_long },
	{ "down", downwards },	{ "static", divided },	 { "copied", copied },
};

int main(int argc, char **argv)
{
	sem_init(&go_on, 0, 0);
	omp_set_schedule(omp_sched_guided, 4);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], kinds[i].name))
			kinds[i].run();
	}
	printf("%d %d %d %d\n", done[0], done[1], done[2], done[3]);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take locks at random, for ever, and note in plain memory what they do: who reads it
// while the program is stopped knows who holds what. Prints the addresses of the notes.

#define _GNU_SOURCE

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, LOCKS = 3, DEEP = 2, LIFETIME_SECONDS = 3600 };
enum { SIMPLE, NESTABLE, CRITICAL };

/** What a thread does with a lock. */
enum { NOTHING, TAKES, HOLDS, RELEASES };

struct note {
	volatile uint64_t lwp;
	volatile uint32_t phase[3][LOCKS];
};

static struct note notes[THREADS];
static omp_lock_t simple[LOCKS];
static omp_nest_lock_t nestable[LOCKS];

static unsigned int next(unsigned int *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

static void hold(unsigned int *seed)
{
	if (next(seed) % 2)
		usleep(next(seed) % 500);
	for (volatile unsigned int i = next(seed) % 5000; i; i--)
		;
}

// Locks in one order: first simple ones, then nestable ones, then one critical.
static void take(struct note *mine, int kind, int number, unsigned int *seed);

static void more(struct note *mine, int kind, int number, unsigned int *seed)
{
	mine->phase[kind][number] = HOLDS;
	hold(seed);
	if (kind != CRITICAL && next(seed) % 2)
		take(mine, kind + 1, (int)(next(seed) % LOCKS), seed);
	mine->phase[kind][number] = RELEASES;
}

static void take(struct note *mine, int kind, int number, unsigned int *seed)
{
	if (kind == CRITICAL)
		number = 0; // there is one
	mine->phase[kind][number] = TAKES;
	if (kind == SIMPLE) {
		omp_set_lock(&simple[number]);
		more(mine, kind, number, seed);
		omp_unset_lock(&simple[number]);
	} else if (kind == NESTABLE) {
		for (int i = 0; i < DEEP; i++)
			omp_set_nest_lock(&nestable[number]);
		more(mine, kind, number, seed);
		for (int i = 0; i < DEEP; i++)
			omp_unset_nest_lock(&nestable[number]);
	} else {
#pragma omp critical(guard)
		more(mine, kind, number, seed);
	}
	mine->phase[kind][number] = NOTHING;
}

int main(void)
{
	alarm(LIFETIME_SECONDS);
	for (int i = 0; i < LOCKS; i++) {
		omp_init_lock(&simple[i]);
		omp_init_nest_lock(&nestable[i]);
	}
	printf("%p %zu %p %p\n", (void *)notes, sizeof(*notes), (void *)simple, (void *)nestable);
	fflush(stdout);
#pragma omp parallel num_threads(THREADS)
	{
		struct note *mine = &notes[omp_get_thread_num()];
		unsigned int seed = (unsigned int)omp_get_thread_num() * 77 + 1;

		mine->lwp = (uint64_t)syscall(SYS_gettid);
		for (;;)
			take(mine, (int)(next(&seed) % 3), (int)(next(&seed) % LOCKS), &seed);
	}
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: unset KIND
//
// Thread 0 sets the first lock and unsets it again, of each KIND in a way that is not plain from the
// code of its call. Then thread 1 sets it, and thread 2 waits for it.
#include "state.h"

#include <omp.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static omp_lock_t locks[3];
static omp_lock_t *current = &locks[0];
static volatile int zero;
static jmp_buf back;

static volatile int held, wanted;

static APART void rest(void)
{
#pragma omp barrier
	while (!wanted)
		usleep(1000);
	usleep(200000);
	fixture_ready();
	for (;;)
		pause();
}

// An element in each round: the first round's is not the one of now.
static APART void rounds(void)
{
	int index;
	omp_set_lock(&locks[0]);
	omp_set_lock(&locks[1]);
	for (index = 0; index < 2; index++) {
		omp_unset_lock(&locks[index]);
		if (index == 1)
			rest();
	}
}

// It is in an element of an array that then gets another.
static APART void element(void)
{
	omp_lock_t *both[2] = { &locks[1], &locks[2] };
	int index = zero;
	omp_set_lock(both[0]);
	both[index] = &locks[0];
	rest();
}

static APART void change(omp_lock_t **which)
{
	*which = &locks[0];
}

// It is in a variable that a function then changes.
static APART void variable(void)
{
	omp_lock_t *which = &locks[1];
	omp_set_lock(which);
	change(&which);
	rest();
}

struct large {
	char before[400];
	omp_lock_t *which;
};

static APART void change_in(struct large *one)
{
	one->which = &locks[0];
}

// It is in a structure whose address the function gets.
static APART void structure(void)
{
	struct large one;
	one.which = &locks[1];
	omp_set_lock(one.which);
	change_in(&one);
	rest();
}

// It is what memory had in it, not what was compared with that.
static APART void compared(void)
{
	current = &locks[1];
	omp_set_lock(__sync_val_compare_and_swap(&current, &locks[0], &locks[2]));
	rest();
}

static int unsets(const void *one, const void *other)
{
	omp_unset_lock(&locks[0]);
	return one < other;
}

// By a function that the C library calls.
static APART void handed(void)
{
	int both[2] = { 1, 0 };
	omp_set_lock(&locks[0]);
	qsort(both, 2, sizeof both[0], unsets);
	rest();
}

static APART void leaps(void)
{
	omp_unset_lock(&locks[0]);
	longjmp(back, 1);
}

// By a function that does not return.
static APART void leapt(void)
{
	omp_set_lock(&locks[0]);
	if (!setjmp(back))
		leaps();
	rest();
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = { { "rounds", rounds },	 { "element", element }, { "variable", variable },
	      { "compared", compared },	 { "handed", handed },	 { "leapt", leapt },
	      { "structure", structure } };

int main(int count, char **arguments)
{
	void (*volatile set)(omp_lock_t *) = omp_set_lock; // whose code does not tell of it
	unsigned int kind = 0;
	if (count < 2)
		return 2;
	while (strcmp(kinds[kind].name, arguments[1]) != 0)
		if (++kind == sizeof kinds / sizeof kinds[0])
			return 2;
	for (int index = 0; index < 3; index++)
		omp_init_lock(&locks[index]);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			kinds[kind].run();
#pragma omp barrier
		while (omp_get_thread_num() == 2 && !held)
			usleep(1000);
		wanted = held;
		set(&locks[0]);
		held = 1;
		for (;;)
			pause();
	}
	return 0;
}

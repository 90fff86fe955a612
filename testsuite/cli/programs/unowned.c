// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: unowned HOLDER BYSTANDER
//
// Thread 2 of a team waits for a lock that thread 1 has set, and thread 1 for one that thread 0 has set in a
// function that is over. HOLDER says what thread 0 does: works, sleeps, or spins until something changes.
// BYSTANDER says what a thread without OpenMP does: works or sleeps. Another one looks that all do it, and
// pauses.

#include "state.h"

#include <omp.h>
#include <pthread.h>
#include <string.h>

enum { TEAM = 3, OTHERS = TEAM + 1 };
enum { HOLDER_HAS_LOCK, TEAM_HAS_LOCKS };

static omp_lock_t first, second;
static volatile unsigned int changes, work, released;

__attribute__((noinline)) static void set_second(void)
{
	omp_set_lock(&second);
	state_open(HOLDER_HAS_LOCK);
}

static void (*volatile set_it)(void) = set_second; // code does not show who calls it

static void stay(const char *mode)
{
	if (strcmp(mode, "sleeps") == 0)
		state_park();
	state_spinning();
	if (strcmp(mode, "works") == 0) {
		for (;;)
			work = work * 3 + changes++;
	}
	while (!released)
		;
}

static void *bystander(void *mode)
{
	stay(mode);
	return NULL;
}

static void *watcher(void *none)
{
	state_reached(OTHERS);
	return none;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	omp_init_lock(&first);
	omp_init_lock(&second);
	pthread_create(&threads[0], NULL, watcher, NULL);
	pthread_create(&threads[1], NULL, bystander, (void *)(size_t)state_word(argc, argv, 2, ""));
#pragma omp parallel num_threads(TEAM)
	switch (omp_get_thread_num()) {
	case 0:
		set_it();
		state_gate(TEAM_HAS_LOCKS);
		stay(state_word(argc, argv, 1, ""));
		break;
	case 1:
		state_gate(HOLDER_HAS_LOCK);
		omp_set_lock(&first);
		state_open(TEAM_HAS_LOCKS);
		omp_set_lock(&second);
		omp_unset_lock(&second);
		omp_unset_lock(&first);
		break;
	default:
		state_gate(TEAM_HAS_LOCKS);
		omp_set_lock(&first);
		omp_unset_lock(&first);
	}
	return 0;
}

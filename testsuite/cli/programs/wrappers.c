// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads take objects in a ring by the wrappers of wrapped.c: each has one, and waits for the next. The
// argument says which wrapper; the file "addresses" has those of the locks.

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wrapped.h"

enum { THREADS = 3 };

static atomic_int num_holders;

static void await_others(void)
{
	num_holders++;
	while (num_holders < THREADS)
		;
}

static void __attribute__((noinline)) move(const char *how, struct thing **all, int from, int to)
{
	if (strcmp(how, "lock") == 0) {
		thing_lock(all[from]);
		await_others();
		thing_lock(all[to]);
		all[to]->value += all[from]->value;
		thing_unlock(all[to]);
		thing_unlock(all[from]);
	} else if (strcmp(how, "index") == 0) {
		thing_lock_in(all, from);
		await_others();
		thing_lock_in(all, to);
		all[to]->value++;
	} else if (strcmp(how, "nest") == 0) {
		thing_nest(all[from]);
		await_others();
		thing_nest(all[to]);
		all[to]->value++;
	} else if (strcmp(how, "either") == 0) {
		thing_either(all[from], 0);
		await_others();
		thing_either(all[to], 0);
		all[to]->value++;
	} else if (strcmp(how, "take") == 0) {
		thing_take(all[from], 1);
		await_others();
		all[to]->value += thing_take(all[to], 1);
	} else if (strcmp(how, "checked") == 0) {
		thing_checked(all[from]);
		await_others();
		thing_checked(all[to]);
		all[to]->value++;
	} else {
		thing_mutex(all[from]);
		await_others();
		thing_mutex(all[to]);
		all[to]->value++;
	}
}

int main(int argc, char **argv)
{
	FILE *file = fopen("addresses", "w");
	struct thing *all[THREADS];

	if (argc != 2 || !file)
		return 1;
	for (int i = 0; i < THREADS; i++) {
		all[i] = calloc(1, sizeof(*all[i]));
		omp_init_lock(&all[i]->lock);
		omp_init_nest_lock(&all[i]->nest);
		pthread_mutex_init(&all[i]->mutex, NULL);
		fprintf(file, "%p\n",
			strcmp(argv[1], "nest") == 0  ? (void *)&all[i]->nest :
			strcmp(argv[1], "mutex") == 0 ? (void *)&all[i]->mutex :
							(void *)&all[i]->lock);
	}
	fclose(file);
#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

		move(argv[1], all, me, (me + 1) % THREADS);
		__asm__ volatile(""); // no jump
	}
	printf("%g\n", all[0]->value);
	return 0;
}

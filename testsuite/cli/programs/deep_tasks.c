// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursions that end with a crash at the bottom: of a function ("calls"), of a function through undeferred
// tasks ("tasks"), of functions that call each other in turn ("turns"). FRAMES calls deep.

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 40 };

static void down(volatile int *place, int depth)
{
	if (depth < FRAMES)
		down(place, depth + 1); // LINE: down
	else
		abort(); // LINE: bottom
	*place = depth;
}

static void split(volatile int *place, int depth)
{
	if (depth == FRAMES)
		abort();
#pragma omp task if (0)		 // LINE: task
	split(place, depth + 1); // LINE: inside
#pragma omp taskwait
	*place = depth;
}

// The functions of a small grammar.
static void list(volatile int *place, int depth);

static void factor(volatile int *place, int depth)
{
	if (depth == FRAMES)
		abort();
	list(place, depth + 1);
	*place = depth;
}

static void power(volatile int *place, int depth)
{
	factor(place, depth);
	*place = depth;
}

static void term(volatile int *place, int depth)
{
	power(place, depth);
	*place = depth;
}

static void sum(volatile int *place, int depth)
{
	term(place, depth);
	*place = depth;
}

static void list(volatile int *place, int depth)
{
	sum(place, depth);
	*place = depth;
}

int main(int argc, char *argv[])
{
	volatile int place = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	if (argc > 1 && strcmp(argv[1], "tasks") == 0)
		split(&place, 0);
	else if (argc > 1 && strcmp(argv[1], "turns") == 0)
		list(&place, 0);
	else
		down(&place, 0);
	return place;
}

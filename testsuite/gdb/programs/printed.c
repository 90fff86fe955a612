// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a team in work(), each with values of its own; the last of them in rest(). Of these values
// those of thread 2 are others. Stops in fixture_ready().
#include "state.h"

#include <omp.h>
#include <stdlib.h>

enum kind { FLUID, SOLID = 4 };

struct cell {
	double rho;
	int id;
	unsigned int level : 3;
	enum kind kind;
	struct cell *next;
};

struct mesh {
	struct cell cells[4];
	struct cell *first;
	const char *name;
	double field[16];
	char tag[8];
};

int own;
#pragma omp threadprivate(own)

static double table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
int total = 7;

static volatile int called;

int __attribute__((noinline, used)) effect(int value)
{
	called = value;
	return value;
}

static int __attribute__((noinline)) rest(int number)
{
	int only_here = 100 + number;

	state_park();
	STATE_KEEP_FRAME();
	return only_here;
}

static int __attribute__((noinline)) work(struct mesh *mesh, int number)
{
	double mine = number == 2 ? -1.5 : 12.5;
	int distinct = 10 * number, place = number % 4;
	volatile int counter = number;
	short narrow = (short)-number;

	own = 40 + number;
	mesh->cells[place].next = &mesh->cells[3];
	if (!number) {
		state_reached(omp_get_num_threads() - 1);
		state_park();
	}
	state_park();
	STATE_KEEP_FRAME();
	return (int)mine + distinct + place + counter + narrow + (int)table[1][2] + total;
}

int main(int argc, char **argv)
{
	int threads = state_number(argc, argv, 1, 4), sum = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
	{
		int number = omp_get_thread_num();
		struct mesh mesh = { .name = number == 2 ? "odd" : "even", .tag = "tag" };

		for (int i = 0; i < 4; i++)
			mesh.cells[i] = (struct cell){ i + 0.5, i, 5, i ? SOLID : FLUID, NULL };
		for (int i = 0; i < 16; i++)
			mesh.field[i] = i * 0.25;
		mesh.first = mesh.cells;
		sum += number == threads - 1 ? rest(number) : work(&mesh, number);
	}
	return effect(sum);
}

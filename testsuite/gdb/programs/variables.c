// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs within constructs, on the stack of thread 1 of a region. The code of each writes its
// variables, tells what it sees of them, and changes them no more. Stops in inspect().
#include "variables.h"
#include "state.h"

#include <omp.h>

struct point {
	double x, y;
};

#define INTEGER(place, name) saw_integer(place, #name, "int", name)
#define POINTER(place, name) saw_pointer(place, #name, "struct point *", name)

static const char DEEP[] = "parallel region of deep", TASK[] = "task of solve";
static const char LOOP[] = "taskloop task of solve", REGION[] = "parallel region of solve";
static const char LEAGUE[] = "teams region of main", SOLVE[] = "solve";

// Worksharing constructs are code of the region, but copies are their own.
static void __attribute__((noinline)) deep(int depth)
{
	int item = -1, share = 30, last = -2;
	long product = 2;

#pragma omp parallel num_threads(1) shared(share) firstprivate(last) reduction(* : product)
	{
#pragma omp for private(item) schedule(static, 1)
		for (int turn = 4; turn < 5; turn++) {
			item = 60 + turn;
			share++;
			use(&item);
			use(&turn);
		}
#pragma omp sections private(item)
		{
#pragma omp section
			{
				int step = 11;

				item = 70 + depth;
				product *= 5;
				last = 6;
				use(&product);
				use(&last);
				use(&item);
				use(&step);
				INTEGER(DEEP, depth);
				INTEGER(DEEP, item);
				INTEGER(DEEP, share);
				INTEGER(DEEP, last);
				INTEGER(DEEP, step);
				saw_integer(DEEP, "product", "long", product);
				state_rest(1);
				inspect();
				use(&product);
				use(&last);
				use(&item);
				use(&step);
			}
		}
	}
	use(&share);
}

static void __attribute__((noinline)) solve(int size, struct point *where)
{
	double field[size + 1], weight = 2.5;
	int grid[size][2], table[3] = { 1, 2, 3 }, rows = 6;
	long sum = 100;
	struct point origin = { 1, 2 };

	for (int i = 0; i <= size; i++)
		field[i] = i / 2.0;
	for (int i = 0; i < size; i++)
		grid[i][0] = i, grid[i][1] = -i;
	saw_reals(SOLVE, "field", "double [4]", field, size + 1);
	saw_table(SOLVE, "grid", "int [3][2]", &grid[0][0], size, 2);
	saw_integers(SOLVE, "table", "int [3]", table, 3);
	saw_integer(SOLVE, "sum", "long", sum);
	saw_integer(SOLVE, "rows", "int", rows);
	saw_real(SOLVE, "weight", "double", weight);
	saw_pair(SOLVE, "origin", "struct point", origin.x, origin.y);

#pragma omp parallel num_threads(2) firstprivate(table, rows, origin) reduction(+ : sum)
	{
		int mine = 40 + omp_get_thread_num();

		table[1] = mine;
		rows += omp_get_thread_num();
		sum += mine;
		origin.y = mine;
		use(&mine);
		use(table);
		use(&rows);
		use(&origin);
		use(&sum);
		if (mine == 41) {
			INTEGER(REGION, mine);
			INTEGER(REGION, rows);
			INTEGER(REGION, size);
			POINTER(REGION, where);
			saw_real(REGION, "weight", "double", weight);
			saw_integer(REGION, "sum", "long", sum);
			saw_integers(REGION, "table", "int [3]", table, 3);
			saw_pair(REGION, "origin", "struct point", origin.x, origin.y);
			saw_reals(REGION, "field", "double [4]", field, size + 1);
			saw_table(REGION, "grid", "int [3][2]", &grid[0][0], size, 2);
#pragma omp task if (0) shared(sum, field) firstprivate(mine, origin)
			{
				double within = field[2] + mine;

				mine = 8;
				origin.x = 13;
				use(&within);
				use(&mine);
				use(&origin);
				INTEGER(TASK, mine);
				INTEGER(TASK, size);
				POINTER(TASK, where);
				saw_integer(TASK, "sum", "long", sum);
				saw_real(TASK, "within", "double", within);
				saw_pair(TASK, "origin", "struct point", origin.x, origin.y);
				saw_reals(TASK, "field", "double [4]", field, size + 1);
				saw_table(TASK, "grid", "int [3][2]", &grid[0][0], size, 2);
#pragma omp taskloop num_tasks(1) firstprivate(within) private(rows) shared(grid) if (0)
				for (int k = 5; k < 6; k++) {
					int twice = 2 * k;

					rows = k + 1;
					within += 1;
					use(&rows);
					use(&twice);
					use(&within);
					use(&k);
					INTEGER(LOOP, twice);
					INTEGER(LOOP, rows);
					INTEGER(LOOP, size);
					INTEGER(LOOP, k);
					POINTER(LOOP, where);
					saw_real(LOOP, "within", "double", within);
					saw_table(LOOP, "grid", "int [3][2]", &grid[0][0], size, 2);
					deep(3);
					use(&rows);
					use(&twice);
					use(&within);
					use(&k);
				}
				use(&within);
				use(&mine);
				use(&origin);
			}
		}
#pragma omp barrier
		use(&mine);
		use(table);
		use(&rows);
		use(&origin);
		use(&sum);
		use(&weight);
	}
	use(&sum);
}

int main(void)
{
	struct point here = { 4, 5 };
	int start = 3;

#pragma omp teams num_teams(1) firstprivate(start) shared(here)
	{
		start++;
		use(&start);
		INTEGER(LEAGUE, start);
		saw_pair(LEAGUE, "here", "struct point", here.x, here.y);
		solve(start - 1, &here);
		use(&start);
	}
	return 0;
}

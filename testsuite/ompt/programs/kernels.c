// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small kernels of tasks, as benchmarks of tasks have them: `kernels NAME`; without a name all names
// are listed. Each checks its own result.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"

#define TASK() COUNT(task)
#define WAIT() COUNT(taskwait)

static void require(int condition)
{
	if (!condition)
		abort();
}

// ---- Fibonacci: nothing but tasks ------------------------------------------------------------

static long fib(int n)
{
	long one, other;

	if (n < 2)
		return n;
	TASK();
#pragma omp task shared(one)
	{
		COUNT(task_run);
		one = fib(n - 1);
	}
	TASK();
#pragma omp task shared(other)
	{
		COUNT(task_run);
		other = fib(n - 2);
	}
	WAIT();
#pragma omp taskwait
	return one + other;
}

static void run_fib(void)
{
	require(fib(17) == 1597);
}

// ---- Queens: tasks that copy their state, with a cut-off by an if clause ---------------------

enum { QUEENS = 7, DEEP = 3 };

struct board {
	char column[QUEENS];
};

static int is_free(const struct board *board, int row, int column)
{
	for (int i = 0; i < row; i++) {
		int distance = row - i;

		if (board->column[i] == column || board->column[i] == column - distance ||
		    board->column[i] == column + distance)
			return 0;
	}
	return 1;
}

static void queens(struct board board, int row, int *solutions)
{
	if (row == QUEENS) {
		__atomic_add_fetch(solutions, 1, __ATOMIC_RELAXED);
		return;
	}
	for (int column = 0; column < QUEENS; column++) {
		if (!is_free(&board, row, column))
			continue;
		TASK();
		ADD(undeferred, row >= DEEP);
#pragma omp task firstprivate(board, column) if (row < DEEP)
		{
			COUNT(task_run);
			board.column[row] = (char)column;
			queens(board, row + 1, solutions);
		}
	}
	WAIT();
#pragma omp taskwait
}

static void run_queens(void)
{
	struct board board = { { 0 } };
	int solutions = 0;

	queens(board, 0, &solutions);
	require(solutions == 40);
}

// ---- Merge sort: groups of tasks -------------------------------------------------------------

enum { NUMBERS = 4096, RUN = 64 };

static int compare(const void *one, const void *other)
{
	return *(const int *)one - *(const int *)other;
}

static void merge(int *from, int *to, int middle, int length)
{
	int i = 0, j = middle;

	for (int k = 0; k < length; k++)
		to[k] = j == length || (i < middle && from[i] <= from[j]) ? from[i++] : from[j++];
}

static void sort(int *numbers, int *space, int length)
{
	int middle = length / 2;

	if (length <= RUN) {
		qsort(numbers, (size_t)length, sizeof(*numbers), compare);
		return;
	}
	COUNT(taskgroup);
#pragma omp taskgroup
	{
		TASK();
#pragma omp task
		{
			COUNT(task_run);
			sort(numbers, space, middle);
		}
		TASK();
#pragma omp task
		{
			COUNT(task_run);
			sort(numbers + middle, space + middle, length - middle);
		}
	}
	merge(numbers, space, middle, length);
	memcpy(numbers, space, (size_t)length * sizeof(*numbers));
}

static void run_sort(void)
{
	static int numbers[NUMBERS], space[NUMBERS];
	unsigned int seed = 1;

	for (int i = 0; i < NUMBERS; i++) {
		seed = seed * 1103515245 + 12345;
		numbers[i] = (int)(seed >> 8);
	}
	sort(numbers, space, NUMBERS);
	for (int i = 1; i < NUMBERS; i++)
		require(numbers[i - 1] <= numbers[i]);
}

// ---- LU decomposition of a sparse matrix of blocks: dependences ------------------------------

enum { BLOCKS = 8, SIZE = 6 };

typedef double block[SIZE][SIZE];

static block *matrix[BLOCKS][BLOCKS];

static void decompose(block a)
{
	for (int k = 0; k < SIZE; k++)
		for (int i = k + 1; i < SIZE; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < SIZE; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
}

static void forward(block a, block b)
{
	for (int k = 0; k < SIZE; k++)
		for (int i = k + 1; i < SIZE; i++)
			for (int j = 0; j < SIZE; j++)
				b[i][j] -= a[i][k] * b[k][j];
}

static void divide(block a, block b)
{
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < SIZE; k++) {
			b[i][k] /= a[k][k];
			for (int j = k + 1; j < SIZE; j++)
				b[i][j] -= b[i][k] * a[k][j];
		}
}

static void subtract(block a, block b, block c)
{
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			for (int k = 0; k < SIZE; k++)
				c[i][j] -= a[i][k] * b[k][j];
}

static double checksum(void)
{
	double sum = 0;

	for (int i = 0; i < BLOCKS; i++)
		for (int j = 0; j < BLOCKS; j++)
			for (int k = 0; matrix[i][j] && k < SIZE * SIZE; k++)
				sum += (*matrix[i][j])[k / SIZE][k % SIZE] * (1 + k % 3);
	return sum;
}

static void fill(void)
{
	for (int i = 0; i < BLOCKS; i++)
		for (int j = 0; j < BLOCKS; j++) {
			free(matrix[i][j]);
			matrix[i][j] = NULL;
			if (i != j && (i + 2 * j) % 3 == 0)
				continue;
			matrix[i][j] = calloc(1, sizeof(block));
			for (int k = 0; k < SIZE * SIZE; k++)
				(*matrix[i][j])[k / SIZE][k % SIZE] =
					1.0 / (1 + (i * 7 + j * 3 + k) % 11);
			for (int k = 0; i == j && k < SIZE; k++)
				(*matrix[i][j])[k][k] += 40;
		}
}

// The same for all numbers of threads: tasks are ordered by what they need.
static void lu(void)
{
	block *(*m)[BLOCKS] = matrix;

	for (int k = 0; k < BLOCKS; k++) {
		TASK();
		COUNT(depend_inout);
#pragma omp task depend(inout : m[k][k])
		{
			COUNT(task_run);
			decompose(*m[k][k]);
		}
		for (int j = k + 1; j < BLOCKS; j++) {
			if (!m[k][j])
				continue;
			TASK();
			COUNT(depend_in);
			COUNT(depend_inout);
#pragma omp task depend(in : m[k][k]) depend(inout : m[k][j])
			{
				COUNT(task_run);
				forward(*m[k][k], *m[k][j]);
			}
		}
		for (int i = k + 1; i < BLOCKS; i++) {
			if (!m[i][k])
				continue;
			TASK();
			COUNT(depend_in);
			COUNT(depend_inout);
#pragma omp task depend(in : m[k][k]) depend(inout : m[i][k])
			{
				COUNT(task_run);
				divide(*m[k][k], *m[i][k]);
			}
			for (int j = k + 1; j < BLOCKS; j++) {
				if (!m[k][j])
					continue;
				if (!m[i][j])
					m[i][j] = calloc(1, sizeof(block));
				TASK();
				ADD(depend_in, 2);
				COUNT(depend_inout);
#pragma omp task depend(in : m[i][k], m[k][j]) depend(inout : m[i][j])
				{
					COUNT(task_run);
					subtract(*m[i][k], *m[k][j], *m[i][j]);
				}
			}
		}
	}
	WAIT();
#pragma omp taskwait
}

static void run_sparselu(void)
{
	double sum;

	fill();
	lu();
	sum = checksum();
	fill();
	// What a single task does runs in the order of the source.
	TASK();
	COUNT(undeferred);
	COUNT(final);
#pragma omp task final(1) if (0)
	{
		uint64_t before = counts[COUNT_task];

		COUNT(task_run);
		lu();
		ADD(undeferred, counts[COUNT_task] - before);
		ADD(final, counts[COUNT_task] - before);
	}
	require(sum == checksum());
}

// ---- A search with a bound: undeferred and final tasks ---------------------------------------

enum { CELLS = 7, SHAPES = 3 };

static int best;

static void place(int cell, int area, int is_final)
{
	static const int size[CELLS][SHAPES] = { { 4, 6, 5 }, { 3, 3, 8 }, { 7, 2, 9 }, { 5, 5, 5 },
						 { 1, 4, 6 }, { 8, 3, 7 }, { 2, 9, 4 } };

	if (cell == CELLS) {
		int old = __atomic_load_n(&best, __ATOMIC_RELAXED);

		while (area < old &&
		       !__atomic_compare_exchange_n(&best, &old, area, 0, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED))
			;
		return;
	}
	for (int shape = 0; shape < SHAPES; shape++) {
		int more = area + size[cell][shape], is_last = is_final || cell >= 4;

		if (more >= __atomic_load_n(&best, __ATOMIC_RELAXED))
			continue;
		TASK();
		ADD(final, is_last);
		ADD(undeferred, is_final);
#pragma omp task final(is_last) firstprivate(more, is_last)
		{
			COUNT(task_run);
			place(cell + 1, more, is_last);
		}
	}
	WAIT();
#pragma omp taskwait
}

static void run_floorplan(void)
{
	best = 1000;
	place(0, 0, 0);
	require(best == 4 + 3 + 2 + 5 + 1 + 3 + 2);
}

// ---- A simulation of a tree of villages: tasks that take locks -------------------------------

enum { BRANCHES = 3, LEVELS = 4, STEPS = 6 };

struct village {
	struct village *below[BRANCHES];
	omp_lock_t lock;
	int patients, moved;
};

static struct village *new_village(int level)
{
	struct village *village = calloc(1, sizeof(*village));

	COUNT(lock_init);
	omp_init_lock(&village->lock);
	for (int i = 0; level > 1 && i < BRANCHES; i++)
		village->below[i] = new_village(level - 1);
	return village;
}

static int free_village(struct village *village)
{
	int moved;

	if (!village)
		return 0;
	moved = village->moved;
	for (int i = 0; i < BRANCHES; i++)
		moved += free_village(village->below[i]);
	COUNT(lock_destroy);
	omp_destroy_lock(&village->lock);
	free(village);
	return moved;
}

static void live(struct village *village, struct village *above)
{
	for (int i = 0; village->below[0] && i < BRANCHES; i++) {
		TASK();
		COUNT(untied);
#pragma omp task untied firstprivate(i)
		{
			COUNT(task_run);
			live(village->below[i], village);
		}
	}
	if (village->below[0]) {
		WAIT();
#pragma omp taskwait
	}
	if (!above)
		return;
	COUNT(lock);
	COUNT(lock_set);
	omp_set_lock(&above->lock);
	above->patients += village->patients + 1;
	above->moved++;
	omp_unset_lock(&above->lock);
}

static void run_health(void)
{
	struct village *top = new_village(LEVELS);

	for (int i = 0; i < STEPS; i++)
		live(top, NULL);
	// 3 + 9 + 27 villages have one above.
	require(free_village(top) == STEPS * 39);
}

// ---- Jacobi: loops, barriers and a reduction -------------------------------------------------

static void run_jacobi(void)
{
	static double from[40], to[40];

	from[0] = 1;
	for (int step = 0; step < 20; step++) {
		COUNT(parallel);
#pragma omp parallel num_threads(2)
		{
			count_implicit();
			COUNT(loop_dynamic);
			COUNT(barrier_loop);
#pragma omp for schedule(dynamic, 8)
			for (int i = 1; i < 39; i++)
				to[i] = (from[i - 1] + from[i + 1]) / 2;
			COUNT(loop_dynamic);
			COUNT(barrier_loop);
#pragma omp for schedule(dynamic, 8)
			for (int i = 1; i < 39; i++)
				from[i] = to[i];
			dwell();
		}
	}
	require(from[1] > from[20]);
}

static const struct {
	const char *name;
	void (*run)(void);
	int is_task;
} kernels[] = {
	{ "fib", run_fib, 1 },
	{ "queens", run_queens, 1 },
	{ "sort", run_sort, 1 },
	{ "sparselu", run_sparselu, 1 },
	{ "floorplan", run_floorplan, 1 },
	{ "health", run_health, 1 },
	{ "jacobi", run_jacobi, 0 },
};

static void run_in_region(void (*run)(void))
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(single);
		COUNT(barrier_single);
#pragma omp single
		{
			COUNT(single_run);
			run();
		}
		dwell();
	}
}

int main(int count, char **arguments)
{
	omp_set_num_threads(3);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		if (count < 2)
			puts(kernels[i].name);
		else if (strcmp(arguments[1], kernels[i].name) != 0)
			continue;
		else if (kernels[i].is_task)
			run_in_region(kernels[i].run);
		else
			kernels[i].run();
	}
	return 0;
}

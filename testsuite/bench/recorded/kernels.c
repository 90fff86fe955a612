// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of tasks with cut-off, of the kinds that task benchmarks use: Fibonacci numbers, queens on
// a board, sorting, LU factors of a sparse matrix. Prints the least time of some rounds (10), in ms;
// for run.py. Usage: kernels [THREADS [ROUNDS]]

#define _GNU_SOURCE
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int threads, rounds;

// ---- Fibonacci -------------------------------------------------------------------------------

#define FIBONACCI 37
#define FIBONACCI_LEVELS 10

/** Compute a Fibonacci number without tasks. */
static long plain_fibonacci(int n)
{
	return n < 2 ? n : plain_fibonacci(n - 1) + plain_fibonacci(n - 2);
}

/** Compute a Fibonacci number, with tasks down to a level. */
static long fibonacci(int n, int level)
{
	long one, other;

	if (level == FIBONACCI_LEVELS || n < 2)
		return plain_fibonacci(n);
#pragma omp task shared(one)
	one = fibonacci(n - 1, level + 1);
#pragma omp task shared(other)
	other = fibonacci(n - 2, level + 1);
#pragma omp taskwait
	return one + other;
}

static bool run_fibonacci(void)
{
	long result = 0;

#pragma omp parallel num_threads(threads)
#pragma omp single
	result = fibonacci(FIBONACCI, 0);
	return result == 24157817;
}

// ---- Queens ----------------------------------------------------------------------------------

#define BOARD 12
#define BOARD_LEVELS 3

/** Count the ways to place the queens of the rows that are left, without tasks. */
static int plain_queens(int row, uint32_t columns, uint32_t left, uint32_t right)
{
	int found = 0;

	if (row == BOARD)
		return 1;
	for (int i = 0; i < BOARD; i++) {
		uint32_t bit = 1u << i;

		if (!((columns | left | right) & bit))
			found += plain_queens(row + 1, columns | bit, (left | bit) << 1,
					      (right | bit) >> 1);
	}
	return found;
}

/** Count the ways, with tasks for the first rows. */
static int queens(int row, uint32_t columns, uint32_t left, uint32_t right)
{
	int found[BOARD] = { 0 }, sum = 0;

	if (row == BOARD_LEVELS)
		return plain_queens(row, columns, left, right);
	for (int i = 0; i < BOARD; i++) {
		uint32_t bit = 1u << i;

		if ((columns | left | right) & bit)
			continue;
#pragma omp task shared(found) firstprivate(i, bit)
		found[i] = queens(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
#pragma omp taskwait
	for (int i = 0; i < BOARD; i++)
		sum += found[i];
	return sum;
}

static bool run_queens(void)
{
	int result = 0;

#pragma omp parallel num_threads(threads)
#pragma omp single
	result = queens(0, 0, 0, 0);
	return result == 14200;
}

// ---- Sort ------------------------------------------------------------------------------------

#define NUMBERS (1 << 18)
#define SORT_ALONE 2048

static uint32_t numbers[NUMBERS], merged[NUMBERS];

/** Order two numbers. */
static int compare(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

/** Merge two sorted halves of which one follows the other. */
static void merge(uint32_t *from, size_t half, size_t size, uint32_t *to)
{
	size_t a = 0, b = half;

	for (size_t i = 0; i < size; i++)
		to[i] = b == size || (a < half && from[a] <= from[b]) ? from[a++] : from[b++];
}

/** Sort, with tasks for the larger pieces. */
static void sort(uint32_t *data, uint32_t *space, size_t size)
{
	size_t half = size / 2;

	if (size <= SORT_ALONE) {
		qsort(data, size, sizeof(*data), compare);
		return;
	}
#pragma omp task
	sort(data, space, half);
#pragma omp task
	sort(data + half, space + half, size - half);
#pragma omp taskwait
	merge(data, half, size, space);
	memcpy(data, space, size * sizeof(*data));
}

static bool run_sort(void)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < NUMBERS; i++)
		numbers[i] = seed = seed * 1664525 + 1013904223;
#pragma omp parallel num_threads(threads)
#pragma omp single
	sort(numbers, merged, NUMBERS);
	for (size_t i = 1; i < NUMBERS; i++)
		if (numbers[i - 1] > numbers[i])
			return false;
	return true;
}

// ---- Sparse LU -------------------------------------------------------------------------------

#define BLOCKS 12
#define SIZE 64

typedef double block[SIZE][SIZE];

static block *matrix[BLOCKS][BLOCKS];

/** Fill the matrix: nearly half of the blocks are empty. */
static void fill_matrix(void)
{
	for (int i = 0; i < BLOCKS; i++)
		for (int j = 0; j < BLOCKS; j++) {
			free(matrix[i][j]);
			matrix[i][j] = NULL;
			if (i != j && (i * 7 + j * 3) % 5 > 2)
				continue;
			matrix[i][j] = malloc(sizeof(block));
			if (!matrix[i][j])
				exit(1);
			for (int k = 0; k < SIZE * SIZE; k++)
				(*matrix[i][j])[k / SIZE][k % SIZE] =
					(i == j && k % (SIZE + 1) == 0 ? 1000 : 0) + k % 7;
		}
}

/** Factor a block of the diagonal. */
static void factor(block a)
{
	for (int k = 0; k < SIZE; k++)
		for (int i = k + 1; i < SIZE; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < SIZE; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
}

/** Solve for a block to the right of the diagonal. */
static void solve_row(block diagonal, block a)
{
	for (int k = 0; k < SIZE; k++)
		for (int i = k + 1; i < SIZE; i++)
			for (int j = 0; j < SIZE; j++)
				a[i][j] -= diagonal[i][k] * a[k][j];
}

/** Solve for a block below the diagonal. */
static void solve_column(block diagonal, block a)
{
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < SIZE; k++) {
			a[i][k] /= diagonal[k][k];
			for (int j = k + 1; j < SIZE; j++)
				a[i][j] -= a[i][k] * diagonal[k][j];
		}
}

/** Subtract the product of two blocks. */
static void multiply(block a, block b, block to)
{
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < SIZE; k++)
			for (int j = 0; j < SIZE; j++)
				to[i][j] -= a[i][k] * b[k][j];
}

/** Factor the matrix from a diagonal block on, a task for each other block. */
static void factor_from(int k)
{
	factor(*matrix[k][k]);
	for (int i = k + 1; i < BLOCKS; i++) {
		if (matrix[k][i]) {
#pragma omp task firstprivate(i)
			solve_row(*matrix[k][k], *matrix[k][i]);
		}
		if (matrix[i][k]) {
#pragma omp task firstprivate(i)
			solve_column(*matrix[k][k], *matrix[i][k]);
		}
	}
#pragma omp taskwait
	for (int i = k + 1; i < BLOCKS; i++)
		for (int j = k + 1; j < BLOCKS; j++) {
			if (!matrix[i][k] || !matrix[k][j])
				continue;
			if (!matrix[i][j])
				matrix[i][j] = calloc(1, sizeof(block));
			if (!matrix[i][j])
				exit(1);
#pragma omp task firstprivate(i, j)
			multiply(*matrix[i][k], *matrix[k][j], *matrix[i][j]);
		}
#pragma omp taskwait
}

static bool run_sparse(void)
{
	fill_matrix();
#pragma omp parallel num_threads(threads)
#pragma omp single
	for (int k = 0; k < BLOCKS; k++)
		factor_from(k);
	return (*matrix[BLOCKS - 1][BLOCKS - 1])[0][0] != 0;
}

// ----------------------------------------------------------------------------------------------

/** Return the processor time in ms: others use the machine, too. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/** Measure a kernel. */
static void measure(const char *name, bool (*run)(void))
{
	double least = 1e18;

	for (int i = 0; i < rounds; i++) {
		double begin = now(), passed;

		if (!run()) {
			fprintf(stderr, "%s: wrong result\n", name);
			exit(1);
		}
		passed = now() - begin;
		if (passed < least)
			least = passed;
	}
	printf("%s %.4f\n", name, least);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	threads = argc > 1 ? atoi(argv[1]) : 1;
	rounds = argc > 2 ? atoi(argv[2]) : 10;
	measure("fib", run_fibonacci);
	measure("nqueens", run_queens);
	measure("sort", run_sort);
	measure("sparselu", run_sparse);
	return 0;
}

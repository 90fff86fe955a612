// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI with OpenMP: in one rank two threads wait for one another, or one thread crashes; the others
// wait for that rank in MPI_Allreduce. Its arguments: "deadlock" or "crash", and the rank.

#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, CELLS = 4096 };
static omp_lock_t left, right;
static double cells[CELLS];
static int *volatile nothing;

static void take_both(omp_lock_t *first, omp_lock_t *second, int *taken)
{
	int count;

	omp_set_lock(first);
#pragma omp atomic
	++*taken;
	do {
#pragma omp atomic read
		count = *taken;
	} while (count < 2);
	omp_set_lock(second);
}

static void compute(const char *trouble)
{
	int taken = 0;

#pragma omp parallel num_threads(THREADS)
	{
		int number = omp_get_thread_num();

		if (strcmp(trouble, "deadlock") == 0 && number < 2)
			take_both(number ? &left : &right, number ? &right : &left, &taken);
		if (strcmp(trouble, "crash") == 0 && number == 2)
			*nothing = 1;
#pragma omp for
		for (int i = 0; i < CELLS; i++)
			cells[i] = i * 0.5;
	}
}

int main(int argc, char **argv)
{
	int rank, provided, odd = argc > 2 ? atoi(argv[2]) : -1;
	double sum;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	omp_init_lock(&left);
	omp_init_lock(&right);
	compute("");
	compute(rank == odd ? argv[1] : "");
	MPI_Allreduce(&cells[1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks whose depend clauses name local variables, their parts, and what they point to: one runs, the
// others wait for it.

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct node {
	int value;
	double pair[2];
};

static sem_t begun;

static void stay(void)
{
	puts("READY");
	fflush(stdout);
	for (;;)
		pause();
}

static void create(double *heap, double *const blocks[3], struct node *list)
{
	double local[4] = { 0 };
	struct node own = { 0 };
	int flag = 0;

#pragma omp task depend(inout : flag)
	{
		sem_post(&begun);
		for (;;)
			pause();
	}
	for (int i = 7; i < 8; i++) {
#pragma omp task depend(in : flag) depend(out : local[3])
		local[3] = i;
#pragma omp task depend(in : local[3]) depend(out : *heap)
		*heap = local[3];
#pragma omp task depend(in : *heap) depend(out : *blocks[2])
		*blocks[2] = *heap;
#pragma omp task depend(in : *blocks[2]) depend(out : heap[5])
		heap[5] = *blocks[2];
#pragma omp task depend(in : heap[5]) depend(out : list->pair[1])
		list->pair[1] = heap[5];
#pragma omp task depend(in : list->pair[1]) depend(out : own.value)
		own.value = (int)list->pair[1];
	}
	while (sem_wait(&begun))
		;
	stay();
}

int main(void)
{
	double *heap = calloc(10, sizeof(*heap));
	double *blocks[3] = { calloc(1, sizeof(double)), calloc(1, sizeof(double)),
			      calloc(1, sizeof(double)) };
	struct node *list = calloc(1, sizeof(*list));

	sem_init(&begun, 0, 0);
#pragma omp parallel num_threads(2)
#pragma omp single
	create(heap, blocks, list);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that have not begun, with copies and addresses of variables: one runs, the others wait for it.

#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

struct point {
	int x, y;
};

static sem_t begun;

static void stay(void)
{
	puts("READY");
	fflush(stdout);
	for (;;)
		pause();
}

int main(void)
{
	double written = 1.5;
	const char *name = "abc";
	struct point corner = { 3, 4 };

	sem_init(&begun, 0, 0);

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(inout : written)
		{
			sem_post(&begun);
			for (;;)
				pause();
		}
		for (int n = 0; n < 3; n++) {
#pragma omp task firstprivate(n, name, corner) shared(written) depend(inout : written)
			{
				int own = n * 2 + corner.x;

				written += own;
				puts(name);
			}
		}
		while (sem_wait(&begun))
			;
		stay();
	}
}

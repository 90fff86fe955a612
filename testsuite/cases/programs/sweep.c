// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sweep over cells in the direction of flow: each needs the one before it.

#include <stdio.h>

enum { CELLS = 64 };

static double flux[CELLS + 1];
static int solid[CELLS + 1];

static double upwind(int cell)
{
	return 0.9 * flux[cell - 1] + 0.1;
}

static void sweep(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(4)
	for (int cell = 1; cell <= CELLS; cell++) {
		if (solid[cell])
			continue;
#pragma omp ordered depend(sink : cell - 1)
		flux[cell] = upwind(cell);
#pragma omp ordered depend(source)
	}
}

int main(void)
{
	flux[0] = 1;
	solid[18] = 1;
	sweep();
	printf("%g\n", flux[CELLS]);
	return 0;
}

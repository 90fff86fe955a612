// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that has iteration 5 of a loop with dependences waits for a signal there; of the others, each waits for
// the iteration before its own.

#include <unistd.h>

static int done[12];

int main(void)
{
#pragma omp parallel for num_threads(4) ordered(1) schedule(static, 1)
	for (int i = 0; i < 12; i++) {
		while (i == 5)
			pause();
#pragma omp ordered depend(sink : i - 1)
		done[i] = 1;
#pragma omp ordered depend(source)
	}
	return done[11];
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three regions that compilers open by one call when they optimise: it has no line, or that of another.

#include <stdlib.h>
#include <unistd.h>

static volatile int forever = 1;

__attribute__((noinline)) static void wait_in(int kind)
{
	while (forever)
		pause();
	forever += kind;
}

int main(int argc, char **argv)
{
	int kind = argc > 1 ? atoi(argv[1]) : 0;

	if (kind == 1) {
#pragma omp parallel num_threads(2) // LINE: 1
		wait_in(1);
	} else if (kind == 2) {
#pragma omp parallel num_threads(2) // LINE: 2
		wait_in(2);
	} else {
#pragma omp parallel num_threads(2) // LINE: 3
		wait_in(3);
	}
	return 0;
}

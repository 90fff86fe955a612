// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Becomes itself again and again: what a process has in memory changes while somebody attaches to it.

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const double end = omp_get_wtime() + 0.005;

	(void)argc;
#pragma omp parallel num_threads(2)
	while (omp_get_wtime() < end)
		;
	execv("/proc/self/exe", argv);
	perror("execv");
	return 1;
}

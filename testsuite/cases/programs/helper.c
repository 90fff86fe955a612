// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks parts of a file; one thread has another program pack the result.

#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long sums[4];

static int pack(const char *file)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		execlp("/opt/tools/pack", "pack", file, (char *)NULL);
	else
		waitpid(child, &status, 0);
	return status;
}

static unsigned long check(int part)
{
	unsigned long sum = 5381;

	for (int i = 0; i < 100000; i++)
		sum = sum * 33 + (unsigned long)(part + i);
	return sum;
}

int main(void)
{
	int status = 0;

#pragma omp parallel num_threads(4)
	{
		int part = omp_get_thread_num();

		sums[part] = check(part);
#pragma omp barrier
#pragma omp single
		status = pack("result.bin");
	}
	printf("%lx, status %d\n", sums[0] ^ sums[1] ^ sums[2] ^ sums[3], status);
	return 0;
}

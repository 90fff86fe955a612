// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child and its parent open regions, one after the other.
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static long sum;

static void work(int threads)
{
#pragma omp parallel num_threads(threads) reduction(+ : sum)
	{
		sum += omp_get_thread_num();
	}
}

int main(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		work(3);
		printf("child %ld\n", sum);
		return 3;
	}
	waitpid(child, &status, 0);
	work(4);
	printf("parent %ld %d\n", sum, WEXITSTATUS(status));
	return 0;
}

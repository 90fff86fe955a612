// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region here, and one in a child of fork; the child's numbers go into a file of their own. libgomp hangs
// where a child wants more than one thread.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int members;

int main(void)
{
	const char *child_file = getenv("CHILD_OUT");
	int status = 1;
	pid_t child;

#pragma omp parallel num_threads(2)
#pragma omp atomic
	members++;
	child = fork();
	if (!child) {
		if (child_file)
			setenv("OMPT_CHECKER_OUT", child_file, 1);
#pragma omp parallel num_threads(1)
#pragma omp atomic
		members++;
		exit(members == 3 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return members == 2 && !status ? 0 : 1;
}

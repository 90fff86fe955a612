// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what another program writes, and counts its lines.

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int start_writer(void)
{
	int ends[2];

	if (pipe(ends))
		exit(1);
	if (!fork()) {
		dup2(ends[1], STDOUT_FILENO);
		execlp("seq", "seq", "1000", (char *)NULL);
		_exit(127);
	}
	return ends[0];
}

static size_t read_all(int file, char *text, size_t size)
{
	size_t length = 0;
	ssize_t more;

	while (length < size && (more = read(file, text + length, size - length)) > 0)
		length += (size_t)more;
	return length;
}

int main(void)
{
	static char text[65536];
	int file = start_writer();
	size_t length = 0;
	long lines = 0;

#pragma omp parallel num_threads(4)
	{
#pragma omp single
		length = read_all(file, text, sizeof(text));
#pragma omp for reduction(+ : lines)
		for (size_t i = 0; i < length; i++)
			lines += text[i] == '\n';
	}
	printf("%ld lines\n", lines);
	wait(NULL);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends itself by abort(), of which the C library says why, or not: last_words assertion|free|odd|silent

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int count = -1;

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "silent";
	char *block = malloc(100);

#pragma omp parallel num_threads(2)
	{
#pragma omp single
		{
			if (strcmp(way, "assertion") == 0)
				assert(count > 0);
			if (strcmp(way, "odd") == 0)
				__assert_fail("\033[31mred", "odd.c", 1, "odd");
			if (strcmp(way, "free") == 0)
				free(block + 1);
			abort();
		}
	}
	return 0;
}

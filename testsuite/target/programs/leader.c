// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first thread ends before the others: they stay at a barrier to which one does not come.
// The argument: so many MiB of memory are used.

#define _DEFAULT_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *work(void *first)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			alarm(3600);
			pthread_join(*(pthread_t *)first, NULL);
			puts("READY");
			fflush(stdout);
			for (;;)
				pause();
		}
#pragma omp barrier
	}
	return NULL;
}

int main(int argc, char **argv)
{
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
	static pthread_t first, other;
	char *used = malloc(size + 1);

	if (!used)
		return 1;
	memset(used, 1, size + 1);
	first = pthread_self();
	pthread_create(&other, NULL, work, &first);
	pthread_exit(NULL);
}

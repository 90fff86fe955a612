// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread waits for a mutex whose owner has ended ("ended"), or whose record of the owner was overwritten
// ("overwritten"). Prints what the mutex has for its owner, and READY when the thread waits.

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t abandoned = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *unused)
{
	pthread_mutex_lock(&abandoned);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t owner;

	pthread_create(&owner, NULL, take, NULL);
	pthread_join(owner, NULL);
	if (argc > 1 && strcmp(argv[1], "overwritten") == 0)
		abandoned.__data.__owner = 0;
	printf("%d\n", abandoned.__data.__owner);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			pthread_mutex_lock(&abandoned);
		while (__atomic_load_n(&abandoned.__data.__lock, __ATOMIC_SEQ_CST) != 2)
			;
		puts("READY");
		fflush(stdout);
		pause();
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads wait in the same function, called at two places of one line.

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "state.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void rest(void)
{
	pthread_mutex_lock(&gate);
}

int main(void)
{
	pthread_mutex_lock(&gate);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			state_reached(2);
		// clang-format off
		else if (omp_get_thread_num() == 1) rest(); else rest();
		// clang-format on
	}
	return EXIT_SUCCESS;
}

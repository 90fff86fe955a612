// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last thing that the code of a region, or of a task, does is to call a function of the C
// library: optimized, that is a jump, and the code has no frame.

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "state.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	pthread_mutex_lock(&gate);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			state_reached(2);
		else
			pthread_mutex_lock(&gate);
	}
	return EXIT_SUCCESS;
}

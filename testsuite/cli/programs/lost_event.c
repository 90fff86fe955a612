// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last thread waits for a detached task whose event nobody fulfils, the others for it at a barrier.

#include <omp.h>
#include <stdlib.h>

static int sum;

int main(int argc, char **argv)
{
#pragma omp parallel num_threads(argc > 1 ? atoi(argv[1]) : 4)
	{
#pragma omp barrier
		if (omp_get_thread_num() == omp_get_num_threads() - 1) {
			omp_event_handle_t done = 0;

#pragma omp task detach(done)
			sum++;
#pragma omp taskwait
		}
#pragma omp barrier
	}
	return sum;
}

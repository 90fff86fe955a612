// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team of 64: thread 0 is in a critical construct, those with odd numbers wait for it, the others at
// a barrier.

#include "state.h"

#include <omp.h>

enum { THREADS = 64 };

static int done;

int main(void)
{
	omp_set_dynamic(0);
#pragma omp parallel num_threads(THREADS)
	{
		int self = omp_get_thread_num();

		if (self == 0) {
#pragma omp critical(door)
			{
				state_open(0);
				state_reached(THREADS - 1);
				done++;
			}
		} else if (self % 2) {
			state_gate(0);
#pragma omp critical(door)
			done++;
		}
#pragma omp barrier
#pragma omp atomic
		done++;
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of a team ends in its region, and in a critical construct that the others wait for.

#include <omp.h>
#include <pthread.h>

static pthread_t leaver;
static int visits[4];

static void visit(int self)
{
#pragma omp critical(visits)
	{
		visits[self]++;
		if (self == 2)
			pthread_exit(NULL);
	}
}

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		int self = omp_get_thread_num();

		if (self == 2)
			leaver = pthread_self();
#pragma omp barrier
		if (self == 0)
			pthread_join(leaver, NULL);
		visit(self);
	}
	return 0;
}

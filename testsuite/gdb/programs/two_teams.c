// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A league of two teams: both initial threads come to a place before, in and after a parallel region.

#include <omp.h>

volatile int visits[2];

__attribute__((noinline)) void place(void)
{
	visits[omp_get_team_num()]++;
}

int main(void)
{
#pragma omp teams num_teams(2) thread_limit(2)
	{
		place();
#pragma omp parallel num_threads(2)
		place();
		place();
	}
	return 0;
}

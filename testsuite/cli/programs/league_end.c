// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A league of three, of which the initial thread with the number that is given goes on and the others are
// at the end. A second argument: with regions in it.

#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEAMS = 3 };

static int begun;

static void stay(int number)
{
	if (omp_get_team_num() == number)
		pause();
}

int main(int argc, char **argv)
{
	const int number = argc > 1 ? atoi(argv[1]) : 0, regions = argc > 2;

#pragma omp teams num_teams(TEAMS) thread_limit(regions + 1)
	{
		if (regions) {
#pragma omp parallel num_threads(2)
#pragma omp master
			{
				// Else one of them could take the thread of one that is over.
				__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
				while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < TEAMS)
					sched_yield();
				stay(number);
			}
		} else {
			stay(number);
		}
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A league of three, of which the initial thread with the number that is given goes on and the others are
// at the end. A second argument: with regions in it.

#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

static void stay(int number)
{
	if (omp_get_team_num() == number)
		pause();
}

int main(int argc, char **argv)
{
	const int number = argc > 1 ? atoi(argv[1]) : 0, regions = argc > 2;

#pragma omp teams num_teams(3) thread_limit(regions + 1)
	{
		if (regions) {
#pragma omp parallel num_threads(2)
			{
				if (omp_get_num_threads() != 2)
					_exit(1); // as now and then: the test starts it again
#pragma omp master
				stay(number);
			}
		} else {
			stay(number);
		}
	}
	return 0;
}

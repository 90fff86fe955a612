// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region within a region, and a task in it. Usage: ways
#include <omp.h>

#include "state.h"

static int turn;

static void rest(void)
{
	state_park();
	STATE_KEEP_FRAME();
}

static void child(void)
{
	state_open(0);
	state_reached(3);
	STATE_KEEP_FRAME();
}

static void parent(void)
{
	turn = 0; // LINE: before-task
#pragma omp task
	{
		child(); // LINE: in-task
		STATE_KEEP_FRAME();
	}
#pragma omp taskwait // LINE: taskwait
}

static void inner(int first)
{
#pragma omp parallel num_threads(2) // LINE: inner-region
	{
		if (omp_get_thread_num() == 0) {
			if (first)
				parent(); // LINE: parent-call
			else
				rest();
		} else if (first) {
			state_gate(0); // or this thread executes the task
		}
#pragma omp barrier // LINE: inner-barrier
		__atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED);
	}
}

static void outer(void)
{
#pragma omp parallel num_threads(2) // LINE: outer-region
	{
		inner(omp_get_thread_num() == 0);
		STATE_KEEP_FRAME();
	}
}

int main(void)
{
	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	outer();
	return 0;
}

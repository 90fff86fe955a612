// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets a tool ask, at places that the program knows; and gives it commands. The numbers of what the program
// does are written to standard output.

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The tool's: what it is told here must fit this.
struct place {
	int level;	 // of regions around it
	int size, outer; // of their teams
	int in_task;	 // in an explicit one
	int is_undeferred;
	const void *frame; // of the function around it
	const void *code;  // in that function
};
__attribute__((weak)) void check_place(const struct place *place);
__attribute__((weak)) void ompt_control(uint64_t command, uint64_t modifier);
#ifndef __clang__ // libgomp has no such function, libompt-gomp.so has
__attribute__((weak)) int omp_control_tool(int command, int modifier, void *argument);
#endif
__attribute__((weak)) extern const void *parallel_frame; // the latest that encountered a region

#define HERE(in_task_, is_undeferred_)                                                 \
	do {                                                                           \
		struct place place = { omp_get_level(),                                \
				       omp_get_num_threads(),                          \
				       omp_get_level() > 1 ? omp_get_team_size(1) : 1, \
				       in_task_,                                       \
				       is_undeferred_,                                 \
				       __builtin_frame_address(0),                     \
				       __builtin_extract_return_addr(code()) };        \
		if (check_place)                                                       \
			check_place(&place);                                           \
	} while (0)

/** Return where it is called from. */
__attribute__((noinline)) static void *code(void)
{
	return __builtin_return_address(0);
}

static void tasks(void)
{
#pragma omp task if (0)
	HERE(1, 1);
#pragma omp task
	HERE(1, 0);
#pragma omp taskwait
	HERE(0, 0);
}

static int flag;

int main(void)
{
	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	if (ompt_control)
		ompt_control(1, 7);
	HERE(0, 0);
	for (int i = 0; i < 3; i++) {
		if (&parallel_frame)
			parallel_frame = __builtin_frame_address(0);
#pragma omp parallel num_threads(3)
		{
			HERE(0, 0);
#pragma omp barrier
			if (omp_get_thread_num() == 1)
				tasks();
#pragma omp parallel num_threads(2)
			HERE(0, 0);
#pragma omp flush
			__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
			HERE(0, 0);
		}
		HERE(0, 0);
	}
#pragma omp target map(tofrom : flag)
	flag = 2;
#pragma omp target enter data map(to : flag)
#pragma omp target update to(flag)
#pragma omp target exit data map(delete : flag)
#pragma omp task
	HERE(1, 1);
	if (omp_control_tool)
		omp_control_tool(4, 6, NULL);
	if (ompt_control)
		ompt_control(64, UINT64_C(1) << 40);
	printf("flush 9\ntarget 4\nplaces %d\n", 1 + 3 * (3 + 3 + 6 + 3 + 1) + 1);
	return flag == 2 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every generated program has (testsuite/legal/generate.py), here: it counts what it does. The
// names are those of testsuite/legal/program.h, for the same source.

#ifndef PROGRAM_H
#define PROGRAM_H

#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../counts.h"

/** Nothing is kept of where a task is. */
struct here {
	char unused;
};

static uint64_t truth_rounds;
static pthread_key_t own_key;

__attribute__((unused)) static void free_record(void *record)
{
	(void)record;
}

static inline uint64_t new_id(void)
{
	return 0;
}

static inline void leave(void)
{
}

static inline void wait_here(const struct here *here)
{
	(void)here;
}

__attribute__((noinline, unused)) static void dwell_at(const struct here *here)
{
	(void)here;
	dwell();
}

#define dwell(here) dwell_at(here)

extern int __kmpc_global_thread_num(void *location) __attribute__((weak));

__attribute__((unused)) static void pause_runtime(omp_pause_resource_t how)
{
	if (omp_pause_resource_all(__kmpc_global_thread_num ? omp_pause_soft : how) != 0)
		abort();
}

__attribute__((unused)) static struct here here_initial(int max_active_levels)
{
	omp_set_dynamic(0);
	omp_set_max_active_levels(max_active_levels);
	return (struct here){ 0 };
}

__attribute__((unused)) static struct here here_league(const struct here *outer, uint64_t region)
{
	(void)region;
	count_team();
	return *outer;
}

// Once by each task of a region, and in each iteration of a combined loop, whose first counts all.
__attribute__((unused)) static struct here here_region(const struct here *outer, uint64_t region,
						       uint32_t *marker)
{
	(void)region;
	(void)marker;
	return *outer;
}

__attribute__((unused)) static void count_team_of_loop(enum count kind)
{
	uint64_t size = (uint64_t)omp_get_num_threads();

	ADD(implicit, size);
	ADD(alone, size == 1);
	__atomic_add_fetch(&counts[kind], size, __ATOMIC_RELAXED);
}

// Iterations of a taskloop share their task's marker.
__attribute__((unused)) static struct here here_iteration(const struct here *outer,
							  uint32_t *marker)
{
	if (!(*marker)++) {
		COUNT(taskloop_task);
		COUNT(task_run);
	}
	return *outer;
}

__attribute__((unused)) static struct here here_task(const struct here *outer)
{
	COUNT(task_run);
	return *outer;
}

#define omp_set_lock(which) (COUNT(lock), COUNT(lock_set), omp_set_lock(which))
#define omp_set_nest_lock(which) (COUNT(nest), COUNT(nest_first), omp_set_nest_lock(which))
#define omp_init_lock(which) (COUNT(lock_init), omp_init_lock(which))
#define omp_init_nest_lock(which) (COUNT(nest_init), omp_init_nest_lock(which))
#define omp_destroy_lock(which) (COUNT(lock_destroy), omp_destroy_lock(which))
#define omp_destroy_nest_lock(which) (COUNT(nest_destroy), omp_destroy_nest_lock(which))

#endif

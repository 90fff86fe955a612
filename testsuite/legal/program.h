// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every generated program has: its records, and how it keeps them. The source is generated to
// call leave() wherever a record stops to be true.

#ifndef PROGRAM_H
#define PROGRAM_H

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "truth.h"

struct truth truth_records[TRUTH_THREADS];
uint64_t truth_rounds;

static pthread_key_t own_key;
static __thread struct truth *own_record;
static __thread unsigned int own_seed;
static uint64_t last_id;

__attribute__((noinline)) static uint64_t new_id(void)
{
	return __atomic_add_fetch(&last_id, 16, __ATOMIC_RELAXED);
}

static uint32_t new_marker(void)
{
	static uint32_t last;

	// No team is that large.
	return 100 + __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED) % 900;
}

// ---- Records ---------------------------------------------------------------------------------

static void free_record(void *record)
{
	struct truth *mine = record;

	__atomic_add_fetch(&mine->sequence, 1, __ATOMIC_SEQ_CST);
	mine->state = TRUTH_NOTHING;
	__atomic_add_fetch(&mine->sequence, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&mine->used, 0, __ATOMIC_RELEASE);
}

__attribute__((noinline)) static struct truth *my_record(void)
{
	for (int i = 0; !own_record && i < TRUTH_THREADS; i++) {
		uint32_t unused = 0;

		if (!__atomic_compare_exchange_n(&truth_records[i].used, &unused, 1, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		own_record = &truth_records[i];
		own_record->pthread = (uint64_t)pthread_self();
		own_seed = (unsigned int)i + 1;
		pthread_setspecific(own_key, own_record);
	}
	if (!own_record)
		abort();
	return own_record;
}

__attribute__((noinline)) static void leave(void)
{
	struct truth *mine = my_record();

	if (mine->state == TRUTH_NOTHING)
		return;
	__atomic_add_fetch(&mine->sequence, 1, __ATOMIC_SEQ_CST);
	mine->state = TRUTH_NOTHING;
	__atomic_add_fetch(&mine->sequence, 1, __ATOMIC_SEQ_CST);
}

extern int __kmpc_global_thread_num(void *location) __attribute__((weak)); // of LLVM's runtime

// No routine of OpenMP but two may be called in a teams region itself.
static void describe_league(const struct here *here, struct truth *mine)
{
	mine->level = mine->active_level = mine->thread_num = mine->in_final = 0;
	mine->ancestor[0] = 0;
	mine->num_threads = mine->size[0] = 1;
	mine->max_active_levels = mine->thread_limit = -1;
	mine->dynamic = mine->bind = -1;
	mine->schedule = -1;
	mine->team_num = here->team_num;
	mine->num_teams = here->num_teams;
	mine->here = *here;
}

static void describe(const struct here *here, struct truth *mine)
{
	omp_sched_t schedule;
	int level = 0;

	for (uint32_t i = 0; i < here->count; i++)
		level += here->step[i].kind == TRUTH_IMPLICIT;
	mine->level = omp_get_level();
	if (mine->level != level) {
		fprintf(stderr, "level %d, not %d\n", mine->level, level);
		abort();
	}
	mine->active_level = omp_get_active_level();
	mine->thread_num = omp_get_thread_num();
	mine->num_threads = omp_get_num_threads();
	mine->in_final = omp_in_final();
	// LLVM's runtime says no until the first parallel region.
	if (mine->level == 0 && !mine->in_final && __kmpc_global_thread_num)
		mine->in_final = -1;
	mine->max_active_levels = omp_get_max_active_levels();
	mine->thread_limit = omp_get_thread_limit();
	mine->dynamic = omp_get_dynamic();
	mine->bind = (int32_t)omp_get_proc_bind();
	omp_get_schedule(&schedule, &mine->chunk);
	mine->schedule = (int64_t)(uint32_t)schedule;
	// LLVM's runtime itself answers with other numbers where an if clause serializes a region.
	mine->team_num = here->team_num;
	mine->num_teams = here->num_teams;
	for (int i = 0; i <= mine->level; i++) {
		mine->ancestor[i] = omp_get_ancestor_thread_num(i);
		mine->size[i] = omp_get_team_size(i);
	}
	mine->here = *here;
}

static void write_record(const struct here *here, enum truth_state state)
{
	struct truth *mine = my_record();

	__atomic_add_fetch(&mine->sequence, 1, __ATOMIC_SEQ_CST);
	if (here->step[here->count - 1].kind == TRUTH_LEAGUE)
		describe_league(here, mine);
	else
		describe(here, mine);
	mine->state = state;
	__atomic_add_fetch(&mine->sequence, 1, __ATOMIC_SEQ_CST);
}

/** Before a construct in which the thread may wait. */
__attribute__((noinline, unused)) static void wait_here(const struct here *here)
{
	write_record(here, TRUTH_WAITS);
}

/** Stays in the program's own code for a while. */
__attribute__((noinline, unused)) static void dwell(const struct here *here)
{
	write_record(here, TRUTH_USER);
	unsigned int time = (unsigned int)rand_r(&own_seed) % 400;

	if (time & 1)
		usleep(time);
	for (volatile unsigned int i = 0; i < time * 8; i++)
		;
	leave();
}

// LLVM's runtime does not come back from a hard pause, in no release up to 19.

__attribute__((unused)) static void pause_runtime(omp_pause_resource_t how)
{
	leave();
	if (omp_pause_resource_all(__kmpc_global_thread_num ? omp_pause_soft : how) != 0)
		abort();
}

// ---- Where a task is -------------------------------------------------------------------------

static void add_step(struct here *here, enum truth_kind kind, uint64_t region, uint32_t marker)
{
	leave();
	if (here->count == TRUTH_STEPS)
		abort();
	here->step[here->count++] = (struct truth_step){ kind, marker, region };
	if (marker)
		omp_set_num_threads((int)marker);
}

__attribute__((noinline)) static struct here here_initial(int max_active_levels)
{
	struct here here = { .count = 0, .num_teams = 1 };

	omp_set_dynamic(0);
	omp_set_max_active_levels(max_active_levels);
	add_step(&here, TRUTH_INITIAL, new_id(), new_marker());
	return here;
}

__attribute__((noinline, unused)) static struct here here_league(const struct here *outer,
								 uint64_t region)
{
	struct here here = *outer;

	here.team_num = omp_get_team_num();
	here.num_teams = omp_get_num_teams();
	// Its initial threads have a region each.
	add_step(&here, TRUTH_LEAGUE, region + 1 + (uint64_t)omp_get_team_num(), 0);
	return here;
}

// A task that runs iterations of a loop comes here in each: @p marker is its own, and 0 at first.
__attribute__((noinline, unused)) static struct here here_region(const struct here *outer,
								 uint64_t region, uint32_t *marker)
{
	struct here here = *outer;

	if (*marker == 0)
		*marker = new_marker();
	add_step(&here, TRUTH_IMPLICIT, region, *marker);
	return here;
}

__attribute__((noinline, unused)) static struct here here_iteration(const struct here *outer,
								    uint32_t *marker)
{
	struct here here = *outer;

	if (*marker == 0)
		*marker = new_marker();
	add_step(&here, TRUTH_EXPLICIT, outer->step[outer->count - 1].region, *marker);
	return here;
}

__attribute__((noinline, unused)) static struct here here_task(const struct here *outer)
{
	uint32_t marker = 0;

	return here_iteration(outer, &marker);
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a generated program knows of its own threads, in plain memory: the checker reads it when it
// has stopped the program, and compares.

#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>

enum { TRUTH_THREADS = 512, TRUTH_LEVELS = 12, TRUTH_STEPS = 24 };

enum truth_state {
	TRUTH_NOTHING, // the thread is somewhere in the runtime, or over
	TRUTH_USER,    // it runs its own code
	TRUTH_WAITS,   // in the runtime, in the same region; tasks may run on top
};

enum truth_kind { TRUTH_INITIAL, TRUTH_LEAGUE, TRUTH_IMPLICIT, TRUTH_EXPLICIT };

/** A task on the way from the initial task to the current one, as the source is nested. */
struct truth_step {
	uint32_t kind;	 // enum truth_kind
	uint32_t marker; // a number that the task has set as its nthreads-var; 0: it has not
	uint64_t region; // number of the region's instance
};

/** The way itself: a task copies that of the one that generated it. */
struct here {
	uint32_t count;
	int32_t team_num, num_teams; // of the league, as it began
	struct truth_step step[TRUTH_STEPS];
};

/** Of one thread. */
struct truth {
	uint32_t used;
	uint32_t sequence; // odd while the record is being written
	uint32_t state;	   // enum truth_state
	uint64_t pthread;
	int32_t level, active_level, thread_num, num_threads, in_final;
	int32_t max_active_levels, thread_limit, team_num, num_teams;
	int32_t dynamic, bind, chunk;
	int64_t schedule;
	int32_t ancestor[TRUTH_LEVELS], size[TRUTH_LEVELS];
	struct here here;
};

#endif

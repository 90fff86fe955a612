// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions that make parallel regions share.

#ifndef OMPT_GOMP_PARALLEL_H
#define OMPT_GOMP_PARALLEL_H

#include "state.h"

/** Run a thread's part of a parallel region: what libgomp calls in place of the program's function. */
void gomp_parallel_body(void *data);
/** Run one team of a league in the same way. */
void gomp_teams_body(void *data);
/** Tell the tool that a thread encounters a region. */
void gomp_region_begin(struct thread *thread, struct region *region, unsigned requested);
/** Tell the tool that a region has ended; go back to the task around it. */
void gomp_region_end(struct thread *thread, struct region *region, struct implicit *outer,
		     int state);

/** Fill what all implicit and initial tasks have. */
void gomp_init_implicit(struct implicit *implicit, struct region *region, int flags);

// Begin a region in a function that observes one; its variables live until REGION_END.
#define BEGIN(fn_, data_, flags_, requested)                          \
	struct thread *thread = this_thread();                        \
	struct implicit *outer = thread->implicit;                    \
	struct region region;                                         \
	int state = set_state(thread, ompt_state_overhead);           \
                                                                      \
	enter_frame(thread, FRAME_ADDRESS);                           \
	__builtin_memset(&region, 0, sizeof(region));                 \
	region.fn = (fn_);                                            \
	region.data = (data_);                                        \
	region.code = RETURN_ADDRESS;                                 \
	region.flags = ompt_parallel_invoker_runtime | (int)(flags_); \
	gomp_region_begin(thread, &region, requested);

#define REGION_BEGIN(fn_, data_, num_threads_) \
	BEGIN(fn_, data_, ompt_parallel_team,  \
	      (num_threads_) ? (num_threads_) : (unsigned)gomp_ask.omp_get_max_threads())
#define LEAGUE_BEGIN(fn_, data_, num_teams_) \
	BEGIN(fn_, data_, ompt_parallel_league, (num_teams_) ? (num_teams_) : 1)

#define REGION_END gomp_region_end(thread, &region, outer, state);

#endif

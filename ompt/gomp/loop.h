// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations a team shares.

#ifndef OMPT_GOMP_LOOP_H
#define OMPT_GOMP_LOOP_H

#include "state.h"

/** A schedule, as libgomp's numbers have it; and that of the setting. */
enum schedule {
	SCHEDULE_RUNTIME = 0,
	SCHEDULE_STATIC = 1,
	SCHEDULE_DYNAMIC = 2,
	SCHEDULE_GUIDED = 3,
};

/** Return the kind of a loop with a schedule. */
ompt_work_t gomp_loop_kind(unsigned long schedule);

/** Return the number of iterations, or of those in a chunk. */
static inline uint64_t num_iterations(uint64_t start, uint64_t end, struct loop loop)
{
	uint64_t length = loop.down ? start - end : end - start;
	bool empty = loop.is_signed ? (loop.down ? (int64_t)start <= (int64_t)end :
						   (int64_t)start >= (int64_t)end) :
				      (loop.down ? start <= end : start >= end);

	if (empty)
		return 0;
	return loop.step == 1 ? length : (length - 1) / loop.step + 1;
}

static inline struct loop signed_loop(long step)
{
	struct loop loop = { .step = step < 0 ? -(uint64_t)step : (uint64_t)step,
			     .down = step < 0,
			     .is_signed = true };

	return loop;
}

static inline struct loop unsigned_loop(bool up, ull step)
{
	struct loop loop = { .step = up ? step : -step, .down = !up };

	return loop;
}

#endif

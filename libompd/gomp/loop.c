// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop whose iterations a thread fetches, by its work share (struct gomp_work_share). A thread
// keeps its last one when it has left it, and a single construct with copyprivate has one, too: the
// answer is about the thread's loop only if its code is in one. That code shows an ordered clause,
// too.

#include "gomp/gomp.h"

/** enum gomp_schedule_type (libgomp.h). */
enum {
	GFS_DYNAMIC = 2,
	GFS_GUIDED = 3,
	GFS_MONOTONIC = 1u << 31,
};

struct share {
	uint64_t sched, chunk, end, incr, next;
};

static ompd_rc_t read_share(const struct runtime *runtime, uint64_t address, struct share *ret)
{
	const struct {
		enum gomp_field field;
		uint64_t *ret;
	} wanted[] = {
		{ SHARE(sched), &ret->sched }, { SHARE(chunk_size), &ret->chunk },
		{ SHARE(end), &ret->end },     { SHARE(incr), &ret->incr },
		{ SHARE(next), &ret->next },
	};
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < sizeof(wanted) / sizeof(wanted[0]); i++)
		rc = gomp_read(runtime, address, wanted[i].field, wanted[i].ret);
	return rc;
}

// `next` runs past `end` if threads have asked in vain. Whether the loop's variable has a sign is not
// recorded: a loop to which that makes a difference gets no answer.
static bool count_remaining(const struct share *share, uint64_t *ret)
{
	const bool is_down = (int64_t)share->incr < 0;
	const uint64_t from = is_down ? share->end : share->next;
	const uint64_t to = is_down ? share->next : share->end;
	const uint64_t step = is_down ? -share->incr : share->incr;

	if (step == 0 || ((int64_t)from < (int64_t)to) != (from < to))
		return false;
	*ret = from < to ? (to - from - 1) / step + 1 : 0;
	return true;
}

ompd_rc_t gomp_loop_info(const struct runtime *runtime, const struct thread *thread,
			 ompd_ext_loop_info *ret)
{
	const uint64_t state = thread->address + runtime->layout.field[THREAD(ts)].offset;
	struct share share;
	uint64_t address;

	if (!thread->ts.team)
		return reason(ompd_rc_unavailable, "the thread is in no region");
	ompd_rc_t rc = gomp_read(runtime, state, STATE(work_share), &address);

	if (rc == ompd_rc_ok && !address)
		return reason(ompd_rc_unavailable, "the thread was in no loop of its region");
	if (rc == ompd_rc_ok)
		rc = read_share(runtime, address, &share);
	if (rc != ompd_rc_ok)
		return rc;
	const uint32_t schedule = (uint32_t)share.sched & ~GFS_MONOTONIC;

	if (schedule != GFS_DYNAMIC && schedule != GFS_GUIDED)
		return reason(ompd_rc_unavailable, "the thread's code divides the iterations");
	*ret = (ompd_ext_loop_info){
		.id = address,
		.schedule = schedule,
		.flags = ompd_ext_loop_last,
	};
	// Of a dynamic loop it is what is added to the variable.
	if (schedule == GFS_GUIDED)
		ret->chunk = share.chunk;
	else if (share.incr && (int64_t)share.chunk % (int64_t)share.incr == 0)
		ret->chunk = (uint64_t)((int64_t)share.chunk / (int64_t)share.incr);
	if (count_remaining(&share, &ret->remaining))
		ret->flags |= ompd_ext_loop_remaining;
	return ompd_rc_ok;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the threads of a region have come: at its barrier, and in an ordered region.

#include "gomp/gomp.h"

/** Bits of gomp_barrier_t's generation (config/linux/bar.h). */
enum {
	BAR_WAITING_FOR_TASK = 1 << 1,
	BAR_CANCELLED = 1 << 2,
};

// Read how many have arrived from the counter at @p field, which counts down from the total.
static ompd_rc_t read_arrived(const struct runtime *runtime, uint64_t barrier,
			      enum gomp_field field, uint32_t total, uint32_t *ret)
{
	uint64_t awaited;
	ompd_rc_t rc = gomp_read(runtime, barrier, field, &awaited);

	if (rc != ompd_rc_ok)
		return rc;
	if (awaited > total)
		return reason(ompd_rc_error, "the region's barrier is damaged: it awaits more "
					     "threads than there are");
	*ret = total - (uint32_t)awaited;
	return ompd_rc_ok;
}

ompd_rc_t gomp_barrier_info(const struct runtime *runtime, const struct region *region,
			    ompd_ext_barrier_info *ret)
{
	uint64_t generation;

	if (!region->team)
		return reason(ompd_rc_unavailable, "the implicit region has no barrier");
	uint64_t barrier = gomp_at(runtime, region->team, TEAM(barrier));
	ompd_rc_t rc =
		gomp_read(runtime, barrier, GOMP_FIELD_gomp_barrier_t__generation, &generation);

	*ret = (ompd_ext_barrier_info){ .total = region->nthreads };
	if (rc == ompd_rc_ok)
		rc = read_arrived(runtime, barrier, GOMP_FIELD_gomp_barrier_t__awaited, ret->total,
				  &ret->arrived);
	if (rc == ompd_rc_ok)
		rc = read_arrived(runtime, barrier, GOMP_FIELD_gomp_barrier_t__awaited_final,
				  ret->total, &ret->arrived_end);
	if (rc == ompd_rc_ok && (generation & BAR_WAITING_FOR_TASK))
		ret->flags |= ompd_ext_barrier_tasks;
	if (rc == ompd_rc_ok && (generation & BAR_CANCELLED))
		ret->flags |= ompd_ext_barrier_cancelled;
	return rc;
}

// The queue of threads that want to enter: gomp_ordered_sync and the others of ordered.c. In a loop
// with a static schedule only its first element is used.
ompd_rc_t gomp_ordered_turn(const struct runtime *runtime, const struct thread *thread, int *ret)
{
	uint64_t share, ids, current, number, nthreads;

	if (!thread->ts.team)
		return reason(ompd_rc_unavailable, "the thread is in no region");
	ompd_rc_t rc = gomp_read(runtime,
				 thread->address + runtime->layout.field[THREAD(ts)].offset,
				 STATE(work_share), &share);

	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, share, SHARE(ordered_team_ids), &ids);
	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, share, SHARE(ordered_cur), &current);
	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, thread->ts.team, TEAM(nthreads), &nthreads);
	if (rc != ompd_rc_ok)
		return rc;
	if (!ids || current >= nthreads)
		return reason(ompd_rc_unavailable, "the thread's loop has no ordered region");
	rc = target_read_uint(&runtime->target, ids + 4 * current, 4, &number);
	if (rc != ompd_rc_ok)
		return rc;
	if (number >= nthreads)
		return reason(ompd_rc_error, "the order of the threads is damaged");
	*ret = (int)number;
	return ompd_rc_ok;
}
